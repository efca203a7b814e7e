//===- ThreadLoop.cpp - The loop of products of threads -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop, whose first tile has been loaded before it:
//
//   for each tile:
//     store(parts) to the current stage;  barrier
//     if there is a next tile:  parts = load(next tile)
//     sums += product of the tiles in the current stage;  change stages
//
// With two stages one barrier per tile does: when a thread stores to a stage,
// all threads are past the barrier of the tile between, so they have multiplied
// what the stage held before. A single stage needs a second barrier, after the
// product.
//
// An operand that is loaded by a table of taps (TapTable.h) has one in each
// stage: that of the next tile is read after the barrier. Then that of the tile
// after it is filled in, in the current stage, or in the only one after the
// second barrier.
//
//===----------------------------------------------------------------------===//

#include "TileLoop.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::dietcode;

namespace {
/// What the loop carries besides the sums.
struct LoopState {
  SmallVector<Value> lhsParts, rhsParts; ///< Of the current tile.
  Value stage;  ///< Where it goes, in elements of shared memory.
  Value kStart; ///< Of the next tile.

  SmallVector<Value> flatten(ArrayRef<Value> sums) const {
    SmallVector<Value> values(sums);
    llvm::append_range(values, lhsParts);
    llvm::append_range(values, rhsParts);
    values.append({stage, kStart});
    return values;
  }
};
} // namespace

static void fillTaps(const TileLoop &tiles, Value stage, Value kStart,
                     Value kEnd) {
  tiles.lhs.fillTaps(stage, kStart, kEnd);
  tiles.rhs.fillTaps(stage, kStart, kEnd);
}

/// Of two stages, the other one starts where both offsets add up to.
static Value getOtherStage(ImplicitLocOpBuilder &b, const TileLoop &tiles,
                           Value stage) {
  IndexMath math(b);
  return tiles.schedule.stages == 1
             ? stage
             : math.sub(math.constant(tiles.product.getStageWords()), stage);
}

/// Loads the next tile if there is one, which is the same for all threads.
static void createPrefetch(ImplicitLocOpBuilder &b, Value hasNext,
                           LoopState &state, const TileLoop &tiles) {
  Value next = getOtherStage(b, tiles, state.stage);
  auto guarded = scf::IfOp::create(
      b, hasNext,
      [&](OpBuilder &, Location) {
        SmallVector<Value> loaded = tiles.lhs.load(next, state.kStart);
        llvm::append_range(loaded, tiles.rhs.load(next, state.kStart));
        scf::YieldOp::create(b, loaded);
      },
      [&](OpBuilder &, Location) {
        SmallVector<Value> kept(state.lhsParts);
        llvm::append_range(kept, state.rhsParts);
        scf::YieldOp::create(b, kept);
      });
  ValueRange parts = guarded.getResults();
  size_t lhsCount = state.lhsParts.size();
  state.lhsParts.assign(parts.begin(), parts.begin() + lhsCount);
  state.rhsParts.assign(parts.begin() + lhsCount, parts.end());
}

static void createLoopBody(ImplicitLocOpBuilder &b, const TileLoop &tiles,
                           scf::ForOp loop, size_t sumCount, LoopState state) {
  IndexMath math(b);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> carried(loop.getRegionIterArgs());
  ArrayRef<Value> rest(carried);
  auto take = [&](size_t count) {
    SmallVector<Value> taken(rest.take_front(count));
    rest = rest.drop_front(count);
    return taken;
  };
  SmallVector<Value> sums = take(sumCount);
  state.lhsParts = take(state.lhsParts.size());
  state.rhsParts = take(state.rhsParts.size());
  state.stage = rest[0];
  state.kStart = rest[1];

  tiles.lhs.store(state.lhsParts, state.stage);
  tiles.rhs.store(state.rhsParts, state.stage);
  gpu::BarrierOp::create(b);
  createPrefetch(b, math.less(state.kStart, tiles.range.end), state, tiles);
  Value afterNext = math.add(state.kStart, tiles.schedule.blockK);
  if (tiles.schedule.stages > 1)
    fillTaps(tiles, state.stage, afterNext, tiles.range.end);
  for (int64_t step : llvm::seq<int64_t>(0, tiles.product.getSteps()))
    tiles.product.multiply(b, tiles.product.loadFragments(b, state.stage, step),
                           sums);
  if (tiles.schedule.stages == 1) {
    gpu::BarrierOp::create(b);
    fillTaps(tiles, state.stage, afterNext, tiles.range.end);
  }
  state.stage = getOtherStage(b, tiles, state.stage);
  state.kStart = afterNext;
  scf::YieldOp::create(b, state.flatten(sums));
}

SmallVector<Value> mlir::dietcode::createThreadLoop(ImplicitLocOpBuilder &b,
                                                    const TileLoop &tiles) {
  IndexMath math(b);
  LoopState state;
  state.stage = math.constant(0);
  state.kStart = math.add(tiles.range.start, tiles.range.limit);
  bool hasTaps = tiles.lhs.hasTaps() || tiles.rhs.hasTaps();
  fillTaps(tiles, state.stage, tiles.range.start, state.kStart);
  if (hasTaps)
    gpu::BarrierOp::create(b);
  state.lhsParts =
      tiles.lhs.load(state.stage, tiles.range.start, tiles.range.limit);
  state.rhsParts =
      tiles.rhs.load(state.stage, tiles.range.start, tiles.range.limit);
  if (hasTaps && tiles.schedule.stages == 1)
    gpu::BarrierOp::create(b);
  fillTaps(tiles, getOtherStage(b, tiles, state.stage), state.kStart,
           tiles.range.end);

  SmallVector<Value> zeros = tiles.product.createZeros(b);
  auto loop = scf::ForOp::create(b, math.constant(0), tiles.range.tiles,
                                 math.constant(1), state.flatten(zeros));
  createLoopBody(b, tiles, loop, zeros.size(), state);
  return SmallVector<Value>(loop.getResults().take_front(zeros.size()));
}
