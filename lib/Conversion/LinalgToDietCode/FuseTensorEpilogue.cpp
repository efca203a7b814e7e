//===- FuseTensorEpilogue.cpp - Epilogues on tensors ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::dietcode;
using namespace mlir::dietcode::linalg_raising;

/// The value that the fused operator writes to; null if there is none of the
/// right type. What is accumulated to has to stay the destination; otherwise it
/// is the consumer's, which is not read.
static Value findDestination(ContractionOpInterface producer,
                             linalg::LinalgOp consumer) {
  Value init = consumer.getDpsInits()[0];
  if (!producer.getAccumulate() && init != producer->getResult(0))
    return init;
  return producer.getOutOperand().getType() == init.getType()
             ? producer.getOutOperand()
             : Value();
}

/// Whether nothing but the consumer, and facts about its shape, uses the
/// product.
static bool isOnlyUsedBy(ContractionOpInterface producer, Operation *consumer) {
  return llvm::all_of(producer->getUsers(), [&](Operation *user) {
    return user == consumer || isa<BindShapeOp>(user);
  });
}

/// The consumer's result has the product's shape: what is known about that one
/// is said about the other.
static void moveShapeBindings(ContractionOpInterface from,
                              ContractionOpInterface to,
                              PatternRewriter &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(to);
  for (Operation *user : llvm::make_early_inc_range(from->getUsers())) {
    auto bind = dyn_cast<BindShapeOp>(user);
    if (!bind)
      continue;
    BindShapeOp::create(rewriter, bind.getLoc(), to->getResult(0),
                        bind.getVars(), bind.getMap());
    rewriter.eraseOp(bind);
  }
}

namespace {

///   %c = dietcode.matmul ins(%a, %b) outs(%t) do { body1 }
///   %d = linalg.generic ins(%c, %x) outs(%init) { body2 }
///     -->
///   %d = dietcode.matmul ins(%a, %b) outs(%init)
///            epilogue(%x) do { body1; body2 }
struct FuseTensorEpilogue : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(linalg::LinalgOp consumer,
                                PatternRewriter &rewriter) const override {
    if (!consumer.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(consumer, "is not on tensors");
    for (Value operand : consumer->getOperands())
      if (auto producer = operand.getDefiningOp<ContractionOpInterface>())
        if (succeeded(fuse(producer, consumer, rewriter)))
          return success();
    return rewriter.notifyMatchFailure(consumer,
                                       "is not the epilogue of an operator");
  }

  LogicalResult fuse(ContractionOpInterface producer, linalg::LinalgOp consumer,
                     PatternRewriter &rewriter) const {
    // In another block the product could be computed more or less often.
    if (producer->getBlock() != consumer->getBlock())
      return rewriter.notifyMatchFailure(consumer,
                                         "product is of another block");
    if (!isOnlyUsedBy(producer, consumer))
      return rewriter.notifyMatchFailure(consumer, "product has other uses");
    FailureOr<EpiloguePlan> plan =
        planEpilogue(producer, consumer, producer->getResult(0), rewriter);
    if (failed(plan))
      return failure();
    Value out = findDestination(producer, consumer);
    if (!out)
      return rewriter.notifyMatchFailure(
          consumer, "result and accumulator are of different types");
    ContractionOpInterface fused = createWithEpilogue(*plan, out, rewriter);
    moveShapeBindings(producer, fused, rewriter);
    rewriter.replaceOp(consumer, fused->getResults());
    rewriter.eraseOp(producer);
    return success();
  }
};

///   tensor.dim (dietcode.matmul outs(%init)), %i  -->  tensor.dim %init, %i
///
/// The destination of a consumer is often made from the sizes of the product,
/// which is a use of it.
struct ReadSizeFromDestination : OpRewritePattern<tensor::DimOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getSource().getDefiningOp<ContractionOpInterface>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "is not of an operator's result");
    rewriter.modifyOpInPlace(
        op, [&] { op.getSourceMutable().assign(producer.getOutOperand()); });
    return success();
  }
};

} // namespace

void linalg_raising::populateFuseTensorEpiloguePatterns(
    RewritePatternSet &patterns) {
  patterns.add<FuseTensorEpilogue, ReadSizeFromDestination>(
      patterns.getContext());
}
