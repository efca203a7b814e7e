//===- DietCodeRowwise.cpp - The rowwise operator -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::dietcode;

//===----------------------------------------------------------------------===//
// ProblemOpInterface
//===----------------------------------------------------------------------===//

SmallVector<StringRef> RowwiseOp::getProblemDimNames() {
  SmallVector<StringRef> names;
  // The context owns the names.
  for (unsigned dim : llvm::seq(getNumDims()))
    names.push_back(StringAttr::get(getContext(), "d" + Twine(dim)).getValue());
  return names;
}

SmallVector<AffineMap> RowwiseOp::getOperandMaps() {
  return SmallVector<AffineMap>(getMaps().getAsValueRange<AffineMapAttr>());
}

std::string RowwiseOp::getOperandName(unsigned operand) {
  unsigned inputs = getInputs().size();
  return operand < inputs ? "input " + std::to_string(operand)
                          : "output " + std::to_string(operand - inputs);
}

void RowwiseOp::build(OpBuilder &builder, OperationState &state,
                      ValueRange inputs, ValueRange outputs, unsigned columns,
                      ArrayRef<AffineMap> maps) {
  SmallVector<Type> results;
  for (Value output : outputs)
    if (isa<RankedTensorType>(output.getType()))
      results.push_back(output.getType());
  build(builder, state, results, inputs, outputs, columns,
        builder.getAffineMapArrayAttr(maps), /*dispatch=*/FlatSymbolRefAttr());
}

bool RowwiseOp::variesWithColumn(unsigned operand) {
  AffineMap map = getOperandMaps()[operand];
  auto isIn = [&](unsigned column) { return map.isFunctionOfDim(column); };
  auto varies = [&](Lookup lookup) { return variesWithColumn(lookup.index); };
  return llvm::any_of(getColumnDims(), isIn) ||
         llvm::any_of(getLookups(operand), varies);
}

SmallVector<Lookup> RowwiseOp::getLookups(unsigned operand) {
  SmallVector<Lookup> lookups;
  for (auto [dim, expr] :
       llvm::enumerate(getOperandMaps()[operand].getResults()))
    if (auto index = dyn_cast<AffineSymbolExpr>(expr))
      lookups.push_back({static_cast<unsigned>(dim), index.getPosition()});
  return lookups;
}

bool RowwiseOp::isIndex(unsigned input) {
  return llvm::any_of(
      llvm::seq<unsigned>(0, getInputs().size()), [&](unsigned other) {
        return llvm::any_of(getLookups(other),
                            [&](Lookup of) { return of.index == input; });
      });
}

AffineMap RowwiseOp::renumberInputs(AffineMap map, ArrayRef<unsigned> inputs) {
  unsigned numSymbols = 0;
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    if (auto index = dyn_cast<AffineSymbolExpr>(expr)) {
      unsigned input = inputs[index.getPosition()];
      expr = getAffineSymbolExpr(input, map.getContext());
      numSymbols = std::max(numSymbols, input + 1);
    }
    results.push_back(expr);
  }
  return AffineMap::get(map.getNumDims(), numSymbols, results,
                        map.getContext());
}

