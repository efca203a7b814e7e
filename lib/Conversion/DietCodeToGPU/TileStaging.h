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
// shared memory, where they lie as a SharedTile says.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_TILESTAGING_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_TILESTAGING_H

#include "IndexMath.h"
#include "MatrixView.h"
#include "SharedTile.h"
#include "TapTable.h"

namespace mlir::dietcode {

/// One operand of a contraction as a block stages it: `extent` rows or columns
/// (the spatial dimension, m for A and n for B) by `blockK`.
class TileStaging {
public:
  struct Config {
    TiledDim spatial;   ///< The rows or columns.
    TiledDim reduction; ///< k.
    bool memoryAlongK;  ///< Neighbours in memory run along k.
    int64_t threads;
    int64_t vectorWidth; ///< Elements that a thread stores at once.
    int64_t loadWidth;   ///< Elements that it loads at once: as many or one.
    bool hasTaps;        ///< It loads single elements by a TapTable.
    bool isGuarded;      ///< What is in no window is left out by a predicate.
  };

  /// `tileStart` is the first row or column of the block. Rows and columns
  /// past the end are clamped to the last one: what they compute is not
  /// written, so their loads only have to be legal.
  TileStaging(ImplicitLocOpBuilder &b, const Config &config, MatrixView view,
              SharedTile &tile, Value shared, Value threadId, Value tileStart);

  /// Vectors that this thread copies of a tile.
  size_t getCount() const { return copies.size(); }

  /// Whether they are put together from single elements.
  bool isGathered() const { return config.loadWidth < config.vectorWidth; }

  /// Whether elements along k are evenly spaced in memory.
  bool isLinearAlongK() const { return isLinearInK; }

  /// Whether tiles are loaded by a table, which is filled in before.
  bool hasTaps() const { return config.hasTaps; }

  /// Fills in the table, if there is one, of the stage that starts at the word
  /// `stage`, for the tile at `kStart`; no k is at or past `kEnd`.
  void fillTaps(Value stage, Value kStart, Value kEnd);

  /// Loads this thread's part of the tile that starts at `kStart`. With
  /// `kLimit`, elements at or past kStart + kLimit read as zero. So does what
  /// is outside of a window. A table says all that, in the stage of the tile.
  SmallVector<Value> load(Value stage, Value kStart, Value kLimit = nullptr);

  /// Loads one vector of it, of a tile that is within k, without a table.
  Value loadOne(size_t index, Value kStart);

  /// Stores what `loadOne` gave.
  void storeOne(size_t index, Value part, Value stageOffset);

  /// Both at once; `kLimit` is as for `load`. Where the vector lies is computed
  /// on the spot from `threadId`, so that it takes no registers elsewhere.
  void copyOne(size_t index, Value threadId, Value kStart, Value kLimit,
               Value stageOffset);

  /// Stores what `load` gave to the stage that starts `stageOffset` words into
  /// shared memory.
  void store(ArrayRef<Value> parts, Value stageOffset);

private:
  /// An element or a vector that this thread loads.
  struct Load {
    Value offset; ///< In global memory, in elements; for kStart = 0 if k is
                  ///< linear, else for k = 0.
    Value k;      ///< Within the tile.
    SmallVector<Value> windows; ///< Their positions for k = 0.
    Value address, outside;     ///< With a table, whose taps have the rest.
  };
  /// A vector that this thread copies.
  struct Copy {
    SmallVector<Load> loads; ///< One, or one for each element.
    Value sharedOffset;      ///< Within a stage.
  };

  Copy createCopy(int64_t index, Value threadId);
  Load createLoad(Value row, Value k);
  Value createAddress(Value offset);
  SmallVector<Value> loadByTaps(Value stage);
  Value loadCopy(const Copy &copy, Value kStart, Value kLimit);
  Value loadInside(const Load &load, Value kStart);
  Value loadVector(Value offset);
  Type getLoadType();
  Value createZero();
  Value loadIf(Value condition, function_ref<Value()> load);

  ImplicitLocOpBuilder &b;
  IndexMath math;
  Config config;
  MatrixView view;
  SharedTile &tile;
  Value shared, tileStart;
  bool isLinearInK;
  std::optional<TapTable> taps;
  SmallVector<Copy> copies;
};

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_TILESTAGING_H
