//===- Utils.h - Helpers of the raising from linalg -------------*- C++ -*-===//
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

#ifndef DIETCODE_LIB_CONVERSION_LINALGTODIETCODE_UTILS_H
#define DIETCODE_LIB_CONVERSION_LINALGTODIETCODE_UTILS_H

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::dietcode::linalg_raising {

/// A tensor, buffer or scalar, and the projected permutation that it is read
/// through.
struct MappedValue {
  Value value;
  AffineMap map;
};

/// Follows an operand through broadcasts, transposes, copies and fills of
/// tensors to the tensor or scalar that they were made from:
///
///   %t = linalg.transpose ins(%w) permutation = [1, 0]
///   {%t, (k, n) -> (k, n)}  -->  {%w, (k, n) -> (n, k)}
MappedValue lookThroughCopies(MappedValue operand);

/// Whether all operands give the same static size to each dimension of their
/// maps. linalg does not check them once one of a dimension's sizes is dynamic.
bool haveConsistentStaticSizes(ArrayRef<MappedValue> operands);

/// Whether the value is a tensor or buffer of the plain kind that dietcode
/// works on: no sparse encoding, elements that are floats or integers.
bool isPlainShaped(Value value);

/// The scalar that all elements of a constant are, or null.
TypedAttr getUniformConstant(Value value);

/// Whether `op` neither reads nor writes `buffer`, as far as can be proven.
bool leavesBufferAlone(Operation *op, Value buffer);

/// Why `op` is not raised to an operator, as a clause; empty if it is.
StringRef explainNotRaised(linalg::LinalgOp op);

void populateRaiseContractionPatterns(RewritePatternSet &patterns);
void populateFuseTensorEpiloguePatterns(RewritePatternSet &patterns);
void populateFuseBufferEpiloguePatterns(RewritePatternSet &patterns);

} // namespace mlir::dietcode::linalg_raising

#endif // DIETCODE_LIB_CONVERSION_LINALGTODIETCODE_UTILS_H
