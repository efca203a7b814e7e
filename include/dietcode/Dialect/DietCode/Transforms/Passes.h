//===- Passes.h - Passes within the dietcode dialect ------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DIALECT_DIETCODE_TRANSFORMS_PASSES_H
#define DIETCODE_DIALECT_DIETCODE_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::dietcode {

#define GEN_PASS_DECL
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"

} // namespace mlir::dietcode

#endif // DIETCODE_DIALECT_DIETCODE_TRANSFORMS_PASSES_H
