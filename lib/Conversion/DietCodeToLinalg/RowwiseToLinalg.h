//===- RowwiseToLinalg.h - Spell rowwise as linalg --------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOLINALG_ROWWISETOLINALG_H
#define DIETCODE_CONVERSION_DIETCODETOLINALG_ROWWISETOLINALG_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::dietcode {

/// Lowers dietcode.rowwise: each reduction to a linalg.fill and a generic over
/// rows and columns, what is written to a generic over what it is written for.
void populateRowwiseToLinalgPatterns(RewritePatternSet &patterns);

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOLINALG_ROWWISETOLINALG_H
