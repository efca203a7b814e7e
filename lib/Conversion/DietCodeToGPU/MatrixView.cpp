//===- MatrixView.cpp - Matrices inside and outside of kernels ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixView.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::dietcode;

Value MatrixView::getStride(ImplicitLocOpBuilder &b,
                            unsigned problemDim) const {
  IndexMath math(b);
  for (auto [stride, expr] : llvm::zip_equal(strides, map.getResults())) {
    if (isa<AffineSymbolExpr>(expr))
      continue;
    LinearAccess access = *matchLinearAccess(expr);
    for (auto [dim, coefficient] : access.terms)
      if (dim == problemDim)
        return math.mul(math.of(stride), coefficient);
  }
  return math.constant(0);
}

Value MatrixView::getLookupOffset(ImplicitLocOpBuilder &b, unsigned dim,
                                  Value index) const {
  IndexMath math(b);
  Value number = b.createOrFold<arith::IndexCastOp>(b.getIndexType(), index);
  Value last = math.sub(math.of(sizes[dim]), math.constant(1));
  return math.mul(math.min(math.max(number, 0), last), math.of(strides[dim]));
}

Value MatrixView::hasLookups(ImplicitLocOpBuilder &b) const {
  IndexMath math(b);
  Value result = arith::ConstantOp::create(b, b.getBoolAttr(true));
  for (auto [size, expr] : llvm::zip_equal(sizes, map.getResults()))
    if (isa<AffineSymbolExpr>(expr))
      result = math.both(result, math.less(math.constant(0), math.of(size)));
  return result;
}

Value MatrixView::getOffset(ImplicitLocOpBuilder &b,
                            const ProblemIndices &indices) const {
  IndexMath math(b);
  Value offset = math.constant(0);
  for (auto [dim, index] : indices)
    offset = math.add(offset, math.mul(index, getStride(b, dim)));
  return offset;
}

Value MatrixView::getOffset(ImplicitLocOpBuilder &b, const TiledDim &dim,
                            Value number) const {
  if (dim.getDims().empty())
    return IndexMath(b).constant(0);
  if (isLinear(dim))
    return IndexMath(b).mul(number, getStride(b, dim.getDims().back()));
  return getOffset(b, dim.getIndices(b, number));
}

SmallVector<Value>
MatrixView::moveWindows(ImplicitLocOpBuilder &b, ValueRange starts,
                        const ProblemIndices &indices) const {
  IndexMath math(b);
  SmallVector<Value> positions(starts);
  for (auto [position, window] : llvm::zip_equal(positions, windows))
    for (auto [dim, coefficient] : window.terms)
      for (auto [other, index] : indices)
        if (other == dim)
          position = math.add(position, math.mul(index, coefficient));
  return positions;
}

SmallVector<Value> MatrixView::getWindowStarts() const {
  return llvm::map_to_vector(windows,
                             [](const Window &window) { return window.start; });
}

Value MatrixView::isInside(ImplicitLocOpBuilder &b,
                           ValueRange positions) const {
  IndexMath math(b);
  Value inside;
  for (auto [position, window] : llvm::zip_equal(positions, windows)) {
    Value here = math.isWithin(position, window.size);
    inside = inside ? math.both(inside, here) : here;
  }
  return inside;
}

MatrixView MatrixView::advance(ImplicitLocOpBuilder &b,
                               const ProblemIndices &indices) const {
  MatrixView moved = *this;
  moved.start = IndexMath(b).add(start, getOffset(b, indices));
  for (auto [window, position] : llvm::zip_equal(
           moved.windows, moveWindows(b, getWindowStarts(), indices)))
    window.start = position;
  return moved;
}

SmallVector<Value> mlir::dietcode::createSizes(ImplicitLocOpBuilder &b,
                                               ProblemOpInterface op,
                                               ArrayRef<MatrixView> views) {
  IndexMath math(b);
  SmallVector<Value> sizes;
  for (auto [dim, known] : llvm::enumerate(op.getStaticProblemShape())) {
    operator_impl::OperandDim first = op.getOccurrences(dim).front();
    sizes.push_back(ShapedType::isDynamic(known)
                        ? math.of(views[first.operand].sizes[first.dim])
                        : math.constant(known));
  }
  return sizes;
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
  view.start = math.constant(0);
  for (auto [expr, size, stride] :
       llvm::zip_equal(map.getResults(), view.sizes, view.strides)) {
    if (isa<AffineSymbolExpr>(expr))
      continue;
    LinearAccess access = *matchLinearAccess(expr);
    if (access.isDim())
      continue;
    Value start = math.constant(access.offset);
    view.start = math.add(view.start, math.mul(start, math.of(stride)));
    view.windows.push_back({access.terms, start, math.of(size)});
  }
  return view;
}

/// Of dimensions that are one, none but the last has an alignment of its own.
Value mlir::dietcode::createAlignmentTest(ImplicitLocOpBuilder &b, Value buffer,
                                          AffineMap map, int64_t vector,
                                          ArrayRef<unsigned> together) {
  IndexMath math(b);
  auto type = cast<MemRefType>(buffer.getType());
  unsigned contiguous = *getContiguousDim(type, map);
  bool isOne =
      llvm::is_contained(together, contiguous) && isLinear(type, map, together);
  auto isPartOfOne = [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return isOne && dim && llvm::is_contained(together, dim.getPosition());
  };
  Value run = math.constant(1);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  Value address = math.add(
      pointer, math.mul(math.of(metadata.getConstifiedMixedOffset()), bytes));
  Value result = math.isMultiple(address, vector * bytes);
  for (auto [expr, size, stride] :
       llvm::zip_equal(map.getResults(), metadata.getConstifiedMixedSizes(),
                       metadata.getConstifiedMixedStrides())) {
    bool isContiguous = expr == getAffineDimExpr(contiguous, b.getContext());
    if (isContiguous || isPartOfOne(expr))
      run = math.mul(run, math.of(size));
    if (isContiguous)
      result = math.both(result, math.equal(math.of(stride), 1));
    else if (!isPartOfOne(expr))
      result = math.both(result, math.isMultiple(math.of(stride), vector));
  }
  return math.both(result, math.isMultiple(run, vector));
}
