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
// An empty k is one partial tile of zeros. One barrier per tile does: when a
// thread stores to a stage, all threads are past the barrier of the tile
// between, so they have multiplied what the stage held before.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"
#include "EpilogueWriter.h"
#include "TileStaging.h"
#include "dietcode/Search/Schedule.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Schedule;
using ::dietcode::ScheduleLayout;

bool mlir::dietcode::isSupportedElementType(Type type) { return type.isF32(); }

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

/// Builds the body of one kernel.
class KernelBuilder {
public:
  KernelBuilder(ImplicitLocOpBuilder &b, MatmulOp op, const Schedule &schedule,
                const ScheduleLayout &layout, Twin twin)
      : b(b), math(b), op(op), schedule(schedule), layout(layout), twin(twin) {}

  void build(gpu::GPUFuncOp kernel);

private:
  using Sums = SmallVector<Value>;

  void createThreadPosition();
  TileStaging createStaging(unsigned operand, Value shared, Value tileStart);
  Sums createMainLoop(TileStaging &lhs, TileStaging &rhs);
  SmallVector<Value> loadFragment(Value base, int64_t constant, int64_t tile,
                                  int64_t group, int64_t threads);
  Sums multiplyTiles(Value stage, ArrayRef<Value> sums);
  int64_t getStageStride() const {
    return schedule.blockK * (TileStaging::getRowStride(schedule.blockM) +
                              TileStaging::getRowStride(schedule.blockN));
  }
  int64_t getRhsBase() const {
    return schedule.blockK * TileStaging::getRowStride(schedule.blockM);
  }

  ImplicitLocOpBuilder &b;
  IndexMath math;
  MatmulOp op;
  const Schedule &schedule;
  const ScheduleLayout &layout;
  Twin twin;

  SmallVector<MatrixView> views; ///< Of each operand.
  Value sizeM, sizeN, sizeK;
  Value threadId;
  Value threadM, threadN; ///< Position in the block, in threads.
  Value shared;
};

} // namespace

/// A warp covers a patch of lanesM x lanesN threads; warps cover the block with
/// n fastest.
void KernelBuilder::createThreadPosition() {
  threadId = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  int64_t warpSize = layout.lanesM * layout.lanesN;
  Value lane = math.rem(threadId, warpSize);
  Value warp = math.div(threadId, warpSize);
  threadM = math.add(math.mul(math.div(warp, layout.warpsN), layout.lanesM),
                     math.div(lane, layout.lanesN));
  threadN = math.add(math.mul(math.rem(warp, layout.warpsN), layout.lanesN),
                     math.rem(lane, layout.lanesN));
}

TileStaging KernelBuilder::createStaging(unsigned operand, Value shared,
                                         Value tileStart) {
  bool isLhs = operand == MatmulOp::kLhs;
  TileStaging::Config config;
  config.spatialDim = isLhs ? MatmulOp::M : MatmulOp::N;
  config.reductionDim = MatmulOp::K;
  config.extent = isLhs ? schedule.blockM : schedule.blockN;
  config.blockK = schedule.blockK;
  config.threads = layout.threads;
  config.vectorWidth =
      twin == Twin::General ? 1 : (isLhs ? layout.vectorA : layout.vectorB);
  config.sharedBase = isLhs ? 0 : getRhsBase();
  return TileStaging(b, config, views[operand], shared, threadId, tileStart,
                     isLhs ? sizeM : sizeN);
}

