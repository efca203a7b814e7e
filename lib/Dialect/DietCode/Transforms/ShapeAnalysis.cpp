//===- ShapeAnalysis.cpp - Shapes as functions of shape variables ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/Transforms/ShapeAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Interval;

ShapeAnalysis::ShapeAnalysis(FunctionOpInterface function)
    : context(function.getContext()) {
  function->walk([&](BindShapeOp op) {
    SmallVector<AffineExpr> symbols;
    for (auto var : op.getVars().getAsRange<FlatSymbolRefAttr>())
      symbols.push_back(getVarExpr(var.getAttr()));
    for (auto [dim, expr] : llvm::enumerate(op.getMap().getResults()))
      assume(op.getValue(), dim, expr.replaceSymbols(symbols));
  });
}

AffineExpr ShapeAnalysis::getVarExpr(StringAttr var) {
  vars.insert(var);
  auto position = llvm::find(vars.getArrayRef(), var) - vars.begin();
  return getAffineSymbolExpr(position, context);
}

void ShapeAnalysis::assume(Value value, int64_t dim, AffineExpr expr) {
  SmallVector<AffineExpr, 1> &exprs = known[{value, dim}];
  if (!llvm::is_contained(exprs, expr))
    exprs.push_back(expr);
}

bool ShapeAnalysis::isKnownToBe(Value value, int64_t dim, AffineExpr expr) {
  if (getDim(value, dim) == expr)
    return true;
  auto it = known.find({value, dim});
  return it != known.end() && llvm::is_contained(it->second, expr);
}

AffineExpr ShapeAnalysis::getDim(Value value, int64_t dim) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), context);
  if (auto it = known.find({value, dim}); it != known.end())
    return it->second.front();
  AffineExpr expr = computeDim(value, dim);
  if (expr)
    assume(value, dim, expr);
  return expr;
}

static SmallVector<ReassociationIndices> getReassociation(Operation *op) {
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return collapse.getReassociationIndices();
  return cast<memref::CollapseShapeOp>(op).getReassociationIndices();
}

AffineExpr ShapeAnalysis::computeDim(Value value, int64_t dim) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return nullptr;
  auto ofDynamicSizes = [&](auto alloc) {
    auto type = cast<ShapedType>(value.getType());
    return getIndex(alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)]);
  };
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return ofDynamicSizes(empty);
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return ofDynamicSizes(alloc);
  if (isa<tensor::CastOp, memref::CastOp>(op)) {
    Value source = op->getOperand(0);
    bool isRanked = cast<ShapedType>(source.getType()).hasRank();
    return isRanked ? getDim(source, dim) : nullptr;
  }
  // A dimension of a collapsed shape is the product of those it is made from.
  if (isa<tensor::CollapseShapeOp, memref::CollapseShapeOp>(op)) {
    AffineExpr product = getAffineConstantExpr(1, context);
    SmallVector<ReassociationIndices> parts = getReassociation(op);
    for (int64_t part : parts[dim]) {
      AffineExpr expr = getDim(op->getOperand(0), part);
      product = product && expr ? product * expr : AffineExpr();
    }
    return product;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return getIndex(expand.getMixedOutputShape()[dim]);
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op))
    return getIndex(expand.getMixedOutputShape()[dim]);
  // An operator knows its destination's shape from all of its operands.
  if (auto problemOp = dyn_cast<ProblemOpInterface>(op)) {
    auto out = cast<DestinationStyleOpInterface>(op).getTiedOpOperand(
        cast<OpResult>(value));
    AffineMap map = problemOp.getOperandMaps()[out->getOperandNumber()];
    unsigned problemDim = cast<AffineDimExpr>(map.getResult(dim)).getPosition();
    return getProblemShape(problemOp)[problemDim];
  }
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    if (OpOperand *init = destination.getTiedOpOperand(cast<OpResult>(value)))
      return getDim(init->get(), dim);
  return nullptr;
}

AffineExpr ShapeAnalysis::getIndex(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, context);
  return getIndex(cast<Value>(value));
}

AffineExpr ShapeAnalysis::getIndex(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, context);
  Operation *op = value.getDefiningOp();
  if (!op)
    return nullptr;
  if (isa<tensor::DimOp, memref::DimOp>(op)) {
    std::optional<int64_t> dim = getConstantIntValue(op->getOperand(1));
    auto type = dyn_cast<ShapedType>(op->getOperand(0).getType());
    if (!dim || !type || !type.hasRank() || *dim < 0 || *dim >= type.getRank())
      return nullptr;
    return getDim(op->getOperand(0), *dim);
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return nullptr;
  AffineExpr lhs = getIndex(op->getOperand(0));
  AffineExpr rhs = getIndex(op->getOperand(1));
  if (!lhs || !rhs)
    return nullptr;
  if (isa<arith::AddIOp>(op))
    return lhs + rhs;
  if (isa<arith::SubIOp>(op))
    return lhs - rhs;
  return lhs * rhs;
}

