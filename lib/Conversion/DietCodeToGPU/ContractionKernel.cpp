//===- ContractionKernel.cpp - SIMT micro-kernels for contractions --------===//
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
#include "TileStaging.h"
#include "Workspace.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Schedule;
using ::dietcode::ScheduleLayout;

bool mlir::dietcode::isSupportedElementType(Type type) { return type.isF32(); }

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

/// Builds the body of one kernel.
class KernelBuilder {
public:
  KernelBuilder(ImplicitLocOpBuilder &b, const KernelRequest &request,
                const ScheduleLayout &layout)
      : b(b), math(b), request(request), schedule(request.schedule),
        layout(layout) {}

  void build(gpu::GPUFuncOp kernel);

private:
  using Sums = SmallVector<Value>;

  void createThreadPosition();
  TileStaging createStaging(unsigned operand);
  TileRange createTileRange();
  Sums createMainLoop(TileStaging &lhs, TileStaging &rhs,
                      const TileRange &range);
  void createLoopBody(scf::ForOp loop, size_t sumCount, LoopState state,
                      TileStaging &lhs, TileStaging &rhs,
                      const TileRange &range);
  SmallVector<Value> loadFragment(Value base, int64_t constant, int64_t tile,
                                  int64_t group, int64_t threads);
  Sums multiplyTiles(Value stage, ArrayRef<Value> sums);
  void createWriteBack(ArrayRef<Value> sums);
  int64_t getStageStride() const {
    return schedule.blockK * (TileStaging::getRowStride(schedule.blockM) +
                              TileStaging::getRowStride(schedule.blockN));
  }
  int64_t getRhsBase() const {
    return schedule.blockK * TileStaging::getRowStride(schedule.blockM);
  }

  ImplicitLocOpBuilder &b;
  IndexMath math;
  const KernelRequest &request;
  const Schedule &schedule;
  const ScheduleLayout &layout;

  KernelFrame frame;
  Value threadM, threadN; ///< Position in the block, in threads.
  Value shared;
};

} // namespace

/// A warp covers a patch of lanesM x lanesN threads; warps cover the block with
/// n fastest. Within the patch four lanes in a row are a quad of 2 x 2 threads:
/// wide shared loads take half as long if all lanes n and n ^ 1, or all n and
/// n ^ 2, read the same address, and in quads either operand has one of the
/// two.
void KernelBuilder::createThreadPosition() {
  int64_t warpSize = layout.lanesM * layout.lanesN;
  Value lane = math.rem(frame.threadId, warpSize);
  Value warp = math.div(frame.threadId, warpSize);
  int64_t quadM = std::min<int64_t>(2, layout.lanesM);
  int64_t quadN = std::min<int64_t>(2, layout.lanesN);
  Value quad = math.div(lane, quadM * quadN);
  Value inQuad = math.rem(lane, quadM * quadN);
  int64_t quadsN = layout.lanesN / quadN;
  Value laneM = math.add(math.mul(math.div(quad, quadsN), quadM),
                         math.div(inQuad, quadN));
  Value laneN = math.add(math.mul(math.rem(quad, quadsN), quadN),
                         math.rem(inQuad, quadN));
  threadM =
      math.add(math.mul(math.div(warp, layout.warpsN), layout.lanesM), laneM);
  threadN =
      math.add(math.mul(math.rem(warp, layout.warpsN), layout.lanesN), laneN);
}

TileStaging KernelBuilder::createStaging(unsigned operand) {
  bool isLhs = operand == ContractionOpInterface::kLhs;
  TileStaging::Config config;
  config.spatial = isLhs ? frame.m : frame.n;
  config.reduction = frame.k;
  config.extent = isLhs ? schedule.blockM : schedule.blockN;
  config.blockK = schedule.blockK;
  config.threads = layout.threads;
  bool isVector =
      request.twin == Twin::Aligned && isVectorized(request.op, operand);
  config.vectorWidth = isVector ? (isLhs ? layout.vectorA : layout.vectorB) : 1;
  config.sharedBase = isLhs ? 0 : getRhsBase();
  return TileStaging(b, config, frame.views[operand], shared, frame.threadId,
                     isLhs ? frame.startM : frame.startN);
}

