//===- HostLoops.cpp - Loop orders for the reference ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/Reference.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using linalg::GenericOp;

namespace {

// A tile of the operand that is read again for each row has 64 x 256 doubles,
// 128 KiB, and stays in the second-level cache.
constexpr int64_t kReductionTile = 64;
constexpr int64_t kInnermostTile = 256;

/// Whether the loops of `op` can be reordered for speed: a reduction on buffers
/// whose operands are all read along their own dimensions.
bool isContraction(GenericOp op) {
  return op.hasPureBufferSemantics() && op.getNumDpsInits() == 1 &&
         op.getNumReductionLoops() > 0 && op.getNumParallelLoops() > 0 &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

/// The loop that walks along the rows of the result.
unsigned findInnermostLoop(GenericOp op) {
  AffineMap map = op.getIndexingMapsArray().back();
  return map.getDimPosition(map.getNumResults() - 1);
}

/// The position of loop `dim` in `map`, if there is one before the last.
std::optional<unsigned> findOutOfPlace(AffineMap map, unsigned dim) {
  for (unsigned i = 0; i + 1 < map.getNumResults(); ++i)
    if (map.getDimPosition(i) == dim)
      return i;
  return std::nullopt;
}

/// Copies operand `index` so that its dimension `position` comes last, and lets
/// `op` read the copy.
void transposeOperand(GenericOp op, unsigned index, unsigned position,
                      RewriterBase &rewriter) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value operand = op->getOperand(index);
  auto type = cast<MemRefType>(operand.getType());
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  permutation.erase(permutation.begin() + position);
  permutation.push_back(position);

  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  SmallVector<AffineExpr> exprs;
  AffineMap map = op.getIndexingMapsArray()[index];
  for (int64_t dim : permutation) {
    shape.push_back(type.getDimSize(dim));
    exprs.push_back(map.getResult(dim));
    if (type.isDynamicDim(dim))
      dynamicSizes.push_back(
          memref::DimOp::create(rewriter, loc, operand, dim));
  }
  Value copy = memref::AllocOp::create(
      rewriter, loc, MemRefType::get(shape, type.getElementType()),
      dynamicSizes);
  linalg::TransposeOp::create(rewriter, loc, operand, copy, permutation);

  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[index] = AffineMap::get(map.getNumDims(), 0, exprs, op.getContext());
  op->setOperand(index, copy);
  op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  rewriter.setInsertionPointAfter(op);
  memref::DeallocOp::create(rewriter, loc, copy);
}

/// Parallel loops, then reductions, then the loop with unit strides.
SmallVector<unsigned> chooseOrder(GenericOp op, unsigned innermost) {
  SmallVector<unsigned> parallel, reductions;
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (dim != innermost)
      (linalg::isParallelIterator(kind) ? parallel : reductions).push_back(dim);
  llvm::append_range(parallel, reductions);
  parallel.push_back(innermost);
  return parallel;
}

void orderLoops(GenericOp op, RewriterBase &rewriter) {
  unsigned innermost = findInnermostLoop(op);
  for (unsigned index = 0; index < op.getNumDpsInputs(); ++index)
    if (auto position =
            findOutOfPlace(op.getIndexingMapsArray()[index], innermost))
      transposeOperand(op, index, *position, rewriter);

  rewriter.setInsertionPoint(op);
  FailureOr<GenericOp> ordered =
      linalg::interchangeGenericOp(rewriter, op, chooseOrder(op, innermost));
  if (failed(ordered))
    return;
  SmallVector<int64_t> tiles;
  for (utils::IteratorType kind : ordered->getIteratorTypesArray())
    tiles.push_back(linalg::isReductionIterator(kind) ? kReductionTile : 0);
  tiles.back() = kInnermostTile;
  rewriter.setInsertionPoint(*ordered);
  auto options = linalg::LinalgTilingOptions().setTileSizes(tiles);
  if (succeeded(linalg::tileLinalgOp(
          rewriter, cast<linalg::LinalgOp>(ordered->getOperation()), options)))
    rewriter.eraseOp(*ordered);
}

} // namespace

void mlir::dietcode::orderLoopsForHost(ModuleOp module) {
  SmallVector<GenericOp> contractions;
  module.walk([&](GenericOp op) {
    bool isEmpty = llvm::is_contained(op.getStaticLoopRanges(), 0);
    if (!isEmpty && isContraction(op) &&
        op.getIndexingMapsArray().back().getNumResults())
      contractions.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (GenericOp op : contractions)
    orderLoops(op, rewriter);
}
