//===- SplitReduction.cpp - Reductions to a single element ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowwisePlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::dietcode;
using namespace mlir::dietcode::linalg_raising;

/// Elements that one block reduces about as fast as many do in two launches.
static constexpr int64_t kElementsOfOneBlock = 16384;

static bool isKnownToBeSmall(linalg::LinalgOp op) {
  int64_t elements = 1;
  for (int64_t extent : op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(extent) || extent > kElementsOfOneBlock)
      return false;
    elements *= extent;
    if (elements > kElementsOfOneBlock)
      return false;
  }
  return true;
}

/// A tensor over `loops` of neutral elements, for each reduction.
static SmallVector<Value> createPartials(const RowwisePlan &plan,
                                         ArrayRef<unsigned> loops,
                                         PatternRewriter &rewriter) {
  linalg::LinalgOp op = plan.source;
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes =
      llvm::map_to_vector(loops, [&](unsigned loop) {
        return createLoopExtent(rewriter, op, loop);
      });
  SmallVector<Value> partials;
  for (auto [init, reduction] :
       llvm::zip_equal(op.getDpsInits(), plan.reductions)) {
    Type type = getElementTypeOrSelf(init.getType());
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, type);
    Value neutral = arith::ConstantOp::create(
        rewriter, loc, getNeutralElement(reduction.kind, type));
    partials.push_back(
        linalg::FillOp::create(rewriter, loc, neutral, empty).getResult(0));
  }
  return partials;
}

/// `op` with the loops other than `column` parallel.
static linalg::GenericOp createFirst(linalg::LinalgOp op, unsigned column,
                                     ArrayRef<unsigned> rows, ValueRange inits,
                                     PatternRewriter &rewriter) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap written =
      AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext())
          .getSubMap(rows);
  for (OpOperand &init : op.getDpsInitsMutable())
    maps[init.getOperandNumber()] = written;
  SmallVector<utils::IteratorType> iterators(op.getNumLoops(),
                                             utils::IteratorType::parallel);
  iterators[column] = utils::IteratorType::reduction;
  auto first =
      linalg::GenericOp::create(rewriter, op.getLoc(), inits.getTypes(),
                                op.getDpsInputs(), inits, maps, iterators);
  rewriter.cloneRegionBefore(op->getRegion(0), first.getRegion(),
                             first.getRegion().end());
  return first;
}

/// Reduces `partials` to what `op` gives.
static linalg::GenericOp createSecond(const RowwisePlan &plan,
                                      ValueRange partials, unsigned rank,
                                      PatternRewriter &rewriter) {
  linalg::LinalgOp op = plan.source;
  SmallVector<AffineMap> maps(
      partials.size(),
      AffineMap::getMultiDimIdentityMap(rank, op.getContext()));
  for (OpOperand &init : op.getDpsInitsMutable())
    maps.push_back(AffineMap::get(rank, 0,
                                  op.getMatchingIndexingMap(&init).getResults(),
                                  op.getContext()));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  return linalg::GenericOp::create(
      rewriter, op.getLoc(), op->getResultTypes(), partials, op.getDpsInits(),
      maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        SmallVector<Value> combined;
        for (auto [index, reduction] : llvm::enumerate(plan.reductions))
          combined.push_back(createCombination(
              builder, loc, reduction.kind, arguments[partials.size() + index],
              arguments[index]));
        linalg::YieldOp::create(builder, loc, combined);
      });
}

/// What is reduced already is left as it is: little of it is left.
static bool isOfReduced(linalg::LinalgOp op) {
  return llvm::all_of(op.getDpsInputs(), [](Value input) {
    if (auto reduced = input.getDefiningOp<linalg::LinalgOp>())
      return reduced.getNumReductionLoops() != 0;
    auto reduced = input.getDefiningOp<RowwiseOp>();
    return reduced && !reduced.getBody().getOps<ReduceRowOp>().empty();
  });
}

namespace {

///   %y = linalg.generic ["reduction", "reduction"] ins(%x) outs(%init)  -->
///   %p = linalg.generic ["parallel", "reduction"] ins(%x) outs(%neutral)
///   %y = linalg.generic ["reduction"] ins(%p) outs(%init)
///
/// A single row has a single block, so the first one is given more.
struct SplitReduction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumParallelLoops() != 0 || op.getNumLoops() < 2 ||
        isKnownToBeSmall(op) || isOfReduced(op))
      return rewriter.notifyMatchFailure(op, "has rows, or is small");
    FailureOr<RowwisePlan> plan = planRowwise(op, rewriter);
    if (failed(plan))
      return failure();
    auto rows = ArrayRef<unsigned>(plan->loops).drop_back();
    SmallVector<Value> inits = createPartials(*plan, rows, rewriter);
    linalg::GenericOp first =
        createFirst(op, plan->loops.back(), rows, inits, rewriter);
    rewriter.replaceOp(
        op, createSecond(*plan, first.getResults(), rows.size(), rewriter));
    return success();
  }
};

} // namespace

void linalg_raising::populateSplitReductionPatterns(
    RewritePatternSet &patterns) {
  // Before the whole is raised.
  patterns.add<SplitReduction>(patterns.getContext(), /*benefit=*/2);
}
