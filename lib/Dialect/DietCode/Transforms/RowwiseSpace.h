//===- RowwiseSpace.h - The iteration space of a fused operator --*- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_DIALECT_DIETCODE_TRANSFORMS_ROWWISESPACE_H
#define DIETCODE_LIB_DIALECT_DIETCODE_TRANSFORMS_ROWWISESPACE_H

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::dietcode {

/// Which dimension of a fused operator each dimension of its parts is.
struct RowwiseSpace {
  unsigned numDims;
  unsigned columns; ///< How many of them, the last ones, are columns.
  SmallVector<unsigned> ofProducer;
  SmallVector<unsigned> ofConsumer;

  /// A map from the dimensions of a part as one from those of the whole.
  /// `inputs` says which input of the whole each one of the part is.
  AffineMap embed(AffineMap map, ArrayRef<unsigned> dims,
                  ArrayRef<unsigned> inputs = {}) const;
};

/// The space that both operators fit in; fails with a reason if there is none.
FailureOr<RowwiseSpace> findCommonSpace(RowwiseOp producer, RowwiseOp consumer,
                                        PatternRewriter &rewriter);

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_DIALECT_DIETCODE_TRANSFORMS_ROWWISESPACE_H
