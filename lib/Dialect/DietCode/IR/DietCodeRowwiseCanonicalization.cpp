//===- DietCodeRowwiseCanonicalization.cpp - Simpler rowwise operators ----===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::dietcode;

/// Whether every dimension is in the map of an operand that is kept.
static bool keepAllExtents(RowwiseOp op, const llvm::BitVector &dropped) {
  SmallVector<AffineMap> maps = op.getOperandMaps();
  return llvm::all_of(llvm::seq(op.getNumDims()), [&](unsigned dim) {
    return llvm::any_of(llvm::enumerate(maps), [&](auto map) {
      return !dropped[map.index()] && map.value().isFunctionOfDim(dim);
    });
  });
}

/// Creates `op` without the operands that are `dropped`, at the insertion
/// point; gives its new results, null for those that are gone. The body moves.
/// Indices are those of inputs `standIns`, none of which is dropped.
static SmallVector<Value> createWithout(RowwiseOp op,
                                        const llvm::BitVector &dropped,
                                        ArrayRef<unsigned> standIns,
                                        PatternRewriter &rewriter) {
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps;
  unsigned numInputs = op.getInputs().size();
  SmallVector<unsigned> renumbered;
  for (unsigned standIn : standIns)
    renumbered.push_back(
        standIn - llvm::count_if(llvm::seq(standIn),
                                 [&](unsigned i) { return dropped[i]; }));
  for (auto [index, map] : llvm::enumerate(op.getOperandMaps())) {
    if (dropped[index])
      continue;
    (index < numInputs ? inputs : outputs).push_back(op->getOperand(index));
    maps.push_back(RowwiseOp::renumberInputs(map, renumbered));
  }
  auto result = RowwiseOp::create(rewriter, op.getLoc(), inputs, outputs,
                                  op.getColumns(), maps);
  result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  result.setDispatchAttr(op.getDispatchAttr());
  YieldOp yield = op.getYield();
  SmallVector<Value> yielded, replacements;
  for (auto [index, value] : llvm::enumerate(yield.getValues())) {
    bool isKept = !dropped[numInputs + index];
    replacements.push_back(isKept && result->getNumResults()
                               ? Value(result.getResult(yielded.size()))
                               : Value());
    if (isKept)
      yielded.push_back(value);
  }
  rewriter.modifyOpInPlace(yield,
                           [&] { yield.getValuesMutable().assign(yielded); });
  Block &body = op.getBody().front();
  for (unsigned input : llvm::reverse(llvm::seq(numInputs)))
    if (dropped[input])
      body.eraseArgument(input);
  rewriter.inlineRegionBefore(op.getBody(), result.getBody(),
                              result.getBody().end());
  return replacements;
}

static void replaceWithout(RowwiseOp op, const llvm::BitVector &dropped,
                           ArrayRef<unsigned> standIns,
                           PatternRewriter &rewriter) {
  SmallVector<Value> replacements =
      createWithout(op, dropped, standIns, rewriter);
  if (op.hasPureBufferSemantics())
    return rewriter.eraseOp(op);
  rewriter.replaceOp(op, replacements);
}

static SmallVector<unsigned> getAllInputs(RowwiseOp op) {
  return llvm::to_vector(llvm::seq<unsigned>(0, op.getInputs().size()));
}

/// Drops those of `operands` without which all extents are still known; fails
/// if there is none.
static LogicalResult dropOperands(RowwiseOp op, ArrayRef<unsigned> operands,
                                  PatternRewriter &rewriter) {
  llvm::BitVector dropped(op->getNumOperands());
  for (unsigned operand : operands) {
    dropped.set(operand);
    if (!keepAllExtents(op, dropped))
      dropped.reset(operand);
  }
  if (dropped.none())
    return failure();
  replaceWithout(op, dropped, getAllInputs(op), rewriter);
  return success();
}

namespace {

/// An input that the region does not use is dropped, unless it alone tells an
/// extent.
struct DropUnusedInputs : OpRewritePattern<RowwiseOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(RowwiseOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<unsigned> unused;
    for (BlockArgument argument : op.getBody().getArguments())
      if (argument.use_empty() && !op.isIndex(argument.getArgNumber()))
        unused.push_back(argument.getArgNumber());
    if (failed(dropOperands(op, unused, rewriter)))
      return rewriter.notifyMatchFailure(op, "uses all of its inputs");
    return success();
  }
};

/// An input that is there twice, through the same map, is read once.
struct MergeEqualInputs : OpRewritePattern<RowwiseOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(RowwiseOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<AffineMap> maps = op.getOperandMaps();
    llvm::BitVector dropped(op->getNumOperands());
    SmallVector<unsigned> standIns = getAllInputs(op);
    for (unsigned input : getAllInputs(op))
      for (unsigned first : llvm::seq(input)) {
        if (op.getInputs()[first] != op.getInputs()[input] ||
            maps[first] != maps[input])
          continue;
        rewriter.replaceAllUsesWith(op.getBody().getArgument(input),
                                    op.getBody().getArgument(first));
        dropped.set(input);
        standIns[input] = first;
        break;
      }
    if (dropped.none())
      return rewriter.notifyMatchFailure(op, "has no input twice");
    replaceWithout(op, dropped, standIns, rewriter);
    return success();
  }
};

/// A result that nothing uses is not computed. Without any use at all the
/// operator is dead anyway.
struct DropUnusedResults : OpRewritePattern<RowwiseOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(RowwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (op->use_empty())
      return rewriter.notifyMatchFailure(op, "has no uses");
    SmallVector<unsigned> unused;
    for (OpResult result : op->getResults())
      if (result.use_empty())
        unused.push_back(op.getInputs().size() + result.getResultNumber());
    if (failed(dropOperands(op, unused, rewriter)))
      return rewriter.notifyMatchFailure(op, "uses all of its results");
    return success();
  }
};

/// A result that is an input, element by element, is that input.
struct FoldCopies : OpRewritePattern<RowwiseOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(RowwiseOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<AffineMap> maps = op.getOperandMaps();
    bool changed = false;
    for (OpResult result : op->getResults()) {
      unsigned index = result.getResultNumber();
      auto argument = dyn_cast<BlockArgument>(op.getYield().getValues()[index]);
      if (!argument || result.use_empty())
        continue;
      Value input = op.getInputs()[argument.getArgNumber()];
      if (input.getType() != result.getType() ||
          maps[argument.getArgNumber()] != maps[op.getInputs().size() + index])
        continue;
      rewriter.replaceAllUsesWith(result, input);
      changed = true;
    }
    return changed ? success()
                   : rewriter.notifyMatchFailure(op, "no result is an input");
  }
};

} // namespace

void RowwiseOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns
      .add<DropUnusedInputs, MergeEqualInputs, DropUnusedResults, FoldCopies>(
          context);
}