SmallVector<AffineExpr> ShapeAnalysis::getProblemShape(ProblemOpInterface op) {
  SmallVector<AffineExpr> shape;
  for (unsigned dim : llvm::seq<unsigned>(0, op.getProblemDimNames().size())) {
    AffineExpr best;
    for (auto occurrence : op.getOccurrences(dim)) {
      AffineExpr expr =
          getDim(op->getOperand(occurrence.operand), occurrence.dim);
      if (expr && (!best || (isa<AffineConstantExpr>(expr) &&
                             !isa<AffineConstantExpr>(best))))
        best = expr;
    }
    shape.push_back(best);
  }
  return shape;
}

SmallVector<AffineExpr> ShapeAnalysis::getTiledShape(OperatorOpInterface op) {
  SmallVector<AffineExpr> problemShape = getProblemShape(op);
  SmallVector<AffineExpr> shape;
  for (ArrayRef<unsigned> group : op.getTiledDimGroups()) {
    AffineExpr extent = getAffineConstantExpr(1, context);
    for (unsigned dim : group)
      extent = extent && problemShape[dim] ? extent * problemShape[dim]
                                           : AffineExpr();
    shape.push_back(extent);
  }
  return shape;
}

std::pair<ArrayAttr, AffineMap>
ShapeAnalysis::makeBinding(ArrayRef<AffineExpr> exprs) const {
  SmallVector<Attribute> used;
  SmallVector<AffineExpr> replacements;
  for (unsigned position : llvm::seq<unsigned>(0, vars.size())) {
    bool isUsed = llvm::any_of(exprs, [&](AffineExpr expr) {
      return expr.isFunctionOfSymbol(position);
    });
    replacements.push_back(getAffineSymbolExpr(used.size(), context));
    if (isUsed)
      used.push_back(FlatSymbolRefAttr::get(vars[position]));
  }
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : exprs)
    results.push_back(expr.replaceSymbols(replacements));
  return {ArrayAttr::get(context, used),
          AffineMap::get(0, used.size(), results, context)};
}

int64_t mlir::dietcode::evaluateAt(AffineExpr expr, ArrayRef<int64_t> symbols) {
  SmallVector<Attribute> values;
  Builder builder(expr.getContext());
  for (int64_t symbol : symbols)
    values.push_back(builder.getIndexAttr(symbol));
  SmallVector<Attribute> results;
  LogicalResult folded =
      AffineMap::get(0, symbols.size(), expr).constantFold(values, results);
  assert(succeeded(folded) && "divides by zero");
  (void)folded;
  return cast<IntegerAttr>(results.front()).getInt();
}

/// The bounds of a product are products of bounds.
static std::optional<Interval> multiply(Interval lhs, Interval rhs) {
  Interval result{std::numeric_limits<int64_t>::max(),
                  std::numeric_limits<int64_t>::min()};
  for (int64_t a : {lhs.lower, lhs.upper})
    for (int64_t b : {rhs.lower, rhs.upper}) {
      int64_t product;
      if (llvm::MulOverflow(a, b, product))
        return std::nullopt;
      result.lower = std::min(result.lower, product);
      result.upper = std::max(result.upper, product);
    }
  return result;
}

static std::optional<Interval> add(Interval lhs, Interval rhs) {
  Interval result;
  if (llvm::AddOverflow(lhs.lower, rhs.lower, result.lower) ||
      llvm::AddOverflow(lhs.upper, rhs.upper, result.upper))
    return std::nullopt;
  return result;
}

/// Divisors are positive constants: dietcode.bind_shape asks for that.
static std::optional<Interval> combine(AffineExprKind kind, Interval lhs,
                                       Interval rhs) {
  switch (kind) {
  case AffineExprKind::Add:
    return add(lhs, rhs);
  case AffineExprKind::Mul:
    return multiply(lhs, rhs);
  case AffineExprKind::Mod: {
    int64_t value = llvm::mod(lhs.lower, rhs.upper);
    return lhs.lower == lhs.upper ? Interval{value, value}
                                  : Interval{0, rhs.upper - 1};
  }
  case AffineExprKind::FloorDiv:
    return Interval{llvm::divideFloorSigned(lhs.lower, rhs.upper),
                    llvm::divideFloorSigned(lhs.upper, rhs.upper)};
  case AffineExprKind::CeilDiv:
    return Interval{llvm::divideCeilSigned(lhs.lower, rhs.upper),
                    llvm::divideCeilSigned(lhs.upper, rhs.upper)};
  default:
    llvm_unreachable("not a binary expression");
  }
}

std::optional<Interval>
mlir::dietcode::evaluateBounds(AffineExpr expr, ArrayRef<Interval> symbols) {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Interval{constant.getValue(), constant.getValue()};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<Interval> lhs = evaluateBounds(binary.getLHS(), symbols);
  std::optional<Interval> rhs = evaluateBounds(binary.getRHS(), symbols);
  if (!lhs || !rhs)
    return std::nullopt;
  return combine(binary.getKind(), *lhs, *rhs);
}
