//===- DietCodeInterfaces.cpp - Interfaces of the dietcode dialect --------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::dietcode;

#include "dietcode/Dialect/DietCode/IR/DietCodeInterfaces.cpp.inc"

SmallVector<operator_impl::OperandDim>
operator_impl::getOccurrences(Operation *op, unsigned problemDim) {
  SmallVector<OperandDim> occurrences;
  auto problemOp = cast<ProblemOpInterface>(op);
  for (auto [operand, map] : llvm::enumerate(problemOp.getOperandMaps()))
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr == getAffineDimExpr(problemDim, op->getContext()))
        occurrences.push_back(
            {static_cast<unsigned>(operand), static_cast<unsigned>(dim)});
  return occurrences;
}

static int64_t getOperandDimSize(Operation *op,
                                 operator_impl::OperandDim occurrence) {
  auto type = cast<ShapedType>(op->getOperand(occurrence.operand).getType());
  return type.getDimSize(occurrence.dim);
}

SmallVector<int64_t> operator_impl::getStaticProblemShape(Operation *op) {
  auto problemOp = cast<ProblemOpInterface>(op);
  SmallVector<int64_t> shape;
  for (unsigned dim :
       llvm::seq<unsigned>(0, problemOp.getProblemDimNames().size())) {
    int64_t size = ShapedType::kDynamic;
    for (OperandDim occurrence : getOccurrences(op, dim))
      if (ShapedType::isDynamic(size))
        size = getOperandDimSize(op, occurrence);
    shape.push_back(size);
  }
  return shape;
}

OpFoldResult operator_impl::createDim(OpBuilder &builder, Location loc,
                                      Value value, int64_t dim) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  if (isa<BaseMemRefType>(type))
    return memref::DimOp::create(builder, loc, value, dim).getResult();
  return tensor::DimOp::create(builder, loc, value, dim).getResult();
}

OpFoldResult operator_impl::createExtent(OpBuilder &builder, Operation *op,
                                         unsigned problemDim) {
  int64_t size = getStaticProblemShape(op)[problemDim];
  if (!ShapedType::isDynamic(size))
    return builder.getIndexAttr(size);
  OperandDim first = getOccurrences(op, problemDim).front();
  return createDim(builder, op->getLoc(), op->getOperand(first.operand),
                   first.dim);
}

/// Each operand must have the rank of its map.
static LogicalResult verifyRanks(ProblemOpInterface op) {
  for (auto [operand, map] : llvm::enumerate(op.getOperandMaps())) {
    auto type = cast<ShapedType>(op->getOperand(operand).getType());
    if (type.getRank() != static_cast<int64_t>(map.getNumResults()))
      return op->emitOpError()
             << "operand '" << op.getOperandName(operand) << "' has rank "
             << type.getRank() << ", but its map " << AffineMapAttr::get(map)
             << " gives " << map.getNumResults() << " dimensions";
  }
  return success();
}

/// All static sizes of one problem dimension must agree.
static LogicalResult verifyStaticSizes(ProblemOpInterface op, unsigned dim,
                                       StringRef dimName) {
  std::optional<operator_impl::OperandDim> first;
  for (operator_impl::OperandDim occurrence : op.getOccurrences(dim)) {
    int64_t size = getOperandDimSize(op, occurrence);
    if (ShapedType::isDynamic(size))
      continue;
    if (!first) {
      first = occurrence;
      continue;
    }
    if (int64_t expected = getOperandDimSize(op, *first); size != expected)
      return op->emitOpError()
             << "sizes of dimension " << dimName << " differ: '"
             << op.getOperandName(first->operand) << "' has " << expected
             << " in dimension " << first->dim << ", but '"
             << op.getOperandName(occurrence.operand) << "' has " << size
             << " in dimension " << occurrence.dim;
  }
  return success();
}

SmallVector<int64_t>
operator_impl::getTiledShape(Operation *op, ArrayRef<int64_t> problemShape) {
  SmallVector<int64_t> shape;
  for (ArrayRef<unsigned> group :
       cast<OperatorOpInterface>(op).getTiledDimGroups()) {
    int64_t extent = 1;
    for (unsigned dim : group)
      extent *= problemShape[dim];
    shape.push_back(extent);
  }
  return shape;
}

