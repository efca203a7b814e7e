//===- FuseRowwise.cpp - Fuse rowwise operators ---------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/Transforms/FuseRowwise.h"
#include "RowwiseSpace.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODEFUSEROWWISEPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

/// Most operands of a fused operator: each is a dozen parameters of a kernel,
/// and registers in it.
static constexpr size_t kMaxOperands = 16;

//===----------------------------------------------------------------------===//
// Other uses of the producer
//===----------------------------------------------------------------------===//

/// A use that only asks for, or tells, the shape of a result.
static bool isAboutShape(Operation *user) {
  return isa<tensor::DimOp, BindShapeOp>(user);
}

/// Results of the producer that others than the consumer use.
static SmallVector<OpResult> getSharedResults(RowwiseOp producer,
                                              RowwiseOp consumer) {
  SmallVector<OpResult> shared;
  for (OpResult result : producer->getResults())
    if (llvm::any_of(result.getUsers(), [&](Operation *user) {
          return user != consumer && !isAboutShape(user);
        }))
      shared.push_back(result);
  return shared;
}

/// Whether all other uses come after the consumer.
static bool areUsedAfter(ArrayRef<OpResult> results, RowwiseOp consumer) {
  return llvm::all_of(results, [&](OpResult result) {
    return llvm::all_of(result.getUsers(), [&](Operation *user) {
      if (user == consumer || isAboutShape(user))
        return true;
      Operation *ancestor = consumer->getBlock()->findAncestorOpInBlock(*user);
      return ancestor && consumer->isBeforeInBlock(ancestor);
    });
  });
}

//===----------------------------------------------------------------------===//
// The fused operator
//===----------------------------------------------------------------------===//

namespace {

/// The parts of the fused operator.
struct FusedOperands {
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> inputMaps, outputMaps;

  SmallVector<AffineMap> getMaps() const {
    SmallVector<AffineMap> maps(inputMaps);
    llvm::append_range(maps, outputMaps);
    return maps;
  }
};

} // namespace

/// A destination that is no other's, and not the producer's result.
static Value createDestination(Value output, RowwiseOp producer,
                               const FusedOperands &operands,
                               PatternRewriter &rewriter) {
  if (output.getDefiningOp() == producer)
    output = producer.getOutputs()[cast<OpResult>(output).getResultNumber()];
  if (!llvm::is_contained(operands.outputs, output))
    return output;
  Location loc = output.getLoc();
  return tensor::EmptyOp::create(
      rewriter, loc, operator_impl::reifyShape(rewriter, loc, output),
      cast<RankedTensorType>(output.getType()).getElementType());
}

static FusedOperands collectOperands(RowwiseOp producer, RowwiseOp consumer,
                                     ArrayRef<OpResult> shared,
                                     const RowwiseSpace &space,
                                     PatternRewriter &rewriter) {
  FusedOperands operands;
  SmallVector<AffineMap> producerMaps = producer.getOperandMaps();
  SmallVector<AffineMap> consumerMaps = consumer.getOperandMaps();
  auto collectInputs = [&](RowwiseOp op, ArrayRef<unsigned> dims) {
    SmallVector<unsigned> positions;
    unsigned next = operands.inputs.size();
    for (Value input : op.getInputs())
      positions.push_back(input.getDefiningOp() == producer ? next : next++);
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      if (input.getDefiningOp() == producer)
        continue;
      operands.inputs.push_back(input);
      operands.inputMaps.push_back(
          space.embed(op.getOperandMaps()[index], dims, positions));
    }
  };
  collectInputs(producer, space.ofProducer);
  collectInputs(consumer, space.ofConsumer);
  unsigned numInputs = consumer.getInputs().size();
  for (auto [index, output] : llvm::enumerate(consumer.getOutputs())) {
    operands.outputs.push_back(
        createDestination(output, producer, operands, rewriter));
    operands.outputMaps.push_back(
        space.embed(consumerMaps[numInputs + index], space.ofConsumer));
  }
  numInputs = producer.getInputs().size();
  for (OpResult result : shared) {
    unsigned index = result.getResultNumber();
    operands.outputs.push_back(createDestination(producer.getOutputs()[index],
                                                 producer, operands, rewriter));
    operands.outputMaps.push_back(
        space.embed(producerMaps[numInputs + index], space.ofProducer));
  }
  return operands;
}

