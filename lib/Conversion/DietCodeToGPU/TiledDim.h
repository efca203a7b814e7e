//===- TiledDim.h - Groups of problem dimensions ----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Micro-kernels tile b, m, n and k, each of which may stand for several
// dimensions of the problem. The elements of a tile are numbered within it;
// operands are addressed by indices.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_TILEDDIM_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_TILEDDIM_H

#include "IndexMath.h"

namespace mlir::dietcode {

/// Indices of some problem dimensions.
using ProblemIndices = SmallVector<std::pair<unsigned, Value>>;

/// Problem dimensions that are numbered as one, the last one fastest.
class TiledDim {
public:
  TiledDim() = default;

  /// `sizes` are the extents of the problem dimensions `dims`.
  TiledDim(ImplicitLocOpBuilder &b, ArrayRef<unsigned> dims,
           ArrayRef<Value> sizes)
      : dims(dims), sizes(sizes) {
    IndexMath math(b);
    extent = math.constant(1);
    for (Value size : sizes)
      extent = math.mul(extent, size);
  }

  ArrayRef<unsigned> getDims() const { return dims; }

  /// The product of the sizes; 1 without dimensions.
  Value getExtent() const { return extent; }

  /// Whether number and index are the same.
  bool isSingle() const { return dims.size() == 1; }

  /// Whether neighbours have successive indices of `dim`.
  bool isFastest(std::optional<unsigned> dim) const {
    return dim && !dims.empty() && dims.back() == *dim;
  }

  /// The indices of element `number`, which is below the extent. Divides by
  /// sizes: where one of them may be zero, this belongs behind a test for it.
  ProblemIndices getIndices(ImplicitLocOpBuilder &b, Value number) const {
    IndexMath math(b);
    ProblemIndices indices(dims.size());
    for (size_t i = dims.size(); i-- > 0;) {
      indices[i] = {dims[i], i == 0 ? number : math.rem(number, sizes[i])};
      if (i > 0)
        number = math.div(number, sizes[i]);
    }
    return indices;
  }

private:
  SmallVector<unsigned> dims;
  SmallVector<Value> sizes;
  Value extent;
};

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_TILEDDIM_H
