//===- RowwiseToLinalg.cpp - Spell rowwise as linalg ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowwiseToLinalg.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::dietcode;

namespace {

/// A value that the generics read: an input, or the result of a reduction.
struct Source {
  Value inBody; ///< What it is in the region of the operator.
  Value operand;
  AffineMap map;
  bool variesWithColumn;
};

class RowwiseLowering {
public:
  RowwiseLowering(RowwiseOp op, PatternRewriter &rewriter);
  void lower();

private:
  OpFoldResult getExtent(unsigned dim);
  Value createRowBuffer(Type elementType);
  void lowerReduction(ReduceRowOp reduction);
  void writeOutputs(bool varying);
  Value cloneSlice(OpBuilder &builder, Value value, IRMapping &mapping);
  Operation *createGeneric(
      ArrayRef<Value> outs, ArrayRef<AffineMap> outMaps, bool overColumns,
      bool reduces,
      function_ref<SmallVector<Value>(OpBuilder &, IRMapping &, ValueRange)>
          body);

  RowwiseOp op;
  PatternRewriter &rewriter;
  bool isOnBuffers;
  SmallVector<Source> sources;
  SmallVector<Value> temporaries; ///< Buffers to free.
  SmallVector<Value> replacements;
};

} // namespace

RowwiseLowering::RowwiseLowering(RowwiseOp op, PatternRewriter &rewriter)
    : op(op), rewriter(rewriter), isOnBuffers(op.hasPureBufferSemantics()),
      replacements(op->getNumResults()) {
  SmallVector<AffineMap> maps = op.getOperandMaps();
  for (auto [index, input] : llvm::enumerate(op.getInputs()))
    sources.push_back({op.getBody().getArgument(index), input, maps[index],
                       op.variesWithColumn(index)});
}

OpFoldResult RowwiseLowering::getExtent(unsigned dim) {
  return cast<ProblemOpInterface>(op.getOperation())
      .createExtent(rewriter, dim);
}

/// A tensor or buffer with one element for each row.
Value RowwiseLowering::createRowBuffer(Type elementType) {
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim : op.getRowDims())
    sizes.push_back(getExtent(dim));
  if (!isOnBuffers)
    return tensor::EmptyOp::create(rewriter, op.getLoc(), sizes, elementType);
  auto [shape, dynamicSizes] = decomposeMixedValues(sizes);
  temporaries.push_back(memref::AllocOp::create(
      rewriter, op.getLoc(), MemRefType::get(shape, elementType),
      dynamicSizes));
  return temporaries.back();
}

/// Clones what computes `value` from the sources, which are mapped.
Value RowwiseLowering::cloneSlice(OpBuilder &builder, Value value,
                                  IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *definition = value.getDefiningOp();
  for (Value operand : definition->getOperands())
    cloneSlice(builder, operand, mapping);
  builder.clone(*definition, mapping);
  return mapping.lookup(value);
}

/// A linalg.generic over the rows, and over the columns if asked for. The body
/// is given where the sources are mapped, and the elements of `outs`.
Operation *RowwiseLowering::createGeneric(
    ArrayRef<Value> outs, ArrayRef<AffineMap> outMaps, bool overColumns,
    bool reduces,
    function_ref<SmallVector<Value>(OpBuilder &, IRMapping &, ValueRange)>
        body) {
  SmallVector<Source> read;
  for (const Source &source : sources)
    if (overColumns || !source.variesWithColumn)
      read.push_back(source);
  // Where no input tells the number of columns, an output does, unread.
  bool isTold = llvm::all_of(op.getColumnDims(), [&](unsigned column) {
    return llvm::any_of(read, [&](const Source &source) {
      return source.map.isFunctionOfDim(column);
    });
  });
  if (reduces && !isTold)
    for (auto [index, output] : llvm::enumerate(op.getOutputs()))
      if (unsigned operand = op.getInputs().size() + index;
          op.variesWithColumn(operand))
        read.push_back({Value(), output, op.getOperandMaps()[operand], true});
  SmallVector<AffineMap> maps;
  SmallVector<Value> ins;
  for (const Source &source : read) {
    ins.push_back(source.operand);
    maps.push_back(source.map);
  }
  llvm::append_range(maps, outMaps);
  if (!overColumns)
    for (AffineMap &map : maps)
      map = AffineMap::get(op.getNumRowDims(), 0, map.getResults(),
                           op.getContext());
  SmallVector<utils::IteratorType> iterators(op.getNumRowDims(),
                                             utils::IteratorType::parallel);
  if (overColumns)
    iterators.append(op.getColumns(), reduces ? utils::IteratorType::reduction
                                              : utils::IteratorType::parallel);
  SmallVector<Type> types;
  if (!isOnBuffers)
    types = llvm::map_to_vector(outs, [](Value out) { return out.getType(); });
  return linalg::GenericOp::create(
      rewriter, op.getLoc(), types, ins, outs, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        IRMapping mapping;
        for (auto [source, argument] : llvm::zip(read, arguments))
          if (source.inBody)
            mapping.map(source.inBody, argument);
        linalg::YieldOp::create(
            builder, loc,
            body(builder, mapping, arguments.take_back(outs.size())));
      });
}

