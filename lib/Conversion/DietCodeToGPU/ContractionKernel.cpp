//===- ContractionKernel.cpp - Micro-kernels for contractions -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel, with kTiles = max(1, ceil(k / blockK)):
//
//   residue = k - (kTiles - 1) * blockK
//   parts = load(k = 0 .. residue)                 (the rest reads as zero)
//   for i in 0 .. kTiles:
//     store(parts) to the current stage;  barrier
//     if there is a next tile:  parts = load(next tile)
//     sums += product of the tiles in the current stage;  change stages
//   write epilogue(sums), guarded by m and n
//
// The partial k tile comes first, so that no element in the loop is predicated.
// An empty k is one partial tile of zeros. With two stages one barrier per tile
// does: when a thread stores to a stage, all threads are past the barrier of
// the tile between, so they have multiplied what the stage held before. A
// single stage needs a second barrier, after the product.
//
// With a split the loop runs over the part of the tiles that the block has, and
// sums go to the workspace as they are. Where there are fewer tiles than parts,
// the last ones are empty and write zeros.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"
#include "EpilogueWriter.h"
#include "TileProduct.h"
#include "TileStaging.h"
#include "Workspace.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Schedule;
using ::dietcode::ScheduleLayout;

namespace {

/// The k tiles that a block goes through.
struct TileRange {
  Value tiles; ///< How many.
  Value start; ///< Of the first one, along k.
  Value limit; ///< Elements that the first one has along k.
  Value end;   ///< Of the last one, along k.
};

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

/// What the loop of products of warps carries besides the sums.
struct WarpLoopState {
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

/// Builds the body of one kernel.
class KernelBuilder {
public:
  KernelBuilder(ImplicitLocOpBuilder &b, const KernelRequest &request,
                const ScheduleLayout &layout, TileProduct &product)
      : b(b), math(b), request(request), schedule(request.schedule),
        layout(layout), product(product) {}

  void build(gpu::GPUFuncOp kernel);

private:
  using Sums = SmallVector<Value>;

  TileStaging createStaging(unsigned operand);
  TileRange createTileRange();
  Sums createMainLoop(TileStaging &lhs, TileStaging &rhs,
                      const TileRange &range);
  void createLoopBody(scf::ForOp loop, size_t sumCount, LoopState state,
                      TileStaging &lhs, TileStaging &rhs,
                      const TileRange &range);
  Sums createWarpLoop(TileStaging &lhs, TileStaging &rhs,
                      const TileRange &range);
  void createWarpLoopBody(Copies &copies, const TileRange &range,
                          WarpLoopState &state, MutableArrayRef<Value> sums);
  void createWriteBack(ArrayRef<Value> sums);

  ImplicitLocOpBuilder &b;
  IndexMath math;
  const KernelRequest &request;
  const Schedule &schedule;
  const ScheduleLayout &layout;
  TileProduct &product;

