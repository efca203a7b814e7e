//===- RowwiseToLinalg.cpp - Spell rowwise as linalg ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowwiseToLinalg.h"
#include "ReadOrZero.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::dietcode;

namespace {

/// A value that the generics read through a map: an input, or the result of a
/// reduction.
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
  Value createBuffer(Type elementType, ArrayRef<OpFoldResult> sizes);
  void lowerReduction(ReduceRowOp reduction);
  void writeOutputs(bool varying);
  Value cloneSlice(OpBuilder &builder, Value value, IRMapping &mapping);
  Value createLookup(OpBuilder &builder, unsigned input, IRMapping &mapping);
  void tellColumns(SmallVectorImpl<Source> &read);
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
    if (op.getLookups(index).empty())
      sources.push_back({op.getBody().getArgument(index), input, maps[index],
                         op.variesWithColumn(index)});
}

OpFoldResult RowwiseLowering::getExtent(unsigned dim) {
  return cast<ProblemOpInterface>(op.getOperation())
      .createExtent(rewriter, dim);
}

/// A tensor or buffer.
Value RowwiseLowering::createBuffer(Type elementType,
                                    ArrayRef<OpFoldResult> sizes) {
  if (!isOnBuffers)
    return tensor::EmptyOp::create(rewriter, op.getLoc(), sizes, elementType);
  auto [shape, dynamicSizes] = decomposeMixedValues(sizes);
  temporaries.push_back(memref::AllocOp::create(
      rewriter, op.getLoc(), MemRefType::get(shape, elementType),
      dynamicSizes));
  return temporaries.back();
}

/// Reads the element of an input that its indices say, which are kept within
/// it; zero if there is none.
Value RowwiseLowering::createLookup(OpBuilder &builder, unsigned input,
                                    IRMapping &mapping) {
  Location loc = op.getLoc();
  Value operand = op.getInputs()[input];
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value zero = constant(0);
  Value isThere =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  SmallVector<Value> indices;
  AffineMap map = op.getOperandMaps()[input];
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      indices.push_back(
          linalg::IndexOp::create(builder, loc, loop.getPosition()));
      continue;
    }
    unsigned number = cast<AffineSymbolExpr>(expr).getPosition();
    Value element =
        cloneSlice(builder, op.getBody().getArgument(number), mapping);
    Value index = arith::IndexCastOp::create(builder, loc,
                                             builder.getIndexType(), element);
    Value size = getValueOrCreateConstantIndexOp(
        builder, loc, operator_impl::createDim(builder, loc, operand, dim));
    Value last = arith::SubIOp::create(builder, loc, size, constant(1));
    index = arith::MaxSIOp::create(builder, loc, index, zero);
    indices.push_back(arith::MinSIOp::create(builder, loc, index, last));
    Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        zero, size);
    isThere = arith::AndIOp::create(builder, loc, isThere, isOne);
  }
  return createReadOrZero(builder, loc, isThere, operand, indices);
}

/// Clones what computes `value` from the sources, which are mapped.
Value RowwiseLowering::cloneSlice(OpBuilder &builder, Value value,
                                  IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    mapping.map(value, createLookup(builder, argument.getArgNumber(), mapping));
    return mapping.lookup(value);
  }
  Operation *definition = value.getDefiningOp();
  for (Value operand : definition->getOperands())
    cloneSlice(builder, operand, mapping);
  builder.clone(*definition, mapping);
  return mapping.lookup(value);
}

/// Where none of what is read tells how many columns there are, an output does,
/// unread, or else a buffer that is there for it alone.
void RowwiseLowering::tellColumns(SmallVectorImpl<Source> &read) {
  auto isTold = [&](unsigned column) {
    return llvm::any_of(read, [&](const Source &source) {
      return source.map.isFunctionOfDim(column);
    });
  };
  if (!llvm::all_of(op.getColumnDims(), isTold))
    for (auto [index, output] : llvm::enumerate(op.getOutputs()))
      if (unsigned operand = op.getInputs().size() + index;
          op.variesWithColumn(operand))
        read.push_back({Value(), output, op.getOperandMaps()[operand], true});
  AffineMap all =
      AffineMap::getMultiDimIdentityMap(op.getNumDims(), op.getContext());
  for (unsigned column : op.getColumnDims())
    if (!isTold(column))
      read.push_back({Value(),
                      createBuffer(rewriter.getI8Type(), {getExtent(column)}),
                      all.getSubMap({column}), true});
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
  if (reduces)
    tellColumns(read);
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
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim : op.getRowDims())
    sizes.push_back(getExtent(dim));
  Value buffer = createBuffer(type, sizes);
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
