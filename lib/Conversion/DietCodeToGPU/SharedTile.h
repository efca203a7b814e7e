//===- SharedTile.h - Tiles of operands in shared memory --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the elements of a staged tile lie in shared memory, and in what form.
// Shared memory is an array of words of four bytes, typed f32.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_SHAREDTILE_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_SHAREDTILE_H

#include "IndexMath.h"

namespace mlir::dietcode {

/// A tile of one operand: `extent` rows of A, or columns of B, by `blockK`.
class SharedTile {
public:
  struct Shape {
    int64_t extent;
    int64_t blockK;
    bool alongK;  ///< Vectors of neighbours in memory run along k.
    int64_t base; ///< First word within a stage.
  };

  /// Words that each k has to itself besides its elements.
  struct Spare {
    int64_t first;  ///< Of k = 0, within a stage; aligned to 16 bytes.
    int64_t stride; ///< From one k to the next.
    int64_t words;
  };

  explicit SharedTile(const Shape &shape) : shape(shape) {}
  virtual ~SharedTile();

  const Shape &getShape() const { return shape; }

  /// Words that the tile takes.
  virtual int64_t getWords() const = 0;

  /// Elements along k that neighbouring threads walk before they go on to the
  /// next row, where vectors run along k.
  virtual int64_t getLaneSpan() const = 0;

  /// Whether a vector is stored at once whatever direction it runs in, so that
  /// it is worth being put together from single elements.
  virtual bool storesVectors() const = 0;

  virtual std::optional<Spare> getSpare() const { return std::nullopt; }

  /// The word within a stage where a vector that starts at (row, k) goes.
  virtual Value getOffset(ImplicitLocOpBuilder &b, Value row, Value k) = 0;

  /// What is kept in registers of a vector that was loaded.
  virtual Value pack(ImplicitLocOpBuilder &b, Value loaded) { return loaded; }

  /// Stores what `pack` gave.
  virtual void store(ImplicitLocOpBuilder &b, Value packed, Value shared,
                     Value offset) = 0;

protected:
  Shape shape;
};

/// For products of threads: k-major as [blockK][extent + kSharedRowPadding]
/// floats, to which narrower elements are converted as they are stored.
class FloatTile : public SharedTile {
public:
  using SharedTile::SharedTile;

  int64_t getRowStride() const;
  int64_t getWords() const override { return shape.blockK * getRowStride(); }
  int64_t getLaneSpan() const override;
  bool storesVectors() const override { return false; }
  std::optional<Spare> getSpare() const override;
  Value getOffset(ImplicitLocOpBuilder &b, Value row, Value k) override;
  void store(ImplicitLocOpBuilder &b, Value packed, Value shared,
             Value offset) override;
};

/// For products of warps: lines of chunks of 16 bytes, which are the rows of
/// the 8 x 8 matrices that ldmatrix loads. As in global memory, a line is a row
/// of `blockK` elements or, where memory is contiguous along the rows, one of
/// `extent` elements with the same k, which ldmatrix transposes.
///
/// A line has L chunks, a power of two, and chunk c of line r lies at
///
///   r * L + (c ^ s(r)),   s(r) = (r / (8 / l)) % l,   l = min(L, 8)
///
/// Eight chunks fill the 32 banks once. ldmatrix reads chunk c of eight lines
/// 8i to 8i + 7 together: they start at multiples of L, which are l chunks
/// apart modulo 8, so that the 8 / l lines that start at different places have
/// the same s, and the l groups of them have different ones. Eight neighbouring
/// threads store eight neighbouring chunks of a line, or 8 / L whole lines,
/// which a permutation within lines leaves in different banks.
class MatrixTile : public SharedTile {
public:
  MatrixTile(const Shape &shape, int64_t elementBytes)
      : SharedTile(shape), elementBytes(elementBytes) {}

  int64_t getChunksPerLine() const;
  int64_t getWordsPerLine() const;
  int64_t getWords() const override;
  int64_t getLaneSpan() const override { return shape.blockK; }
  bool storesVectors() const override { return true; }
  Value getOffset(ImplicitLocOpBuilder &b, Value row, Value k) override;
  Value pack(ImplicitLocOpBuilder &b, Value loaded) override;
  void store(ImplicitLocOpBuilder &b, Value packed, Value shared,
             Value offset) override;

  /// The word of a chunk of a line.
  Value getChunkOffset(ImplicitLocOpBuilder &b, Value line, Value chunk);
  /// s(line), which depends on line % 8 alone.
  Value getSwizzle(ImplicitLocOpBuilder &b, Value line);

private:
  int64_t elementBytes;
};

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_SHAREDTILE_H
