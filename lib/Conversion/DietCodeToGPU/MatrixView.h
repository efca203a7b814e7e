//===- MatrixView.h - Matrices inside and outside of kernels ----*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the generator sees an operand: as elements in memory with a stride in
// each dimension of the problem, whatever the type of the buffer and the map.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_MATRIXVIEW_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_MATRIXVIEW_H

#include "TiledDim.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Dialect/DietCode/IR/OperandLayout.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::dietcode {

/// A dimension of a buffer that is not one of the problem's, such as the rows
/// of a padded image: 2 * y + fy - 1. What lies outside of it is zero.
struct Window {
  SmallVector<std::pair<unsigned, int64_t>> terms; ///< Dimension, coefficient.
  Value start; ///< The index in the buffer where all terms are zero.
  Value size;  ///< Of the buffer's dimension.
};

/// A buffer indexed by problem dimensions through a map of linear results, and
/// of symbols where its indices are looked up.
struct MatrixView {
  AffineMap map;   ///< From problem dimensions to dimensions of the buffer.
  MemRefType type; ///< Of the buffer.
  Value flat;      ///< The elements as a one-dimensional buffer.
  SmallVector<OpFoldResult> sizes;   ///< Of the buffer's dimensions.
  SmallVector<OpFoldResult> strides; ///< Of the buffer's dimensions.
  Value start; ///< The offset in `flat` where all indices are zero.
  SmallVector<Window> windows;

  /// Stride of a problem dimension in elements; zero where the map drops it.
  Value getStride(ImplicitLocOpBuilder &b, unsigned problemDim) const;
  /// What `indices` add to an offset.
  Value getOffset(ImplicitLocOpBuilder &b, const ProblemIndices &indices) const;
  /// What the index `index`, any integer, of the buffer's dimension `dim` adds
  /// to an offset; one that is outside counts as the nearest one inside.
  Value getLookupOffset(ImplicitLocOpBuilder &b, unsigned dim,
                        Value index) const;
  /// Whether there is an element in all dimensions that are looked up.
  Value hasLookups(ImplicitLocOpBuilder &b) const;
  /// Whether elements that follow each other in `dim` are equally far apart.
  bool isLinear(const TiledDim &dim) const {
    return ::mlir::dietcode::isLinear(type, map, dim.getDims());
  }
  /// What element `number` of `dim` adds to an offset.
  Value getOffset(ImplicitLocOpBuilder &b, const TiledDim &dim,
                  Value number) const;
  /// Where each window is when `indices` are added to `starts`.
  SmallVector<Value> moveWindows(ImplicitLocOpBuilder &b, ValueRange starts,
                                 const ProblemIndices &indices) const;
  SmallVector<Value> getWindowStarts() const;
  /// Whether windows at `positions` are within the buffer; null without any.
  Value isInside(ImplicitLocOpBuilder &b, ValueRange positions) const;
  /// The same buffer, in which `indices` are where others start from.
  MatrixView advance(ImplicitLocOpBuilder &b,
                     const ProblemIndices &indices) const;
  /// The problem dimension along which the buffer is read in vectors.
  std::optional<unsigned> getContiguousDim() const {
    return ::mlir::dietcode::getContiguousDim(type, map);
  }
};

/// The extents of the problem dimensions of `op`, whose operands are `views`.
SmallVector<Value> createSizes(ImplicitLocOpBuilder &b, ProblemOpInterface op,
                               ArrayRef<MatrixView> views);

/// Takes `buffer` apart at the insertion point of `b`.
MatrixView createMatrixView(ImplicitLocOpBuilder &b, Value buffer,
                            AffineMap map);

/// Whether `buffer`, indexed through `map`, can be accessed in whole, aligned
/// vectors of `vector` elements along its contiguous dimension. Problem
/// dimensions `together` are numbered as one; where they are linear and the
/// contiguous dimension is one of them, vectors may cross from one to the next.
Value createAlignmentTest(ImplicitLocOpBuilder &b, Value buffer, AffineMap map,
                          int64_t vector, ArrayRef<unsigned> together = {});

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_MATRIXVIEW_H
