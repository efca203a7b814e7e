//===- DietCodeShapes.cpp - Shape variables, workloads and bindings -------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"

using namespace mlir;
using namespace mlir::dietcode;

/// Each of `vars` must be the symbol of a shape variable.
static LogicalResult verifyShapeVars(Operation *op, ArrayAttr vars,
                                     SymbolTableCollection &symbolTable) {
  for (auto var : vars.getAsRange<FlatSymbolRefAttr>())
    if (!symbolTable.lookupNearestSymbolFrom<ShapeVarOp>(op, var))
      return op->emitOpError() << "there is no dietcode.shape_var " << var;
  return success();
}

//===----------------------------------------------------------------------===//
// ShapeVarOp
//===----------------------------------------------------------------------===//

LogicalResult ShapeVarOp::verify() {
  int64_t lower = getLower(), upper = getUpper(), multiple = getMultipleOf();
  if (lower < 0)
    return emitOpError() << "lower bound must not be negative, got " << lower;
  if (lower > upper)
    return emitOpError() << "lower bound " << lower
                         << " is above the upper bound " << upper;
  if (multiple <= 0)
    return emitOpError() << "multiple_of must be positive, got " << multiple;
  if (upper / multiple * multiple < lower)
    return emitOpError() << "range [" << lower << ", " << upper
                         << "] holds no multiple of " << multiple;
  return success();
}

//===----------------------------------------------------------------------===//
// WorkloadOp
//===----------------------------------------------------------------------===//

LogicalResult WorkloadOp::verify() {
  llvm::SmallDenseSet<Attribute> distinct;
  for (Attribute var : getVars())
    if (!distinct.insert(var).second)
      return emitOpError() << "lists " << var << " twice";
  for (auto [index, row] :
       llvm::enumerate(getInstances().getAsRange<DenseI64ArrayAttr>())) {
    if (row.size() != static_cast<int64_t>(getVars().size()))
      return emitOpError() << "instance " << index << " has " << row.size()
                           << " values for " << getVars().size()
                           << " shape variables";
  }
  std::optional<ArrayRef<double>> weights = getWeights();
  if (!weights)
    return success();
  if (weights->size() != getInstances().size())
    return emitOpError() << "has " << weights->size() << " weights for "
                         << getInstances().size() << " instances";
  for (double weight : *weights)
    if (!(weight > 0.0) || !std::isfinite(weight))
      return emitOpError() << "weights must be positive and finite, got "
                           << weight;
  return success();
}

/// Each value of an instance must lie in the range of its shape variable.
static LogicalResult verifyInstanceValue(WorkloadOp op, unsigned instance,
                                         int64_t value, ShapeVarOp var) {
  int64_t lower = var.getLower(), upper = var.getUpper();
  int64_t multiple = var.getMultipleOf();
  if (value >= lower && value <= upper && value % multiple == 0)
    return success();
  InFlightDiagnostic diag = op.emitOpError()
                            << "instance " << instance << " gives @"
                            << var.getSymName() << " the value " << value
                            << ", which its declaration excludes";
  diag.attachNote(var.getLoc()) << "declared here";
  return diag;
}

LogicalResult WorkloadOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  if (failed(verifyShapeVars(*this, getVars(), symbolTable)))
    return failure();
  for (auto [index, row] :
       llvm::enumerate(getInstances().getAsRange<DenseI64ArrayAttr>()))
    for (auto [value, var] : llvm::zip_equal(
             row.asArrayRef(), getVars().getAsRange<FlatSymbolRefAttr>()))
      if (failed(verifyInstanceValue(
              *this, index, value,
              symbolTable.lookupNearestSymbolFrom<ShapeVarOp>(*this, var))))
        return failure();
  return success();
}

double WorkloadOp::getWeight(unsigned instance) {
  return getWeights() ? (*getWeights())[instance] : 1.0;
}

//===----------------------------------------------------------------------===//
// BindShapeOp
//===----------------------------------------------------------------------===//

std::optional<LinearDim> mlir::dietcode::matchLinearDim(AffineExpr expr) {
  int64_t offset = 0, factor = 1;
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
      sum && sum.getKind() == AffineExprKind::Add) {
    auto constant = dyn_cast<AffineConstantExpr>(sum.getRHS());
    if (!constant)
      return std::nullopt;
    offset = constant.getValue();
    expr = sum.getLHS();
  }
  if (auto product = dyn_cast<AffineBinaryOpExpr>(expr);
      product && product.getKind() == AffineExprKind::Mul) {
    auto constant = dyn_cast<AffineConstantExpr>(product.getRHS());
    if (!constant || constant.getValue() <= 0)
      return std::nullopt;
    factor = constant.getValue();
    expr = product.getLHS();
  }
  auto symbol = dyn_cast<AffineSymbolExpr>(expr);
  if (!symbol)
    return std::nullopt;
  return LinearDim{symbol.getPosition(), factor, offset};
}

/// A static size must be one that the expression can have.
static LogicalResult verifyStaticSize(BindShapeOp op, int64_t dim,
                                      AffineExpr expr) {
  auto type = cast<ShapedType>(op.getValue().getType());
  std::optional<LinearDim> linear = matchLinearDim(expr);
  if (type.isDynamicDim(dim) || !linear)
    return success();
  int64_t product = type.getDimSize(dim) - linear->offset;
  if (product >= 0 && product % linear->factor == 0)
    return success();
  return op.emitOpError() << "binds dimension " << dim << " of size "
                          << type.getDimSize(dim) << " to an expression, "
                          << AffineMapAttr::get(op.getMap().getSubMap(dim))
                          << ", that is never equal to it";
}

/// A division by something else than a positive constant has no value, or
/// another one than at run time, for some values of the variables.
static LogicalResult verifyDivisors(BindShapeOp op, AffineExpr expr) {
  WalkResult result = expr.walk([](AffineExpr nested) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(nested);
    if (!binary || binary.getKind() == AffineExprKind::Add ||
        binary.getKind() == AffineExprKind::Mul)
      return WalkResult::advance();
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return divisor && divisor.getValue() > 0 ? WalkResult::advance()
                                             : WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return op.emitOpError() << "map " << op.getMapAttr()
                            << " may divide by positive constants only";
  return success();
}

LogicalResult BindShapeOp::verify() {
  AffineMap map = getMap();
  auto type = cast<ShapedType>(getValue().getType());
  if (map.getNumDims() != 0 || map.getNumSymbols() != getVars().size())
    return emitOpError() << "map must have no dimensions and one symbol for "
                            "each of the "
                         << getVars().size() << " shape variables, got "
                         << AffineMapAttr::get(map);
  if (static_cast<int64_t>(map.getNumResults()) != type.getRank())
    return emitOpError() << "map has " << map.getNumResults()
                         << " results for a value of rank " << type.getRank();
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (failed(verifyDivisors(*this, expr)) ||
        failed(verifyStaticSize(*this, dim, expr)))
      return failure();
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (constant && constant.getValue() < 0)
      return emitOpError() << "binds dimension " << dim
                           << " to the negative size " << constant.getValue();
    if (constant && !type.isDynamicDim(dim) &&
        constant.getValue() != type.getDimSize(dim))
      return emitOpError() << "binds dimension " << dim << " to "
                           << constant.getValue() << ", but the type has "
                           << type.getDimSize(dim);
  }
  return success();
}

LogicalResult
BindShapeOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyShapeVars(*this, getVars(), symbolTable);
}
