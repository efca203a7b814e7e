//===- Mini.h - A dialect outside of DietCode -------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MINI_H
#define MINI_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

#include "MiniDialect.h.inc"
#define GET_OP_CLASSES
#include "MiniOps.h.inc"

namespace mini {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "MiniPasses.h.inc"

/// Registers `mini-compile`: this dialect to linalg, all of DietCode, and the
/// count of kernels.
void registerMiniPipelines();

} // namespace mini

#endif // MINI_H
