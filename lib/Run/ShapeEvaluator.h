//===- ShapeEvaluator.h - Sizes inside a function for one call ---*- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUN_SHAPEEVALUATOR_H
#define DIETCODE_LIB_RUN_SHAPEEVALUATOR_H

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Run/Arguments.h"

namespace mlir::dietcode {

/// Tells the sizes of values inside a function from the sizes of its arguments
/// and the shape bindings, as far as that is possible without running it.
class ShapeEvaluator {
public:
  ShapeEvaluator(func::FuncOp entry, ArrayRef<RunArgument> arguments);

  /// The size of dimension `dim` of `value`.
  std::optional<int64_t> sizeOf(Value value, unsigned dim);
  /// The extent of a tiled dimension of an operator.
  std::optional<int64_t> extentOf(OperatorOpInterface op, unsigned tiledDim);

private:
  std::optional<int64_t> problemExtentOf(OperatorOpInterface op,
                                         unsigned problemDim);
  void solve(BindShapeOp bind);
  std::optional<int64_t> evaluate(BindShapeOp bind, unsigned dim);
  std::optional<int64_t> valueOf(Value index);
  std::optional<int64_t> valueOf(OpFoldResult index);
  std::optional<int64_t> sizeAtDefinition(Value value, unsigned dim);

  func::FuncOp entry;
  ArrayRef<RunArgument> arguments;
  llvm::StringMap<int64_t> variables;
};

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_RUN_SHAPEEVALUATOR_H
