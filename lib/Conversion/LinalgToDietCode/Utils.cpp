//===- Utils.cpp - Helpers of the raising from linalg ---------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"
#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::dietcode;
using namespace mlir::dietcode::linalg_raising;

/// Whether `op` spreads the elements of one tensor, or one scalar, over another
/// tensor and does nothing else to them.
static bool isTensorCopy(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || !op.isAllParallelLoops())
    return false;
  OpOperand *input = op.getDpsInputOperand(0);
  OpOperand *init = op.getDpsInitOperand(0);
  auto yield = cast<linalg::YieldOp>(op.getBlock()->getTerminator());
  return yield.getOperand(0) == op.getMatchingBlockArgument(input) &&
         op.getMatchingIndexingMap(input).isProjectedPermutation() &&
         op.getMatchingIndexingMap(init).isPermutation();
}

MappedValue linalg_raising::lookThroughCopies(MappedValue operand) {
  while (auto copy = operand.value.getDefiningOp<linalg::LinalgOp>()) {
    if (!isTensorCopy(copy))
      break;
    // The copy writes out[p(i)] = in[q(i)], so reading out[map(x)] is reading
    // in[q(p^-1(map(x)))].
    OpOperand *input = copy.getDpsInputOperand(0);
    AffineMap write = copy.getMatchingIndexingMap(copy.getDpsInitOperand(0));
    AffineMap read = copy.getMatchingIndexingMap(input);
    operand.map = read.compose(inversePermutation(write).compose(operand.map));
    operand.value = input->get();
  }
  return operand;
}

bool linalg_raising::haveConsistentStaticSizes(ArrayRef<MappedValue> operands) {
  llvm::SmallDenseMap<unsigned, int64_t> sizes;
  for (const MappedValue &operand : operands) {
    auto type = dyn_cast<ShapedType>(operand.value.getType());
    if (!type) // A scalar, which is read through a map without results.
      continue;
    for (auto [size, expr] :
         llvm::zip_equal(type.getShape(), operand.map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (ShapedType::isDynamic(size) || !dim)
        continue;
      if (sizes.try_emplace(dim.getPosition(), size).first->second != size)
        return false;
    }
  }
  return true;
}

bool linalg_raising::isPlainShaped(Value value) {
  Type type = value.getType();
  if (auto tensor = dyn_cast<RankedTensorType>(type);
      tensor ? bool(tensor.getEncoding()) : !isa<MemRefType>(type))
    return false;
  return isa<FloatType, IntegerType>(getElementTypeOrSelf(type));
}

TypedAttr linalg_raising::getUniformConstant(Value value) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return nullptr;
  if (auto dense = dyn_cast<DenseElementsAttr>(attr))
    attr = dense.isSplat() ? dense.getSplatValue<Attribute>() : Attribute();
  return isa_and_nonnull<IntegerAttr, FloatAttr>(attr) ? cast<TypedAttr>(attr)
                                                       : TypedAttr();
}

bool linalg_raising::leavesBufferAlone(Operation *op, Value buffer) {
  return isMemoryEffectFree(op) || isa<BindShapeOp>(op) ||
         AliasAnalysis(op).getModRef(op, buffer).isNoModRef();
}
