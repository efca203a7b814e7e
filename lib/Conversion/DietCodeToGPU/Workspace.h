//===- Workspace.h - Sums of the parts of a split ---------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the blocks that share a tile leave their sums for the reduction: for
// each part the m x n matrices of all products, one below the other, as one
// buffer of floats. Rows are rounded up to
// whole vectors, so that it is accessed in vectors whatever n is. Offsets are
// 64-bit, like all of index type.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_WORKSPACE_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_WORKSPACE_H

#include "TileWriter.h"

namespace mlir::dietcode {

class Workspace {
public:
  /// `rows` is the number of rows of all products together.
  Workspace(ImplicitLocOpBuilder &b, Value flat, Value rows, Value sizeN)
      : b(b), math(b), flat(flat), rows(rows), columns(getColumns(b, sizeN)) {}

  /// Of a buffer for `parts` parts.
  static MemRefType getType(MLIRContext *context);
  static Value getElements(ImplicitLocOpBuilder &b, int64_t parts, Value rows,
                           Value sizeN);

  /// Elements of a row, the padding included.
  Value getColumns() const { return columns; }

  /// Accesses neighbours of a row of a part; columns are multiples of the
  /// number of neighbours. Floats are kept as f32, and i32 as their bits.
  SmallVector<Value> load(Value part, Value row, Value column, int64_t count) {
    return loadGroup(b, flat, getOffset(part, row, column), count);
  }
  void store(ArrayRef<Value> sums, Value part, Value row, Value column);

private:
  static Value getColumns(ImplicitLocOpBuilder &b, Value sizeN);
  Value getOffset(Value part, Value row, Value column);

  ImplicitLocOpBuilder &b;
  IndexMath math;
  Value flat, rows, columns;
};

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_WORKSPACE_H
