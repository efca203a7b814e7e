//===- DietCodeMatmul.cpp - The matmul operator ---------------------------===//
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

SmallVector<StringRef> MatmulOp::getProblemDimNames() {
  return {"m", "n", "k"};
}

SmallVector<AffineMap> MatmulOp::getOperandMaps() {
  MLIRContext *context = getContext();
  AffineExpr m, n, k;
  bindDims(context, m, n, k);
  auto map = [&](AffineExpr first, AffineExpr second, bool transpose) {
    if (transpose)
      std::swap(first, second);
    return AffineMap::get(3, 0, {first, second}, context);
  };
  return contraction_impl::getOperandMaps(*this, {map(m, k, getTransposeA()),
                                                  map(k, n, getTransposeB()),
                                                  map(m, n, false)});
}

std::string MatmulOp::getOperandName(unsigned operand) {
  return contraction_impl::getOperandName(operand);
}

SmallVector<StringRef> MatmulOp::getTiledDimNames() {
  return getProblemDimNames();
}

SmallVector<SmallVector<unsigned>> MatmulOp::getTiledDimGroups() {
  return {{M}, {N}, {K}};
}

::dietcode::OperatorTraits MatmulOp::getTraits() {
  auto traits = contraction_impl::getTraits(*this, "matmul");
  traits.transposeA = getTransposeA();
  traits.transposeB = getTransposeB();
  return traits;
}

//===----------------------------------------------------------------------===//
// Verification, effects and shapes
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::verify() {
  return contraction_impl::verifyOperands(*this);
}

LogicalResult MatmulOp::verifyRegions() {
  return contraction_impl::verifyEpilogue(*this);
}

LogicalResult MatmulOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return operator_impl::verifyDispatch(*this, symbolTable);
}

void MatmulOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  contraction_impl::getEffects(*this, effects);
}

LogicalResult
MatmulOp::reifyResultShapes(OpBuilder &builder,
                            ReifiedRankedShapedTypeDims &reifiedReturnShapes) {
  reifiedReturnShapes.push_back(
      operator_impl::reifyShape(builder, getLoc(), getOut()));
  return success();
}

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *) {
  contraction_impl::populateCanonicalizationPatterns(patterns);
}
