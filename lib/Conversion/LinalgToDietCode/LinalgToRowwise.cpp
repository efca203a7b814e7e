//===- LinalgToRowwise.cpp - Raise linalg to dietcode.rowwise -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Conversion/LinalgToDietCode/LinalgToRowwise.h"
#include "../ApplyPatterns.h"
#include "RowwisePlan.h"
#include "dietcode/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_CONVERTLINALGTOROWWISEPASS
#include "dietcode/Conversion/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;
using namespace mlir::dietcode::linalg_raising;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Groups of dimensions of which each has one that is not indexed by 0, but for
/// a single group without any: the reshape that drops the others.
static SmallVector<ReassociationIndices> getReassociation(AffineMap map) {
  SmallVector<ReassociationIndices> groups;
  bool lastHasLoop = true;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    bool isLoop = !isa<AffineConstantExpr>(expr);
    if (groups.empty() || (isLoop && lastHasLoop)) {
      groups.emplace_back();
      lastHasLoop = false;
    }
    groups.back().push_back(dim);
    lastHasLoop |= isLoop;
  }
  return lastHasLoop ? groups : SmallVector<ReassociationIndices>();
}

static bool hasUnitDims(AffineMap map) {
  return llvm::any_of(map.getResults(), llvm::IsaPred<AffineConstantExpr>);
}

/// tensor<?x1xf32>, (d0, d1) -> (d0, 0)  -->  tensor.collapse_shape to
/// tensor<?xf32>; a scalar becomes a tensor of rank 0.
static Value createOperand(const MappedValue &operand, Location loc,
                           PatternRewriter &rewriter) {
  Value value = operand.value;
  if (!isa<ShapedType>(value.getType()))
    return tensor::FromElementsOp::create(
        rewriter, loc, RankedTensorType::get({}, value.getType()), value);
  if (!hasUnitDims(operand.map))
    return value;
  return tensor::CollapseShapeOp::create(rewriter, loc, value,
                                         getReassociation(operand.map));
}

/// The part of input `slice.input` that is read.
static Value createSlice(const RowwisePlan &plan,
                         const RowwisePlan::Slice &slice,
                         PatternRewriter &rewriter) {
  linalg::LinalgOp op = plan.source;
  Location loc = op.getLoc();
  const MappedValue &input = plan.inputs[slice.input];
  auto getExtent = [&](AffineExpr expr) -> OpFoldResult {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    return loop ? createLoopExtent(rewriter, op, loop.getPosition())
                : rewriter.getIndexAttr(1);
  };
  SmallVector<OpFoldResult> offsets, sizes;
  for (auto [dim, expr] : llvm::enumerate(input.map.getResults())) {
    offsets.push_back(rewriter.getIndexAttr(slice.offsets[dim]));
    sizes.push_back(slice.isCut[dim] ? getExtent(expr)
                                     : operator_impl::createDim(
                                           rewriter, loc, input.value, dim));
  }
  SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(rewriter, loc, input.value, offsets,
                                        sizes, strides);
}

/// What the operator writes to: rather than a fill or a constant, which it
/// would overwrite, what was filled or a new tensor.
static Value createDestination(const MappedValue &output, Location loc,
                               PatternRewriter &rewriter) {
  MappedValue destination = output;
  if (auto fill = destination.value.getDefiningOp<linalg::FillOp>())
    destination.value = fill.output();
  auto type = cast<RankedTensorType>(destination.value.getType());
  if (matchPattern(destination.value, m_Constant()))
    destination.value = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                                type.getElementType());
  return createOperand(destination, loc, rewriter);
}

/// The map of an operand from the dimensions of the operator.
static AffineMap getOperatorMap(AffineMap map, ArrayRef<unsigned> loops) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    if (isa<AffineConstantExpr>(expr))
      continue;
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      expr = getAffineDimExpr(llvm::find(loops, loop.getPosition()) -
                                  loops.begin(),
                              map.getContext());
    results.push_back(expr);
  }
  return AffineMap::get(loops.size(), map.getNumSymbols(), results,
                        map.getContext());
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

/// The value of a reduction: reduce_row of what is combined, and then the
/// initial value.
static Value createReduction(const RowwisePlan &plan, unsigned index,
                             IRMapping &mapping, PatternRewriter &rewriter) {
  linalg::LinalgOp source = plan.source;
  const RowwisePlan::Reduction &reduction = plan.reductions[index];
  BlockArgument acc =
      source.getMatchingBlockArgument(source.getDpsInitOperand(index));
  unsigned element = reduction.combiner->getOperand(0) == acc ? 1 : 0;
  Location loc = reduction.combiner->getLoc();
  Value value = ReduceRowOp::create(
      rewriter, loc, reduction.kind,
      mapping.lookup(reduction.combiner->getOperand(element)));
  if (!reduction.combinesInit)
    return value;
  return createCombination(rewriter, loc, reduction.kind, mapping.lookup(acc),
                           value);
}

