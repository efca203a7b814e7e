//===- LinalgToRowwise.h - Raise linalg to dietcode.rowwise -----*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_LINALGTODIETCODE_LINALGTOROWWISE_H
#define DIETCODE_CONVERSION_LINALGTODIETCODE_LINALGTOROWWISE_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::dietcode {

/// Collects the patterns of `convert-linalg-to-rowwise`: a linalg operation on
/// tensors that is elementwise, moves elements, or reduces one dimension
/// becomes a dietcode.rowwise; linalg.softmax is decomposed for it. They are
/// meant to run after those of `convert-linalg-to-dietcode`.
void populateLinalgToRowwisePatterns(RewritePatternSet &patterns);

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_LINALGTODIETCODE_LINALGTOROWWISE_H
