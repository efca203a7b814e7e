//===- ShapeAnalysis.h - Shapes as functions of shape variables ---*- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of the dimensions of values: constants, and affine expressions
// of shape variables, found by following definitions to bindings.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DIALECT_DIETCODE_TRANSFORMS_SHAPEANALYSIS_H
#define DIETCODE_DIALECT_DIETCODE_TRANSFORMS_SHAPEANALYSIS_H

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::dietcode {

/// The symbolic dimensions of the values of one function. Expressions are over
/// affine symbols, one for each shape variable in the order of `getVars`, and
/// may be products of them.
class ShapeAnalysis {
public:
  /// Reads the bindings in `function`.
  explicit ShapeAnalysis(FunctionOpInterface function);

  /// Dimension `dim` of a shaped value; null if nothing is known.
  AffineExpr getDim(Value value, int64_t dim);

  /// The value of an index; null if nothing is known.
  AffineExpr getIndex(Value value);
  AffineExpr getIndex(OpFoldResult value);

  /// The extents of the problem dimensions of an operator, each null if nothing
  /// is known. Constants win over expressions.
  SmallVector<AffineExpr> getProblemShape(ProblemOpInterface op);

  /// The extents of the tiled dimensions of an operator, likewise. One of
  /// several dynamic dimensions is a product of expressions.
  SmallVector<AffineExpr> getTiledShape(OperatorOpInterface op);

  /// Takes note that dimension `dim` of `value` is `expr`. What is known
  /// already is kept: `getDim` gives what was noted first.
  void assume(Value value, int64_t dim, AffineExpr expr);

  /// Whether dimension `dim` of `value` is known to be `expr`.
  bool isKnownToBe(Value value, int64_t dim, AffineExpr expr);

  /// The expression that is a shape variable's value.
  AffineExpr getVarExpr(StringAttr var);

  /// The names of the shape variables met so far; their positions are those of
  /// the symbols in expressions.
  ArrayRef<StringAttr> getVars() const { return vars.getArrayRef(); }

  /// The variables that `exprs` use, and `exprs` as a map over just those.
  std::pair<ArrayAttr, AffineMap> makeBinding(ArrayRef<AffineExpr> exprs) const;

private:
  AffineExpr computeDim(Value value, int64_t dim);
  AffineExpr getBoundDim(Value value, int64_t dim);

  MLIRContext *context;
  llvm::SetVector<StringAttr> vars;
  DenseMap<std::pair<Value, int64_t>, SmallVector<AffineExpr, 1>> known;
};

/// The least and the largest value of `expr` where each symbol lies in its
/// interval: exact for linear expressions and at points, an enclosure else.
/// Nothing if 64 bits do not hold one of them, or one of a part of `expr`.
std::optional<::dietcode::Interval>
evaluateBounds(AffineExpr expr, ArrayRef<::dietcode::Interval> symbols);

/// The value of `expr` at a point for which it has bounds.
int64_t evaluateAt(AffineExpr expr, ArrayRef<int64_t> symbols);

} // namespace mlir::dietcode

#endif // DIETCODE_DIALECT_DIETCODE_TRANSFORMS_SHAPEANALYSIS_H