SmallVector<int64_t>
operator_impl::getTiledShape(Operation *op,
                             const ::dietcode::ContractionShape &shape) {
  return llvm::map_to_vector(
      cast<OperatorOpInterface>(op).getTiledDimNames(),
      [&](StringRef name) { return *::dietcode::findExtent(shape, name); });
}

/// How often each element of an operand is read through its windows: k elements
/// for each step of a stride s are k / s. What is dynamic counts once.
static double getReuse(ArrayRef<int64_t> sizes, AffineMap map,
                       function_ref<bool(unsigned)> isReduced) {
  double reuse = 1;
  for (AffineExpr expr : map.getResults()) {
    double stride = 1, reads = 1;
    LinearAccess access = *matchLinearAccess(expr);
    for (auto [dim, coefficient] : access.terms) {
      if (!isReduced(dim))
        stride *= coefficient;
      else if (!ShapedType::isDynamic(sizes[dim]))
        reads *= sizes[dim];
    }
    if (!access.isDim())
      reuse *= std::max(1.0, reads / stride);
  }
  return reuse;
}

::dietcode::ContractionShape
operator_impl::getContractionShape(Operation *op,
                                   ArrayRef<int64_t> tiledShape) {
  ::dietcode::ContractionShape shape{1, 1, 1};
  for (auto [name, extent] : llvm::zip_equal(
           cast<OperatorOpInterface>(op).getTiledDimNames(), tiledShape))
    *::dietcode::findExtent(shape, name) = extent;
  auto contraction = dyn_cast<ContractionOpInterface>(op);
  if (!contraction)
    return shape;
  SmallVector<int64_t> sizes = contraction.getStaticProblemShape();
  SmallVector<AffineMap> maps = contraction.getOperandMaps();
  auto isReduced = [&](unsigned dim) {
    return !maps[ContractionOpInterface::kOut].isFunctionOfDim(dim);
  };
  shape.reuseA = getReuse(sizes, maps[ContractionOpInterface::kLhs], isReduced);
  shape.reuseB = getReuse(sizes, maps[ContractionOpInterface::kRhs], isReduced);
  return shape;
}

LogicalResult operator_impl::verifyProblemOpInterface(Operation *op) {
  auto problemOp = cast<ProblemOpInterface>(op);
  if (failed(verifyRanks(problemOp)))
    return failure();
  for (auto [dim, name] : llvm::enumerate(problemOp.getProblemDimNames()))
    if (failed(verifyStaticSizes(problemOp, dim, name)))
      return failure();
  return success();
}

bool operator_impl::isScalarArithmetic(Operation &op) {
  auto isShaped = [](Type type) { return isa<ShapedType>(type); };
  return isMemoryEffectFree(&op) && op.getNumRegions() == 0 &&
         llvm::none_of(op.getOperandTypes(), isShaped) &&
         llvm::none_of(op.getResultTypes(), isShaped);
}

LogicalResult
operator_impl::verifyDispatch(Operation *op,
                              SymbolTableCollection &symbolTable) {
  auto served = cast<OperatorOpInterface>(op);
  FlatSymbolRefAttr symbol = served.getDispatchAttr();
  if (!symbol)
    return success();
  auto table = symbolTable.lookupNearestSymbolFrom<DispatchOp>(op, symbol);
  if (!table)
    return op->emitOpError() << "there is no dietcode.dispatch " << symbol;
  SmallVector<StringRef> names = served.getTiledDimNames();
  for (StringRef dim : table.getDims().getAsValueRange<StringAttr>())
    if (!llvm::is_contained(names, dim))
      return op->emitOpError() << "has no dimension '" << dim << "', on which "
                               << symbol << " dispatches";
  return success();
}

SmallVector<OpFoldResult> operator_impl::reifyShape(OpBuilder &builder,
                                                    Location loc, Value value) {
  auto type = cast<ShapedType>(value.getType());
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : llvm::seq<int64_t>(0, type.getRank()))
    sizes.push_back(createDim(builder, loc, value, dim));
  return sizes;
}
