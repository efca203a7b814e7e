//===- KernelFrame.cpp - What all kernels begin with ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"
#include "Workspace.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Schedule;
using ::dietcode::TileOrder;

gpu::GPUFuncOp mlir::dietcode::createKernel(OpBuilder &builder,
                                            const KernelRequest &request,
                                            StringRef name,
                                            int64_t sharedElements) {
  ContractionOpInterface op = request.op;
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  SmallVector<Type> parameters(op->getOperandTypes());
  if (request.schedule.split > 1)
    parameters.push_back(Workspace::getType(b.getContext()));
  SmallVector<Type> shared;
  if (sharedElements > 0)
    shared.push_back(MemRefType::get(
        {sharedElements}, b.getF32Type(), MemRefLayoutAttrInterface(),
        gpu::AddressSpaceAttr::get(b.getContext(),
                                   gpu::AddressSpace::Workgroup)));
  auto kernel = gpu::GPUFuncOp::create(
      b, name, b.getFunctionType(parameters, {}), shared);
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr(
      {static_cast<int32_t>(request.step.threads), 1, 1}));
  // One resident block is enough: without this, ptxas spills to fit two.
  kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  b.getI32IntegerAttr(1));
  // Vectors of four floats are loaded from shared memory.
  if (sharedElements > 0)
    kernel.setWorkgroupAttributionAttr(0, LLVM::LLVMDialect::getAlignAttrName(),
                                       b.getI64IntegerAttr(16));
  return kernel;
}

static TiledDim createTiledDim(ImplicitLocOpBuilder &b,
                               ContractionOpInterface op,
                               ContractionGroup group, ArrayRef<Value> sizes) {
  SmallVector<unsigned> dims = op.getGroup(group);
  return TiledDim(b, dims, llvm::map_to_vector(dims, [&](unsigned dim) {
                    return sizes[dim];
                  }));
}

/// Finds the tile with the number `tile` in bands of tiles along m:
///
///   band = tile / (height * tilesN)     the last one may be less high
///   m = band * height + (tile in band) % height of it
///   n = (tile in band) / height of it
static void createTileInBands(ImplicitLocOpBuilder &b, KernelFrame &frame,
                              const Schedule &schedule, Value tile,
                              Value tilesM, Value tilesN) {
  IndexMath math(b);
  int64_t height = ::dietcode::bandTiles(schedule);
  Value perBand = math.mul(tilesN, height);
  Value first = math.mul(math.div(tile, perBand), height);
  Value inBand = math.rem(tile, perBand);
  Value rows = math.min(math.sub(tilesM, first), math.constant(height));
  Value m = math.add(first, math.rem(inBand, rows));
  frame.startM = math.mul(m, schedule.blockM);
  frame.startN = math.mul(math.div(inBand, rows), schedule.blockN);
}

/// Finds the tile of the block, and which of the tile's blocks it is; gives the
/// number of the product. In the grid, blocks of a tile follow each other, and
/// so do tiles along the first dimension of the order: they share a tile of B
/// (m first) or of A (n first) in the L2 cache. Products come last.
static Value createTilePosition(ImplicitLocOpBuilder &b, KernelFrame &frame,
                                const KernelRequest &request, bool isBatch) {
  IndexMath math(b);
  const Schedule &schedule = request.schedule;
  Value tile = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  frame.share = math.constant(0);
  if (request.step.blocksPerTile > 1) {
    frame.share = math.rem(tile, request.step.blocksPerTile);
    tile = math.div(tile, request.step.blocksPerTile);
  }
  Value tilesM = math.ceilDiv(frame.m.getExtent(), schedule.blockM);
  Value tilesN = math.ceilDiv(frame.n.getExtent(), schedule.blockN);
  Value product = math.constant(0);
  if (isBatch) {
    Value tiles = math.mul(tilesM, tilesN);
    product = math.div(tile, tiles);
    tile = math.rem(tile, tiles);
  }
  if (schedule.order == TileOrder::Bands) {
    createTileInBands(b, frame, schedule, tile, tilesM, tilesN);
    return product;
  }
  bool isMFirst = schedule.order == TileOrder::MFirst;
  Value inner = math.rem(tile, isMFirst ? tilesM : tilesN);
  Value outer = math.div(tile, isMFirst ? tilesM : tilesN);
  frame.startM = math.mul(isMFirst ? inner : outer, schedule.blockM);
  frame.startN = math.mul(isMFirst ? outer : inner, schedule.blockN);
  return product;
}

KernelFrame mlir::dietcode::createFrame(ImplicitLocOpBuilder &b,
                                        gpu::GPUFuncOp kernel,
                                        const KernelRequest &request) {
  IndexMath math(b);
  ContractionOpInterface op = request.op;
  KernelFrame frame;
  for (auto [index, map] : llvm::enumerate(op.getOperandMaps()))
    frame.views.push_back(createMatrixView(b, kernel.getArgument(index), map));
  if (request.schedule.split > 1)
    frame.workspace = kernel.getArgument(op->getNumOperands());
  SmallVector<Value> sizes = createSizes(b, op, frame.views);
  frame.m = createTiledDim(b, op, ContractionGroup::M, sizes);
  frame.n = createTiledDim(b, op, ContractionGroup::N, sizes);
  frame.k = createTiledDim(b, op, ContractionGroup::K, sizes);
  TiledDim batch = createTiledDim(b, op, ContractionGroup::B, sizes);
  frame.threadId = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value product =
      createTilePosition(b, frame, request, !batch.getDims().empty());
  ProblemIndices indices = batch.getIndices(b, product);
  for (MatrixView &view : frame.views)
    view = view.advance(b, indices);
  frame.workspaceRow = math.mul(product, frame.m.getExtent());
  frame.workspaceRows = math.mul(batch.getExtent(), frame.m.getExtent());
  return frame;
}
