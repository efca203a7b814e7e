//===- TapTable.cpp - Where the elements of a k tile are read -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tap is four words: an offset of 64 bits, 32 bits of positions, and nothing.
// A window that k moves, at p + c f for f = 0, 1, ..., has a bit for each f;
// one that k does not move has one bit. An element knows which of these
// positions are outside; it is read if none of those of the tap is.
//
//===----------------------------------------------------------------------===//

#include "TapTable.h"
#include "GuardedAccess.h"
#include "dietcode/Dialect/DietCode/IR/WindowPositions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::dietcode;

static constexpr int64_t kWordBytes = 4;

/// The last of 32 bits, which is outside for all elements.
static constexpr int32_t kNowhere = INT32_MIN;

/// Extents of the problem's other dimensions move no window along k.
static SmallVector<WindowPositions> findPositions(const MatrixView &view,
                                                  const TiledDim &reduction) {
  SmallVector<int64_t> shape(view.map.getNumDims(), ShapedType::kDynamic);
  for (unsigned dim : reduction.getDims())
    if (auto size = getConstantIntValue(reduction.getSize(dim)))
      shape[dim] = *size;
  return *findWindowPositions(view.map, reduction.getDims(), shape);
}

bool TapTable::canServe(ContractionOpInterface op, unsigned operand) {
  SmallVector<unsigned> kDims = op.getGroup(ContractionGroup::K);
  AffineMap map = op.getOperandMaps()[operand];
  bool hasWindows = !llvm::all_of(map.getResults(), [](AffineExpr expr) {
    return matchLinearAccess(expr)->isDim();
  });
  auto type = cast<MemRefType>(op->getOperand(operand).getType());
  return (hasWindows || !isLinear(type, map, kDims)) &&
         findWindowPositions(map, kDims, op.getStaticProblemShape());
}

static Value createBits(ImplicitLocOpBuilder &b, int32_t bits) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(bits));
}

/// Sizes are at least one, so that they divide numbers of no k, too.
static TiledDim createDivisible(ImplicitLocOpBuilder &b, const TiledDim &dim) {
  SmallVector<Value> sizes;
  for (unsigned each : dim.getDims())
    sizes.push_back(IndexMath(b).max(dim.getSize(each), 1));
  return TiledDim(b, dim.getDims(), sizes);
}

TapTable::TapTable(ImplicitLocOpBuilder &b, const Config &config, Value shared,
                   Value threadId)
    : b(b), math(b), config(config),
      reduction(createDivisible(b, config.reduction)), shared(shared),
      threadId(threadId) {}

Tap TapTable::createTap(const MatrixView &view, Value k) {
  ProblemIndices indices = reduction.getIndices(b, k);
  int64_t bytes = view.type.getElementTypeBitWidth() / 8;
  Value offset = math.add(view.start, view.getOffset(b, indices));
  Value positions = createBits(b, 0);
  for (const WindowPositions &bits : findPositions(view, config.reduction)) {
    Value bit = createBits(b, int32_t(1) << bits.first);
    for (auto [dim, index] : indices)
      if (dim == bits.dim)
        bit = arith::ShLIOp::create(
            b, bit, arith::IndexCastOp::create(b, b.getI32Type(), index));
    positions = b.createOrFold<arith::OrIOp>(positions, bit);
  }
  offset = math.mul(offset, bytes);
  return {arith::IndexCastOp::create(b, b.getI64Type(), offset), positions};
}

Value TapTable::getOffset(Value stage, Value k) {
  Value row = math.add(math.mul(k, config.spare.stride), config.spare.first);
  return math.add(row, stage);
}

/// Without a branch, so that all tiles and warps take the same way.
void TapTable::fill(const MatrixView &view, Value stage, Value kStart,
                    Value kEnd) {
  Type i64 = b.getI64Type();
  for (int64_t i = 0; i < config.blockK; i += config.threads) {
    Value number = math.add(threadId, i);
    Value k = math.add(kStart, number);
    Tap tap = createTap(view, k);
    Value positions = arith::SelectOp::create(
        b, math.less(k, kEnd), tap.positions, createBits(b, kNowhere));
    Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, shared);
    Value address =
        math.add(start, math.mul(getOffset(stage, number), kWordBytes));
    storePairWhere(b, math.less(number, math.constant(config.blockK)),
                   arith::IndexCastOp::create(b, i64, address), tap.offset,
                   arith::ExtUIOp::create(b, i64, positions));
  }
}

Tap TapTable::read(Value stage, Value k) {
  Value words = vector::LoadOp::create(
      b, VectorType::get({kWords}, b.getF32Type()), shared, getOffset(stage, k),
      /*nontemporal=*/false, llvm::MaybeAlign(kWords * kWordBytes));
  Value halves =
      vector::BitCastOp::create(b, VectorType::get({2}, b.getI64Type()), words);
  return {vector::ExtractOp::create(b, halves, 0),
          arith::TruncIOp::create(b, b.getI32Type(),
                                  vector::ExtractOp::create(b, halves, 1))};
}

Value TapTable::createOutside(const MatrixView &view, ValueRange positions) {
  Value outside = createBits(b, kNowhere);
  for (auto [window, position, bits] : llvm::zip_equal(
           view.windows, positions, findPositions(view, config.reduction)))
    for (int64_t i : llvm::seq<int64_t>(0, bits.count)) {
      Value isHere =
          math.isWithin(math.add(position, i * bits.coefficient), window.size);
      Value bit = arith::SelectOp::create(b, isHere, createBits(b, 0),
                                          createBits(b, 1 << (bits.first + i)));
      outside = b.createOrFold<arith::OrIOp>(outside, bit);
    }
  return outside;
}

Value TapTable::load(Type type, Value address, Value outside, const Tap &tap) {
  Value both = arith::AndIOp::create(b, outside, tap.positions);
  Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, both,
                                         createBits(b, 0));
  auto pointer = LLVM::GEPOp::create(b, address.getType(), b.getI8Type(),
                                     address, ValueRange(tap.offset));
  return loadWhere(b, type, isInside, pointer);
}
