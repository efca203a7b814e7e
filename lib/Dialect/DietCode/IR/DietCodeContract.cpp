//===- DietCodeContract.cpp - The general contraction ---------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"

using namespace mlir;
using namespace mlir::dietcode;

//===----------------------------------------------------------------------===//
// Interfaces of operators
//===----------------------------------------------------------------------===//

SmallVector<StringRef> ContractOp::getProblemDimNames() {
  return contraction_impl::getDimNames(*this);
}

SmallVector<AffineMap> ContractOp::getOperandMaps() {
  return contraction_impl::getOperandMaps(
      *this,
      SmallVector<AffineMap>(getMaps().getAsValueRange<AffineMapAttr>()));
}

std::string ContractOp::getOperandName(unsigned operand) {
  return contraction_impl::getOperandName(operand);
}

SmallVector<StringRef> ContractOp::getTiledDimNames() {
  return {"b", "m", "n", "k"};
}

SmallVector<SmallVector<unsigned>> ContractOp::getTiledDimGroups() {
  return {getGroup(ContractionGroup::B), getGroup(ContractionGroup::M),
          getGroup(ContractionGroup::N), getGroup(ContractionGroup::K)};
}

::dietcode::OperatorTraits ContractOp::getTraits() {
  auto traits = contraction_impl::getTraits(*this, "contract");
  // As for a matmul: whether the reduction comes last, or first.
  auto isLast = [&](unsigned operand) {
    AffineMap map = getOperandMaps()[operand];
    return map.getNumResults() > 0 &&
           llvm::any_of(getGroup(ContractionGroup::K), [&](unsigned dim) {
             return map.getResults().back().isFunctionOfDim(dim);
           });
  };
  traits.transposeA = !isLast(kLhs);
  traits.transposeB = isLast(kRhs);
  return traits;
}

//===----------------------------------------------------------------------===//
// Verification, effects and shapes
//===----------------------------------------------------------------------===//

/// The map of `lhs` or `rhs`: dimensions and windows.
static LogicalResult verifyFactorMap(ContractOp op, unsigned operand,
                                     AffineMap map) {
  auto error = [&] {
    return op.emitOpError() << "map " << AffineMapAttr::get(map) << " of '"
                            << op.getOperandName(operand) << "' ";
  };
  llvm::SmallDenseSet<unsigned> seen;
  for (AffineExpr expr : map.getResults()) {
    std::optional<LinearAccess> access = matchLinearAccess(expr);
    if (!access)
      return error() << "must give sums of dimensions with positive factors, "
                        "and a constant";
    for (auto [dim, coefficient] : access->terms)
      if (!seen.insert(dim).second)
        return error() << "uses dimension " << dim << " twice";
  }
  return success();
}

static LogicalResult verifyMaps(ContractOp op) {
  SmallVector<AffineMap> maps(op.getMaps().getAsValueRange<AffineMapAttr>());
  if (maps.size() != 3)
    return op.emitOpError() << "has " << maps.size()
                            << " maps; there is one for each of 'lhs', 'rhs' "
                               "and 'out'";
  for (AffineMap map : maps)
    if (map.getNumSymbols() != 0 || map.getNumDims() != maps[0].getNumDims())
      return op.emitOpError(
          "maps must be from the same dimensions and without symbols");
  if (!maps[ContractOp::kOut].isProjectedPermutation())
    return op.emitOpError()
           << "map " << AffineMapAttr::get(maps[ContractOp::kOut])
           << " of 'out' must be a projected permutation";
  for (unsigned operand : {ContractOp::kLhs, ContractOp::kRhs})
    if (failed(verifyFactorMap(op, operand, maps[operand])))
      return failure();
  for (auto [dim, group] : llvm::enumerate(contraction_impl::getGroups(maps))) {
    if (!group)
      return op.emitOpError()
             << "dimension " << dim << " must be in two of the maps, or in "
             << "all: what is reduced depends on both factors, and what is "
                "written on one of them";
    AffineExpr expr = getAffineDimExpr(dim, op.getContext());
    bool hasExtent = llvm::any_of(maps, [&](AffineMap map) {
      return llvm::is_contained(map.getResults(), expr);
    });
    if (!hasExtent)
      return op.emitOpError() << "dimension " << dim
                              << " is in windows only, so that nothing tells "
                                 "its extent";
  }
  return success();
}

LogicalResult ContractOp::verify() {
  if (failed(verifyMaps(*this)))
    return failure();
  return contraction_impl::verifyOperands(*this);
}

LogicalResult ContractOp::verifyRegions() {
  return contraction_impl::verifyEpilogue(*this);
}

LogicalResult ContractOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return contraction_impl::verifyDispatch(*this, symbolTable);
}

void ContractOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  contraction_impl::getEffects(*this, effects);
}

LogicalResult ContractOp::reifyResultShapes(
    OpBuilder &builder, ReifiedRankedShapedTypeDims &reifiedReturnShapes) {
  reifiedReturnShapes.push_back(
      operator_impl::reifyShape(builder, getLoc(), getOut()));
  return success();
}

void ContractOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *) {
  contraction_impl::populateCanonicalizationPatterns(patterns);
}
