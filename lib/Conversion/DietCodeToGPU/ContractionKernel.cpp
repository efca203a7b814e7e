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
//   sums = loop over the k tiles, of which the first one is k = 0 .. residue
//   write epilogue(sums), guarded by m and n
//
// The partial k tile comes first, its rest read as zero, so that no element in
// the loop is predicated. An empty k is one partial tile of zeros.
//
// With a split the loop runs over the part of the tiles that the block has, and
// sums go to the workspace as they are. Where there are fewer tiles than parts,
// the last ones are empty and write zeros.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"
#include "EpilogueWriter.h"
#include "TileLoop.h"
#include "Workspace.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Schedule;
using ::dietcode::ScheduleLayout;

namespace {

/// Builds the body of one kernel.
class KernelBuilder {
public:
  KernelBuilder(ImplicitLocOpBuilder &b, const KernelRequest &request,
                const ScheduleLayout &layout, TileProduct &product)
      : b(b), math(b), request(request), schedule(request.schedule),
        layout(layout), product(product) {}

  void build(gpu::GPUFuncOp kernel);

private:
  TileStaging createStaging(unsigned operand);
  TileRange createTileRange();
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
  // Lanes that walk along k have the same one for all that they load.
  std::optional<SharedTile::Spare> spare = tile.getSpare();
  config.hasTaps = config.vectorWidth == 1 && !config.memoryAlongK && spare &&
                   spare->words >= TapTable::kWords &&
                   TapTable::canServe(request.op, operand);
  // Branches keep the copies of warps apart; see createWarpLoop.
  config.isGuarded = !::dietcode::infoOf(schedule.instruction).isWarpWide;
  return TileStaging(b, config, frame.views[operand], tile, shared,
                     frame.threadId, isLhs ? frame.startM : frame.startN);
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

void KernelBuilder::createWriteBack(ArrayRef<Value> carried) {
  SmallVector<Value> sums = product.getElements(b, carried);
  ThreadTile rows = product.getRows(b, frame.startM, frame.m.getExtent());
  ThreadTile columns = product.getColumns(b, frame.startN, frame.n.getExtent());
  if (!frame.workspace) {
    EpilogueWriter(b, request, frame).write(sums, rows, columns);
    return;
  }
  Workspace workspace(b, frame.workspace, frame.workspaceRows,
                      frame.n.getExtent());
  columns.size = workspace.getColumns();
  auto store = [&](ArrayRef<Value> group, int64_t row, int64_t column) {
    workspace.store(group, frame.share,
                    math.add(frame.workspaceRow, getElement(b, rows, row)),
                    getElement(b, columns, column));
  };
  writeTile(b, sums, rows, columns, columns.group,
            {/*byGroups=*/false, /*enterColumns=*/nullptr, /*enterRow=*/nullptr,
             store});
}

void KernelBuilder::build(gpu::GPUFuncOp kernel) {
  frame = createFrame(b, kernel, request);
  shared = kernel.getWorkgroupAttributions().front();
  product.createPosition(b, frame.threadId, shared);
  TileStaging lhs = createStaging(ContractionOpInterface::kLhs);
  TileStaging rhs = createStaging(ContractionOpInterface::kRhs);
  TileRange range = createTileRange();
  TileLoop loop{schedule, product, lhs, rhs, range, frame.threadId};
  createWriteBack(::dietcode::infoOf(schedule.instruction).isWarpWide
                      ? createWarpLoop(b, loop)
                      : createThreadLoop(b, loop));
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