static void cloneBody(RowwiseOp op, IRMapping &mapping,
                      PatternRewriter &rewriter) {
  for (Operation &nested : op.getBody().front().without_terminator())
    rewriter.clone(nested, mapping);
}

static void createBody(RowwiseOp producer, RowwiseOp consumer,
                       ArrayRef<OpResult> shared, RowwiseOp fused,
                       PatternRewriter &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Type> types;
  for (Value input : fused.getInputs())
    types.push_back(getElementTypeOrSelf(input));
  Block *body =
      rewriter.createBlock(&fused.getBody(), fused.getBody().end(), types,
                           SmallVector<Location>(types.size(), fused.getLoc()));
  ArrayRef<BlockArgument> arguments = body->getArguments();
  IRMapping mapping;
  Block &producerBody = producer.getBody().front();
  mapping.map(producerBody.getArguments(),
              arguments.take_front(producerBody.getNumArguments()));
  arguments = arguments.drop_front(producerBody.getNumArguments());
  cloneBody(producer, mapping, rewriter);
  auto produced = [&](Value result) {
    return mapping.lookup(
        producer.getYield()
            .getValues()[cast<OpResult>(result).getResultNumber()]);
  };
  for (auto [input, argument] : llvm::zip_equal(
           consumer.getInputs(), consumer.getBody().getArguments())) {
    if (input.getDefiningOp() == producer) {
      mapping.map(argument, produced(input));
      continue;
    }
    mapping.map(argument, arguments.front());
    arguments = arguments.drop_front();
  }
  cloneBody(consumer, mapping, rewriter);
  SmallVector<Value> yielded;
  for (Value value : consumer.getYield().getValues())
    yielded.push_back(mapping.lookup(value));
  for (OpResult result : shared)
    yielded.push_back(produced(result));
  YieldOp::create(rewriter, fused.getLoc(), yielded);
}

/// What shows the shape of `result`, of the producer, once it is gone: a result
/// of the fused operator with the same dimensions, or else its destination.
static Value findStandIn(RowwiseOp producer, OpResult result, RowwiseOp fused,
                         const RowwiseSpace &space) {
  unsigned index = result.getResultNumber();
  SmallVector<AffineMap> maps = fused.getOperandMaps();
  AffineMap map = space.embed(
      producer.getOperandMaps()[producer.getInputs().size() + index],
      space.ofProducer);
  for (OpResult other : fused->getResults())
    if (maps[fused.getInputs().size() + other.getResultNumber()] == map)
      return other;
  return producer.getOutputs()[index];
}

/// Lets what asks for, or tells, the shape of the producer's results do so of
/// other values.
static void detachShapes(RowwiseOp producer, RowwiseOp fused,
                         const RowwiseSpace &space, PatternRewriter &rewriter) {
  for (OpResult result : producer->getResults())
    for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
      // A size may be asked for before the fused operator is there.
      if (auto dim = dyn_cast<tensor::DimOp>(user))
        rewriter.modifyOpInPlace(dim, [&] {
          dim.getSourceMutable().assign(
              producer.getOutputs()[result.getResultNumber()]);
        });
      auto bind = dyn_cast<BindShapeOp>(user);
      if (!bind)
        continue;
      Value standIn = findStandIn(producer, result, fused, space);
      rewriter.modifyOpInPlace(bind,
                               [&] { bind.getValueMutable().assign(standIn); });
      if (standIn.getDefiningOp() == fused)
        rewriter.moveOpAfter(bind, fused);
    }
}

