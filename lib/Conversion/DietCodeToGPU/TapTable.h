//===- TapTable.h - Where the elements of a k tile are read -----*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A k of several dimensions has to be divided for each element that is loaded,
// such as the (c, fy, fx) of an image. A block has a table of that instead, in
// what pads the rows of the tile in shared memory: what each k of the tile, a
// tap, adds to an address, and which positions of windows it reads. One thread
// divides for a whole row of the tile.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_TAPTABLE_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_TAPTABLE_H

#include "MatrixView.h"
#include "SharedTile.h"

namespace mlir::dietcode {

/// An element of k.
struct Tap {
  Value offset;    ///< Of the buffer's start and of k, in bytes; i64.
  Value positions; ///< A bit for each window, and one if there is no such k.
};

/// The taps of the k tiles of one operand, in the stages of shared memory.
class TapTable {
public:
  /// Words of a tap.
  static constexpr int64_t kWords = 4;

  struct Config {
    TiledDim reduction;
    int64_t blockK;
    int64_t threads;
    SharedTile::Spare spare; ///< Where taps are.
  };

  /// Whether the positions of all windows that `operand` of `op` reads for any
  /// k have bits of their own: their extents along k are known and small.
  static bool canServe(ContractionOpInterface op, unsigned operand);

  TapTable(ImplicitLocOpBuilder &b, const Config &config, Value shared,
           Value threadId);

  /// Fills in the taps of the tile that starts at `kStart`, together with the
  /// other threads of the block; those at `kEnd` and beyond read zero. `stage`
  /// is the word where the stage starts.
  void fill(const MatrixView &view, Value stage, Value kStart, Value kEnd);

  /// Tap `k` of the tile in `stage`, which was filled in before a barrier.
  Tap read(Value stage, Value k);

  /// The positions at which windows are outside of `view`, where those of the
  /// first k are `positions`.
  Value createOutside(const MatrixView &view, ValueRange positions);

  /// The element at `address`, in global memory, moved by `tap`: zero where
  /// that is `outside`. Not a branch, which would keep loads apart.
  Value load(Type type, Value address, Value outside, const Tap &tap);

private:
  Tap createTap(const MatrixView &view, Value k);
  Value getOffset(Value stage, Value k);

  ImplicitLocOpBuilder &b;
  IndexMath math;
  Config config;
  TiledDim reduction;
  Value shared, threadId;
};

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_TAPTABLE_H
