//===- PlanRowwise.cpp - What of a linalg operation is rowwise ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowwisePlan.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::dietcode;
using namespace mlir::dietcode::linalg_raising;

//===----------------------------------------------------------------------===//
// What is rowwise
//===----------------------------------------------------------------------===//

bool linalg_raising::isProjection(AffineMap map, Value operand) {
  auto type = dyn_cast<ShapedType>(operand.getType());
  llvm::SmallBitVector seen(map.getNumDims());
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      if (!type || constant.getValue() != 0 || type.getDimSize(dim) != 1)
        return false;
      continue;
    }
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || seen[loop.getPosition()])
      return false;
    seen.set(loop.getPosition());
  }
  return map.getNumSymbols() == 0;
}

static unsigned countLoops(AffineMap map) {
  return llvm::count_if(map.getResults(), llvm::IsaPred<AffineDimExpr>);
}

static bool isReduction(linalg::LinalgOp op, unsigned loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
}

/// Parallel loops over dimensions that all operands know to be of size one, as
/// left by a reduction that keeps its dimension; never the innermost of a
/// result that has no others.
static llvm::SmallBitVector findUnitLoops(linalg::LinalgOp op) {
  llvm::SmallBitVector unit(op.getNumLoops(), true);
  for (unsigned loop : llvm::seq(op.getNumLoops()))
    if (isReduction(op, loop))
      unit.reset(loop);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr);
          loop && type.getDimSize(dim) != 1)
        unit.reset(loop.getPosition());
  }
  if (unit.all())
    unit.reset(op.getNumLoops() - 1);
  return unit;
}

SmallVector<AffineMap> linalg_raising::simplifyMaps(linalg::LinalgOp op) {
  llvm::SmallBitVector unit = findUnitLoops(op);
  SmallVector<AffineExpr> loops;
  for (unsigned loop : llvm::seq(op.getNumLoops()))
    loops.push_back(unit[loop] ? getAffineConstantExpr(0, op.getContext())
                               : getAffineDimExpr(loop, op.getContext()));
  SmallVector<AffineMap> maps;
  for (AffineMap map : op.getIndexingMapsArray())
    maps.push_back(map.replaceDimsAndSymbols(loops, {}, op.getNumLoops(), 0));
  return maps;
}

/// Why the operands or the loops of `op`, which are indexed through `maps`, are
/// not those of a rowwise operator; empty if they are.
static StringRef findObstacle(linalg::LinalgOp op, ArrayRef<AffineMap> maps) {
  if (op.getNumReductionLoops() + op.getNumParallelLoops() != op.getNumLoops())
    return "has loops that are neither parallel nor a reduction";
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType();
    if (isa<ShapedType>(type) && !isPlainShaped(operand.get()))
      return "has an operand that is sparse, or not of floats or integers";
    if (!RowwiseOp::isKernelType(getElementTypeOrSelf(type)))
      return "has elements of a type that kernels do not compute with";
    if (!isProjection(maps[operand.getOperandNumber()], operand.get()))
      return "has an indexing map that is not of distinct loops";
  }
  unsigned written =
      op.getNumLoops() - op.getNumReductionLoops() - findUnitLoops(op).count();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = maps[init.getOperandNumber()];
    if (countLoops(map) != written)
      return "does not write one element for each row or column";
    for (unsigned loop : llvm::seq(op.getNumLoops()))
      if (isReduction(op, loop) && map.isFunctionOfDim(loop))
        return "writes along the dimension that it reduces";
  }
  return "";
}

/// Operands of a contraction are used again and again, which rows do not see.
static bool isProductOfMatrices(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op))
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return succeeded(dims) && !dims->m.empty() && !dims->n.empty();
}

