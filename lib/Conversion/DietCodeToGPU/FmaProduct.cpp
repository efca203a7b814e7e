//===- FmaProduct.cpp - Products of threads -------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread multiplies a column of threadM elements of A by a row of threadN
// elements of B for each k of the tile, in single precision. Its rows and
// columns are groups of up to four neighbours, which are one load from shared
// memory each.
//
//===----------------------------------------------------------------------===//

#include "TileProduct.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::dietcode;

TileProduct::~TileProduct() = default;

SmallVector<Value> TileProduct::loadFragments(ImplicitLocOpBuilder &b,
                                              Value stage, int64_t step) {
  SmallVector<Value> fragments;
  for (int64_t load : llvm::seq<int64_t>(0, getLoads()))
    llvm::append_range(fragments, loadFragment(b, stage, step, load));
  return fragments;
}

void TileProduct::multiply(ImplicitLocOpBuilder &b, ArrayRef<Value> fragments,
                           MutableArrayRef<Value> sums) {
  for (int64_t number : llvm::seq<int64_t>(0, getProducts()))
    multiplyOne(b, fragments, sums, number);
}

std::unique_ptr<TileProduct>
TileProduct::create(const ProductRequest &request) {
  return ::dietcode::infoOf(request.schedule.instruction).isWarpWide
             ? createMmaProduct(request)
             : createFmaProduct(request);
}

namespace {

class FmaProduct : public TileProduct {
public:
  explicit FmaProduct(const ProductRequest &request);

  void createPosition(ImplicitLocOpBuilder &b, Value threadId,
                      Value shared) override;
  SmallVector<Value> createZeros(ImplicitLocOpBuilder &b) override;
  int64_t getLoads() const override {
    return getLoadsM() + schedule.threadN / layout.groupN;
  }
  int64_t getProducts() const override { return layout.sums; }
  SmallVector<Value> loadFragment(ImplicitLocOpBuilder &b, Value stage,
                                  int64_t step, int64_t load) override;
  void multiplyOne(ImplicitLocOpBuilder &b, ArrayRef<Value> fragments,
                   MutableArrayRef<Value> sums, int64_t number) override;
  SmallVector<Value> getElements(ImplicitLocOpBuilder &,
                                 ArrayRef<Value> sums) override {
    return SmallVector<Value>(sums);
  }
  ThreadTile getRows(ImplicitLocOpBuilder &b, Value start, Value size) override;
  ThreadTile getColumns(ImplicitLocOpBuilder &b, Value start,
                        Value size) override;

private:
  int64_t getLoadsM() const { return schedule.threadM / layout.groupM; }

  FloatTile *lhsTile, *rhsTile;
  Value threadM, threadN; ///< Position in the block, in threads.
  Value shared;
};

} // namespace

FmaProduct::FmaProduct(const ProductRequest &request) : TileProduct(request) {
  auto left = std::make_unique<FloatTile>(SharedTile::Shape{
      schedule.blockM, schedule.blockK, request.lhsAlongK, 0});
  auto right = std::make_unique<FloatTile>(SharedTile::Shape{
      schedule.blockN, schedule.blockK, request.rhsAlongK, left->getWords()});
  lhsTile = left.get();
  rhsTile = right.get();
  lhs = std::move(left);
  rhs = std::move(right);
}

/// A warp covers a patch of lanesM x lanesN threads; warps cover the block with
/// n fastest. Within the patch four lanes in a row are a quad of 2 x 2 threads:
/// wide shared loads take half as long if all lanes n and n ^ 1, or all n and
/// n ^ 2, read the same address, and in quads either operand has one of the
/// two.
void FmaProduct::createPosition(ImplicitLocOpBuilder &b, Value threadId,
                                Value sharedMemory) {
  IndexMath math(b);
  shared = sharedMemory;
  int64_t warpSize = layout.lanesM * layout.lanesN;
  Value lane = math.rem(threadId, warpSize);
  Value warp = math.div(threadId, warpSize);
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

SmallVector<Value> FmaProduct::createZeros(ImplicitLocOpBuilder &b) {
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
  return SmallVector<Value>(layout.sums, zero);
}

/// A group of elements of a k row, of A and then of B.
SmallVector<Value> FmaProduct::loadFragment(ImplicitLocOpBuilder &b,
                                            Value stage, int64_t k,
                                            int64_t load) {
  IndexMath math(b);
  bool isA = load < getLoadsM();
  const FloatTile &tile = isA ? *lhsTile : *rhsTile;
  int64_t group = isA ? layout.groupM : layout.groupN;
  int64_t threads = isA ? layout.threadsM : layout.threadsN;
  int64_t index = isA ? load : load - getLoadsM();
  Value base = math.add(math.mul(isA ? threadM : threadN, group), stage);
  Value offset = math.add(base, tile.getShape().base + k * tile.getRowStride() +
                                    index * group * threads);
  return loadGroup(b, shared, offset, group);
}

void FmaProduct::multiplyOne(ImplicitLocOpBuilder &b, ArrayRef<Value> fragments,
                             MutableArrayRef<Value> sums, int64_t number) {
  Value x = fragments[number / schedule.threadN];
  Value y = fragments[schedule.threadM + number % schedule.threadN];
  sums[number] = LLVM::FMAOp::create(b, x, y, sums[number]);
}

ThreadTile FmaProduct::getRows(ImplicitLocOpBuilder &b, Value start,
                               Value size) {
  IndexMath math(b);
  return {math.add(start, math.mul(threadM, layout.groupM)), size,
          schedule.threadM, layout.groupM, layout.threadsM};
}

ThreadTile FmaProduct::getColumns(ImplicitLocOpBuilder &b, Value start,
                                  Value size) {
  IndexMath math(b);
  return {math.add(start, math.mul(threadN, layout.groupN)), size,
          schedule.threadN, layout.groupN, layout.threadsN};
}

std::unique_ptr<TileProduct>
mlir::dietcode::createFmaProduct(const ProductRequest &request) {
  return std::make_unique<FmaProduct>(request);
}
