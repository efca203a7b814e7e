//===- TileStaging.cpp - Staging of operand tiles through shared memory ---===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileStaging.h"
#include "GuardedAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::dietcode;

TileStaging::TileStaging(ImplicitLocOpBuilder &b, const Config &config,
                         MatrixView view, SharedTile &tile, Value shared,
                         Value threadId, Value tileStart)
    : b(b), math(b), config(config), view(std::move(view)), tile(tile),
      shared(shared), tileStart(tileStart),
      isLinearInK(this->view.isLinear(config.reduction)) {
  const SharedTile::Shape &shape = tile.getShape();
  if (config.hasTaps)
    taps.emplace(b,
                 TapTable::Config{config.reduction, shape.blockK,
                                  config.threads, *tile.getSpare()},
                 shared, threadId);
  int64_t count =
      shape.extent * shape.blockK / (config.threads * config.vectorWidth);
  for (int64_t index : llvm::seq<int64_t>(0, count))
    copies.push_back(createCopy(index, threadId));
}

/// Vector number `index * threads + threadId` of the tile. Where k is
/// contiguous, lanes walk along k for the span that the tile says and then
/// along the rows, otherwise along the rows first, whatever direction vectors
/// run in.
TileStaging::Copy TileStaging::createCopy(int64_t index, Value threadId) {
  const SharedTile::Shape &shape = tile.getShape();
  int64_t width = config.vectorWidth;
  Value number = math.add(threadId, index * config.threads);
  Value row, k;
  if (shape.alongK && !config.memoryAlongK) {
    row = math.rem(number, shape.extent);
    k = math.mul(math.div(number, shape.extent), width);
  } else if (shape.alongK) {
    int64_t lanes = tile.getLaneSpan() / width;
    Value lane = math.rem(number, lanes);
    Value rest = math.div(number, lanes);
    row = math.rem(rest, shape.extent);
    Value span = math.div(rest, shape.extent);
    k = math.mul(math.add(math.mul(span, lanes), lane), width);
  } else {
    int64_t vectors = shape.extent / width;
    row = math.mul(math.rem(number, vectors), width);
    k = math.div(number, vectors);
  }
  Copy copy;
  for (int64_t i = 0; i < width; i += config.loadWidth)
    copy.loads.push_back(createLoad(math.add(row, shape.alongK ? 0 : i),
                                    math.add(k, shape.alongK ? i : 0)));
  copy.sharedOffset = tile.getOffset(b, row, k);
  return copy;
}

TileStaging::Load TileStaging::createLoad(Value row, Value k) {
  // A clamped vector must still be a whole one, so it starts width early.
  int64_t span = tile.getShape().alongK ? 1 : config.loadWidth;
  Value last = math.sub(config.spatial.getExtent(), math.constant(span));
  Value spatial = math.min(math.add(tileStart, row), last);
  Load load;
  load.k = k;
  Value offset = view.getOffset(b, config.spatial, spatial);
  load.offset = math.add(view.start, offset);
  if (!view.windows.empty())
    load.windows = view.moveWindows(b, view.getWindowStarts(),
                                    config.spatial.getIndices(b, spatial));
  if (taps) {
    load.address = createAddress(offset);
    load.outside = taps->createOutside(view, load.windows);
  } else if (isLinearInK) {
    load.offset = math.add(load.offset, view.getOffset(b, config.reduction, k));
  }
  return load;
}

/// Of an element of the buffer, in global memory.
Value TileStaging::createAddress(Value offset) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, view.flat);
  offset = math.add(offset, math.of(metadata.getConstifiedMixedOffset()));
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, view.flat);
  auto toBits = [&](Value value) {
    return arith::IndexCastOp::create(b, b.getI64Type(), value);
  };
  Value generic = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), toBits(base),
      /*dereferenceable=*/nullptr);
  Type global = LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Global));
  return LLVM::GEPOp::create(b, global, view.type.getElementType(),
                             LLVM::AddrSpaceCastOp::create(b, global, generic),
                             ValueRange(toBits(offset)));
}