bool linalg_raising::isOnlyAnInit(linalg::LinalgOp op) {
  return isa<linalg::FillOp>(op.getOperation()) &&
         llvm::all_of(op->getUses(), [](OpOperand &use) {
           return isa<DestinationStyleOpInterface>(use.getOwner()) ||
                  isa<tensor::DimOp>(use.getOwner());
         });
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

OpFoldResult linalg_raising::createLoopExtent(OpBuilder &builder,
                                              linalg::LinalgOp op,
                                              unsigned loop) {
  AffineExpr wanted = getAffineDimExpr(loop, op.getContext());
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (expr == wanted)
        return operator_impl::createDim(builder, op.getLoc(), operand.get(),
                                        dim);
  llvm_unreachable("every loop has an extent");
}

/// The loops that the dimensions of `map`'s operand are indexed by, in order.
static SmallVector<unsigned> getLoops(AffineMap map) {
  SmallVector<unsigned> loops;
  for (AffineExpr expr : map.getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      loops.push_back(loop.getPosition());
  return loops;
}

/// The loops that reduce, in the order of the input that has most of them.
static SmallVector<unsigned> orderReductions(linalg::LinalgOp op,
                                             ArrayRef<AffineMap> maps) {
  SmallVector<unsigned> most;
  for (OpOperand *input : op.getDpsInputOperands()) {
    SmallVector<unsigned> read = getLoops(maps[input->getOperandNumber()]);
    llvm::erase_if(read, [&](unsigned loop) { return !isReduction(op, loop); });
    if (read.size() > most.size())
      most = read;
  }
  for (unsigned loop : llvm::seq(op.getNumLoops()))
    if (isReduction(op, loop) && !llvm::is_contained(most, loop))
      most.push_back(loop);
  return most;
}

/// The columns are what is reduced, or else the innermost dimension of the
/// result. Rows are in the order of the result, but for one along which the
/// elements of an input are neighbours, which comes last: threads that compute
/// successive rows then read neighbours.
static void orderLoops(RowwisePlan &plan, ArrayRef<AffineMap> maps) {
  linalg::LinalgOp op = plan.source;
  SmallVector<unsigned> rows =
      getLoops(maps[op.getDpsInitOperand(0)->getOperandNumber()]);
  SmallVector<unsigned> columns = orderReductions(op, maps);
  if (columns.empty())
    columns.push_back(rows.pop_back_val());
  for (OpOperand *input : op.getDpsInputOperands()) {
    SmallVector<unsigned> read = getLoops(maps[input->getOperandNumber()]);
    auto isColumn = [&](unsigned loop) {
      return llvm::is_contained(columns, loop);
    };
    if (llvm::none_of(read, isColumn) || isColumn(read.back()))
      continue;
    rows.erase(llvm::find(rows, read.back()));
    rows.push_back(read.back());
    break;
  }
  plan.loops = std::move(rows);
  llvm::append_range(plan.loops, columns);
  plan.columns = columns.size();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static void bindValue(RowwisePlan &plan, Value inBody, MappedValue operand) {
  MappedValue source = lookThroughCopies(operand);
  if (TypedAttr constant = getUniformConstant(source.value)) {
    plan.constants.emplace_back(inBody, constant);
    return;
  }
  if (isProjection(source.map, source.value) &&
      (!isa<ShapedType>(source.value.getType()) || isPlainShaped(source.value)))
    operand = source;
  plan.elements.emplace_back(inBody, plan.inputs.size());
  plan.inputs.push_back(operand);
}

/// Scalars of the code around the body.
static LogicalResult bindCaptures(RowwisePlan &plan,
                                  PatternRewriter &rewriter) {
  Block *body = plan.source.getBlock();
  llvm::SmallPtrSet<Value, 4> bound;
  for (Operation &nested : *body) {
    if (!plan.computation.contains(&nested) && &nested != body->getTerminator())
      continue;
    for (Value value : nested.getOperands()) {
      if (value.getParentBlock() == body || !bound.insert(value).second)
        continue;
      if (!RowwiseOp::isKernelType(value.getType()) &&
          !getUniformConstant(value))
        return rewriter.notifyMatchFailure(
            plan.source, "uses a value of another type from outside");
      bindValue(plan, value,
                {value, AffineMap::get(plan.source.getNumLoops(), 0,
                                       rewriter.getContext())});
    }
  }
  return success();
}

/// Whether `constant`, combined with other elements, changes nothing.
static bool isNeutral(TypedAttr constant, RowReduction kind) {
  if (constant == getNeutralElement(kind, constant.getType()))
    return true;
  auto number = dyn_cast<FloatAttr>(constant);
  return number && number.getValue().isNaN() &&
         (kind == RowReduction::MaxNumF || kind == RowReduction::MinNumF);
}

/// yield combine(acc, x)
static LogicalResult planReduction(RowwisePlan &plan, OpOperand &init,
                                   AffineMap map, unsigned index,
                                   PatternRewriter &rewriter) {
  linalg::LinalgOp op = plan.source;
  Value yielded = op.getBlock()->getTerminator()->getOperand(index);
  BlockArgument acc = op.getMatchingBlockArgument(&init);
  Operation *combiner = yielded.getDefiningOp();
  std::optional<RowReduction> kind;
  if (combiner && combiner->getBlock() == op.getBlock())
    kind = getReductionOf(combiner);
  if (!kind || !acc.hasOneUse() || !yielded.hasOneUse() ||
      !llvm::is_contained(combiner->getOperands(), acc))
    return rewriter.notifyMatchFailure(
        op, "does not combine its elements by one operation");
  MappedValue start = lookThroughCopies({init.get(), map});
  TypedAttr constant = getUniformConstant(start.value);
  bool combinesInit = !constant || !isNeutral(constant, *kind);
  if (combinesInit)
    bindValue(plan, acc, {init.get(), map});
  plan.reductions.push_back({*kind, combiner, combinesInit});
  return success();
}

/// Looking through broadcasts, no operand may be left that tells the extent of
/// a loop.
static bool tellAllExtents(const RowwisePlan &plan) {
  return llvm::all_of(plan.loops, [&](unsigned loop) {
    auto tells = [&](const MappedValue &operand) {
      return operand.map.isFunctionOfDim(loop);
    };
    return llvm::any_of(plan.inputs, tells) ||
           llvm::any_of(plan.outputs, tells);
  });
}

/// Binds what the operands of the operation are, in the body.
static LogicalResult bindOperands(RowwisePlan &plan, ArrayRef<AffineMap> maps,
                                  PatternRewriter &rewriter) {
  linalg::LinalgOp op = plan.source;
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input))
      bindValue(plan, op.getMatchingBlockArgument(input),
                {input->get(), maps[input->getOperandNumber()]});
  for (auto [index, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    AffineMap map = maps[init.getOperandNumber()];
    plan.outputs.push_back({init.get(), map});
    if (op.getNumReductionLoops()) {
      if (failed(planReduction(plan, init, map, index, rewriter)))
        return failure();
    } else if (op.payloadUsesValueFromOperand(&init)) {
      bindValue(plan, op.getMatchingBlockArgument(&init), {init.get(), map});
    }
  }
  if (failed(bindLookups(plan, maps, rewriter)))
    return failure();
  return bindCaptures(plan, rewriter);
}

FailureOr<RowwisePlan> linalg_raising::planRowwise(linalg::LinalgOp op,
                                                   PatternRewriter &rewriter) {
  if (!op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "is not on tensors");
  if (op.getNumLoops() == 0)
    return rewriter.notifyMatchFailure(op, "is on single elements");
  SmallVector<AffineMap> maps = simplifyMaps(op);
  if (StringRef obstacle = findObstacle(op, maps); !obstacle.empty())
    return rewriter.notifyMatchFailure(op, obstacle);
  if (isProductOfMatrices(op))
    return rewriter.notifyMatchFailure(op, "is a product of matrices");
  RowwisePlan plan;
  plan.source = op;
  if (StringRef obstacle = planBody(plan); !obstacle.empty())
    return rewriter.notifyMatchFailure(op, obstacle);
  if (isOnlyAnInit(op))
    return rewriter.notifyMatchFailure(op, "is where others start from");
  orderLoops(plan, maps);
  if (failed(bindOperands(plan, maps, rewriter)))
    return failure();
  if (!tellAllExtents(plan))
    return rewriter.notifyMatchFailure(op, "has a loop without an extent");
  SmallVector<MappedValue> shaped(plan.outputs);
  for (unsigned index : llvm::seq(plan.inputs.size())) {
    auto isOf = [&](const RowwisePlan::Slice &slice) {
      return slice.input == index;
    };
    if (llvm::none_of(plan.slices, isOf))
      shaped.push_back(plan.inputs[index]);
  }
  if (!haveConsistentStaticSizes(shaped))
    return rewriter.notifyMatchFailure(op, "has static sizes that disagree");
  return plan;
}

bool linalg_raising::canBeRowwise(linalg::LinalgOp op) {
  return explainNotRowwise(op).empty();
}

namespace {
/// Keeps the last reason.
struct ReasonListener : RewriterBase::Listener {
  void notifyMatchFailure(Location loc,
                          function_ref<void(Diagnostic &)> explain) override {
    Diagnostic diagnostic(loc, DiagnosticSeverity::Remark);
    explain(diagnostic);
    reason = diagnostic.str();
  }

  std::string reason;
};
} // namespace

std::string linalg_raising::explainNotRowwise(linalg::LinalgOp op) {
  ReasonListener listener;
  PatternRewriter rewriter(op.getContext());
  rewriter.setListener(&listener);
  return succeeded(planRowwise(op, rewriter)) ? "" : listener.reason;
}
