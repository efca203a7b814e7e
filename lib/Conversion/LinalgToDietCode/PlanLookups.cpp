//===- PlanLookups.cpp - What the body of a linalg operation looks up -----===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body may read elements of a tensor that is no operand, as importers have
// the embeddings of tokens:
//
//   %i = arith.index_cast %id : i64 to index
//   %c = linalg.index 2
//   cf.assert ...                                      that %i is in the table
//   %e = tensor.extract %table[%i, %c]
//
// The table becomes an input that is read through (b, t, c)[id] -> (id, c).
//
//===----------------------------------------------------------------------===//

#include "RowwisePlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::dietcode;
using namespace mlir::dietcode::linalg_raising;

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

/// Collects what computes `value`, down to elements.
static void collectComputation(RowwisePlan &plan, Value value) {
  Operation *definition = value.getDefiningOp();
  if (!definition || definition->getBlock() != plan.source.getBlock())
    return;
  if (auto extract = dyn_cast<tensor::ExtractOp>(definition)) {
    if (!llvm::is_contained(plan.lookups, extract))
      plan.lookups.push_back(extract);
    return;
  }
  if (!plan.computation.insert(definition).second)
    return;
  for (Value operand : definition->getOperands())
    collectComputation(plan, operand);
}

static bool isKernelArithmetic(Operation &op) {
  return operator_impl::isScalarArithmetic(op) && !isa<linalg::IndexOp>(op) &&
         llvm::all_of(op.getResultTypes(), [](Type type) {
           return type.isIndex() || RowwiseOp::isKernelType(type);
         });
}

StringRef linalg_raising::planBody(RowwisePlan &plan) {
  Block *body = plan.source.getBlock();
  for (Value value : body->getTerminator()->getOperands())
    collectComputation(plan, value);
  bool isScalar =
      llvm::all_of(body->without_terminator(), [&](Operation &nested) {
        return plan.computation.contains(&nested)
                   ? isKernelArithmetic(nested)
                   : isMemoryEffectFree(&nested) || isa<cf::AssertOp>(nested);
      });
  return isScalar ? "" : "has more than arithmetic on scalars in its body";
}

//===----------------------------------------------------------------------===//
// Lookups
//===----------------------------------------------------------------------===//

/// What an integer or index was made from without a change of its value.
static Value skipCasts(Value value) {
  while (Operation *definition = value.getDefiningOp()) {
    if (!isa<arith::IndexCastOp, arith::ExtSIOp>(definition))
      break;
    value = definition->getOperand(0);
  }
  return value;
}

static std::optional<int64_t> getConstant(const RowwisePlan &plan,
                                          Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  for (auto [known, attr] : plan.constants)
    if (auto integer = dyn_cast<IntegerAttr>(attr); known == value && integer)
      return integer.getValue().getSExtValue();
  return std::nullopt;
}

/// Whether two extents, or an extent and a number, are provably equal.
static bool areEqual(const ValueBoundsConstraintSet::Variable &a,
                     const ValueBoundsConstraintSet::Variable &b) {
  FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(a, b);
  return succeeded(equal) && *equal;
}

/// Whether dimension `dim` of `table` is provably as long as `loop`.
static bool isAsLong(linalg::LinalgOp op, ArrayRef<AffineMap> maps, Value table,
                     unsigned dim, AffineExpr loop) {
  for (OpOperand &operand : op->getOpOperands())
    for (auto [of, expr] :
         llvm::enumerate(maps[operand.getOperandNumber()].getResults()))
      if (expr == loop &&
          areEqual({operand.get(), static_cast<int64_t>(of)}, {table, dim}))
        return true;
  return false;
}

/// The loop at whose index dimension `dim` of `table` is read where a dimension
/// of one element is written as a broadcast that is decided at run time, as
/// torch-mlir does: `select(extent == 1, 0, index)`. With an extent of one, the
/// only index of a loop of as many iterations is zero anyway.
static linalg::IndexOp lookThroughBroadcast(linalg::LinalgOp op,
                                            ArrayRef<AffineMap> maps,
                                            Value table, unsigned dim,
                                            Value index) {
  auto select = index.getDefiningOp<arith::SelectOp>();
  if (!select || !matchPattern(select.getTrueValue(), m_Zero()))
    return nullptr;
  auto loop =
      skipCasts(select.getFalseValue()).getDefiningOp<linalg::IndexOp>();
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!loop || !compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(compare.getRhs(), m_One()) ||
      !areEqual(skipCasts(compare.getLhs()), {table, dim}))
    return nullptr;
  AffineExpr expr = getAffineDimExpr(loop.getDim(), op.getContext());
  return isAsLong(op, maps, table, dim, expr) ? loop : nullptr;
}