/// `tile` elements of a k row in shared memory, in groups of `group`; `base`
/// is this thread's first element.
SmallVector<Value> KernelBuilder::loadFragment(Value base, int64_t constant,
                                               int64_t tile, int64_t group,
                                               int64_t threads) {
  Type elementType = cast<MemRefType>(shared.getType()).getElementType();
  SmallVector<Value> fragment;
  for (int64_t i = 0; i < tile; i += group) {
    Value offset = math.add(base, constant + i * threads);
    if (group == 1) {
      fragment.push_back(memref::LoadOp::create(b, shared, offset));
      continue;
    }
    Value loaded = vector::LoadOp::create(
        b, VectorType::get({group}, elementType), shared, offset,
        /*nontemporal=*/false, llvm::MaybeAlign(4 * group));
    for (int64_t j : llvm::seq<int64_t>(0, group))
      fragment.push_back(vector::ExtractOp::create(b, loaded, j));
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

KernelBuilder::Sums KernelBuilder::createMainLoop(TileStaging &lhs,
                                                  TileStaging &rhs) {
  Value kTiles = math.max(math.ceilDiv(sizeK, schedule.blockK), 1);
  Value fullTiles = math.sub(kTiles, math.constant(1));
  Value residue = math.sub(sizeK, math.mul(fullTiles, schedule.blockK));
  Value zeroIndex = math.constant(0);
  LoopState state;
  state.lhsParts = lhs.load(zeroIndex, residue);
  state.rhsParts = rhs.load(zeroIndex, residue);
  state.stage = zeroIndex;
  state.kStart = residue;

  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
  SmallVector<Value> zeros(schedule.threadM * schedule.threadN, zero);
  auto loop = scf::ForOp::create(b, zeroIndex, kTiles, math.constant(1),
                                 state.flatten(zeros));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> carried(loop.getRegionIterArgs());
  ArrayRef<Value> rest(carried);
  auto take = [&](size_t count) {
    SmallVector<Value> taken(rest.take_front(count));
    rest = rest.drop_front(count);
    return taken;
  };
  Sums sums = take(zeros.size());
  state.lhsParts = take(state.lhsParts.size());
  state.rhsParts = take(state.rhsParts.size());
  state.stage = rest[0];
  state.kStart = rest[1];

  lhs.store(state.lhsParts, state.stage);
  rhs.store(state.rhsParts, state.stage);
  gpu::BarrierOp::create(b);
  createPrefetch(b, math.less(state.kStart, sizeK), state, lhs, rhs);
  sums = multiplyTiles(state.stage, sums);
  // Of two stages, the other one starts where both offsets add up to.
  state.stage = math.sub(math.constant(getStageStride()), state.stage);
  state.kStart = math.add(state.kStart, schedule.blockK);
  scf::YieldOp::create(b, state.flatten(sums));
  return Sums(loop.getResults().take_front(zeros.size()));
}

void KernelBuilder::build(gpu::GPUFuncOp kernel) {
  for (auto [index, map] : llvm::enumerate(op.getOperandMaps()))
    views.push_back(createMatrixView(b, kernel.getArgument(index), map));
  shared = kernel.getWorkgroupAttributions().front();
  // Each size from the operand that is sure to be addressed by it.
  auto sizeOf = [&](unsigned operand, unsigned dim) {
    for (auto [position, expr] :
         llvm::enumerate(views[operand].map.getResults()))
      if (cast<AffineDimExpr>(expr).getPosition() == dim)
        return math.of(views[operand].sizes[position]);
    llvm_unreachable("operand is not indexed by the dimension");
  };
  sizeM = sizeOf(MatmulOp::kOut, MatmulOp::M);
  sizeN = sizeOf(MatmulOp::kOut, MatmulOp::N);
  sizeK = sizeOf(MatmulOp::kLhs, MatmulOp::K);
  createThreadPosition();

  // Blocks walk m first: neighbours share the tile of B in the L2 cache.
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value tilesM = math.ceilDiv(sizeM, schedule.blockM);
  Value startM =
      math.mul(b.createOrFold<arith::RemUIOp>(block, tilesM), schedule.blockM);
  Value startN =
      math.mul(b.createOrFold<arith::DivUIOp>(block, tilesM), schedule.blockN);
  TileStaging lhs = createStaging(MatmulOp::kLhs, shared, startM);
  TileStaging rhs = createStaging(MatmulOp::kRhs, shared, startN);
  Sums sums = createMainLoop(lhs, rhs);

  EpilogueWriter writer(b, op, views, twin);
  writer.write(sums,
               {math.add(startM, math.mul(threadM, layout.groupM)), sizeM,
                schedule.threadM, layout.groupM, layout.threadsM},
               {math.add(startN, math.mul(threadN, layout.groupN)), sizeN,
                schedule.threadN, layout.groupN, layout.threadsN});
  gpu::ReturnOp::create(b);
}

gpu::GPUFuncOp mlir::dietcode::buildContractionKernel(OpBuilder &builder,
                                                      MatmulOp op,
                                                      StringRef name,
                                                      const Schedule &schedule,
                                                      Twin twin) {
  std::optional<ScheduleLayout> layout = ::dietcode::layoutOf(schedule);
  assert(layout && "schedule was not checked");
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  int64_t sharedElements = schedule.stages * schedule.blockK *
                           (TileStaging::getRowStride(schedule.blockM) +
                            TileStaging::getRowStride(schedule.blockN));
  auto sharedType = MemRefType::get(
      {sharedElements}, b.getF32Type(), MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup));
  auto type = b.getFunctionType(op->getOperandTypes(), {});
  auto kernel = gpu::GPUFuncOp::create(b, name, type, {sharedType});
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(layout->threads), 1, 1}));
  // One resident block is enough: without this, ptxas spills to fit two.
  kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  b.getI32IntegerAttr(1));
  // Vectors of four floats are loaded from shared memory.
  kernel.setWorkgroupAttributionAttr(0, LLVM::LLVMDialect::getAlignAttrName(),
                                     b.getI64IntegerAttr(16));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  KernelBuilder(b, op, schedule, *layout, twin).build(kernel);
  return kernel;
}
