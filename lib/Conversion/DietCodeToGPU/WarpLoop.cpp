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
//       next fragments = those of the next step, or of the next tile
//       some of:  store(parts) to the other stage;  parts = load(tile after)
//       sums += product of the fragments
//
// with a barrier before the last step. Each condition is a basic block of its
// own, over whose end an assembler does not move the copies, which would
// otherwise be one burst.
//
//===----------------------------------------------------------------------===//

#include "TileLoop.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

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

/// if (condition) { values = create() }, which are undefined otherwise.
static SmallVector<Value>
createWhere(ImplicitLocOpBuilder &b, Value condition,
            function_ref<SmallVector<Value>()> create) {
  SmallVector<Value> created;
  auto guarded = scf::IfOp::create(
      b, condition,
      [&](OpBuilder &, Location) {
        created = create();
        scf::YieldOp::create(b, created);
      },
      [&](OpBuilder &, Location) {
        SmallVector<Value> undefined;
        for (Value value : created)
          undefined.push_back(ub::PoisonOp::create(b, value.getType()));
        scf::YieldOp::create(b, undefined);
      });
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

/// One tile: while it is multiplied, the next one goes from registers to the
/// other stage, and the one after it from memory to the same registers, so that
/// it has the time of a whole tile to arrive. Both are spread evenly over the
/// steps but the last one, before which all threads meet: they have read the
/// tile, and written the next one, of which the first fragments are loaded
/// during the last step. Without parts in registers, the next tile is loaded
/// right before it is stored.
static void createLoopBody(ImplicitLocOpBuilder &b, const TileLoop &tiles,
                           Copies &copies, LoopState &state,
                           MutableArrayRef<Value> sums) {
  IndexMath math(b);
  Value next = math.add(state.kStart, tiles.schedule.blockK);
  Value hasNext = math.less(state.kStart, tiles.range.end);
  Value hasAfterNext = math.less(next, tiles.range.end);
  bool hasTwoStages = tiles.schedule.stages > 1;
  Value other = state.stage;
  if (hasTwoStages)
    other = math.sub(math.constant(tiles.product.getStageWords()), state.stage);
  size_t count = copies.getCount(), stored = 0;
  SmallVector<Value> loaded;
  bool isDirect = state.parts.empty();
  auto storeUpTo = [&](size_t end) {
    if (stored < end)
      createWhere(b, hasNext, [&] {
        if (isDirect)
          copies.copy(b, stored, end, tiles.threadId, state.kStart,
                      /*kLimit=*/nullptr, other);
        for (; stored < end; ++stored)
          if (!isDirect)
            copies.store(stored, state.parts[stored], other);
        return SmallVector<Value>();
      });
  };
  auto loadUpTo = [&](size_t end) {
    if (size_t begin = loaded.size(); begin < end && !isDirect)
      llvm::append_range(loaded, createWhere(b, hasAfterNext, [&] {
                           SmallVector<Value> parts;
                           for (size_t i = begin; i < end; ++i)
                             parts.push_back(copies.load(i, next));
                           return parts;
                         }));
  };
  int64_t steps = tiles.product.getSteps();
  for (int64_t step : llvm::seq<int64_t>(0, steps)) {
    SmallVector<Value> fragments = std::move(state.fragments);
    if (step + 1 < steps)
      state.fragments = tiles.product.loadFragments(b, state.stage, step + 1);
    if (hasTwoStages && (step + 1 < steps || steps == 1)) {
      size_t end = count * (step + 1) / std::max<int64_t>(1, steps - 1);
      storeUpTo(end);
      loadUpTo(end);
    }
    if (step + 1 == steps) {
      gpu::BarrierOp::create(b);
      if (!hasTwoStages) {
        storeUpTo(count);
        gpu::BarrierOp::create(b);
        loadUpTo(count);
      }
      // Of the last tile, what is loaded is not used.
      state.stage =
          b.createOrFold<arith::SelectOp>(hasNext, other, state.stage);
      state.fragments = tiles.product.loadFragments(b, state.stage, 0);
    }
    tiles.product.multiply(b, fragments, sums);
  }
  state.parts = std::move(loaded);
  state.kStart = next;
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
    for (TileStaging *staging : {&tiles.lhs, &tiles.rhs})
      staging->store(
          staging->load(state.stage, tiles.range.start, tiles.range.limit),
          state.stage);
    state.parts = createWhere(b, math.less(state.kStart, tiles.range.end), [&] {
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
