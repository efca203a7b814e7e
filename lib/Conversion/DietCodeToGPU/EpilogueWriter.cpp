//===- EpilogueWriter.cpp - Fused epilogue and guarded write-back ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueWriter.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::dietcode;

using Interface = ContractionOpInterface;

/// What sums and the indices of columns may take together. With more, columns
/// are written group by group, which joins fewer elements of a sector.
static constexpr size_t kMostRegisters = 128;

/// In the aligned twin whole groups are guarded, which the extent in n, a
/// multiple of the group, allows; in the general twin single elements.
///
/// Divisions are done once for all operands: those of a row where it begins, so
/// that no other row has its indices in registers, and those of columns in
/// front of all guards, since numbers beyond the extents have indices, too; or
/// the other way round.
void EpilogueWriter::write(ArrayRef<Value> sums, const ThreadTile &rows,
                           const ThreadTile &columns) {
  int64_t step = isVector(Interface::kOut, columns.group) ? columns.group : 1;
  auto hasIndices = [](const TiledDim &dim) {
    return dim.getDims().size() > 1;
  };
  auto countWords = [&](const TiledDim &dim, int64_t elements) {
    return hasIndices(dim) ? 2 * dim.getDims().size() * elements : 0;
  };
  size_t words = countWords(frame.n, columns.elements / step);
  bool byGroups = words > countWords(frame.m, rows.elements) &&
                  sums.size() + words > kMostRegisters;
  SmallVector<ProblemIndices> rowIndices(rows.elements);
  SmallVector<ProblemIndices> columnIndices(columns.elements);
  auto enterRow = [&](int64_t row) {
    if (hasIndices(frame.m) && rowIndices[row].empty())
      rowIndices[row] = frame.m.getIndices(b, getElement(b, rows, row));
  };
  auto enterColumns = [&](int64_t first, int64_t number) {
    for (int64_t i = first; hasIndices(frame.n) && i < first + number;
         i += step)
      columnIndices[i] = frame.n.getIndices(b, getElement(b, columns, i));
  };
  for (int64_t row = 0; byGroups && row < rows.elements; ++row)
    enterRow(row);
  auto writeAt = [&](ArrayRef<Value> group, int64_t row, int64_t column) {
    writeGroup(group, {getElement(b, rows, row), getElement(b, columns, column),
                       rowIndices[row], columnIndices[column]});
  };
  writeTile(b, sums, rows, columns, step,
            {byGroups, enterColumns, enterRow, writeAt});
}

/// Integers are signed.
Value EpilogueWriter::convert(Value value, Type type) {
  return convertScalarToDtype(b, b.getLoc(), value, type,
                              /*isUnsignedCast=*/false);
}

/// Initial contents are added in the type of the sums.
Value EpilogueWriter::addInitial(Value initial, Value sum) {
  initial = convert(initial, sum.getType());
  if (isa<FloatType>(sum.getType()))
    return arith::AddFOp::create(b, initial, sum);
  return arith::AddIOp::create(b, initial, sum);
}

void EpilogueWriter::writeGroup(ArrayRef<Value> sums,
                                const Position &position) {
  int64_t count = sums.size();
  SmallVector<Value> results(sums);
  if (op.getAccumulate()) {
    SmallVector<Value> initial = readOperand(Interface::kOut, position, count);
    for (auto [result, value] : llvm::zip_equal(results, initial))
      result = addInitial(value, result);
  }
  SmallVector<SmallVector<Value>> operands;
  for (unsigned operand : llvm::seq<unsigned>(Interface::kFirstEpilogueOperand,
                                              op->getNumOperands()))
    operands.push_back(readOperand(operand, position, count));
  for (auto [index, result] : llvm::enumerate(results)) {
    SmallVector<Value> elements;
    for (const SmallVector<Value> &operand : operands)
      elements.push_back(operand[index]);
    result = applyEpilogue(result, elements);
  }
  const MatrixView &out = frame.views[Interface::kOut];
  storeGroup(b, results, out.flat, getOffset(out, position));
}

/// The elements that an operand gives to `count` neighbours.
SmallVector<Value> EpilogueWriter::readOperand(unsigned operand,
                                               const Position &position,
                                               int64_t count) {
  const MatrixView &view = frame.views[operand];
  if (isVector(operand, count))
    return loadGroup(b, view.flat, getOffset(view, position), count);
  // What does not depend on the column is read once.
  bool varies = llvm::any_of(frame.n.getDims(), [&](unsigned dim) {
    return view.map.isFunctionOfDim(dim);
  });
  SmallVector<Value> elements;
  for (int64_t i : llvm::seq<int64_t>(0, varies ? count : 1))
    elements.push_back(
        memref::LoadOp::create(b, view.flat, getOffset(view, position, i)));
  elements.resize(count, elements.front());
  return elements;
}

bool EpilogueWriter::isVector(unsigned operand, int64_t count) {
  return twin == Twin::Aligned && count > 1 && isVectorized(op, operand);
}

/// Neighbours have successive numbers; their indices may be those of another
/// row of the operand.
Value EpilogueWriter::getOffset(const MatrixView &view,
                                const Position &position, int64_t neighbour) {
  auto offsetOf = [&](const TiledDim &dim, Value number,
                      const ProblemIndices &indices) {
    return view.isLinear(dim) ? view.getOffset(b, dim, number)
                              : view.getOffset(b, indices);
  };
  Value row = offsetOf(frame.m, position.row, position.rowIndices);
  Value number = math.add(position.column, neighbour);
  Value column = neighbour == 0
                     ? offsetOf(frame.n, number, position.columnIndices)
                     : view.getOffset(b, frame.n, number);
  return math.add(math.add(view.start, row), column);
}

Value EpilogueWriter::applyEpilogue(Value sum, ArrayRef<Value> operands) {
  if (!op.hasEpilogue())
    return convert(sum, getElementTypeOrSelf(op.getOutOperand()));
  Block &body = op.getEpilogue().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), convert(sum, body.getArgument(0).getType()));
  mapping.map(body.getArguments().drop_front(), operands);
  for (Operation &nested : body.without_terminator())
    b.clone(nested, mapping);
  return mapping.lookupOrDefault(
      cast<YieldOp>(body.getTerminator()).getValue());
}