Value TileStaging::loadVector(Value offset) {
  Type elementType = view.type.getElementType();
  if (config.loadWidth == 1)
    return memref::LoadOp::create(b, view.flat, offset);
  auto vectorType = VectorType::get({config.loadWidth}, elementType);
  unsigned bytes = config.loadWidth * elementType.getIntOrFloatBitWidth() / 8;
  return vector::LoadOp::create(b, vectorType, view.flat, offset,
                                /*nontemporal=*/false, llvm::MaybeAlign(bytes));
}

Type TileStaging::getLoadType() {
  Type type = view.type.getElementType();
  return config.loadWidth > 1 ? VectorType::get({config.loadWidth}, type)
                              : type;
}

Value TileStaging::createZero() {
  return arith::ConstantOp::create(b, b.getZeroAttr(getLoadType()));
}

/// condition ? load() : 0
Value TileStaging::loadIf(Value condition, function_ref<Value()> load) {
  auto guarded = scf::IfOp::create(
      b, condition,
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, load()); },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, createZero()); });
  return guarded.getResult(0);
}

/// Loads what is within k; what is outside of a window is zero. Where k is
/// linear, all loads have their k in their offset, so that they have the offset
/// of kStart in common.
Value TileStaging::loadInside(const Load &load, Value kStart) {
  Value number = math.add(kStart, load.k);
  Value moved =
      view.getOffset(b, config.reduction, isLinearInK ? kStart : number);
  Value offset = math.add(load.offset, moved);
  if (view.windows.empty())
    return loadVector(offset);
  Value inside = view.isInside(
      b, view.moveWindows(b, load.windows,
                          config.reduction.getIndices(b, number)));
  if (config.isGuarded && canLoadWhere(getLoadType()))
    return loadWhere(b, getLoadType(), inside, createAddress(offset));
  return loadIf(inside, [&] { return loadVector(offset); });
}

/// The extent in k is a multiple of the vector width where vectors run along k,
/// so a vector is either within it or not.
Value TileStaging::loadCopy(const Copy &copy, Value kStart, Value kLimit) {
  SmallVector<Value> loaded;
  for (const Load &load : copy.loads)
    loaded.push_back(kLimit ? loadIf(math.less(load.k, kLimit),
                                     [&] { return loadInside(load, kStart); })
                            : loadInside(load, kStart));
  Value part = loaded.front();
  if (loaded.size() > 1)
    part = vector::FromElementsOp::create(
        b, VectorType::get({config.vectorWidth}, view.type.getElementType()),
        loaded);
  return tile.pack(b, part);
}

void TileStaging::fillTaps(Value stage, Value kStart, Value kEnd) {
  if (taps)
    taps->fill(view, stage, kStart, kEnd);
}

/// All taps are read before anything is loaded, so that elements of the same k
/// have theirs in common.
SmallVector<Value> TileStaging::loadByTaps(Value stage) {
  SmallVector<Tap> read;
  for (const Copy &copy : copies)
    read.push_back(taps->read(stage, copy.loads.front().k));
  SmallVector<Value> parts;
  for (auto [copy, tap] : llvm::zip_equal(copies, read)) {
    const Load &load = copy.loads.front();
    Value loaded =
        taps->load(view.type.getElementType(), load.address, load.outside, tap);
    parts.push_back(tile.pack(b, loaded));
  }
  return parts;
}

SmallVector<Value> TileStaging::load(Value stage, Value kStart, Value kLimit) {
  if (taps)
    return loadByTaps(stage);
  SmallVector<Value> parts;
  for (const Copy &copy : copies)
    parts.push_back(loadCopy(copy, kStart, kLimit));
  return parts;
}

Value TileStaging::loadOne(size_t index, Value kStart) {
  return loadCopy(copies[index], kStart, /*kLimit=*/nullptr);
}

void TileStaging::storeOne(size_t index, Value part, Value stageOffset) {
  tile.store(b, part, shared,
             math.add(copies[index].sharedOffset, stageOffset));
}

void TileStaging::copyOne(size_t index, Value threadId, Value kStart,
                          Value kLimit, Value stageOffset) {
  Copy copy = createCopy(index, threadId);
  Value part = loadCopy(copy, kStart, kLimit);
  tile.store(b, part, shared, math.add(copy.sharedOffset, stageOffset));
}

void TileStaging::store(ArrayRef<Value> parts, Value stageOffset) {
  for (auto [index, part] : llvm::enumerate(parts))
    storeOne(index, part, stageOffset);
}