void RowwiseLowering::lowerReduction(ReduceRowOp reduction) {
  Type type = reduction.getType();
  AffineMap rows =
      AffineMap::getMultiDimIdentityMap(op.getNumDims(), op.getContext())
          .getSubMap(llvm::to_vector(op.getRowDims()));
  Value buffer = createRowBuffer(type);
  Value neutral = arith::ConstantOp::create(
      rewriter, op.getLoc(), getNeutralElement(reduction.getKind(), type));
  auto fill = linalg::FillOp::create(rewriter, op.getLoc(), neutral, buffer);
  Value filled = isOnBuffers ? buffer : fill.getResult(0);
  Operation *generic = createGeneric(
      filled, rows, /*overColumns=*/true, /*reduces=*/true,
      [&](OpBuilder &builder, IRMapping &mapping, ValueRange outs) {
        Value value = cloneSlice(builder, reduction.getValue(), mapping);
        return SmallVector<Value>{createCombination(
            builder, op.getLoc(), reduction.getKind(), outs.front(), value)};
      });
  Value result = isOnBuffers ? buffer : generic->getResult(0);
  sources.push_back({reduction.getResult(), result, rows, false});
}

/// Writes the outputs that vary with the column, or those that do not.
void RowwiseLowering::writeOutputs(bool varying) {
  unsigned numInputs = op.getInputs().size();
  SmallVector<AffineMap> maps = op.getOperandMaps();
  SmallVector<unsigned> written;
  SmallVector<Value> outs;
  SmallVector<AffineMap> outMaps;
  for (auto [index, output] : llvm::enumerate(op.getOutputs()))
    if (op.variesWithColumn(numInputs + index) == varying) {
      written.push_back(index);
      outs.push_back(output);
      outMaps.push_back(maps[numInputs + index]);
    }
  if (outs.empty())
    return;
  Operation *generic = createGeneric(
      outs, outMaps, /*overColumns=*/varying, /*reduces=*/false,
      [&](OpBuilder &builder, IRMapping &mapping, ValueRange) {
        SmallVector<Value> values;
        for (unsigned index : written)
          values.push_back(
              cloneSlice(builder, op.getYield().getValues()[index], mapping));
        return values;
      });
  if (!isOnBuffers)
    for (auto [index, result] : llvm::zip_equal(written, generic->getResults()))
      replacements[index] = result;
}

void RowwiseLowering::lower() {
  op.getBody().walk([&](ReduceRowOp reduction) { lowerReduction(reduction); });
  // Rows first: in place, a column may overwrite nothing that they read.
  writeOutputs(/*varying=*/false);
  writeOutputs(/*varying=*/true);
  for (Value buffer : temporaries)
    memref::DeallocOp::create(rewriter, op.getLoc(), buffer);
  if (isOnBuffers)
    rewriter.eraseOp(op);
  else
    rewriter.replaceOp(op, replacements);
}

namespace {

///   %s, %y = dietcode.rowwise ins(%x) outs(%a, %b) { reduce_row ... }
///     -->
///   %f = linalg.fill ins(neutral) outs(%t)          for each reduction
///   %r = linalg.generic ins(%x, ...) outs(%f)       over rows and columns
///   %s = linalg.generic ins(%r, ...) outs(%a)       over rows
///   %y = linalg.generic ins(%x, %r, ...) outs(%b)   over rows and columns
struct LowerRowwise : OpRewritePattern<RowwiseOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(RowwiseOp op,
                                PatternRewriter &rewriter) const override {
    RowwiseLowering(op, rewriter).lower();
    return success();
  }
};

} // namespace

void mlir::dietcode::populateRowwiseToLinalgPatterns(
    RewritePatternSet &patterns) {
  patterns.add<LowerRowwise>(patterns.getContext());
}
