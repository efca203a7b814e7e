//===- PlanEpilogue.cpp - What an epilogue can take in --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::dietcode;
using namespace mlir::dietcode::linalg_raising;

static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

/// An operation that depends on nothing but the scalars that it is given.
static bool isScalarComputation(Operation &op) {
  return isMemoryEffectFree(&op) && op.getNumRegions() == 0 &&
         !isa<linalg::IndexOp>(op) &&
         llvm::all_of(op.getOperandTypes(), isScalar) &&
         llvm::all_of(op.getResultTypes(), isScalar);
}

/// Whether the consumer is elementwise over all of the product; says why not.
static LogicalResult checkElementwise(linalg::LinalgOp consumer, Value product,
                                      PatternRewriter &rewriter) {
  unsigned rank = cast<ShapedType>(product.getType()).getRank();
  if (consumer.getNumLoops() != rank || !consumer.isAllParallelLoops())
    return rewriter.notifyMatchFailure(consumer,
                                       "is not elementwise over the product");
  if (consumer.getNumDpsInits() != 1)
    return rewriter.notifyMatchFailure(consumer, "has several results");
  if (!llvm::all_of(consumer.getBlock()->without_terminator(),
                    isScalarComputation))
    return rewriter.notifyMatchFailure(
        consumer, "body is more than arithmetic on scalars");
  return success();
}

/// The index of an operand in the plan, where it is entered if it is new.
static unsigned internOperand(EpiloguePlan &plan, MappedValue operand) {
  for (auto [index, known] : llvm::enumerate(plan.operands))
    if (known.value == operand.value && known.map == operand.map)
      return index;
  plan.operands.push_back(operand);
  return plan.operands.size() - 1;
}

/// Enters how `inBody` is computed from an operand of the consumer, or from a
/// scalar of the code around it.
static LogicalResult bindOperand(EpiloguePlan &plan, Value inBody,
                                 MappedValue operand,
                                 PatternRewriter &rewriter) {
  operand = lookThroughCopies(operand);
  if (TypedAttr constant = getUniformConstant(operand.value)) {
    plan.constants.emplace_back(inBody, constant);
    return success();
  }
  if (!isScalar(operand.value.getType()) && !isPlainShaped(operand.value))
    return rewriter.notifyMatchFailure(
        plan.consumer, "an operand is sparse, or not of floats or integers");
  if (isScalar(operand.value.getType()) &&
      plan.producer.hasPureBufferSemantics())
    return rewriter.notifyMatchFailure(
        plan.consumer, "a scalar would need a buffer of its own");
  plan.elements.emplace_back(inBody, internOperand(plan, operand));
  return success();
}

/// Binds the arguments of the consumer's body. Element (m, n) of its result is
/// computed in the loop iteration that its output map sends there.
static LogicalResult bindArguments(EpiloguePlan &plan, Value product,
                                   PatternRewriter &rewriter) {
  linalg::LinalgOp consumer = plan.consumer;
  AffineMap write =
      consumer.getMatchingIndexingMap(consumer.getDpsInitOperand(0));
  if (!write.isPermutation())
    return rewriter.notifyMatchFailure(consumer,
                                       "does not write each element once");
  AffineMap iteration = inversePermutation(write);
  for (OpOperand &operand : consumer->getOpOperands()) {
    if (!consumer.payloadUsesValueFromOperand(&operand))
      continue;
    Value argument = consumer.getMatchingBlockArgument(&operand);
    AffineMap map =
        consumer.getMatchingIndexingMap(&operand).compose(iteration);
    if (!map.isProjectedPermutation())
      return rewriter.notifyMatchFailure(
          consumer, "an operand is not read at a projection of the product");
    if (operand.get() != product) {
      if (failed(bindOperand(plan, argument, {operand.get(), map}, rewriter)))
        return failure();
      continue;
    }
    if (!map.isIdentity())
      return rewriter.notifyMatchFailure(consumer, "transposes the product");
    plan.sums.push_back(argument);
  }
  if (plan.sums.empty())
    return rewriter.notifyMatchFailure(consumer, "does not use the product");
  return success();
}

/// Binds the scalars that the consumer's body uses from the code around it.
static LogicalResult bindCaptures(EpiloguePlan &plan,
                                  PatternRewriter &rewriter) {
  Block *body = plan.consumer.getBlock();
  auto none =
      AffineMap::get(plan.consumer.getNumLoops(), 0, rewriter.getContext());
  llvm::SmallPtrSet<Value, 4> bound;
  for (Operation &op : *body)
    for (Value value : op.getOperands())
      if (value.getParentBlock() != body && bound.insert(value).second &&
          failed(bindOperand(plan, value, {value, none}, rewriter)))
        return failure();
  return success();
}

/// Linalg does not check static sizes that meet a dynamic one; dietcode does.
static bool fitsProducer(const EpiloguePlan &plan) {
  ContractionOpInterface producer = plan.producer;
  linalg::LinalgOp consumer = plan.consumer;
  SmallVector<AffineMap> maps = producer.getOperandMaps();
  AffineMap out = maps[ContractionOpInterface::kOut];
  SmallVector<MappedValue> operands = {{consumer.getDpsInits()[0], out}};
  for (auto [operand, map] : llvm::zip_equal(producer->getOperands(), maps))
    operands.push_back({operand, map});
  // Those of the plan are from the dimensions of the product.
  for (const MappedValue &operand : plan.operands)
    operands.push_back({operand.value, operand.map.compose(out)});
  return haveConsistentStaticSizes(operands);
}

/// The epilogue is given the sum as it is, so a consumer may write another type
/// unless the product was to be rounded before.
///
///   %0 = dietcode.matmul ... -> tensor<?x?xf32>       sums of f32
///   linalg.generic ins(%0) { arith.truncf }           writes f16
static LogicalResult checkElementType(ContractionOpInterface producer,
                                      linalg::LinalgOp consumer, Type from,
                                      Type to, PatternRewriter &rewriter) {
  if (from == to)
    return success();
  if (getSumArgumentType(producer) != producer.getSumElementType())
    return rewriter.notifyMatchFailure(
        consumer, "changes the element type of what is rounded before");
  if (isa<FloatType>(producer.getSumElementType()) != isa<FloatType>(to))
    return rewriter.notifyMatchFailure(consumer,
                                       "changes between floats and integers");
  return success();
}

FailureOr<EpiloguePlan>
linalg_raising::planEpilogue(ContractionOpInterface producer,
                             linalg::LinalgOp consumer, Value product,
                             PatternRewriter &rewriter) {
  if (failed(checkElementwise(consumer, product, rewriter)))
    return failure();
  Value init = consumer.getDpsInits()[0];
  if (!isPlainShaped(init))
    return rewriter.notifyMatchFailure(
        consumer, "result is sparse, or not of floats or integers");
  if (failed(checkElementType(producer, consumer, getElementTypeOrSelf(product),
                              getElementTypeOrSelf(init), rewriter)))
    return failure();
  EpiloguePlan plan{producer, consumer, {}, {}, {}, {}};
  for (auto [value, map] : llvm::zip_equal(
           producer.getEpilogueOperands(),
           producer.getEpilogueMaps().getAsValueRange<AffineMapAttr>()))
    plan.operands.push_back({value, map});
  if (failed(bindArguments(plan, product, rewriter)) ||
      failed(bindCaptures(plan, rewriter)))
    return failure();
  if (!fitsProducer(plan))
    return rewriter.notifyMatchFailure(consumer, "static sizes disagree");
  return plan;
}
