//===- WarpLoop.cpp - The loop of products of warps -----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop of products of warps, which are so fast that they must not wait
// for whole tiles to be copied:
//
//   store(load(k = 0 .. residue))
//   parts = load(next tile), if there is one
//   barrier;  fragments = those of the first step
//   for each tile:
//     for each step:
//       for each product of the step:
//         sums += product of the fragments
//         now and then one of:
//           store(some parts) to the other stage
//           some of the next fragments = load(next step, or next tile)
//           some parts = load(tile after), if there is one
//
// with a barrier before the last step. Tensor cores take longer for a product
// than a warp takes to issue it: what comes between two of them is free, while
// a warp that does it all at once leaves them idle if no other warp is there.
// The condition is a basic block of its own, over whose end an assembler does
// not move the copies, which would otherwise be one burst.
//
//===----------------------------------------------------------------------===//

#include "TileLoop.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <functional>

using namespace mlir;
using namespace mlir::dietcode;

namespace {

/// The copies of both operands, as one sequence.
class Copies {
public:
  Copies(TileStaging &lhs, TileStaging &rhs) : lhs(lhs), rhs(rhs) {}

  size_t getCount() const { return lhs.getCount() + rhs.getCount(); }
  Value load(size_t index, Value kStart) {
    size_t count = lhs.getCount();
    return index < count ? lhs.loadOne(index, kStart)
                         : rhs.loadOne(index - count, kStart);
  }
  void store(size_t index, Value part, Value stage) {
    size_t count = lhs.getCount();
    index < count ? lhs.storeOne(index, part, stage)
                  : rhs.storeOne(index - count, part, stage);
  }

  /// Both at once, without registers that outlive it; see TileStaging.
  void copy(ImplicitLocOpBuilder &b, size_t begin, size_t end, Value threadId,
            Value kStart, Value kLimit, Value stage);

private:
  TileStaging &lhs, &rhs;
};

/// What the loop carries besides the sums.
struct LoopState {
  SmallVector<Value> fragments; ///< Of the first step of the current tile.
  SmallVector<Value> parts;     ///< Of the next tile, in registers; or none.
  Value stage;                  ///< Of the current tile.
  Value kStart;                 ///< Of the next tile.

  SmallVector<Value> flatten(ArrayRef<Value> sums) const {
    SmallVector<Value> values(sums);
    llvm::append_range(values, fragments);
    llvm::append_range(values, parts);
    values.append({stage, kStart});
    return values;
  }
};

} // namespace

/// if (condition) { values = create() } else { values = otherwise }
static SmallVector<Value>
createWhere(ImplicitLocOpBuilder &b, Value condition, ArrayRef<Value> otherwise,
            function_ref<SmallVector<Value>()> create) {
  auto guarded = scf::IfOp::create(
      b, condition,
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, create()); },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, otherwise); });
  return SmallVector<Value>(guarded.getResults());
}

/// `value`, which what is computed of it is not known to depend on alone: it is
/// neither moved out of the loop nor kept from before, where it would take
/// registers.
static Value createOpaque(ImplicitLocOpBuilder &b, Value value) {
  Type i64 = b.getI64Type();
  Value bits = arith::IndexCastOp::create(b, i64, value);
  Value moved =
      LLVM::InlineAsmOp::create(
          b, i64, bits, "mov.b64 $0, $1;", "=l,l",
          /*has_side_effects=*/true, /*is_align_stack=*/false,
          LLVM::TailCallKind::None,
          LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
          /*operand_attrs=*/ArrayAttr())
          .getResult(0);
  return arith::IndexCastOp::create(b, b.getIndexType(), moved);
}

/// Keeps an assembler from loading what comes after it before it: the elements
/// of a vector are on their way in registers of their own.
static void createWarpFence(ImplicitLocOpBuilder &b) {
  Value all = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
  NVVM::SyncWarpOp::create(b, all);
}

