//===- RowwiseSpace.cpp - The iteration space of a fused operator ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowwiseSpace.h"
#include "dietcode/Dialect/DietCode/Transforms/ShapeAnalysis.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::dietcode;

/// No dimension.
static constexpr unsigned kNone = ~0u;

AffineMap RowwiseSpace::embed(AffineMap map, ArrayRef<unsigned> dims,
                              ArrayRef<unsigned> inputs) const {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      expr = getAffineDimExpr(dims[dim.getPosition()], map.getContext());
    results.push_back(expr);
  }
  return RowwiseOp::renumberInputs(
      AffineMap::get(numDims, map.getNumSymbols(), results, map.getContext()),
      inputs);
}

/// Whether it matters which dimensions of `op` are columns.
static bool needsItsColumns(RowwiseOp op) {
  auto outputs =
      llvm::seq<unsigned>(op.getInputs().size(), op->getNumOperands());
  return !op.getBody().getOps<ReduceRowOp>().empty() ||
         llvm::any_of(outputs, [&](unsigned operand) {
           return !op.variesWithColumn(operand);
         });
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// Where the size of a dimension comes from: a dimension of a value, or, with
/// kNone, an index.
using Origin = std::pair<Value, unsigned>;

static Origin findOrigin(Value value, unsigned dim) {
  while (Operation *definition = value.getDefiningOp()) {
    if (auto cast = dyn_cast<tensor::CastOp>(definition)) {
      if (!isa<RankedTensorType>(cast.getSource().getType()))
        break;
      value = cast.getSource();
      continue;
    }
    if (auto empty = dyn_cast<tensor::EmptyOp>(definition)) {
      auto type = cast<ShapedType>(value.getType());
      if (!type.isDynamicDim(dim))
        break;
      Value size = empty.getDynamicSizes()[type.getDynamicDimIndex(dim)];
      auto read = size.getDefiningOp<tensor::DimOp>();
      std::optional<int64_t> constant =
          read ? read.getConstantIndex() : std::nullopt;
      if (!constant)
        return {size, kNone};
      value = read.getSource();
      dim = *constant;
      continue;
    }
    auto destination = dyn_cast<DestinationStyleOpInterface>(definition);
    if (!destination)
      break;
    value = destination.getTiedOpOperand(cast<OpResult>(value))->get();
  }
  return {value, dim};
}

static SmallVector<Origin> findOrigins(RowwiseOp op, unsigned dim) {
  SmallVector<Origin> origins;
  for (auto occurrence :
       cast<ProblemOpInterface>(op.getOperation()).getOccurrences(dim))
    origins.push_back(
        findOrigin(op->getOperand(occurrence.operand), occurrence.dim));
  return origins;
}

/// Whether dimensions of two operators have provably the same extent.
static bool haveEqualExtents(RowwiseOp lhs, unsigned lhsDim, RowwiseOp rhs,
                             unsigned rhsDim) {
  auto lhsProblem = cast<ProblemOpInterface>(lhs.getOperation());
  auto rhsProblem = cast<ProblemOpInterface>(rhs.getOperation());
  int64_t lhsSize = lhsProblem.getStaticProblemShape()[lhsDim];
  int64_t rhsSize = rhsProblem.getStaticProblemShape()[rhsDim];
  if (!ShapedType::isDynamic(lhsSize) && lhsSize == rhsSize)
    return true;
  SmallVector<Origin> origins = findOrigins(rhs, rhsDim);
  if (llvm::any_of(findOrigins(lhs, lhsDim), [&](Origin origin) {
        return llvm::is_contained(origins, origin);
      }))
    return true;
  auto function = lhs->getParentOfType<FunctionOpInterface>();
  if (!function)
    return false;
  ShapeAnalysis analysis(function);
  AffineExpr lhsExpr = analysis.getProblemShape(lhsProblem)[lhsDim];
  AffineExpr rhsExpr = analysis.getProblemShape(rhsProblem)[rhsDim];
  return lhsExpr && lhsExpr == rhsExpr;
}

//===----------------------------------------------------------------------===//
// Spaces
//===----------------------------------------------------------------------===//

/// The dimension of the consumer that each one of the producer is read by;
/// fails if they are not the same for all elements that are read, or if an
/// index is read.
static FailureOr<SmallVector<unsigned>> matchDims(RowwiseOp producer,
                                                  RowwiseOp consumer) {
  SmallVector<unsigned> toConsumer(producer.getNumDims(), kNone);
  SmallVector<unsigned> toProducer(consumer.getNumDims(), kNone);
  SmallVector<AffineMap> written = producer.getOperandMaps();
  SmallVector<AffineMap> read = consumer.getOperandMaps();
  for (auto [index, input] : llvm::enumerate(consumer.getInputs())) {
    if (input.getDefiningOp() != producer)
      continue;
    if (consumer.isIndex(index) || !consumer.getLookups(index).empty())
      return failure();
    unsigned output =
        producer.getInputs().size() + cast<OpResult>(input).getResultNumber();
    for (unsigned dim : llvm::seq(read[index].getNumResults())) {
      unsigned from = written[output].getDimPosition(dim);
      unsigned to = read[index].getDimPosition(dim);
      if ((toConsumer[from] != kNone && toConsumer[from] != to) ||
          (toProducer[to] != kNone && toProducer[to] != from))
        return failure();
      toConsumer[from] = to;
      toProducer[to] = from;
    }
  }
  return toConsumer;
}

/// Where the consumer reads nothing that varies with the producer's columns,
/// they are those dimensions of the consumer that are none of its rows, if
/// there are as many; in order, so that equal ones meet.
static LogicalResult matchColumns(RowwiseOp producer, RowwiseOp consumer,
                                  SmallVectorImpl<unsigned> &dims) {
  for (unsigned column : producer.getColumnDims()) {
    auto candidates = llvm::seq(consumer.getNumDims());
    auto match = llvm::find_if(candidates, [&](unsigned dim) {
      return !llvm::is_contained(dims, dim) &&
             haveEqualExtents(producer, column, consumer, dim);
    });
    if (match == candidates.end())
      return failure();
    dims[column] = *match;
  }
  return success();
}

static RowwiseSpace getSpaceOf(RowwiseOp op) {
  RowwiseSpace space;
  space.numDims = op.getNumDims();
  space.columns = op.getColumns();
  space.ofProducer = space.ofConsumer =
      llvm::to_vector(llvm::seq(space.numDims));
  return space;
}

/// The consumer has all of the producer's dimensions, which are `dims` in it.
static FailureOr<RowwiseSpace> embedProducer(RowwiseOp producer,
                                             RowwiseOp consumer,
                                             SmallVector<unsigned> dims,
                                             PatternRewriter &rewriter) {
  RowwiseSpace space = getSpaceOf(consumer);
  if (needsItsColumns(producer)) {
    if (dims.size() != consumer.getNumDims())
      return rewriter.notifyMatchFailure(
          consumer, "would repeat the producer's reductions");
    if (dims.back() == kNone && failed(matchColumns(producer, consumer, dims)))
      return rewriter.notifyMatchFailure(
          consumer, "is not known to have as many columns as the producer");
    auto columns = ArrayRef(dims).drop_front(producer.getNumRowDims());
    bool haveSameColumns =
        producer.getColumns() == consumer.getColumns() &&
        llvm::all_of(columns, [&](unsigned dim) {
          return llvm::is_contained(consumer.getColumnDims(), dim);
        });
    if (!haveSameColumns && needsItsColumns(consumer))
      return rewriter.notifyMatchFailure(consumer,
                                         "has other columns than the producer");
    if (!haveSameColumns) {
      space = getSpaceOf(producer);
      for (auto [dim, ofConsumer] : llvm::enumerate(dims))
        space.ofConsumer[ofConsumer] = dim;
      return space;
    }
  }
  space.ofProducer = std::move(dims);
  return space;
}

/// The producer's space: the consumer computes on what is uniform in its rows.
static FailureOr<RowwiseSpace> embedConsumer(RowwiseOp producer,
                                             RowwiseOp consumer,
                                             ArrayRef<unsigned> dims,
                                             PatternRewriter &rewriter) {
  if (needsItsColumns(consumer))
    return rewriter.notifyMatchFailure(consumer, "has columns of its own");
  if (dims.back() != kNone || producer.getNumRowDims() != consumer.getNumDims())
    return rewriter.notifyMatchFailure(
        consumer, "does not have the rows of the producer as dimensions");
  RowwiseSpace space = getSpaceOf(producer);
  space.ofConsumer.resize(consumer.getNumDims());
  for (unsigned row : producer.getRowDims())
    space.ofConsumer[dims[row]] = row;
  return space;
}

FailureOr<RowwiseSpace>
mlir::dietcode::findCommonSpace(RowwiseOp producer, RowwiseOp consumer,
                                PatternRewriter &rewriter) {
  FailureOr<SmallVector<unsigned>> dims = matchDims(producer, consumer);
  if (failed(dims))
    return rewriter.notifyMatchFailure(
        consumer, "reads the producer at several elements, or looks up");
  FailureOr<RowwiseSpace> space =
      embedProducer(producer, consumer, *dims, rewriter);
  if (succeeded(space))
    return space;
  return embedConsumer(producer, consumer, *dims, rewriter);
}
