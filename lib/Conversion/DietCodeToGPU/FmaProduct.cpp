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
  SmallVector<Value> loadFragments(ImplicitLocOpBuilder &b, Value stage,
                                   int64_t step) override;
  void multiply(ImplicitLocOpBuilder &b, ArrayRef<Value> fragments,
                MutableArrayRef<Value> sums) override;
  SmallVector<Value> getElements(ImplicitLocOpBuilder &,
                                 ArrayRef<Value> sums) override {
    return SmallVector<Value>(sums);
  }
  ThreadTile getRows(ImplicitLocOpBuilder &b, Value start, Value size) override;
  ThreadTile getColumns(ImplicitLocOpBuilder &b, Value start,
                        Value size) override;

private:
  SmallVector<Value> loadFragment(ImplicitLocOpBuilder &b, Value base,
                                  int64_t constant, int64_t tile, int64_t group,
                                  int64_t threads);

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

/// `tile` elements of a k row in shared memory, in groups of `group`; `base`
/// is this thread's first element.
SmallVector<Value> FmaProduct::loadFragment(ImplicitLocOpBuilder &b, Value base,
                                            int64_t constant, int64_t tile,
                                            int64_t group, int64_t threads) {
  IndexMath math(b);
  SmallVector<Value> fragment;
  for (int64_t i = 0; i < tile; i += group) {
    Value offset = math.add(base, constant + i * threads);
    llvm::append_range(fragment, loadGroup(b, shared, offset, group));
  }
  return fragment;
}

SmallVector<Value> FmaProduct::loadFragments(ImplicitLocOpBuilder &b,
                                             Value stage, int64_t k) {
  IndexMath math(b);
  Value baseM = math.add(math.mul(threadM, layout.groupM), stage);
  Value baseN = math.add(math.mul(threadN, layout.groupN), stage);
  SmallVector<Value> fragments =
      loadFragment(b, baseM, k * lhsTile->getRowStride(), schedule.threadM,
                   layout.groupM, layout.threadsM);
  llvm::append_range(
      fragments,
      loadFragment(b, baseN,
                   rhsTile->getShape().base + k * rhsTile->getRowStride(),
                   schedule.threadN, layout.groupN, layout.threadsN));
  return fragments;
}

void FmaProduct::multiply(ImplicitLocOpBuilder &b, ArrayRef<Value> fragments,
                          MutableArrayRef<Value> sums) {
  for (auto [i, x] : llvm::enumerate(fragments.take_front(schedule.threadM)))
    for (auto [j, y] :
         llvm::enumerate(fragments.drop_front(schedule.threadM))) {
      Value &sum = sums[i * schedule.threadN + j];
      sum = LLVM::FMAOp::create(b, x, y, sum);
    }
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