/// Both operands would have indices of the same k, which take a register for
/// each word of them: where there are any, each copy computes its own.
void Copies::copy(ImplicitLocOpBuilder &b, size_t begin, size_t end,
                  Value threadId, Value kStart, Value kLimit, Value stage) {
  size_t count = lhs.getCount();
  bool hasIndices = !lhs.isLinearAlongK() || !rhs.isLinearAlongK();
  Value thread = createOpaque(b, threadId);
  for (size_t index = begin; index < end; ++index) {
    if (index > begin)
      createWarpFence(b);
    if (index > begin && hasIndices)
      thread = createOpaque(b, threadId);
    if (index < count)
      lhs.copyOne(index, thread, kStart, kLimit, stage);
    else
      rhs.copyOne(index - count, thread, kStart, kLimit, stage);
  }
}

/// The products of a step, with `actions` evenly spread among them: what is
/// issued between two of them costs no time, and shared memory is asked little
/// by little.
static void multiplyAmong(ImplicitLocOpBuilder &b, TileProduct &product,
                          ArrayRef<Value> fragments,
                          MutableArrayRef<Value> sums,
                          ArrayRef<std::function<void()>> actions) {
  int64_t products = product.getProducts(), done = 0;
  int64_t count = actions.size();
  for (int64_t number : llvm::seq<int64_t>(0, products)) {
    for (; done < count && (2 * done + 1) * products / (2 * count) <= number;
         ++done)
      actions[done]();
    product.multiplyOne(b, fragments, sums, number);
  }
}

namespace {
/// The copies during a tile. The next one goes from registers to the other
/// stage, and the one after it from memory to the same registers, so that it
/// has the time of a whole tile to arrive. Without parts in registers, the next
/// tile is loaded right before it is stored.
class TileCopies {
public:
  TileCopies(ImplicitLocOpBuilder &b, const TileLoop &tiles, Copies &copies,
             const LoopState &state, Value stage)
      : b(b), threadId(tiles.threadId), copies(copies), state(state),
        stage(stage) {
    IndexMath math(b);
    after = math.add(state.kStart, tiles.schedule.blockK);
    hasNext = math.less(state.kStart, tiles.range.end);
    hasAfter = math.less(after, tiles.range.end);
  }

  bool isDirect() const { return state.parts.empty(); }

  /// Those up to number `end`. Behind the last tile, the parts are those of the
  /// last one, and nobody reads the stage that they are stored to.
  void storeUpTo(size_t end);
  void loadUpTo(size_t end);

  Value after;   ///< The start of the tile after the next.
  Value hasNext; ///< Whether there is a next tile.
  SmallVector<Value> loaded;

private:
  ImplicitLocOpBuilder &b;
  Value threadId;
  Copies &copies;
  const LoopState &state;
  Value stage;
  Value hasAfter;
  size_t stored = 0;
};
} // namespace

void TileCopies::storeUpTo(size_t end) {
  if (isDirect() && stored < end)
    createWhere(b, hasNext, {}, [&] {
      copies.copy(b, stored, end, threadId, state.kStart, /*kLimit=*/nullptr,
                  stage);
      return SmallVector<Value>();
    });
  for (; stored < end; ++stored)
    if (!isDirect())
      copies.store(stored, state.parts[stored], stage);
}

void TileCopies::loadUpTo(size_t end) {
  size_t begin = loaded.size();
  if (begin >= end || isDirect())
    return;
  ArrayRef<Value> kept = ArrayRef(state.parts).slice(begin, end - begin);
  llvm::append_range(loaded, createWhere(b, hasAfter, kept, [&] {
                       SmallVector<Value> parts;
                       for (size_t i = begin; i < end; ++i)
                         parts.push_back(copies.load(i, after));
                       return parts;
                     }));
}

/// Before the last step all threads meet: they have read the tile, and written
/// the next one. Returns the stage of that. With one stage, nobody may write
/// before all have read.
static Value createMeeting(ImplicitLocOpBuilder &b, TileCopies &tile,
                           size_t count, Value stage, Value other) {
  bool hasTwoStages = stage != other;
  if (hasTwoStages) {
    tile.storeUpTo(count);
    tile.loadUpTo(count);
  }
  gpu::BarrierOp::create(b);
  if (!hasTwoStages) {
    tile.storeUpTo(count);
    gpu::BarrierOp::create(b);
    tile.loadUpTo(count);
  }
  // What is copied directly is not there behind the last tile.
  return tile.isDirect()
             ? b.createOrFold<arith::SelectOp>(tile.hasNext, other, stage)
             : other;
}

