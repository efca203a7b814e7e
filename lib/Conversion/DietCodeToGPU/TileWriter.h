//===- TileWriter.h - Guarded write-back of tiles ---------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks over what a thread has computed of a tile and leaves out what lies
// beyond the matrix that it is written to.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_TILEWRITER_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_TILEWRITER_H

#include "IndexMath.h"

namespace mlir::dietcode {

/// The elements that one thread computes along one dimension: groups of
/// `group` neighbours, `threads * group` apart.
struct ThreadTile {
  Value start; ///< First element of the thread.
  Value size;  ///< Extent of the matrix.
  int64_t elements;
  int64_t group;
  int64_t threads;
};

/// The row or column that element `index` of a thread lies in.
Value getElement(ImplicitLocOpBuilder &b, const ThreadTile &tile,
                 int64_t index);

/// Writes a tile, whose elements are numbered within it.
struct TileVisitor {
  /// Goes through all rows for one group of columns after the other, and not
  /// through all columns of one row after the other.
  bool byGroups = false;
  /// Called where code belongs that `count` columns, or that those of them in
  /// one row, have in common; none if there is none.
  function_ref<void(int64_t first, int64_t count)> enterColumns;
  function_ref<void(int64_t row)> enterRow;
  function_ref<void(ArrayRef<Value> values, int64_t row, int64_t column)>
      writeGroup;
};

/// Calls `writeGroup` where code for `step` neighbours of a row belongs,
/// guarded by the extents: the first of them is within the matrix, so all of
/// them are if its width is a multiple of `step`. `values` is row major,
/// rows.elements by columns.elements; `step` divides columns.group. `row` and
/// `column` are the numbers of the first element in both.
void writeTile(ImplicitLocOpBuilder &b, ArrayRef<Value> values,
               const ThreadTile &rows, const ThreadTile &columns, int64_t step,
               const TileVisitor &visitor);

/// Loads `count` neighbours from `offset` of a one-dimensional buffer, as one
/// vector that is aligned to its size.
SmallVector<Value> loadGroup(ImplicitLocOpBuilder &b, Value flat, Value offset,
                             int64_t count);

/// Stores neighbours as `loadGroup` loads them.
void storeGroup(ImplicitLocOpBuilder &b, ArrayRef<Value> values, Value flat,
                Value offset);

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_TILEWRITER_H
