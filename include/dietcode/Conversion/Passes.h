//===- Passes.h - Conversions from and to the dietcode dialect ---*- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_PASSES_H
#define DIETCODE_CONVERSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::dietcode {

#define GEN_PASS_DECL
#include "dietcode/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dietcode/Conversion/Passes.h.inc"

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_PASSES_H
