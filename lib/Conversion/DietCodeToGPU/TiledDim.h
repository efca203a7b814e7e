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

  /// The extent of `dim`, which is one of them.
  Value getSize(unsigned dim) const {
    return sizes[llvm::find(dims, dim) - dims.begin()];
  }

  /// The product of the sizes; 1 without dimensions.
  Value getExtent() const { return extent; }

  /// Whether neighbours have successive indices of `dim`.
  bool isFastest(std::optional<unsigned> dim) const {
    return dim && !dims.empty() && dims.back() == *dim;
  }

  /// The indices of element `number`, which is below the extent. Divides by
  /// sizes: where one of them may be zero, this belongs behind a test for it.
  ///
  /// Where the extent is static and 32 bits hold it, so does a number beyond it
  /// by less than a tile, and the division is one multiplication instead of
  /// four.
  ProblemIndices getIndices(ImplicitLocOpBuilder &b, Value number) const {
    IndexMath math(b);
    ProblemIndices indices(dims.size());
    std::optional<int64_t> known = getConstantIntValue(extent);
    bool isNarrow = dims.size() > 1 && known && *known < (1 << 30);
    Type narrow = b.getI32Type(), wide = b.getIndexType();
    auto convert = [&](Value value, Type type) {
      return isNarrow ? b.createOrFold<arith::IndexCastUIOp>(type, value)
                      : value;
    };
    Value rest = convert(number, narrow);
    for (size_t i = dims.size(); i-- > 0;) {
      if (i == 0) {
        indices[i] = {dims[i], convert(rest, wide)};
        break;
      }
      Value size = convert(sizes[i], narrow);
      indices[i] = {dims[i], convert(math.rem(rest, size), wide)};
      rest = math.div(rest, size);
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
