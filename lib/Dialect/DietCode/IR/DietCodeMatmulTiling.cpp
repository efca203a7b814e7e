//===- DietCodeMatmulTiling.cpp - Tiling of the matmul operator -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::dietcode;

SmallVector<utils::IteratorType> MatmulOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::parallel,
          utils::IteratorType::reduction};
}

SmallVector<Range> MatmulOp::getIterationDomain(OpBuilder &builder) {
  SmallVector<Range> domain;
  auto problem = cast<ProblemOpInterface>(getOperation());
  for (unsigned dim : {M, N, K})
    domain.push_back({builder.getIndexAttr(0),
                      problem.createExtent(builder, dim),
                      builder.getIndexAttr(1)});
  return domain;
}

/// The part of `operand` that a tile of the iteration space reads or writes.
static Operation *createSlice(OpBuilder &builder, Location loc, Value operand,
                              AffineMap map, ArrayRef<OpFoldResult> offsets,
                              ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> sliceOffsets, sliceSizes;
  for (AffineExpr expr : map.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    sliceOffsets.push_back(offsets[dim]);
    sliceSizes.push_back(sizes[dim]);
  }
  SmallVector<OpFoldResult> strides(map.getNumResults(),
                                    builder.getIndexAttr(1));
  if (isa<BaseMemRefType>(operand.getType()))
    return memref::SubViewOp::create(builder, loc, operand, sliceOffsets,
                                     sliceSizes, strides);
  return tensor::ExtractSliceOp::create(builder, loc, operand, sliceOffsets,
                                        sliceSizes, strides);
}

/// A tile of k is a partial sum: it may only be taken where the operator adds
/// to its destination and applies nothing to the sum.
static bool mayTileReduction(MatmulOp op) {
  return op.getAccumulate() && !op.hasEpilogue();
}

/// Whether `size` is the extent of k: as a constant or as the dimension of an
/// operand.
static bool isWholeReduction(MatmulOp op, OpFoldResult size) {
  auto dim = dyn_cast_if_present<ShapedDimOpInterface>(
      llvm::dyn_cast_if_present<Value>(size) ? cast<Value>(size).getDefiningOp()
                                             : nullptr);
  return llvm::any_of(
      cast<OperatorOpInterface>(op.getOperation()).getOccurrences(MatmulOp::K),
      [&](operator_impl::OperandDim occurrence) {
        Value operand = op->getOperand(occurrence.operand);
        if (dim)
          return dim.getShapedValue() == operand &&
                 isConstantIntValue(dim.getDimension(), occurrence.dim);
        auto type = cast<ShapedType>(operand.getType());
        return !type.isDynamicDim(occurrence.dim) &&
               isConstantIntValue(size, type.getDimSize(occurrence.dim));
      });
}

/// Clones `op`, whose epilogue may be an empty region.
static Operation *cloneWith(OpBuilder &builder, MatmulOp op,
                            TypeRange resultTypes, ValueRange operands) {
  OperationState state(op.getLoc(), op->getName(), operands, resultTypes,
                       op->getAttrs());
  IRMapping mapping;
  op.getEpilogue().cloneInto(state.addRegion(), mapping);
  return builder.create(state);
}

FailureOr<TilingResult>
MatmulOp::getTiledImplementation(OpBuilder &builder,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  if (!mayTileReduction(*this) && (!isWholeReduction(*this, sizes[K]) ||
                                   !isConstantIntValue(offsets[K], 0)))
    return emitOpError("can be tiled in k only with 'accumulate' and without "
                       "an epilogue");
  TilingResult result;
  SmallVector<Value> operands;
  for (auto [operand, map] :
       llvm::zip_equal((*this)->getOperands(), getOperandMaps())) {
    Operation *slice =
        createSlice(builder, getLoc(), operand, map, offsets, sizes);
    result.generatedSlices.push_back(slice);
    operands.push_back(slice->getResult(0));
  }
  SmallVector<Type> resultTypes;
  if (!hasPureBufferSemantics())
    resultTypes.push_back(operands[kOut].getType());
  Operation *tiled = cloneWith(builder, *this, resultTypes, operands);
  result.tiledOps.push_back(tiled);
  llvm::append_range(result.tiledValues, tiled->getResults());
  return result;
}

LogicalResult MatmulOp::getResultTilePosition(
    OpBuilder &builder, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign({offsets[M], offsets[N]});
  resultSizes.assign({sizes[M], sizes[N]});
  return success();
}

FailureOr<TilingResult>
MatmulOp::generateResultTileValue(OpBuilder &builder, unsigned,
                                  ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes) {
  SmallVector<Range> domain = getIterationDomain(builder);
  return getTiledImplementation(builder,
                                {offsets[0], offsets[1], domain[K].offset},
                                {sizes[0], sizes[1], domain[K].size});
}