namespace {

/// Works out how one element is looked up.
class LookupPlanner {
public:
  LookupPlanner(RowwisePlan &plan, ArrayRef<AffineMap> maps,
                tensor::ExtractOp extract)
      : plan(plan), maps(maps), extract(extract), table(extract.getTensor()),
        type(extract.getTensor().getType()) {}

  /// Returns what stands against it; empty if nothing.
  StringRef run();

private:
  StringRef addIndex(unsigned dim, Value index);
  StringRef addConstant(unsigned dim, int64_t index);
  StringRef addLoop(unsigned dim, unsigned loop);

  RowwisePlan &plan;
  ArrayRef<AffineMap> maps;
  tensor::ExtractOp extract;
  Value table;
  RankedTensorType type;
  SmallVector<AffineExpr> exprs;
  unsigned numSymbols = 0;
  RowwisePlan::Slice slice;
};

} // namespace

StringRef LookupPlanner::addConstant(unsigned dim, int64_t index) {
  if (type.isDynamicDim(dim) || index < 0 || index >= type.getDimSize(dim))
    return "looks up at a constant that may be outside of the table";
  exprs.push_back(getAffineConstantExpr(0, type.getContext()));
  slice.offsets[dim] = index;
  slice.isCut[dim] = type.getDimSize(dim) != 1;
  return "";
}

StringRef LookupPlanner::addLoop(unsigned dim, unsigned loop) {
  AffineExpr expr = getAffineDimExpr(loop, type.getContext());
  // One of a single iteration is in no map any more.
  if (llvm::none_of(maps,
                    [&](AffineMap map) { return map.isFunctionOfDim(loop); }))
    return addConstant(dim, 0);
  if (llvm::is_contained(exprs, expr))
    return "looks up along a diagonal";
  exprs.push_back(expr);
  slice.isCut[dim] = !isAsLong(plan.source, maps, table, dim, expr);
  int64_t extent = plan.source.getStaticLoopRanges()[loop];
  if (!type.isDynamicDim(dim) && !ShapedType::isDynamic(extent) &&
      extent > type.getDimSize(dim))
    return "looks up outside of the table";
  return "";
}

StringRef LookupPlanner::addIndex(unsigned dim, Value index) {
  Value source = skipCasts(index);
  if (std::optional<int64_t> constant = getConstant(plan, source))
    return addConstant(dim, *constant);
  auto loop = source.getDefiningOp<linalg::IndexOp>();
  if (!loop)
    loop = lookThroughBroadcast(plan.source, maps, table, dim, source);
  if (loop)
    return addLoop(dim, loop.getDim());
  for (auto [value, input] : plan.elements)
    if (value == source && source.getType().isInteger()) {
      exprs.push_back(getAffineSymbolExpr(input, type.getContext()));
      numSymbols = std::max(numSymbols, input + 1);
      return "";
    }
  return "looks up at an index that it computes";
}

StringRef LookupPlanner::run() {
  if (!isPlainShaped(table) || !RowwiseOp::isKernelType(type.getElementType()))
    return "looks up elements of a type that kernels do not compute with";
  slice.offsets.resize(type.getRank());
  slice.isCut.resize(type.getRank());
  for (auto [dim, index] : llvm::enumerate(extract.getIndices()))
    if (StringRef obstacle = addIndex(dim, index); !obstacle.empty())
      return obstacle;
  slice.input = plan.inputs.size();
  plan.elements.emplace_back(extract.getResult(), slice.input);
  plan.inputs.push_back(
      {table, AffineMap::get(plan.source.getNumLoops(), numSymbols, exprs,
                             type.getContext())});
  if (slice.isCut.any())
    plan.slices.push_back(std::move(slice));
  return "";
}

LogicalResult linalg_raising::bindLookups(RowwisePlan &plan,
                                          ArrayRef<AffineMap> maps,
                                          PatternRewriter &rewriter) {
  for (tensor::ExtractOp extract : plan.lookups)
    if (StringRef obstacle = LookupPlanner(plan, maps, extract).run();
        !obstacle.empty())
      return rewriter.notifyMatchFailure(plan.source, obstacle);
  return success();
}
