//===- Twin.h - The two kernels of a schedule -------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_TWIN_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_TWIN_H

#include "dietcode/Dialect/DietCode/IR/DietCode.h"

namespace mlir::dietcode {

/// Which of the two kernels of a schedule to generate.
enum class Twin {
  General, ///< Any strides and offsets, element by element.
  Aligned, ///< Vectors of 16 bytes along each operand's contiguous dimension;
           ///< see `isVectorized`.
};

/// Along which tiled dimension neighbours of `operand` are neighbours in
/// memory: k, or m (lhs) or n (all others); none if elements are accessed one
/// by one.
std::optional<ContractionGroup> getVectorGroup(ContractionOpInterface op,
                                               unsigned operand);

/// Whether the aligned twin reads or writes `operand` in vectors. The caller
/// must then see to it that its contiguous dimension has stride one and an
/// extent that is a multiple of `getAlignedElements`, that its other strides
/// are multiples too, and that it starts at an address aligned to a vector.
inline bool isVectorized(ContractionOpInterface op, unsigned operand) {
  return getVectorGroup(op, operand).has_value();
}

/// Elements of `type` in the largest vector, of 16 bytes.
int64_t getAlignedElements(Type type);

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_TWIN_H
