//===- EpilogueWriter.cpp - Fused epilogue and guarded write-back ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueWriter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::dietcode;

/// Offset of element `index` of a thread from its first one.
static int64_t getElementOffset(const ThreadTile &tile, int64_t index) {
  return index / tile.group * tile.group * tile.threads + index % tile.group;
}

void EpilogueWriter::write(ArrayRef<Value> sums, const ThreadTile &rows,
                           const ThreadTile &columns) {
  for (int64_t i : llvm::seq<int64_t>(0, rows.elements)) {
    Value row = math.add(rows.start, getElementOffset(rows, i));
    auto guarded = scf::IfOp::create(b, math.less(row, rows.size),
                                     /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(guarded.thenBlock());
    writeRow(sums.slice(i * columns.elements, columns.elements), row, columns);
  }
}

/// In the aligned twin whole groups are guarded, which the extent in n, a
/// multiple of the group, allows; in the general twin single elements.
void EpilogueWriter::writeRow(ArrayRef<Value> sums, Value row,
                              const ThreadTile &columns) {
  int64_t step = isVector(MatmulOp::kOut, columns.group) ? columns.group : 1;
  for (int64_t j = 0; j < columns.elements; j += step) {
    Value column = math.add(columns.start, getElementOffset(columns, j));
    auto guarded = scf::IfOp::create(b, math.less(column, columns.size),
                                     /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(guarded.thenBlock());
    writeGroup(sums.slice(j, step), row, column);
  }
}

void EpilogueWriter::writeGroup(ArrayRef<Value> sums, Value row, Value column) {
  int64_t count = sums.size();
  SmallVector<Value> results(sums);
  if (op.getAccumulate()) {
    SmallVector<Value> initial =
        readOperand(MatmulOp::kOut, row, column, count);
    for (auto [result, value] : llvm::zip_equal(results, initial))
      result = arith::AddFOp::create(b, value, result);
  }
  SmallVector<SmallVector<Value>> operands;
  for (unsigned operand : llvm::seq<unsigned>(MatmulOp::kFirstEpilogueOperand,
                                              op->getNumOperands()))
    operands.push_back(readOperand(operand, row, column, count));
  for (auto [index, result] : llvm::enumerate(results)) {
    SmallVector<Value> elements;
    for (const SmallVector<Value> &operand : operands)
      elements.push_back(operand[index]);
    result = applyEpilogue(result, elements);
  }
  const MatrixView &out = views[MatmulOp::kOut];
  Value offset = getOffset(out, row, column);
  if (count == 1) {
    memref::StoreOp::create(b, results.front(), out.flat, offset);
    return;
  }
  auto type = VectorType::get({count}, out.type.getElementType());
  vector::StoreOp::create(b, vector::FromElementsOp::create(b, type, results),
                          out.flat, offset, /*nontemporal=*/false,
                          llvm::MaybeAlign(4 * count));
}

/// The elements that an operand gives to columns `column` to `column + count`.
SmallVector<Value> EpilogueWriter::readOperand(unsigned operand, Value row,
                                               Value column, int64_t count) {
  const MatrixView &view = views[operand];
  if (isVector(operand, count)) {
    auto type = VectorType::get({count}, view.type.getElementType());
    Value loaded = vector::LoadOp::create(
        b, type, view.flat, getOffset(view, row, column),
        /*nontemporal=*/false, llvm::MaybeAlign(4 * count));
    SmallVector<Value> elements;
    for (int64_t i : llvm::seq<int64_t>(0, count))
      elements.push_back(vector::ExtractOp::create(b, loaded, i));
    return elements;
  }
  // What does not depend on the column is read once.
  bool varies = view.map.isFunctionOfDim(MatmulOp::N);
  SmallVector<Value> elements;
  for (int64_t i : llvm::seq<int64_t>(0, varies ? count : 1))
    elements.push_back(memref::LoadOp::create(
        b, view.flat, getOffset(view, row, math.add(column, i))));
  elements.resize(count, elements.front());
  return elements;
}

bool EpilogueWriter::isVector(unsigned operand, int64_t count) {
  return twin == Twin::Aligned && count > 1 && isVectorized(op, operand);
}

Value EpilogueWriter::getOffset(const MatrixView &view, Value row,
                                Value column) {
  return math.add(math.mul(row, math.of(view.getStride(MatmulOp::M))),
                  math.mul(column, math.of(view.getStride(MatmulOp::N))));
}

Value EpilogueWriter::applyEpilogue(Value sum, ArrayRef<Value> operands) {
  if (!op.hasEpilogue())
    return sum;
  Block &body = op.getEpilogue().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), sum);
  mapping.map(body.getArguments().drop_front(), operands);
  for (Operation &nested : body.without_terminator())
    b.clone(nested, mapping);
  return mapping.lookupOrDefault(
      cast<YieldOp>(body.getTerminator()).getValue());
}
