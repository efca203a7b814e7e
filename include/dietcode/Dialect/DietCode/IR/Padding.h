//===- Padding.h - What convolutions are padded with ------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a dietcode.contract reads outside of an operand is zero, however far. A
// convolution that was written with a padding reads no farther than that: more
// is a mistake of the caller. The discardable attribute `dietcode.padding` of
// the operator, an array, gives for each window of 'lhs' and then of 'rhs' how
// many zeros there are behind the operand. Shape checks make an error of it
// where more are read.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DIALECT_DIETCODE_IR_PADDING_H
#define DIETCODE_DIALECT_DIETCODE_IR_PADDING_H

#include "dietcode/Dialect/DietCode/IR/DietCode.h"

namespace mlir::dietcode {

inline constexpr llvm::StringLiteral kPaddingAttrName = "dietcode.padding";

/// A dimension of `lhs` or `rhs` that is read through a window.
struct WindowDim {
  unsigned operand;
  unsigned dim;
  LinearAccess access;
};

/// The windows of `lhs` and then those of `rhs`.
inline SmallVector<WindowDim> getWindows(ArrayRef<AffineMap> maps) {
  SmallVector<WindowDim> windows;
  for (unsigned operand : {ContractOp::kLhs, ContractOp::kRhs})
    for (auto [dim, expr] : llvm::enumerate(maps[operand].getResults()))
      if (LinearAccess access = *matchLinearAccess(expr); !access.isDim())
        windows.push_back(
            {operand, static_cast<unsigned>(dim), std::move(access)});
  return windows;
}

} // namespace mlir::dietcode

#endif // DIETCODE_DIALECT_DIETCODE_IR_PADDING_H
