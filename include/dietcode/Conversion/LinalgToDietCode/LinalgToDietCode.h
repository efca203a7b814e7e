//===- LinalgToDietCode.h - Raise linalg to dietcode ------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Raises contractions of two matrices, and the elementwise operations that
// consume them, to dietcode.matmul.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_LINALGTODIETCODE_LINALGTODIETCODE_H
#define DIETCODE_CONVERSION_LINALGTODIETCODE_LINALGTODIETCODE_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::dietcode {

/// Collects the patterns of `convert-linalg-to-dietcode`:
///
/// 1. a linalg operation whose indexing maps and body are a product of two
///    matrices becomes a dietcode.matmul;
/// 2. an elementwise consumer of a dietcode.matmul becomes its epilogue.
///
/// They are meant for the greedy driver: the second waits for the first. An
/// operation that is not understood is left as it is.
void populateLinalgToDietCodePatterns(RewritePatternSet &patterns);

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_LINALGTODIETCODE_LINALGTODIETCODE_H
