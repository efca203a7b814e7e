//===- DietCodeToLinalg.h - Spell dietcode as linalg ------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers operators to the linalg generics that define them, and drops the facts
// that only micro-kernels make use of.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOLINALG_DIETCODETOLINALG_H
#define DIETCODE_CONVERSION_DIETCODETOLINALG_DIETCODETOLINALG_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::dietcode {

/// Collects the patterns of `convert-dietcode-to-linalg`: dietcode.matmul
/// becomes linalg.fill (unless it accumulates), a contraction, and an
/// elementwise generic for its epilogue; dietcode.rowwise becomes a generic for
/// each reduction and for what is written; bindings of shapes go, and so do the
/// symbols of the dialect once nothing refers to them.
void populateDietCodeToLinalgPatterns(RewritePatternSet &patterns);

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOLINALG_DIETCODETOLINALG_H
