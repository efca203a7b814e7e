//===- LaneReduction.h - Reductions over the lanes of a row -----*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_LANEREDUCTION_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_LANEREDUCTION_H

#include "IndexMath.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"

namespace mlir::dietcode {

/// Combines what the lanes of each row hold, in an order that is the same for
/// all lanes and in every run: a butterfly of shuffles within a warp, then,
/// through shared memory, another one over the warps of a row. All threads of
/// the block must call it.
class LaneReduction {
public:
  /// Of the `lanes` of a row, `lanesOfWarp` are in one warp.
  LaneReduction(ImplicitLocOpBuilder &b, int64_t lanes, int64_t lanesOfWarp,
                Value threadId)
      : b(b), math(b), lanes(lanes), lanesOfWarp(lanesOfWarp),
        threadId(threadId) {}

  /// The row of the block that the thread is a lane of, and which one.
  Value getRow();
  Value getLane();

  /// `shared` has an element for each row and warp that it is in, and is null
  /// where that is one.
  Value reduce(RowReduction kind, Value value, Value shared);

private:
  Value shuffleXor(Value value, int64_t distance);
  Value shuffleWord(Value value, int64_t distance);
  Value combineLanes(RowReduction kind, Value value, int64_t count);

  ImplicitLocOpBuilder &b;
  IndexMath math;
  int64_t lanes;
  int64_t lanesOfWarp;
  Value threadId;
};

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_LANEREDUCTION_H
