//===- FuseBufferEpilogue.cpp - Epilogues on buffers ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On buffers there is no use-def chain to follow, and operands may overlap, so
// only what is provably the same is fused: an update in place of the product,
// with nothing in between that touches memory, by operands that do not alias
// it.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "mlir/Analysis/AliasAnalysis.h"

using namespace mlir;
using namespace mlir::dietcode;
using namespace mlir::dietcode::linalg_raising;

/// The operator that wrote `buffer` just before `consumer`, or null.
static ContractionOpInterface findProducer(Operation *consumer, Value buffer) {
  for (Operation *before = consumer->getPrevNode(); before;
       before = before->getPrevNode()) {
    if (auto producer = dyn_cast<ContractionOpInterface>(before);
        producer && producer.getOutOperand() == buffer)
      return producer;
    if (!isMemoryEffectFree(before) && !isa<BindShapeOp>(before) &&
        !hasSingleEffect<MemoryEffects::Allocate>(before))
      return nullptr;
  }
  return nullptr;
}

/// Whether no operand overlaps the buffer without being it.
static bool readsNoAliasOf(linalg::LinalgOp consumer, Value buffer) {
  AliasAnalysis aliasAnalysis(consumer);
  return llvm::all_of(consumer->getOperands(), [&](Value operand) {
    return operand == buffer || !isa<BaseMemRefType>(operand.getType()) ||
           aliasAnalysis.alias(operand, buffer).isNo();
  });
}

namespace {

///   dietcode.matmul ins(%a, %b) outs(%c)
///   linalg.generic ins(%bias) outs(%c) { body }
///     -->  dietcode.matmul ins(%a, %b) outs(%c) epilogue(%bias) do { body }
struct FuseBufferEpilogue : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(linalg::LinalgOp consumer,
                                PatternRewriter &rewriter) const override {
    if (!consumer.hasPureBufferSemantics() || consumer.getNumDpsInits() != 1)
      return rewriter.notifyMatchFailure(consumer, "is not of one buffer");
    Value buffer = consumer.getDpsInits()[0];
    ContractionOpInterface producer = findProducer(consumer, buffer);
    if (!producer)
      return rewriter.notifyMatchFailure(
          consumer, "no operator writes its destination just before");
    if (!readsNoAliasOf(consumer, buffer))
      return rewriter.notifyMatchFailure(
          consumer, "an operand may overlap the destination");
    FailureOr<EpiloguePlan> plan =
        planEpilogue(producer, consumer, buffer, rewriter);
    if (failed(plan))
      return failure();
    createWithEpilogue(*plan, buffer, rewriter);
    rewriter.eraseOp(consumer);
    rewriter.eraseOp(producer);
    return success();
  }
};

} // namespace

void linalg_raising::populateFuseBufferEpiloguePatterns(
    RewritePatternSet &patterns) {
  patterns.add<FuseBufferEpilogue>(patterns.getContext());
}