static void createBody(const RowwisePlan &plan, RowwiseOp op,
                       PatternRewriter &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Type> types;
  for (Value input : op.getInputs())
    types.push_back(getElementTypeOrSelf(input));
  Block *body =
      rewriter.createBlock(&op.getBody(), op.getBody().end(), types,
                           SmallVector<Location>(types.size(), op.getLoc()));
  IRMapping mapping;
  for (auto [value, input] : plan.elements)
    mapping.map(value, body->getArgument(input));
  for (auto [value, constant] : plan.constants)
    mapping.map(
        value,
        arith::ConstantOp::create(rewriter, op.getLoc(), constant).getResult());
  linalg::LinalgOp source = plan.source;
  Block *old = source.getBlock();
  auto isCombiner = [&](Operation &nested) {
    return llvm::any_of(plan.reductions, [&](const auto &reduction) {
      return reduction.combiner == &nested;
    });
  };
  for (Operation &nested : old->without_terminator())
    if (plan.computation.contains(&nested) && !isCombiner(nested))
      rewriter.clone(nested, mapping);
  SmallVector<Value> values;
  for (auto [index, value] :
       llvm::enumerate(old->getTerminator()->getOperands()))
    values.push_back(plan.reductions.empty()
                         ? mapping.lookup(value)
                         : createReduction(plan, index, mapping, rewriter));
  YieldOp::create(rewriter, op.getLoc(), values);
}

static RowwiseOp createRowwise(const RowwisePlan &plan,
                               PatternRewriter &rewriter) {
  linalg::LinalgOp source = plan.source;
  Location loc = source.getLoc();
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps;
  SmallVector<MappedValue> read(plan.inputs);
  for (const RowwisePlan::Slice &slice : plan.slices)
    read[slice.input].value = createSlice(plan, slice, rewriter);
  for (const MappedValue &input : read) {
    inputs.push_back(createOperand(input, loc, rewriter));
    maps.push_back(getOperatorMap(input.map, plan.loops));
  }
  for (const MappedValue &output : plan.outputs) {
    outputs.push_back(createDestination(output, loc, rewriter));
    maps.push_back(getOperatorMap(output.map, plan.loops));
  }
  auto op =
      RowwiseOp::create(rewriter, loc, inputs, outputs, plan.columns, maps);
  createBody(plan, op, rewriter);
  return op;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Loops on the host are correct, but not what the compiler is called for.
/// convert-linalg-to-dietcode warns of products, and what is on buffers, or of
/// single elements, is the host's.
static void warnOfHostLoops(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumLoops() == 0 ||
      isOnlyAnInit(op) || linalg::isaContractionOpInterface(op) ||
      linalg::isaConvolutionOpInterface(op))
    return;
  op->emitWarning() << "'" << op->getName() << "' op will run on the host: it "
                    << explainNotRowwise(op);
}

namespace {

///   linalg.generic ins(%x) outs(%init) { body }  -->
///   dietcode.rowwise ins(%x) outs(%init) do { body }
struct RaiseRowwise : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<RowwisePlan> plan = planRowwise(op, rewriter);
    if (failed(plan))
      return failure();
    RowwiseOp rowwise = createRowwise(*plan, rewriter);
    SmallVector<Value> results(rowwise.getResults());
    for (auto [index, output] : llvm::enumerate(plan->outputs))
      if (hasUnitDims(output.map))
        results[index] = tensor::ExpandShapeOp::create(
            rewriter, op.getLoc(), op->getResult(index).getType(),
            results[index], getReassociation(output.map));
    rewriter.replaceOp(op, results);
    return success();
  }
};

///   linalg.softmax  -->  the reductions and elementwise operations it is of
struct DecomposeSoftmax : OpRewritePattern<linalg::SoftmaxOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(linalg::SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "is not on tensors");
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return failure();
    rewriter.replaceOp(op, *results);
    return success();
  }
};

struct ConvertLinalgToRowwise
    : mlir::dietcode::impl::ConvertLinalgToRowwisePassBase<
          ConvertLinalgToRowwise> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateLinalgToRowwisePatterns(patterns);
    if (failed(applyPatternsOnly(getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation()->walk([](linalg::LinalgOp op) { warnOfHostLoops(op); });
  }
};

} // namespace

void mlir::dietcode::populateLinalgToRowwisePatterns(
    RewritePatternSet &patterns) {
  patterns.add<RaiseRowwise, DecomposeSoftmax>(patterns.getContext());
  populateSplitReductionPatterns(patterns);
  // Where an index is computed next to a maximum and nobody uses it, it goes.
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
}
