//===- MatrixView.cpp - Matrices inside and outside of kernels ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixView.h"
#include "IndexMath.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::dietcode;

OpFoldResult MatrixView::getStride(unsigned problemDim) const {
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (cast<AffineDimExpr>(expr).getPosition() == problemDim)
      return strides[dim];
  return IntegerAttr::get(IndexType::get(type.getContext()), 0);
}

std::optional<unsigned> MatrixView::getContiguousDim() const {
  return ::mlir::dietcode::getContiguousDim(type, map);
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
  return cast<AffineDimExpr>(map.getResult(contiguous)).getPosition();
}

MatrixView mlir::dietcode::createMatrixView(ImplicitLocOpBuilder &b,
                                            Value buffer, AffineMap map) {
  MatrixView view;
  view.map = map;
  view.type = cast<MemRefType>(buffer.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  view.sizes = metadata.getConstifiedMixedSizes();
  view.strides = metadata.getConstifiedMixedStrides();
  // One past the last element that the operand reaches.
  IndexMath math(b);
  Value extent = math.constant(1);
  for (auto [size, stride] : llvm::zip_equal(view.sizes, view.strides))
    extent =
        math.add(extent, math.mul(math.sub(math.of(size), math.constant(1)),
                                  math.of(stride)));
  view.flat = memref::ReinterpretCastOp::create(
      b, metadata.getBaseBuffer(), metadata.getConstifiedMixedOffset(),
      ArrayRef<OpFoldResult>{getAsOpFoldResult(extent)},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  return view;
}

Value mlir::dietcode::createAlignmentTest(ImplicitLocOpBuilder &b, Value buffer,
                                          AffineMap map, int64_t vector) {
  IndexMath math(b);
  auto type = cast<MemRefType>(buffer.getType());
  unsigned contiguous = *getContiguousDim(type, map);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  Value address = math.add(
      pointer, math.mul(math.of(metadata.getConstifiedMixedOffset()), bytes));
  Value result = math.isMultiple(address, vector * bytes);
  for (auto [expr, size, stride] :
       llvm::zip_equal(map.getResults(), metadata.getConstifiedMixedSizes(),
                       metadata.getConstifiedMixedStrides())) {
    bool isContiguous = cast<AffineDimExpr>(expr).getPosition() == contiguous;
    if (isContiguous)
      result = math.both(result, math.isMultiple(math.of(size), vector));
    result = math.both(result, isContiguous
                                   ? math.equal(math.of(stride), 1)
                                   : math.isMultiple(math.of(stride), vector));
  }
  return result;
}
