//===- BindShapes.cpp - Bind every dynamic dimension of an operator -------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "dietcode/Dialect/DietCode/Transforms/ShapeAnalysis.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODEBINDSHAPESPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

namespace {

/// Binds the operands of the operators of one function.
class ShapeBinder {
public:
  ShapeBinder(FunctionOpInterface function, SymbolTable &symbols,
              ::dietcode::Interval defaultRange)
      : function(function), symbols(symbols), defaultRange(defaultRange),
        analysis(function) {}

  LogicalResult bind();

private:
  LogicalResult bindOperator(OperatorOpInterface op);
  LogicalResult bindProblemDim(OperatorOpInterface op, unsigned dim,
                               AffineExpr extent);
  AffineExpr createShapeVar(OperatorOpInterface op, StringRef dimName);
  void createBinding(Value value);

  FunctionOpInterface function;
  SymbolTable &symbols;
  ::dietcode::Interval defaultRange;
  ShapeAnalysis analysis;
  /// Values with dimensions that need a new binding: what each must be.
  llvm::MapVector<Value, SmallVector<AffineExpr>> toBind;
};

} // namespace

/// A shape variable that nothing is declared about, named after the function
/// and the dimension.
AffineExpr ShapeBinder::createShapeVar(OperatorOpInterface op,
                                       StringRef dimName) {
  OpBuilder builder(function->getContext());
  std::string name = (function.getName() + "_" + dimName).str();
  auto var = ShapeVarOp::create(builder, op.getLoc(), name, defaultRange.lower,
                                defaultRange.upper);
  StringAttr symbol =
      symbols.insert(var, symbols.getOp()->getRegion(0).front().begin());
  return analysis.getVarExpr(symbol);
}

/// Every operand dimension that is indexed by `dim` must be `extent`.
LogicalResult ShapeBinder::bindProblemDim(OperatorOpInterface op, unsigned dim,
                                          AffineExpr extent) {
  for (auto occurrence : op.getOccurrences(dim)) {
    Value operand = op->getOperand(occurrence.operand);
    AffineExpr expr = analysis.getDim(operand, occurrence.dim);
    if (expr == extent)
      continue;
    auto lhs = dyn_cast_if_present<AffineConstantExpr>(expr);
    auto rhs = dyn_cast<AffineConstantExpr>(extent);
    if (lhs && rhs)
      return op->emitOpError()
             << "dimension " << occurrence.dim << " of '"
             << op.getOperandName(occurrence.operand) << "' is "
             << lhs.getValue() << ", but dimension "
             << op.getProblemDimNames()[dim] << " is " << rhs.getValue();
    auto [it, isNew] = toBind.insert({operand, {}});
    if (isNew)
      it->second.resize(cast<ShapedType>(operand.getType()).getRank());
    it->second[occurrence.dim] = extent;
    analysis.assume(operand, occurrence.dim, extent);
  }
  return success();
}

LogicalResult ShapeBinder::bindOperator(OperatorOpInterface op) {
  SmallVector<AffineExpr> shape = analysis.getProblemShape(op);
  for (auto [dim, name] : llvm::enumerate(op.getProblemDimNames())) {
    if (!shape[dim])
      shape[dim] = createShapeVar(op, name);
    if (failed(bindProblemDim(op, dim, shape[dim])))
      return failure();
  }
  return success();
}

/// One dietcode.bind_shape with the dimensions that were found; those that no
/// operator asks for are what they are known to be.
void ShapeBinder::createBinding(Value value) {
  SmallVector<AffineExpr> exprs = toBind[value];
  for (auto [dim, expr] : llvm::enumerate(exprs))
    if (!expr)
      expr = analysis.getDim(value, dim);
  OpBuilder builder(function->getContext());
  builder.setInsertionPointAfterValue(value);
  auto [vars, map] = analysis.makeBinding(exprs);
  BindShapeOp::create(builder, value.getLoc(), value, vars,
                      AffineMapAttr::get(map));
}

LogicalResult ShapeBinder::bind() {
  SmallVector<OperatorOpInterface> ops;
  function->walk([&](OperatorOpInterface op) { ops.push_back(op); });
  for (OperatorOpInterface op : ops)
    if (failed(bindOperator(op)))
      return failure();
  // Each is put right after its value, the first one last: arguments are bound
  // in the order in which operators use them.
  for (Value value : llvm::make_first_range(llvm::reverse(toBind)))
    createBinding(value);
  return success();
}

namespace {

struct BindShapes
    : mlir::dietcode::impl::DietCodeBindShapesPassBase<BindShapes> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (defaultLower < 0 || defaultLower > defaultUpper) {
      module.emitError()
          << "default range [" << defaultLower << ", " << defaultUpper
          << "] of shape variables must not be empty or negative";
      return signalPassFailure();
    }
    SymbolTable symbols(module);
    WalkResult result = module.walk([&](FunctionOpInterface function) {
      if (function.isExternal())
        return WalkResult::advance();
      ShapeBinder binder(function, symbols, {defaultLower, defaultUpper});
      return WalkResult(binder.bind());
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
