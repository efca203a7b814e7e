//===- ShapeEvaluator.cpp - Sizes inside a function for one call ----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeEvaluator.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::dietcode;

ShapeEvaluator::ShapeEvaluator(func::FuncOp entry,
                               ArrayRef<RunArgument> arguments)
    : entry(entry), arguments(arguments) {
  for (BlockArgument argument : entry.getArguments())
    for (Operation *user : argument.getUsers())
      if (auto bind = dyn_cast<BindShapeOp>(user))
        solve(bind);
}

/// The value of `expr` with `value` for every symbol.
static std::optional<int64_t> evaluateAt(AffineExpr expr, unsigned numSymbols,
                                         int64_t value) {
  SmallVector<AffineExpr> values(
      numSymbols, getAffineConstantExpr(value, expr.getContext()));
  auto folded = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(expr.replaceDimsAndSymbols({}, values), 0, 0));
  return folded ? std::optional(folded.getValue()) : std::nullopt;
}

/// Reads shape variables off the sizes of an argument. A size that depends on
/// one variable does so as a * T + b.
void ShapeEvaluator::solve(BindShapeOp bind) {
  unsigned numVars = bind.getVars().size();
  for (auto [dim, expr] : llvm::enumerate(bind.getMap().getResults())) {
    std::optional<int64_t> size = sizeAtDefinition(bind.getValue(), dim);
    std::optional<int64_t> atZero = evaluateAt(expr, numVars, 0);
    std::optional<int64_t> atOne = evaluateAt(expr, numVars, 1);
    if (!size || !atZero || !atOne || *atZero == *atOne)
      continue;
    int64_t slope = *atOne - *atZero;
    SmallVector<StringRef> used;
    for (auto [position, var] : llvm::enumerate(bind.getVars()))
      if (expr.isFunctionOfSymbol(position))
        used.push_back(cast<FlatSymbolRefAttr>(var).getValue());
    if (used.size() == 1 && (*size - *atZero) % slope == 0)
      variables.try_emplace(used.front(), (*size - *atZero) / slope);
  }
}

std::optional<int64_t> ShapeEvaluator::evaluate(BindShapeOp bind,
                                                unsigned dim) {
  AffineExpr expr = bind.getMap().getResult(dim);
  SmallVector<AffineExpr> values;
  for (auto [position, var] : llvm::enumerate(bind.getVars())) {
    auto found = variables.find(cast<FlatSymbolRefAttr>(var).getValue());
    if (found == variables.end() && expr.isFunctionOfSymbol(position))
      return std::nullopt;
    values.push_back(getAffineConstantExpr(
        found == variables.end() ? 0 : found->second, bind.getContext()));
  }
  return evaluateAt(expr.replaceDimsAndSymbols({}, values), 0, 0);
}

std::optional<int64_t> ShapeEvaluator::valueOf(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return constant;
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    if (argument.getOwner() != &entry.front())
      return std::nullopt;
    const RunArgument &scalar = arguments[argument.getArgNumber()];
    return static_cast<int64_t>(
        ::dietcode::loadElement(scalar.kind, scalar.scalar));
  }
  Operation *op = index.getDefiningOp();
  if (!isa<tensor::DimOp, memref::DimOp>(op))
    return std::nullopt;
  std::optional<int64_t> dim = valueOf(op->getOperand(1));
  return dim ? sizeOf(op->getOperand(0), *dim) : std::nullopt;
}

std::optional<int64_t> ShapeEvaluator::valueOf(OpFoldResult index) {
  if (auto value = dyn_cast<Value>(index))
    return valueOf(value);
  return getConstantIntValue(index);
}

/// The size as the operation that defines `value` has it.
std::optional<int64_t> ShapeEvaluator::sizeAtDefinition(Value value,
                                                        unsigned dim) {
  auto type = dyn_cast<ShapedType>(value.getType());
  if (!type || !type.hasRank() || dim >= type.getRank())
    return std::nullopt;
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &entry.front())
      return std::nullopt;
    return arguments[argument.getArgNumber()].tensor->getLayout().sizes[dim];
  }
  Operation *op = value.getDefiningOp();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return valueOf(empty.getMixedSizes()[dim]);
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return valueOf(alloc.getMixedSizes()[dim]);
  if (auto slice = dyn_cast<memref::SubViewOp>(op))
    return slice.getDroppedDims().any() ? std::nullopt
                                        : valueOf(slice.getMixedSizes()[dim]);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return slice.getDroppedDims().any() ? std::nullopt
                                        : valueOf(slice.getMixedSizes()[dim]);
  if (isa<tensor::CastOp, memref::CastOp>(op))
    return sizeOf(op->getOperand(0), dim);
  if (auto inPlace = dyn_cast<DestinationStyleOpInterface>(op))
    return sizeOf(inPlace.getTiedOpOperand(cast<OpResult>(value))->get(), dim);
  return std::nullopt;
}

std::optional<int64_t> ShapeEvaluator::sizeOf(Value value, unsigned dim) {
  if (std::optional<int64_t> size = sizeAtDefinition(value, dim))
    return size;
  for (Operation *user : value.getUsers())
    if (auto bind = dyn_cast<BindShapeOp>(user))
      if (std::optional<int64_t> size = evaluate(bind, dim))
        return size;
  return std::nullopt;
}

std::optional<int64_t> ShapeEvaluator::problemExtentOf(OperatorOpInterface op,
                                                       unsigned problemDim) {
  for (auto [operand, dim] : op.getOccurrences(problemDim))
    if (auto size = sizeOf(op->getOperand(operand), dim))
      return size;
  return std::nullopt;
}

std::optional<int64_t> ShapeEvaluator::extentOf(OperatorOpInterface op,
                                                unsigned tiledDim) {
  int64_t extent = 1;
  SmallVector<SmallVector<unsigned>> groups = op.getTiledDimGroups();
  for (unsigned problemDim : groups[tiledDim]) {
    std::optional<int64_t> size = problemExtentOf(op, problemDim);
    if (!size)
      return std::nullopt;
    extent *= *size;
  }
  return extent;
}
