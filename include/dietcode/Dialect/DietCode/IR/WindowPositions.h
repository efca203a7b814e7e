//===- WindowPositions.h - Where windows are for any k ----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DIALECT_DIETCODE_IR_WINDOWPOSITIONS_H
#define DIETCODE_DIALECT_DIETCODE_IR_WINDOWPOSITIONS_H

#include "mlir/IR/AffineMap.h"

#include <optional>

namespace mlir::dietcode {

/// The positions of a window, each of which has a bit: one for each index of
/// the dimension of k that moves it, or one alone.
struct WindowPositions {
  std::optional<unsigned> dim; ///< The one of k that moves it.
  int64_t coefficient = 0;
  int64_t first = 0; ///< Bit.
  int64_t count = 1; ///< The extent of `dim`.
};

/// Most positions of all windows of an operand: the bits of a word but one.
inline constexpr int64_t kMostWindowPositions = 31;

/// The positions of each window of an operand. None if k moves one of them in
/// two dimensions, or if there are too many or, of dynamic extents, perhaps.
std::optional<SmallVector<WindowPositions>>
findWindowPositions(AffineMap map, ArrayRef<unsigned> kDims,
                    ArrayRef<int64_t> problemShape);

} // namespace mlir::dietcode

#endif // DIETCODE_DIALECT_DIETCODE_IR_WINDOWPOSITIONS_H
