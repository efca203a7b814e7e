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

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Schedule;
using ::dietcode::TileOrder;

gpu::GPUFuncOp mlir::dietcode::createKernel(OpBuilder &builder,
                                            const KernelRequest &request,
                                            StringRef name,
                                            int64_t sharedElements) {
  MatmulOp op = request.op;
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

/// Finds the tile with the number `tile` in bands of tiles along m:
///
///   band = tile / (height * tilesN)     the last one may be less high
///   m = band * height + (tile in band) % height of it
///   n = (tile in band) / height of it
static void createTileInBands(ImplicitLocOpBuilder &b, KernelFrame &frame,
                              const Schedule &schedule, Value tile) {
  IndexMath math(b);
  Value tilesM = math.ceilDiv(frame.sizeM, schedule.blockM);
  Value tilesN = math.ceilDiv(frame.sizeN, schedule.blockN);
  int64_t height = ::dietcode::bandTiles(schedule);
  Value perBand = math.mul(tilesN, height);
  Value first = math.mul(b.createOrFold<arith::DivUIOp>(tile, perBand), height);
  Value inBand = b.createOrFold<arith::RemUIOp>(tile, perBand);
  Value rows = math.min(math.sub(tilesM, first), math.constant(height));
  Value m = math.add(first, b.createOrFold<arith::RemUIOp>(inBand, rows));
  frame.startM = math.mul(m, schedule.blockM);
  frame.startN =
      math.mul(b.createOrFold<arith::DivUIOp>(inBand, rows), schedule.blockN);
}

/// Finds the tile of the block, and which of the tile's blocks it is. In the
/// grid, blocks of a tile follow each other, and so do tiles along the first
/// dimension of the order: they share a tile of B (m first) or of A (n first)
/// in the L2 cache.
static void createTilePosition(ImplicitLocOpBuilder &b, KernelFrame &frame,
                               const KernelRequest &request) {
  IndexMath math(b);
  const Schedule &schedule = request.schedule;
  Value tile = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  frame.share = math.constant(0);
  if (request.step.blocksPerTile > 1) {
    frame.share = math.rem(tile, request.step.blocksPerTile);
    tile = math.div(tile, request.step.blocksPerTile);
  }
  if (schedule.order == TileOrder::Bands)
    return createTileInBands(b, frame, schedule, tile);
  bool isMFirst = schedule.order == TileOrder::MFirst;
  Value tiles = isMFirst ? math.ceilDiv(frame.sizeM, schedule.blockM)
                         : math.ceilDiv(frame.sizeN, schedule.blockN);
  Value inner = b.createOrFold<arith::RemUIOp>(tile, tiles);
  Value outer = b.createOrFold<arith::DivUIOp>(tile, tiles);
  frame.startM = math.mul(isMFirst ? inner : outer, schedule.blockM);
  frame.startN = math.mul(isMFirst ? outer : inner, schedule.blockN);
}

KernelFrame mlir::dietcode::createFrame(ImplicitLocOpBuilder &b,
                                        gpu::GPUFuncOp kernel,
                                        const KernelRequest &request) {
  IndexMath math(b);
  MatmulOp op = request.op;
  KernelFrame frame;
  for (auto [index, map] : llvm::enumerate(op.getOperandMaps()))
    frame.views.push_back(createMatrixView(b, kernel.getArgument(index), map));
  if (request.schedule.split > 1)
    frame.workspace = kernel.getArgument(op->getNumOperands());
  // Each size from the operand that is sure to be addressed by it.
  auto sizeOf = [&](unsigned operand, unsigned dim) {
    const MatrixView &view = frame.views[operand];
    for (auto [position, expr] : llvm::enumerate(view.map.getResults()))
      if (cast<AffineDimExpr>(expr).getPosition() == dim)
        return math.of(view.sizes[position]);
    llvm_unreachable("operand is not indexed by the dimension");
  };
  frame.sizeM = sizeOf(MatmulOp::kOut, MatmulOp::M);
  frame.sizeN = sizeOf(MatmulOp::kOut, MatmulOp::N);
  frame.sizeK = sizeOf(MatmulOp::kLhs, MatmulOp::K);
  frame.threadId = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  createTilePosition(b, frame, request);
  return frame;
}
