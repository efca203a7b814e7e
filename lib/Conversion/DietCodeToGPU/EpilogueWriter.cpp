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

using namespace mlir;
using namespace mlir::dietcode;

/// In the aligned twin whole groups are guarded, which the extent in n, a
/// multiple of the group, allows; in the general twin single elements.
void EpilogueWriter::write(ArrayRef<Value> sums, const ThreadTile &rows,
                           const ThreadTile &columns) {
  int64_t step = isVector(MatmulOp::kOut, columns.group) ? columns.group : 1;
  writeTile(b, sums, rows, columns, step,
            [&](ArrayRef<Value> group, Value row, Value column) {
              writeGroup(group, row, column);
            });
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

void EpilogueWriter::writeGroup(ArrayRef<Value> sums, Value row, Value column) {
  int64_t count = sums.size();
  SmallVector<Value> results(sums);
  if (op.getAccumulate()) {
    SmallVector<Value> initial =
        readOperand(MatmulOp::kOut, row, column, count);
    for (auto [result, value] : llvm::zip_equal(results, initial))
      result = addInitial(value, result);
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
  storeGroup(b, results, out.flat, getOffset(out, row, column));
}

/// The elements that an operand gives to columns `column` to `column + count`.
SmallVector<Value> EpilogueWriter::readOperand(unsigned operand, Value row,
                                               Value column, int64_t count) {
  const MatrixView &view = views[operand];
  if (isVector(operand, count))
    return loadGroup(b, view.flat, getOffset(view, row, column), count);
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
    return convert(sum, getElementTypeOrSelf(op.getOut()));
  Block &body = op.getEpilogue().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), convert(sum, body.getArgument(0).getType()));
  mapping.map(body.getArguments().drop_front(), operands);
  for (Operation &nested : body.without_terminator())
    b.clone(nested, mapping);
  return mapping.lookupOrDefault(
      cast<YieldOp>(body.getTerminator()).getValue());
}