bool RowwiseOp::isKernelType(Type type) {
  return type.isF16() || type.isF32() || type.isF64() ||
         type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
         type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

YieldOp RowwiseOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

DenseSet<Value> RowwiseOp::getUniformValues() {
  DenseSet<Value> uniform;
  Block &body = getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (!variesWithColumn(argument.getArgNumber()))
      uniform.insert(argument);
  for (Operation &op : body) {
    bool isUniform = isa<ReduceRowOp>(op) ||
                     llvm::all_of(op.getOperands(), [&](Value value) {
                       return uniform.contains(value);
                     });
    if (isUniform)
      uniform.insert(op.result_begin(), op.result_end());
  }
  return uniform;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static LogicalResult verifyTypes(RowwiseOp op) {
  if (op.getOutputs().empty())
    return op.emitOpError("must have an output");
  bool buffers = isa<BaseMemRefType>(op.getOutputs().front().getType());
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    if (isa<BaseMemRefType>(operand.getType()) != buffers)
      return op.emitOpError()
             << "operands must be all tensors or all buffers, but '"
             << op.getOperandName(index) << "' is " << operand.getType();
    Type element = getElementTypeOrSelf(operand);
    if (!isa<FloatType>(element) && !element.isSignlessInteger())
      return op.emitOpError()
             << "elements must be floats or signless integers, but '"
             << op.getOperandName(index) << "' has " << element;
  }
  TypeRange expected =
      buffers ? TypeRange() : TypeRange(op.getOutputs().getTypes());
  if (op.getResultTypes() != expected)
    return op.emitOpError()
           << "on " << (buffers ? "buffers" : "tensors") << " must have "
           << (buffers ? "no results" : "the types of its outputs as results")
           << ", got " << op.getResultTypes();
  return success();
}

/// Every row must be written, and either one element of it or all of them.
static LogicalResult verifyWrites(RowwiseOp op) {
  for (auto [index, map] : llvm::enumerate(op.getOperandMaps())) {
    if (index < op.getInputs().size())
      continue;
    bool hasColumns = op.variesWithColumn(index);
    for (unsigned dim : llvm::seq(op.getNumDims())) {
      if (map.isFunctionOfDim(dim))
        continue;
      bool isColumn = llvm::is_contained(op.getColumnDims(), dim);
      if (isColumn && !hasColumns)
        continue;
      return op.emitOpError()
             << (isColumn ? "columns" : "rows")
             << " would overwrite each other: the map "
             << AffineMapAttr::get(map) << " of '" << op.getOperandName(index)
             << "' lacks " << (isColumn ? "column" : "row") << " dimension d"
             << dim;
    }
  }
  return success();
}

/// What is looked up is an input, at integers that are not looked up.
static LogicalResult verifyLookups(RowwiseOp op) {
  unsigned numInputs = op.getInputs().size();
  for (unsigned operand : llvm::seq(op->getNumOperands()))
    for (Lookup lookup : op.getLookups(operand)) {
      auto error = [&]() {
        return op.emitOpError()
               << "dimension " << lookup.dim << " of '"
               << op.getOperandName(operand) << "' is indexed by s"
               << lookup.index << ", but ";
      };
      if (operand >= numInputs)
        return error() << "outputs cannot be looked up";
      if (lookup.index >= numInputs)
        return error() << "there are only " << numInputs << " inputs";
      Type type = getElementTypeOrSelf(op.getInputs()[lookup.index]);
      if (!type.isInteger())
        return error() << "the elements of '" << op.getOperandName(lookup.index)
                       << "' are " << type << " and no integers";
      if (!op.getLookups(lookup.index).empty())
        return error() << "'" << op.getOperandName(lookup.index)
                       << "' is looked up itself; do that in another operator";
    }
  return success();
}

/// Whether each result is a dimension, none twice, or a symbol.
static bool isProjectionOrLookup(AffineMap map) {
  llvm::SmallBitVector seen(map.getNumDims());
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return isa<AffineSymbolExpr>(expr);
    bool isNew = !seen[dim.getPosition()];
    seen.set(dim.getPosition());
    return isNew;
  });
}

static LogicalResult verifyMaps(RowwiseOp op) {
  if (op.getMaps().size() != op->getNumOperands())
    return op.emitOpError() << "has " << op.getMaps().size() << " maps for "
                            << op->getNumOperands() << " operands";
  SmallVector<AffineMap> maps = op.getOperandMaps();
  unsigned dims = op.getNumDims();
  if (dims < op.getColumns())
    return op.emitOpError()
           << "must have " << op.getColumns()
           << " column dimensions, got maps of " << dims << " dimensions";
  for (auto [index, map] : llvm::enumerate(maps))
    if (map.getNumDims() != dims)
      return op.emitOpError()
             << "maps must be of the same dimensions, but that of '"
             << op.getOperandName(index) << "' is " << AffineMapAttr::get(map)
             << " and the first one has " << dims << " dimensions";
  for (auto [index, map] : llvm::enumerate(maps))
    if (!isProjectionOrLookup(map))
      return op.emitOpError()
             << "map " << AffineMapAttr::get(map) << " of operand '"
             << op.getOperandName(index)
             << "' must be a projected permutation, but for symbols";
  if (failed(verifyLookups(op)))
    return failure();
  for (unsigned dim : llvm::seq(dims))
    if (llvm::none_of(maps,
                      [&](AffineMap map) { return map.isFunctionOfDim(dim); }))
      return op.emitOpError() << "dimension d" << dim
                              << " has no extent: it is in no operand's map";
  return verifyWrites(op);
}

