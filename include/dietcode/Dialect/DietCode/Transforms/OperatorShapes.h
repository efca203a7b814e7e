//===- OperatorShapes.h - Shapes that an operator is selected for ---*- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DIALECT_DIETCODE_TRANSFORMS_OPERATORSHAPES_H
#define DIETCODE_DIALECT_DIETCODE_TRANSFORMS_OPERATORSHAPES_H

#include "dietcode/Dialect/DietCode/Transforms/ShapeAnalysis.h"

namespace mlir::dietcode {

/// The shapes of one operator: which of its tiled dimensions are dynamic, and
/// how they depend on the shape variables.
struct OperatorShapes {
  SmallVector<AffineExpr> extents; ///< Of the tiled dimensions.
  SmallVector<unsigned> dynamicDims;
  /// Of each dynamic dimension, as the expression alone tells them: the lower
  /// one may be negative.
  SmallVector<::dietcode::Interval> bounds;
  SmallVector<::dietcode::Interval> varRanges;
  SmallVector<int64_t> varMultiples;

  /// The extents of all tiled dimensions at values of the dynamic ones.
  SmallVector<int64_t> complete(ArrayRef<int64_t> dynamicSizes) const;
  /// The sizes of the dynamic dimensions at values of the shape variables.
  std::vector<int64_t> evaluate(ArrayRef<int64_t> vars) const;
};

/// The shapes of `op`; an error if one of its dimensions is not bound, is
/// always negative, or is not held by 64 bits for all values of the variables.
FailureOr<OperatorShapes> getOperatorShapes(OperatorOpInterface op,
                                            ShapeAnalysis &analysis);

/// The instances of the workload of the operator's function, with weights that
/// sum up to one. Shape variables that the workload does not mention are at
/// their upper ends. Empty if there is no workload. A negative size is an
/// error.
FailureOr<std::vector<::dietcode::SamplePoint>>
getInstances(OperatorOpInterface op, ShapeAnalysis &analysis,
             const OperatorShapes &shapes);

/// At most about `maxPoints` samples of the whole range, with weights that sum
/// up to one. A size is never negative at run time, so samples with one are
/// left out; an error if none is left.
FailureOr<std::vector<::dietcode::SamplePoint>>
sampleRange(OperatorOpInterface op, const OperatorShapes &shapes,
            size_t maxPoints = 400);

/// The interval of each dynamic dimension, which holds every shape.
std::vector<::dietcode::Interval> getDomain(const OperatorShapes &shapes);

} // namespace mlir::dietcode

#endif // DIETCODE_DIALECT_DIETCODE_TRANSFORMS_OPERATORSHAPES_H
