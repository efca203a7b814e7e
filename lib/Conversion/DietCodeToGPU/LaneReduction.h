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
  LaneReduction(ImplicitLocOpBuilder &b, int64_t lanes, Value threadId)
      : b(b), math(b), lanes(lanes), threadId(threadId) {}

  /// `shared` has an element for each warp of the block, and is null where a
  /// row does not have several.
  Value reduce(RowReduction kind, Value value, Value shared);

private:
  Value shuffleXor(Value value, int64_t distance);
  Value shuffleWord(Value value, int64_t distance);
  Value combineLanes(RowReduction kind, Value value, int64_t count);

  ImplicitLocOpBuilder &b;
  IndexMath math;
  int64_t lanes;
  Value threadId;
};

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_LANEREDUCTION_H
