//===- FuseRowwise.h - Fuse rowwise operators -------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DIALECT_DIETCODE_TRANSFORMS_FUSEROWWISE_H
#define DIETCODE_DIALECT_DIETCODE_TRANSFORMS_FUSEROWWISE_H

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::dietcode {

/// Replaces `consumer`, and `producer`, of which it reads results, by one
/// operator that computes both, at the place of the consumer. Fails, with a
/// reason given to `rewriter`, where they do not go together:
///
/// - the iteration space of one must contain that of the other: the consumer's
///   dimensions those of a producer, or the rows of a producer that reduces the
///   dimensions of an elementwise consumer;
/// - a producer that reduces keeps rows and columns apart, is not repeated for
///   rows that it does not have, and has provably as many columns;
/// - results that others use, too, are used after the consumer.
FailureOr<RowwiseOp> fuseRowwise(RowwiseOp producer, RowwiseOp consumer,
                                 PatternRewriter &rewriter);

/// Fuses rowwise operators with those that use their results.
void populateFuseRowwisePatterns(RewritePatternSet &patterns);

} // namespace mlir::dietcode

#endif // DIETCODE_DIALECT_DIETCODE_TRANSFORMS_FUSEROWWISE_H