/// Whether `map` has all rows of `space`, and all of its columns or none.
static bool isWritable(AffineMap map, const RowwiseSpace &space) {
  unsigned rows = space.numDims - space.columns;
  auto isIn = [&](unsigned dim) { return map.isFunctionOfDim(dim); };
  return llvm::all_of(llvm::seq(rows), isIn) &&
         (map.getNumResults() == rows || map.getNumResults() == space.numDims);
}

FailureOr<RowwiseOp> mlir::dietcode::fuseRowwise(RowwiseOp producer,
                                                 RowwiseOp consumer,
                                                 PatternRewriter &rewriter) {
  // In another block the producer could be computed more or less often.
  if (producer->getBlock() != consumer->getBlock())
    return rewriter.notifyMatchFailure(consumer, "producer is elsewhere");
  SmallVector<OpResult> shared = getSharedResults(producer, consumer);
  if (producer->getNumOperands() + consumer->getNumOperands() > kMaxOperands)
    return rewriter.notifyMatchFailure(consumer, "would have many operands");
  if (!areUsedAfter(shared, consumer))
    return rewriter.notifyMatchFailure(
        consumer, "others use the producer before the consumer does");
  FailureOr<RowwiseSpace> space = findCommonSpace(producer, consumer, rewriter);
  if (failed(space))
    return failure();
  SmallVector<AffineMap> maps = producer.getOperandMaps();
  for (OpResult result : shared) {
    AffineMap map = space->embed(
        maps[producer.getInputs().size() + result.getResultNumber()],
        space->ofProducer);
    if (!isWritable(map, *space))
      return rewriter.notifyMatchFailure(
          consumer, "others use a result that lacks a row or some columns");
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(consumer);
  FusedOperands operands =
      collectOperands(producer, consumer, shared, *space, rewriter);
  auto fused = RowwiseOp::create(
      rewriter, rewriter.getFusedLoc({producer.getLoc(), consumer.getLoc()}),
      operands.inputs, operands.outputs, space->columns, operands.getMaps());
  createBody(producer, consumer, shared, fused, rewriter);
  detachShapes(producer, fused, *space, rewriter);
  ValueRange results = fused.getResults();
  rewriter.replaceOp(consumer, results.take_front(consumer->getNumResults()));
  for (auto [old, result] :
       llvm::zip_equal(shared, results.take_back(shared.size())))
    rewriter.replaceAllUsesWith(old, result);
  rewriter.eraseOp(producer);
  DominanceInfo dominance(fused);
  eliminateCommonSubExpressions(rewriter, dominance, fused);
  return fused;
}

namespace {

struct FuseProducer : OpRewritePattern<RowwiseOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(RowwiseOp consumer,
                                PatternRewriter &rewriter) const override {
    for (Value input : consumer.getInputs())
      if (auto producer = input.getDefiningOp<RowwiseOp>())
        if (succeeded(fuseRowwise(producer, consumer, rewriter)))
          return success();
    return rewriter.notifyMatchFailure(consumer, "has no producer to fuse");
  }
};

struct FuseRowwise
    : mlir::dietcode::impl::DietCodeFuseRowwisePassBase<FuseRowwise> {
  using Base::Base;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    // Reshapes that drop and add a dimension of size one meet.
    RewritePatternSet reshapes(context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(reshapes, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(reshapes, context);
    RewritePatternSet fusion(context);
    RowwiseOp::getCanonicalizationPatterns(fusion, context);
    populateFuseRowwisePatterns(fusion);
    if (failed(apply<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            std::move(reshapes))) ||
        failed(apply<RowwiseOp>(std::move(fusion))))
      signalPassFailure();
  }

private:
  /// Applies patterns to the operations of some kinds. Others pass through as
  /// they are.
  template <typename... OpTypes>
  LogicalResult apply(RewritePatternSet patterns) {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<OpTypes...>(op))
        ops.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    return applyOpPatternsGreedily(ops, std::move(patterns), config);
  }
};

} // namespace

void mlir::dietcode::populateFuseRowwisePatterns(RewritePatternSet &patterns) {
  patterns.add<FuseProducer>(patterns.getContext());
}