  KernelFrame frame;
  Value shared;
};

} // namespace

TileStaging KernelBuilder::createStaging(unsigned operand) {
  bool isLhs = operand == ContractionOpInterface::kLhs;
  SharedTile &tile = isLhs ? product.getLhs() : product.getRhs();
  TileStaging::Config config;
  config.spatial = isLhs ? frame.m : frame.n;
  config.reduction = frame.k;
  std::optional<ContractionGroup> group = getVectorGroup(request.op, operand);
  config.memoryAlongK = group == ContractionGroup::K;
  config.threads = layout.threads;
  config.vectorWidth = isLhs ? layout.vectorA : layout.vectorB;
  // In the general twin nothing but single elements can be loaded. Where
  // vectors are no better to store, single elements are copied as well.
  bool isGathered = request.twin == Twin::General || !group ||
                    tile.getShape().alongK != config.memoryAlongK;
  config.loadWidth = isGathered ? 1 : config.vectorWidth;
  if (isGathered && !tile.storesVectors())
    config.vectorWidth = 1;
  return TileStaging(b, config, frame.views[operand], tile, shared,
                     frame.threadId, isLhs ? frame.startM : frame.startN);
}

/// Loads the next tile if there is one, which is the same for all threads.
static void createPrefetch(ImplicitLocOpBuilder &b, Value hasNext,
                           LoopState &state, TileStaging &lhs,
                           TileStaging &rhs) {
  auto guarded = scf::IfOp::create(
      b, hasNext,
      [&](OpBuilder &, Location) {
        SmallVector<Value> loaded = lhs.load(state.kStart);
        llvm::append_range(loaded, rhs.load(state.kStart));
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

/// Parts are contiguous and, but for the last ones, of equal numbers of tiles.
/// Tile i > 0 starts at residue + (i - 1) * blockK, tile 0 at 0.
TileRange KernelBuilder::createTileRange() {
  Value kTiles =
      math.max(math.ceilDiv(frame.k.getExtent(), schedule.blockK), 1);
  Value fullTiles = math.sub(kTiles, math.constant(1));
  Value residue =
      math.sub(frame.k.getExtent(), math.mul(fullTiles, schedule.blockK));
  if (schedule.split == 1)
    return {kTiles, math.constant(0), residue, frame.k.getExtent()};
  Value tilesPerPart = math.ceilDiv(kTiles, schedule.split);
  Value first = math.min(math.mul(frame.share, tilesPerPart), kTiles);
  Value last = math.min(math.add(first, tilesPerPart), kTiles);
  auto startOf = [&](Value tile) {
    Value end = math.add(residue, math.mul(tile, schedule.blockK));
    return math.max(math.sub(end, math.constant(schedule.blockK)), 0);
  };
  Value start = startOf(first);
  // An empty part has an empty first tile, of which nothing is loaded.
  Value limit = math.sub(startOf(math.min(math.add(first, 1), last)), start);
  return {math.sub(last, first), start, limit, startOf(last)};
}

KernelBuilder::Sums KernelBuilder::createMainLoop(TileStaging &lhs,
                                                  TileStaging &rhs,
                                                  const TileRange &range) {
  LoopState state;
  state.lhsParts = lhs.load(range.start, range.limit);
  state.rhsParts = rhs.load(range.start, range.limit);
  state.stage = math.constant(0);
  state.kStart = math.add(range.start, range.limit);

  SmallVector<Value> zeros = product.createZeros(b);
  auto loop = scf::ForOp::create(b, math.constant(0), range.tiles,
                                 math.constant(1), state.flatten(zeros));
  createLoopBody(loop, zeros.size(), state, lhs, rhs, range);
  return Sums(loop.getResults().take_front(zeros.size()));
}

void KernelBuilder::createLoopBody(scf::ForOp loop, size_t sumCount,
                                   LoopState state, TileStaging &lhs,
                                   TileStaging &rhs, const TileRange &range) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> carried(loop.getRegionIterArgs());
  ArrayRef<Value> rest(carried);
  auto take = [&](size_t count) {
    SmallVector<Value> taken(rest.take_front(count));
    rest = rest.drop_front(count);
    return taken;
  };
  Sums sums = take(sumCount);
  state.lhsParts = take(state.lhsParts.size());
  state.rhsParts = take(state.rhsParts.size());
  state.stage = rest[0];
  state.kStart = rest[1];

  lhs.store(state.lhsParts, state.stage);
  rhs.store(state.rhsParts, state.stage);
  gpu::BarrierOp::create(b);
  createPrefetch(b, math.less(state.kStart, range.end), state, lhs, rhs);
  for (int64_t step : llvm::seq<int64_t>(0, product.getSteps()))
    product.multiply(b, product.loadFragments(b, state.stage, step), sums);
  // Of two stages, the other one starts where both offsets add up to.
  if (schedule.stages == 1)
    gpu::BarrierOp::create(b);
  else
    state.stage = math.sub(math.constant(product.getStageWords()), state.stage);
  state.kStart = math.add(state.kStart, schedule.blockK);
  scf::YieldOp::create(b, state.flatten(sums));
}

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
/// not moved out of the loop, where it would take registers.
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

void Copies::copy(ImplicitLocOpBuilder &b, size_t begin, size_t end,
                  Value threadId, Value kStart, Value kLimit, Value stage) {
  size_t count = lhs.getCount();
  threadId = createOpaque(b, threadId);
  for (size_t index = begin; index < end; ++index) {
    if (index > begin)
      createWarpFence(b);
    if (index < count)
      lhs.copyOne(index, threadId, kStart, kLimit, stage);
    else
      rhs.copyOne(index - count, threadId, kStart, kLimit, stage);
  }
}

/// One tile: while it is multiplied, the next one goes from registers to the
/// other stage, and the one after it from memory to the same registers, so that
/// it has the time of a whole tile to arrive. Both are spread evenly over the
/// steps but the last one, before which all threads meet: they have read the
/// tile, and written the next one, of which the first fragments are loaded
/// during the last step. Without parts in registers, the next tile is loaded
/// right before it is stored.
void KernelBuilder::createWarpLoopBody(Copies &copies, const TileRange &range,
                                       WarpLoopState &state,
                                       MutableArrayRef<Value> sums) {
  Value next = math.add(state.kStart, schedule.blockK);
  Value hasNext = math.less(state.kStart, range.end);
  Value hasAfterNext = math.less(next, range.end);
  bool hasTwoStages = schedule.stages > 1;
  Value other = state.stage;
  if (hasTwoStages)
    other = math.sub(math.constant(product.getStageWords()), state.stage);
  size_t count = copies.getCount(), stored = 0;
  SmallVector<Value> loaded;
  bool isDirect = state.parts.empty();
  auto storeUpTo = [&](size_t end) {
    if (stored < end)
      createWhere(b, hasNext, [&] {
        if (isDirect)
          copies.copy(b, stored, end, frame.threadId, state.kStart,
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
  int64_t steps = product.getSteps();
  for (int64_t step : llvm::seq<int64_t>(0, steps)) {
    SmallVector<Value> fragments = std::move(state.fragments);
    if (step + 1 < steps)
      state.fragments = product.loadFragments(b, state.stage, step + 1);
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
      state.fragments = product.loadFragments(b, state.stage, 0);
    }
    product.multiply(b, fragments, sums);
  }
  state.parts = std::move(loaded);
  state.kStart = next;
}

/// The loop of products of warps, which are so fast that they must not wait
/// for whole tiles to be copied:
///
///   store(load(k = 0 .. residue))
///   parts = load(next tile), if there is one
///   barrier;  fragments = those of the first step
///   for each tile:
///     for each step:
///       next fragments = those of the next step, or of the next tile
///       some of:  store(parts) to the other stage;  parts = load(tile after)
///       sums += product of the fragments
///
/// with a barrier before the last step. Each condition is a basic block of its
/// own, over whose end an assembler does not move the copies, which would
/// otherwise be one burst.
KernelBuilder::Sums KernelBuilder::createWarpLoop(TileStaging &lhs,
                                                  TileStaging &rhs,
                                                  const TileRange &range) {
  Copies copies(lhs, rhs);
  WarpLoopState state;
  state.stage = math.constant(0);
  state.kStart = math.add(range.start, range.limit);
  // Elements on their own, with an address each, would take too many registers.
  if (lhs.isGathered() || rhs.isGathered()) {
    copies.copy(b, 0, copies.getCount(), frame.threadId, range.start,
                range.limit, state.stage);
  } else {
    lhs.store(lhs.load(range.start, range.limit), state.stage);
    rhs.store(rhs.load(range.start, range.limit), state.stage);
    state.parts = createWhere(b, math.less(state.kStart, range.end), [&] {
      SmallVector<Value> parts;
      for (size_t index : llvm::seq<size_t>(0, copies.getCount()))
        parts.push_back(copies.load(index, state.kStart));
      return parts;
    });
  }
  gpu::BarrierOp::create(b);
  state.fragments = product.loadFragments(b, state.stage, 0);

  Sums sums = product.createZeros(b);
  auto loop = scf::ForOp::create(b, math.constant(0), range.tiles,
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
  createWarpLoopBody(copies, range, state, sums);
  scf::YieldOp::create(b, state.flatten(sums));
  return Sums(loop.getResults().take_front(sums.size()));
}

void KernelBuilder::createWriteBack(ArrayRef<Value> carried) {
  Sums sums = product.getElements(b, carried);
  ThreadTile rows = product.getRows(b, frame.startM, frame.m.getExtent());
  ThreadTile columns = product.getColumns(b, frame.startN, frame.n.getExtent());
  if (!frame.workspace) {
    EpilogueWriter(b, request, frame).write(sums, rows, columns);
    return;
  }
  Workspace workspace(b, frame.workspace, frame.workspaceRows,
                      frame.n.getExtent());
  columns.size = workspace.getColumns();
  writeTile(b, sums, rows, columns, columns.group,
            [&](ArrayRef<Value> group, int64_t row, int64_t column) {
              workspace.store(
                  group, frame.share,
                  math.add(frame.workspaceRow, getElement(b, rows, row)),
                  getElement(b, columns, column));
            });
}

void KernelBuilder::build(gpu::GPUFuncOp kernel) {
  frame = createFrame(b, kernel, request);
  shared = kernel.getWorkgroupAttributions().front();
  product.createPosition(b, frame.threadId, shared);
  TileStaging lhs = createStaging(ContractionOpInterface::kLhs);
  TileStaging rhs = createStaging(ContractionOpInterface::kRhs);
  TileRange range = createTileRange();
  createWriteBack(::dietcode::infoOf(schedule.instruction).isWarpWide
                      ? createWarpLoop(lhs, rhs, range)
                      : createMainLoop(lhs, rhs, range));
  gpu::ReturnOp::create(b);
}

gpu::GPUFuncOp mlir::dietcode::buildContractionKernel(
    OpBuilder &builder, const KernelRequest &request, StringRef name) {
  const Schedule &schedule = request.schedule;
  std::optional<ScheduleLayout> layout = ::dietcode::layoutOf(schedule);
  assert(layout && "schedule was not checked");
  auto isAlongK = [&](unsigned operand) {
    return getVectorGroup(request.op, operand) == ContractionGroup::K;
  };
  std::unique_ptr<TileProduct> product = TileProduct::create(
      {schedule, *layout, isAlongK(ContractionOpInterface::kLhs),
       isAlongK(ContractionOpInterface::kRhs)});
  gpu::GPUFuncOp kernel = createKernel(
      builder, request, name, schedule.stages * product->getStageWords());
  ImplicitLocOpBuilder b(kernel.getLoc(), builder);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  KernelBuilder(b, request, *layout, *product).build(kernel);
  return kernel;
}
