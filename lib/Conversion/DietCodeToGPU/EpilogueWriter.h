//===- EpilogueWriter.h - Fused epilogue and guarded write-back ---*- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the epilogue of an operator to the sums that a thread holds, and
// writes what lies within the destination.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_EPILOGUEWRITER_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_EPILOGUEWRITER_H

#include "KernelFrame.h"
#include "TileWriter.h"

namespace mlir::dietcode {

/// Writes the tile of a thread.
class EpilogueWriter {
public:
  EpilogueWriter(ImplicitLocOpBuilder &b, const KernelRequest &request,
                 const KernelFrame &frame)
      : b(b), math(b), op(request.op), frame(frame), twin(request.twin) {}

  /// `sums` is row major, rows.elements by columns.elements, and of the type of
  /// the sums or, after a split, of the workspace.
  void write(ArrayRef<Value> sums, const ThreadTile &rows,
             const ThreadTile &columns);

private:
  /// Where a group of neighbours begins: numbers, and what those of several
  /// dimensions stand for.
  struct Position {
    Value row, column;
    ProblemIndices rowIndices, columnIndices;
  };
  void writeGroup(ArrayRef<Value> sums, const Position &position);
  SmallVector<Value> readOperand(unsigned operand, const Position &position,
                                 int64_t count);
  Value getOffset(const MatrixView &view, const Position &position,
                  int64_t neighbour = 0);
  Value convert(Value value, Type type);
  Value addInitial(Value initial, Value sum);
  Value applyEpilogue(Value sum, ArrayRef<Value> operands);
  bool isVector(unsigned operand, int64_t count);

  ImplicitLocOpBuilder &b;
  IndexMath math;
  ContractionOpInterface op;
  const KernelFrame &frame;
  Twin twin;
};

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_EPILOGUEWRITER_H
