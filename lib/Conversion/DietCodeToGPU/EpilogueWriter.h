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

#include "MatrixView.h"
#include "TileWriter.h"
#include "Twin.h"

namespace mlir::dietcode {

/// Writes the tile of a thread.
class EpilogueWriter {
public:
  EpilogueWriter(ImplicitLocOpBuilder &b, MatmulOp op,
                 ArrayRef<MatrixView> views, Twin twin)
      : b(b), math(b), op(op), views(views), twin(twin) {}

  /// `sums` is row major, rows.elements by columns.elements, and of the type of
  /// the sums or, after a split, of the workspace.
  void write(ArrayRef<Value> sums, const ThreadTile &rows,
             const ThreadTile &columns);

private:
  void writeGroup(ArrayRef<Value> sums, Value row, Value column);
  SmallVector<Value> readOperand(unsigned operand, Value row, Value column,
                                 int64_t count);
  Value getOffset(const MatrixView &view, Value row, Value column);
  Value convert(Value value, Type type);
  Value addInitial(Value initial, Value sum);
  Value applyEpilogue(Value sum, ArrayRef<Value> operands);
  bool isVector(unsigned operand, int64_t count);

  ImplicitLocOpBuilder &b;
  IndexMath math;
  MatmulOp op;
  ArrayRef<MatrixView> views;
  Twin twin;
};

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_EPILOGUEWRITER_H