/// One tile. Its copies are spread evenly over the steps but the last one,
/// during which the first fragments of the next tile are loaded.
static void createLoopBody(ImplicitLocOpBuilder &b, const TileLoop &tiles,
                           Copies &copies, LoopState &state,
                           MutableArrayRef<Value> sums) {
  IndexMath math(b);
  TileProduct &product = tiles.product;
  bool hasTwoStages = tiles.schedule.stages > 1;
  Value stage = state.stage, other = stage;
  if (hasTwoStages)
    other = math.sub(math.constant(product.getStageWords()), stage);
  TileCopies tile(b, tiles, copies, state, other);
  size_t count = copies.getCount();
  int64_t steps = product.getSteps();
  for (int64_t step : llvm::seq<int64_t>(0, steps)) {
    SmallVector<Value> fragments = std::move(state.fragments);
    state.fragments.clear();
    bool isLast = step + 1 == steps, hasCopies = hasTwoStages && !isLast;
    size_t end = hasCopies ? count * (step + 1) / (steps - 1) : count;
    int64_t next = isLast ? 0 : step + 1;
    SmallVector<std::function<void()>> actions;
    if (hasCopies)
      actions.push_back([&, end] { tile.storeUpTo(end); });
    for (int64_t load : llvm::seq<int64_t>(0, product.getLoads()))
      actions.push_back([&, load, next] {
        llvm::append_range(state.fragments,
                           product.loadFragment(b, stage, next, load));
      });
    if (hasCopies)
      actions.push_back([&, end] { tile.loadUpTo(end); });
    if (isLast)
      stage = createMeeting(b, tile, count, stage, other);
    multiplyAmong(b, product, fragments, sums, actions);
  }
  state.kStart = tile.after;
  state.parts = std::move(tile.loaded);
  state.stage = stage;
}

SmallVector<Value> mlir::dietcode::createWarpLoop(ImplicitLocOpBuilder &b,
                                                  const TileLoop &tiles) {
  IndexMath math(b);
  Copies copies(tiles.lhs, tiles.rhs);
  LoopState state;
  state.stage = math.constant(0);
  state.kStart = math.add(tiles.range.start, tiles.range.limit);
  // Elements on their own, with an address each, would take too many registers.
  if (tiles.lhs.isGathered() || tiles.rhs.isGathered()) {
    copies.copy(b, 0, copies.getCount(), tiles.threadId, tiles.range.start,
                tiles.range.limit, state.stage);
  } else {
    SmallVector<Value> first;
    for (TileStaging *staging : {&tiles.lhs, &tiles.rhs}) {
      SmallVector<Value> parts =
          staging->load(state.stage, tiles.range.start, tiles.range.limit);
      staging->store(parts, state.stage);
      llvm::append_range(first, parts);
    }
    Value hasNext = math.less(state.kStart, tiles.range.end);
    state.parts = createWhere(b, hasNext, first, [&] {
      SmallVector<Value> parts;
      for (size_t index : llvm::seq<size_t>(0, copies.getCount()))
        parts.push_back(copies.load(index, state.kStart));
      return parts;
    });
  }
  gpu::BarrierOp::create(b);
  state.fragments = tiles.product.loadFragments(b, state.stage, 0);

  SmallVector<Value> sums = tiles.product.createZeros(b);
  auto loop = scf::ForOp::create(b, math.constant(0), tiles.range.tiles,
                                 math.constant(1), state.flatten(sums));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ValueRange carried = loop.getRegionIterArgs();
  auto take = [&](size_t count) {
    SmallVector<Value> taken(carried.take_front(count));
    carried = carried.drop_front(count);
    return taken;
  };
  sums = take(sums.size());
  state.fragments = take(state.fragments.size());
  state.parts = take(state.parts.size());
  state.stage = carried[0];
  state.kStart = carried[1];
  createLoopBody(b, tiles, copies, state, sums);
  scf::YieldOp::create(b, state.flatten(sums));
  return SmallVector<Value>(loop.getResults().take_front(sums.size()));
}