/// `tile` elements of a k row in shared memory, in groups of `group`; `base`
/// is this thread's first element.
SmallVector<Value> KernelBuilder::loadFragment(Value base, int64_t constant,
                                               int64_t tile, int64_t group,
                                               int64_t threads) {
  SmallVector<Value> fragment;
  for (int64_t i = 0; i < tile; i += group) {
    Value offset = math.add(base, constant + i * threads);
    llvm::append_range(fragment, loadGroup(b, shared, offset, group));
  }
  return fragment;
}

KernelBuilder::Sums KernelBuilder::multiplyTiles(Value stage,
                                                 ArrayRef<Value> sums) {
  Sums result(sums);
  Value baseM = math.add(math.mul(threadM, layout.groupM), stage);
  Value baseN = math.add(math.mul(threadN, layout.groupN), stage);
  for (int64_t k : llvm::seq<int64_t>(0, schedule.blockK)) {
    SmallVector<Value> lhs =
        loadFragment(baseM, k * TileStaging::getRowStride(schedule.blockM),
                     schedule.threadM, layout.groupM, layout.threadsM);
    SmallVector<Value> rhs = loadFragment(
        baseN, getRhsBase() + k * TileStaging::getRowStride(schedule.blockN),
        schedule.threadN, layout.groupN, layout.threadsN);
    for (auto [i, x] : llvm::enumerate(lhs))
      for (auto [j, y] : llvm::enumerate(rhs)) {
        Value &sum = result[i * schedule.threadN + j];
        sum = LLVM::FMAOp::create(b, x, y, sum);
      }
  }
  return result;
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

  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
  SmallVector<Value> zeros(schedule.threadM * schedule.threadN, zero);
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
  sums = multiplyTiles(state.stage, sums);
  // Of two stages, the other one starts where both offsets add up to.
  if (schedule.stages == 1)
    gpu::BarrierOp::create(b);
  else
    state.stage = math.sub(math.constant(getStageStride()), state.stage);
  state.kStart = math.add(state.kStart, schedule.blockK);
  scf::YieldOp::create(b, state.flatten(sums));
}

void KernelBuilder::createWriteBack(ArrayRef<Value> sums) {
  ThreadTile rows{math.add(frame.startM, math.mul(threadM, layout.groupM)),
                  frame.m.getExtent(), schedule.threadM, layout.groupM,
                  layout.threadsM};
  ThreadTile columns{math.add(frame.startN, math.mul(threadN, layout.groupN)),
                     frame.n.getExtent(), schedule.threadN, layout.groupN,
                     layout.threadsN};
  if (!frame.workspace) {
    EpilogueWriter(b, request, frame).write(sums, rows, columns);
    return;
  }
  Workspace workspace(b, frame.workspace, frame.workspaceRows,
                      frame.n.getExtent());
  columns.size = workspace.getColumns();
  SmallVector<Value> rowsOf = getElements(b, rows, 1);
  SmallVector<Value> columnsOf = getElements(b, columns, columns.group);
  writeTile(b, sums, rows, columns, columns.group,
            [&](ArrayRef<Value> group, size_t row, size_t column) {
              workspace.store(group, frame.share,
                              math.add(frame.workspaceRow, rowsOf[row]),
                              columnsOf[column]);
            });
}

void KernelBuilder::build(gpu::GPUFuncOp kernel) {
  frame = createFrame(b, kernel, request);
  shared = kernel.getWorkgroupAttributions().front();
  createThreadPosition();
  TileStaging lhs = createStaging(ContractionOpInterface::kLhs);
  TileStaging rhs = createStaging(ContractionOpInterface::kRhs);
  createWriteBack(createMainLoop(lhs, rhs, createTileRange()));
  gpu::ReturnOp::create(b);
}

gpu::GPUFuncOp mlir::dietcode::buildContractionKernel(
    OpBuilder &builder, const KernelRequest &request, StringRef name) {
  const Schedule &schedule = request.schedule;
  std::optional<ScheduleLayout> layout = ::dietcode::layoutOf(schedule);
  assert(layout && "schedule was not checked");
  int64_t sharedElements = schedule.stages * schedule.blockK *
                           (TileStaging::getRowStride(schedule.blockM) +
                            TileStaging::getRowStride(schedule.blockN));
  gpu::GPUFuncOp kernel = createKernel(builder, request, name, sharedElements);
  ImplicitLocOpBuilder b(kernel.getLoc(), builder);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  KernelBuilder(b, request, *layout).build(kernel);
  return kernel;
}
