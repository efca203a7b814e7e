//===- TileStaging.h - Staging of operand tiles through shared memory ---*- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies the tiles of one operand from global memory through registers to
// shared memory, where they lie k-major: [blockK][extent + kSharedRowPadding].
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_TILESTAGING_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_TILESTAGING_H

#include "IndexMath.h"
#include "MatrixView.h"

namespace mlir::dietcode {

/// One operand of a contraction as a block stages it: `extent` rows or columns
/// (the spatial dimension, m for A and n for B) by `blockK`.
class TileStaging {
public:
  struct Config {
    TiledDim spatial;   ///< The rows or columns.
    TiledDim reduction; ///< k.
    int64_t extent;     ///< Rows or columns of a tile.
    int64_t blockK;
    int64_t threads;
    int64_t vectorWidth; ///< Elements that a thread copies at once.
    int64_t stageStride; ///< Elements from one stage to the next.
    int64_t sharedBase;  ///< First element of stage 0.
  };

  /// `tileStart` is the first row or column of the block. Rows and columns
  /// past the end are clamped to the last one: what they compute is not
  /// written, so their loads only have to be legal.
  TileStaging(ImplicitLocOpBuilder &b, const Config &config, MatrixView view,
              Value shared, Value threadId, Value tileStart);

  /// Loads this thread's part of the tile that starts at `kStart`. With
  /// `kLimit`, elements at or past kStart + kLimit read as zero. So does what
  /// is outside of a window.
  SmallVector<Value> load(Value kStart, Value kLimit = nullptr);

  /// Stores what `load` gave to the stage that starts `stageOffset` elements
  /// into shared memory.
  void store(ArrayRef<Value> parts, Value stageOffset);

  /// Length of a k row in shared memory, in elements.
  static int64_t getRowStride(int64_t extent);

private:
  /// A vector that this thread copies: where it starts within the tile.
  struct Copy {
    Value offset; ///< In global memory, in elements; for kStart = 0 if k is
                  ///< linear, else for k = 0.
    Value k;      ///< Row within the tile.
    SmallVector<Value> windows; ///< Their positions for k = 0.
    Value sharedOffset;         ///< Within a stage.
  };

  Copy createCopy(int64_t index, Value threadId, Value tileStart);
  Value loadCopy(const Copy &copy, Value kStart);
  Value loadVector(Value offset);
  Value createZero();
  Value loadIf(Value condition, function_ref<Value()> load);

  ImplicitLocOpBuilder &b;
  IndexMath math;
  Config config;
  MatrixView view;
  Value shared;
  bool alongK;
  bool isLinearInK;
  SmallVector<Copy> copies;
};

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_TILESTAGING_H
