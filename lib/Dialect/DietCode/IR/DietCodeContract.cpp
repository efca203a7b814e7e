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

LogicalResult ContractOp::verify() {
  SmallVector<AffineMap> maps(getMaps().getAsValueRange<AffineMapAttr>());
  if (std::string wrong = contraction_impl::explainMaps(maps); !wrong.empty())
    return emitOpError() << wrong;
  int64_t windows = contraction_impl::getWindows(maps).size();
  if (getPadding() && static_cast<int64_t>(getPadding()->size()) != windows)
    return emitOpError() << "padding has " << getPadding()->size()
                         << " numbers for " << windows << " windows";
  return contraction_impl::verifyOperands(*this);
}

LogicalResult ContractOp::verifyRegions() {
  return contraction_impl::verifyEpilogue(*this);
}

LogicalResult ContractOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return operator_impl::verifyDispatch(*this, symbolTable);
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
