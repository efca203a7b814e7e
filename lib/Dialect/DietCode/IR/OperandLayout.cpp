//===- OperandLayout.cpp - How elements of operands lie in memory ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/OperandLayout.h"

using namespace mlir;
using namespace mlir::dietcode;

MemRefType mlir::dietcode::getBufferType(Type operand) {
  if (auto buffer = dyn_cast<MemRefType>(operand))
    return buffer;
  auto tensor = cast<RankedTensorType>(operand);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

bool mlir::dietcode::isLinear(MemRefType type, AffineMap map,
                              ArrayRef<unsigned> dims) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  auto positionOf = [&](unsigned problemDim) {
    AffineExpr expr = getAffineDimExpr(problemDim, map.getContext());
    return llvm::find(map.getResults(), expr) - map.getResults().begin();
  };
  for (size_t i = 1; i < dims.size(); ++i) {
    unsigned outer = positionOf(dims[i - 1]), inner = positionOf(dims[i]);
    if (outer + 1 != inner || inner == map.getNumResults())
      return false;
    if (type.getLayout().isIdentity())
      continue;
    if (ShapedType::isDynamic(strides[outer]) ||
        ShapedType::isDynamic(strides[inner]) || type.isDynamicDim(inner) ||
        strides[outer] != strides[inner] * type.getDimSize(inner))
      return false;
  }
  return true;
}

std::optional<unsigned> mlir::dietcode::getContiguousDim(MemRefType type,
                                                         AffineMap map) {
  if (map.getNumResults() == 0)
    return std::nullopt;
  SmallVector<int64_t> strides;
  int64_t offset;
  unsigned contiguous = map.getNumResults() - 1;
  if (succeeded(type.getStridesAndOffset(strides, offset)))
    for (auto [dim, stride] : llvm::enumerate(strides))
      if (stride == 1)
        contiguous = dim;
  auto dim = dyn_cast<AffineDimExpr>(map.getResult(contiguous));
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}
