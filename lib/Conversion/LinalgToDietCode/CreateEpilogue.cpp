//===- CreateEpilogue.cpp - Make an operator with a fused epilogue --------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::dietcode;
using namespace mlir::dietcode::linalg_raising;

/// The operands of the epilogue as the operator takes them: shaped.
///
///   %alpha : f32  -->  tensor.from_elements %alpha : tensor<f32>
static SmallVector<Value> createOperands(const EpiloguePlan &plan, Location loc,
                                         PatternRewriter &rewriter) {
  SmallVector<Value> operands;
  for (const MappedValue &operand : plan.operands) {
    Value value = operand.value;
    if (!isa<ShapedType>(value.getType()))
      value = tensor::FromElementsOp::create(
          rewriter, loc, RankedTensorType::get({}, value.getType()), value);
    operands.push_back(value);
  }
  return operands;
}

static ArrayAttr getMaps(const EpiloguePlan &plan, Builder &builder) {
  SmallVector<AffineMap> maps;
  for (const MappedValue &operand : plan.operands)
    maps.push_back(operand.map);
  return builder.getAffineMapArrayAttr(maps);
}

/// Clones the producer's epilogue to the insertion point; gives its value.
static Value cloneProducer(ContractionOpInterface producer, Block *body,
                           PatternRewriter &rewriter) {
  if (!producer.hasEpilogue())
    return body->getArgument(0);
  Block &old = producer.getEpilogue().front();
  IRMapping mapping;
  mapping.map(old.getArguments(),
              body->getArguments().take_front(old.getNumArguments()));
  for (Operation &op : old.without_terminator())
    rewriter.clone(op, mapping);
  return mapping.lookupOrDefault(cast<YieldOp>(old.getTerminator()).getValue());
}

/// Clones the consumer's body to the insertion point; gives its value.
static Value cloneConsumer(const EpiloguePlan &plan, Value sum, Block *body,
                           PatternRewriter &rewriter) {
  linalg::LinalgOp consumer = plan.consumer;
  IRMapping mapping;
  for (Value inBody : plan.sums)
    mapping.map(inBody, sum);
  for (auto [inBody, operand] : plan.elements)
    mapping.map(inBody, body->getArgument(1 + operand));
  for (auto [inBody, value] : plan.constants)
    mapping.map(inBody,
                arith::ConstantOp::create(rewriter, consumer.getLoc(), value)
                    .getResult());
  Block *old = consumer.getBlock();
  for (Operation &op : old->without_terminator())
    rewriter.clone(op, mapping);
  return mapping.lookupOrDefault(old->getTerminator()->getOperand(0));
}

Type linalg_raising::getSumArgumentType(ContractionOpInterface op) {
  return op.hasEpilogue() ? op.getEpilogue().front().getArgument(0).getType()
                          : getElementTypeOrSelf(op.getOutOperand());
}

/// States the type of the sums if it is not the one by default for `out`.
static TypeAttr getSumType(ContractionOpInterface producer, Value out) {
  Type sum = producer.getSumElementType();
  Type factor = getElementTypeOrSelf(producer.getLhsOperand());
  bool isDefault = sum == contraction_impl::getDefaultSumType(
                              factor, getElementTypeOrSelf(out));
  return isDefault ? TypeAttr() : TypeAttr::get(sum);
}

static void createBody(const EpiloguePlan &plan, ContractionOpInterface fused,
                       PatternRewriter &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Type> types = {getSumArgumentType(plan.producer)};
  for (Value operand : fused.getEpilogueOperands())
    types.push_back(getElementTypeOrSelf(operand));
  Region &region = fused.getEpilogue();
  Block *body =
      rewriter.createBlock(&region, region.end(), types,
                           SmallVector<Location>(types.size(), fused.getLoc()));
  Value sum = cloneProducer(plan.producer, body, rewriter);
  Value value = cloneConsumer(plan, sum, body, rewriter);
  YieldOp::create(rewriter, fused.getLoc(), value);
}

ContractionOpInterface
linalg_raising::createWithEpilogue(const EpiloguePlan &plan, Value out,
                                   PatternRewriter &rewriter) {
  ContractionOpInterface producer = plan.producer;
  linalg::LinalgOp consumer = plan.consumer;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(consumer);
  Location loc = rewriter.getFusedLoc({producer.getLoc(), consumer.getLoc()});
  OperationState state(loc, producer->getName());
  state.addOperands({producer.getLhsOperand(), producer.getRhsOperand(), out});
  state.addOperands(createOperands(plan, loc, rewriter));
  state.addTypes(consumer->getResultTypes());
  state.addAttributes(producer->getAttrs());
  state.addRegion();
  auto fused = cast<ContractionOpInterface>(rewriter.create(state));
  fused.setEpilogueMapsAttr(getMaps(plan, rewriter));
  fused.setSumTypeAttr(getSumType(producer, out));
  createBody(plan, fused, rewriter);
  return fused;
}