/// Within a row, elements of an input are read after those of an output before
/// them have been written.
static LogicalResult verifyAliases(RowwiseOp op) {
  if (!op.hasPureBufferSemantics())
    return success();
  SmallVector<AffineMap> maps = op.getOperandMaps();
  for (unsigned output = op.getInputs().size(); output < maps.size(); ++output)
    for (unsigned other : llvm::seq(output)) {
      if (op->getOperand(other) != op->getOperand(output))
        continue;
      if (other >= op.getInputs().size())
        return op.emitOpError()
               << "'" << op.getOperandName(other) << "' and '"
               << op.getOperandName(output) << "' must not be the same buffer";
      if (maps[other] != maps[output] || !op.variesWithColumn(output))
        return op.emitOpError()
               << "'" << op.getOperandName(output) << "' may be the buffer of '"
               << op.getOperandName(other)
               << "' only where both have one map with the columns in it, got "
               << AffineMapAttr::get(maps[output]) << " and "
               << AffineMapAttr::get(maps[other]);
    }
  return success();
}

LogicalResult RowwiseOp::verify() {
  if (failed(verifyTypes(*this)) || failed(verifyMaps(*this)))
    return failure();
  return verifyAliases(*this);
}

static LogicalResult verifyBody(RowwiseOp op) {
  Block &body = op.getBody().front();
  SmallVector<Type> expected = llvm::map_to_vector(
      op.getInputs(), [](Value input) { return getElementTypeOrSelf(input); });
  if (body.getArgumentTypes() != TypeRange(expected))
    return op.emitOpError()
           << "region must have the elements of the inputs as arguments, "
           << TypeRange(expected) << ", got " << body.getArgumentTypes();
  for (Operation &nested : body.without_terminator())
    if (!isa<ReduceRowOp>(nested) && !operator_impl::isScalarArithmetic(nested))
      return nested.emitOpError(
          "must be scalar arithmetic without side effects or "
          "dietcode.reduce_row in a dietcode.rowwise");
  return success();
}

LogicalResult RowwiseOp::verifyRegions() {
  if (failed(verifyBody(*this)))
    return failure();
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  SmallVector<Type> expected = llvm::map_to_vector(
      getOutputs(), [](Value output) { return getElementTypeOrSelf(output); });
  if (!yield || yield.getOperandTypes() != TypeRange(expected))
    return emitOpError() << "region must end in a dietcode.yield of the "
                            "elements of the outputs, "
                         << TypeRange(expected);
  DenseSet<Value> uniform = getUniformValues();
  for (auto [index, value] : llvm::enumerate(yield.getValues())) {
    unsigned operand = getInputs().size() + index;
    if (!variesWithColumn(operand) && !uniform.contains(value))
      return emitOpError() << "'" << getOperandName(operand)
                           << "' has one element for each row, but is given a "
                              "value that varies with the column; reduce it";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Effects and shapes
//===----------------------------------------------------------------------===//

void RowwiseOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!hasPureBufferSemantics())
    return;
  for (OpOperand &input : getInputsMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (OpOperand &output : getOutputsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &output);
}

LogicalResult
RowwiseOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &reifiedReturnShapes) {
  for (Value output : getOutputs())
    reifiedReturnShapes.push_back(
        operator_impl::reifyShape(builder, getLoc(), output));
  return success();
}
