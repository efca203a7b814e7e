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
#include "llvm/ADT/StringExtras.h"

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
  LogicalResult bindOperator(ProblemOpInterface op);
  void bindOtherDims(ProblemOpInterface op);
  LogicalResult bindProblemDim(ProblemOpInterface op, unsigned dim,
                               AffineExpr extent);
  AffineExpr createShapeVar(ProblemOpInterface op, StringRef dimName);
  /// What each dimension of a value must be; null where nothing is asked for.
  using Shape = SmallVector<AffineExpr>;
  void require(Value value, int64_t dim, AffineExpr extent);
  void createBinding(Value value, Shape shape);

  FunctionOpInterface function;
  SymbolTable &symbols;
  ::dietcode::Interval defaultRange;
  ShapeAnalysis analysis;
  /// The new bindings of each value. There are several where a value must meet
  /// several: in A * A, A has m rows and k rows.
  llvm::MapVector<Value, SmallVector<Shape, 1>> toBind;
};

} // namespace

/// A shape variable that nothing is declared about, named after the function
/// and the dimension.
AffineExpr ShapeBinder::createShapeVar(ProblemOpInterface op,
                                       StringRef dimName) {
  OpBuilder builder(function->getContext());
  std::string name = (function.getName() + "_" + dimName).str();
  auto var = ShapeVarOp::create(builder, op.getLoc(), name, defaultRange.lower,
                                defaultRange.upper);
  StringAttr symbol =
      symbols.insert(var, symbols.getOp()->getRegion(0).front().begin());
  return analysis.getVarExpr(symbol);
}

/// Asks for dimension `dim` of `value` to be `extent`.
void ShapeBinder::require(Value value, int64_t dim, AffineExpr extent) {
  SmallVector<Shape, 1> &shapes = toBind[value];
  auto free = llvm::find_if(shapes, [&](Shape &shape) { return !shape[dim]; });
  if (free == shapes.end()) {
    shapes.emplace_back(cast<ShapedType>(value.getType()).getRank());
    free = std::prev(shapes.end());
  }
  (*free)[dim] = extent;
  analysis.assume(value, dim, extent);
}

/// Every operand dimension that is indexed by `dim` must be `extent`.
LogicalResult ShapeBinder::bindProblemDim(ProblemOpInterface op, unsigned dim,
                                          AffineExpr extent) {
  for (auto occurrence : op.getOccurrences(dim)) {
    Value operand = op->getOperand(occurrence.operand);
    AffineExpr expr = analysis.getDim(operand, occurrence.dim);
    if (analysis.isKnownToBe(operand, occurrence.dim, extent))
      continue;
    auto lhs = dyn_cast_if_present<AffineConstantExpr>(expr);
    auto rhs = dyn_cast<AffineConstantExpr>(extent);
    if (lhs && rhs)
      return op->emitOpError()
             << "dimension " << occurrence.dim << " of '"
             << op.getOperandName(occurrence.operand) << "' is "
             << lhs.getValue() << ", but dimension "
             << op.getProblemDimNames()[dim] << " is " << rhs.getValue();
    require(operand, occurrence.dim, extent);
  }
  return success();
}

LogicalResult ShapeBinder::bindOperator(ProblemOpInterface op) {
  for (auto [dim, name] : llvm::enumerate(op.getProblemDimNames())) {
    // What is found for a dimension may tell another one.
    AffineExpr extent = analysis.getProblemShape(op)[dim];
    if (!extent)
      extent = createShapeVar(op, name);
    if (failed(bindProblemDim(op, dim, extent)))
      return failure();
  }
  bindOtherDims(op);
  return success();
}

/// Names a dimension of an operand: lhs1, input_1_0.
static std::string getDimName(ProblemOpInterface op, unsigned operand,
                              unsigned dim) {
  std::string name = op.getOperandName(operand);
  std::replace(name.begin(), name.end(), ' ', '_');
  if (llvm::isDigit(name.back()))
    name += '_';
  return name + std::to_string(dim);
}

/// The problem does not tell the extent of a window, or of what is looked up.
/// Where it is not known, it is a variable of its own, so that the other
/// dimensions can be bound.
void ShapeBinder::bindOtherDims(ProblemOpInterface op) {
  for (auto [operand, map] : llvm::enumerate(op.getOperandMaps())) {
    Value value = op->getOperand(operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (!isa<AffineDimExpr>(expr) && !analysis.getDim(value, dim))
        require(value, dim, createShapeVar(op, getDimName(op, operand, dim)));
  }
}

/// One dietcode.bind_shape with the dimensions that were found; those that no
/// operator asks for are what they are known to be.
void ShapeBinder::createBinding(Value value, Shape shape) {
  for (auto [dim, expr] : llvm::enumerate(shape))
    if (!expr)
      expr = analysis.getDim(value, dim);
  OpBuilder builder(function->getContext());
  builder.setInsertionPointAfterValue(value);
  auto [vars, map] = analysis.makeBinding(shape);
  BindShapeOp::create(builder, value.getLoc(), value, vars,
                      AffineMapAttr::get(map));
}

/// Shape variables, micro-kernels and dispatches are symbols of the module, so
/// an operator must be in one of its own functions.
static LogicalResult checkIsInModule(FunctionOpInterface function,
                                     ModuleOp module) {
  if (function->getParentOp() == module)
    return success();
  WalkResult result = function->walk([](ProblemOpInterface op) {
    op->emitOpError(
        "must be in a function of the module itself, not of a nested one");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult ShapeBinder::bind() {
  SmallVector<ProblemOpInterface> ops;
  function->walk([&](ProblemOpInterface op) { ops.push_back(op); });
  for (ProblemOpInterface op : ops)
    if (failed(bindOperator(op)))
      return failure();
  // Each is put right after its value, the first one last: arguments are bound
  // in the order in which operators use them.
  for (auto &[value, shapes] : llvm::reverse(toBind))
    for (Shape &shape : llvm::reverse(shapes))
      createBinding(value, shape);
  return success();
}

namespace {

struct BindShapes
    : mlir::dietcode::impl::DietCodeBindShapesPassBase<BindShapes> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (defaultLower < 0 || defaultLower > defaultUpper) {
      emitError(module.getLoc())
          << "default range [" << defaultLower.getValue() << ", "
          << defaultUpper.getValue()
          << "] of shape variables must not be empty or negative";
      return signalPassFailure();
    }
    SymbolTable symbols(module);
    WalkResult result = module.walk([&](FunctionOpInterface function) {
      if (function.isExternal())
        return WalkResult::advance();
      if (failed(checkIsInModule(function, module)))
        return WalkResult::interrupt();
      ShapeBinder binder(function, symbols, {defaultLower, defaultUpper});
      return WalkResult(binder.bind());
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
