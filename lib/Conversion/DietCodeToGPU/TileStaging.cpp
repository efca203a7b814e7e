//===- TileStaging.cpp - Staging of operand tiles through shared memory ---===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileStaging.h"
#include "dietcode/Search/Schedule.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::dietcode;

/// Elements of a 32-byte sector: what lanes that walk along k read together.
static constexpr int64_t kSectorElements = 8;

int64_t TileStaging::getRowStride(int64_t extent) {
  return extent + ::dietcode::kSharedRowPadding;
}

TileStaging::TileStaging(ImplicitLocOpBuilder &b, const Config &config,
                         MatrixView view, Value shared, Value threadId,
                         Value tileStart)
    : b(b), math(b), config(config), view(std::move(view)), shared(shared) {
  alongK = config.reduction.isFastest(this->view.getContiguousDim());
  isLinearInK = this->view.isLinear(config.reduction);
  int64_t count =
      config.extent * config.blockK / (config.threads * config.vectorWidth);
  for (int64_t index : llvm::seq<int64_t>(0, count))
    copies.push_back(createCopy(index, threadId, tileStart));
}

/// Vector number `index * threads + threadId` of the tile. Where k is
/// contiguous, lanes walk one sector along k and then along the rows: the loads
/// use whole sectors, and with rows padded by four the transposing stores of a
/// warp fall into different banks. Otherwise lanes walk along the rows first.
TileStaging::Copy TileStaging::createCopy(int64_t index, Value threadId,
                                          Value tileStart) {
  int64_t width = config.vectorWidth;
  Value number = math.add(threadId, index * config.threads);
  Value row, k;
  if (alongK) {
    int64_t lanes = std::min(config.blockK, kSectorElements) / width;
    Value lane = math.rem(number, lanes);
    Value rest = math.div(number, lanes);
    row = math.rem(rest, config.extent);
    Value sector = math.div(rest, config.extent);
    k = math.mul(math.add(math.mul(sector, lanes), lane), width);
  } else {
    int64_t vectors = config.extent / width;
    row = math.mul(math.rem(number, vectors), width);
    k = math.div(number, vectors);
  }
  // A clamped vector must still be a whole one, so it starts width early.
  int64_t span = alongK ? 1 : width;
  Value last = math.sub(config.spatial.getExtent(), math.constant(span));
  Value spatial = math.min(math.add(tileStart, row), last);
  Copy copy;
  copy.k = k;
  copy.offset =
      math.add(view.start, view.getOffset(b, config.spatial, spatial));
  if (!view.windows.empty())
    copy.windows = view.moveWindows(b, view.getWindowStarts(),
                                    config.spatial.getIndices(b, spatial));
  if (isLinearInK)
    copy.offset = math.add(copy.offset, view.getOffset(b, config.reduction, k));
  copy.sharedOffset =
      math.add(math.add(math.mul(k, getRowStride(config.extent)), row),
               config.sharedBase);
  return copy;
}

Value TileStaging::loadVector(Value offset) {
  Type elementType = view.type.getElementType();
  if (config.vectorWidth == 1)
    return memref::LoadOp::create(b, view.flat, offset);
  auto vectorType = VectorType::get({config.vectorWidth}, elementType);
  unsigned bytes = config.vectorWidth * elementType.getIntOrFloatBitWidth() / 8;
  return vector::LoadOp::create(b, vectorType, view.flat, offset,
                                /*nontemporal=*/false, llvm::MaybeAlign(bytes));
}

Value TileStaging::createZero() {
  Type type = view.type.getElementType();
  if (config.vectorWidth > 1)
    type = VectorType::get({config.vectorWidth}, type);
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

/// condition ? load() : 0
Value TileStaging::loadIf(Value condition, function_ref<Value()> load) {
  auto guarded = scf::IfOp::create(
      b, condition,
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, load()); },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, createZero()); });
  return guarded.getResult(0);
}

/// Where k is linear, all copies have their k in their offset, so that they
/// have the offset of kStart in common.
Value TileStaging::loadCopy(const Copy &copy, Value kStart) {
  Value number = math.add(kStart, copy.k);
  Value moved =
      view.getOffset(b, config.reduction, isLinearInK ? kStart : number);
  Value offset = math.add(copy.offset, moved);
  if (view.windows.empty())
    return loadVector(offset);
  Value inside = view.isInside(
      b, view.moveWindows(b, copy.windows,
                          config.reduction.getIndices(b, number)));
  return loadIf(inside, [&] { return loadVector(offset); });
}

SmallVector<Value> TileStaging::load(Value kStart, Value kLimit) {
  SmallVector<Value> parts;
  for (const Copy &copy : copies) {
    // The extent in k is a multiple of the vector width where vectors run
    // along k, so a vector is either within it or not.
    if (kLimit)
      parts.push_back(loadIf(math.less(copy.k, kLimit),
                             [&] { return loadCopy(copy, kStart); }));
    else
      parts.push_back(loadCopy(copy, kStart));
  }
  return parts;
}

void TileStaging::store(ArrayRef<Value> parts, Value stageOffset) {
  int64_t width = config.vectorWidth;
  for (auto [copy, part] : llvm::zip_equal(copies, parts)) {
    Value offset = math.add(copy.sharedOffset, stageOffset);
    if (width == 1) {
      memref::StoreOp::create(b, part, shared, offset);
      continue;
    }
    if (!alongK) {
      vector::StoreOp::create(b, part, shared, offset, /*nontemporal=*/false,
                              llvm::MaybeAlign(4 * width));
      continue;
    }
    for (int64_t i : llvm::seq<int64_t>(0, width))
      memref::StoreOp::create(
          b, vector::ExtractOp::create(b, part, i), shared,
          math.add(offset, i * getRowStride(config.extent)));
  }
}
