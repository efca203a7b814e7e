//===- LaneReduction.cpp - Reductions over the lanes of a row -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneReduction.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::dietcode;

static constexpr int64_t kWarpSize = 32;

/// Exchanges 32 bits.
Value LaneReduction::shuffleWord(Value value, int64_t distance) {
  auto toI32 = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(number));
  };
  return gpu::ShuffleOp::create(b, value, toI32(distance), toI32(kWarpSize),
                                gpu::ShuffleMode::XOR)
      .getShuffleResult();
}

/// The value of the lane whose number differs by `distance` in one bit.
Value LaneReduction::shuffleXor(Value value, int64_t distance) {
  Type type = value.getType(), i32 = b.getI32Type();
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isF32() || type == i32)
    return shuffleWord(value, distance);
  Type bits = b.getIntegerType(width);
  bool isFloat = isa<FloatType>(type);
  if (isFloat)
    value = arith::BitcastOp::create(b, bits, value);
  if (width < 32) {
    value = shuffleWord(arith::ExtUIOp::create(b, i32, value), distance);
    value = arith::TruncIOp::create(b, bits, value);
  } else {
    Value half = arith::ConstantOp::create(b, b.getIntegerAttr(bits, 32));
    Value low = arith::TruncIOp::create(b, i32, value);
    Value high =
        arith::TruncIOp::create(b, i32, arith::ShRUIOp::create(b, value, half));
    low = arith::ExtUIOp::create(b, bits, shuffleWord(low, distance));
    high = arith::ExtUIOp::create(b, bits, shuffleWord(high, distance));
    value = arith::OrIOp::create(b, low, arith::ShLIOp::create(b, high, half));
  }
  if (isFloat)
    value = arith::BitcastOp::create(b, type, value);
  return value;
}

/// Combines groups of `count` neighbouring lanes of a warp; the kinds commute,
/// so all lanes of a group get the same bits.
Value LaneReduction::combineLanes(RowReduction kind, Value value,
                                  int64_t count) {
  for (int64_t distance = count / 2; distance > 0; distance /= 2)
    value = createCombination(b, b.getLoc(), kind, value,
                              shuffleXor(value, distance));
  return value;
}

/// Rows that share a warp are neighbours; the warps of a row follow each other.
Value LaneReduction::getRow() {
  int64_t warps = lanes / lanesOfWarp, rowsOfWarp = kWarpSize / lanesOfWarp;
  if (warps == 1 || rowsOfWarp == 1)
    return math.div(threadId, lanes);
  Value first = math.mul(math.div(threadId, kWarpSize * warps), rowsOfWarp);
  return math.add(first, math.div(math.rem(threadId, kWarpSize), lanesOfWarp));
}

Value LaneReduction::getLane() {
  int64_t warps = lanes / lanesOfWarp, rowsOfWarp = kWarpSize / lanesOfWarp;
  if (warps == 1 || rowsOfWarp == 1)
    return math.rem(threadId, lanes);
  Value warp = math.rem(math.div(threadId, kWarpSize), warps);
  return math.add(math.mul(warp, lanesOfWarp), math.rem(threadId, lanesOfWarp));
}

Value LaneReduction::reduce(RowReduction kind, Value value, Value shared) {
  value = combineLanes(kind, value, lanesOfWarp);
  int64_t warps = lanes / lanesOfWarp, rowsOfWarp = kWarpSize / lanesOfWarp;
  if (warps == 1)
    return value;
  Value isFirst = math.equal(math.rem(threadId, lanesOfWarp), 0);
  scf::IfOp::create(b, isFirst, [&](OpBuilder &, Location) {
    memref::StoreOp::create(b, value, shared, math.div(threadId, lanesOfWarp));
    scf::YieldOp::create(b);
  });
  gpu::BarrierOp::create(b);
  // Each lane of a warp takes as many partial results as any other.
  int64_t count = std::min(warps, lanesOfWarp);
  Value firstWarp = math.mul(math.div(threadId, kWarpSize * warps), warps);
  Value row = math.constant(0);
  if (rowsOfWarp > 1)
    row = math.div(math.rem(threadId, kWarpSize), lanesOfWarp);
  Value partial;
  for (int64_t start = 0; start < warps; start += count) {
    Value warp =
        math.add(math.add(firstWarp, math.rem(threadId, count)), start);
    Value next = memref::LoadOp::create(
        b, shared, math.add(math.mul(warp, rowsOfWarp), row));
    partial =
        partial ? createCombination(b, b.getLoc(), kind, partial, next) : next;
  }
  return combineLanes(kind, partial, count);
}
