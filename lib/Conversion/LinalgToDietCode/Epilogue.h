//===- Epilogue.h - Merge an elementwise operation into an epilogue ---*- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder: what fusion on tensors and on buffers have in common.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_CONVERSION_LINALGTODIETCODE_EPILOGUE_H
#define DIETCODE_LIB_CONVERSION_LINALGTODIETCODE_EPILOGUE_H

#include "Utils.h"

namespace mlir::dietcode::linalg_raising {

/// How the values that the body of an elementwise operation uses will reach it
/// in the epilogue of the operator whose result it consumes.
struct EpiloguePlan {
  ContractionOpInterface producer;
  linalg::LinalgOp consumer;
  /// Operands of the fused epilogue: those of the producer, then new ones, each
  /// read through its map from the product's dimensions. A value that is not
  /// shaped is a scalar.
  SmallVector<MappedValue> operands;
  /// Values of the consumer's body that are the element of the producer,
  SmallVector<Value> sums;
  /// that are the element of an operand,
  SmallVector<std::pair<Value, unsigned>> elements;
  /// and that are the same constant everywhere.
  SmallVector<std::pair<Value, TypedAttr>> constants;
};

/// The type in which `op` hands the sum to an epilogue.
Type getSumArgumentType(ContractionOpInterface op);

/// Plans the fusion of `consumer` into the epilogue of `producer`, whose result
/// it reads as `product`. Fails, with a reason given to `rewriter`, unless the
/// consumer is a scalar computation on the elements at one place alone.
FailureOr<EpiloguePlan> planEpilogue(ContractionOpInterface producer,
                                     linalg::LinalgOp consumer, Value product,
                                     PatternRewriter &rewriter);

/// Creates, at the consumer, the operator that computes what producer and
/// consumer do, into `out`. Replaces neither of them.
ContractionOpInterface createWithEpilogue(const EpiloguePlan &plan, Value out,
                                          PatternRewriter &rewriter);

} // namespace mlir::dietcode::linalg_raising

#endif // DIETCODE_LIB_CONVERSION_LINALGTODIETCODE_EPILOGUE_H
