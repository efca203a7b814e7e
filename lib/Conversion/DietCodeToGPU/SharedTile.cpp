//===- SharedTile.cpp - Tiles of operands in shared memory ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedTile.h"
#include "dietcode/Search/Schedule.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::kChunkBytes;
using ::dietcode::kSharedRowPadding;

static constexpr int64_t kWordBytes = 4;
static constexpr int64_t kChunkWords = kChunkBytes / kWordBytes;

/// Chunks that cover the 32 banks of shared memory once, and rows of a matrix.
static constexpr int64_t kChunksOfBanks = 8;

/// Elements of a 32-byte sector: what lanes that walk along k read together.
static constexpr int64_t kSectorElements = 8;

SharedTile::~SharedTile() = default;

//===----------------------------------------------------------------------===//
// FloatTile
//===----------------------------------------------------------------------===//

int64_t FloatTile::getRowStride() const {
  return shape.extent + kSharedRowPadding;
}

/// Lanes walk one sector along k and then along the rows: the loads use whole
/// sectors, and with rows padded by four the transposing stores of a warp fall
/// into different banks.
int64_t FloatTile::getLaneSpan() const {
  return std::min(shape.blockK, kSectorElements);
}

/// The padding of a row, if vectors can be stored there.
std::optional<SharedTile::Spare> FloatTile::getSpare() const {
  int64_t first = shape.base + shape.extent;
  if (first % kChunkWords != 0 || getRowStride() % kChunkWords != 0)
    return std::nullopt;
  return Spare{first, getRowStride(), kSharedRowPadding};
}

Value FloatTile::getOffset(ImplicitLocOpBuilder &b, Value row, Value k) {
  IndexMath math(b);
  return math.add(math.add(math.mul(k, getRowStride()), row), shape.base);
}

static Value toFloat(ImplicitLocOpBuilder &b, Value value) {
  Type f32 = b.getF32Type();
  if (getElementTypeOrSelf(value) == f32)
    return value;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    f32 = vector.clone(f32);
  return arith::ExtFOp::create(b, f32, value);
}

void FloatTile::store(ImplicitLocOpBuilder &b, Value packed, Value shared,
                      Value offset) {
  packed = toFloat(b, packed);
  auto vector = dyn_cast<VectorType>(packed.getType());
  if (!vector) {
    memref::StoreOp::create(b, packed, shared, offset);
    return;
  }
  int64_t width = vector.getNumElements();
  if (!shape.alongK) {
    vector::StoreOp::create(b, packed, shared, offset, /*nontemporal=*/false,
                            llvm::MaybeAlign(kWordBytes * width));
    return;
  }
  IndexMath math(b);
  for (int64_t i : llvm::seq<int64_t>(0, width))
    memref::StoreOp::create(b, vector::ExtractOp::create(b, packed, i), shared,
                            math.add(offset, i * getRowStride()));
}

//===----------------------------------------------------------------------===//
// MatrixTile
//===----------------------------------------------------------------------===//

int64_t MatrixTile::getChunksPerLine() const {
  int64_t elements = shape.alongK ? shape.blockK : shape.extent;
  return elements * elementBytes / kChunkBytes;
}

int64_t MatrixTile::getWordsPerLine() const {
  return getChunksPerLine() * kChunkWords;
}

int64_t MatrixTile::getWords() const {
  return shape.extent * shape.blockK * elementBytes / kWordBytes;
}

Value MatrixTile::getSwizzle(ImplicitLocOpBuilder &b, Value line) {
  IndexMath math(b);
  int64_t chunks = std::min(getChunksPerLine(), kChunksOfBanks);
  return math.rem(math.div(line, kChunksOfBanks / chunks), chunks);
}

Value MatrixTile::getChunkOffset(ImplicitLocOpBuilder &b, Value line,
                                 Value chunk) {
  IndexMath math(b);
  Value swizzled = b.createOrFold<arith::XOrIOp>(chunk, getSwizzle(b, line));
  Value number = math.add(math.mul(line, getChunksPerLine()), swizzled);
  return math.add(math.mul(number, kChunkWords), shape.base);
}

Value MatrixTile::getOffset(ImplicitLocOpBuilder &b, Value row, Value k) {
  IndexMath math(b);
  Value line = shape.alongK ? row : k, along = shape.alongK ? k : row;
  return getChunkOffset(b, line, math.div(along, kChunkBytes / elementBytes));
}

/// Words of a chunk, whatever their elements are.
Value MatrixTile::pack(ImplicitLocOpBuilder &b, Value loaded) {
  auto words = VectorType::get({kChunkWords}, b.getF32Type());
  return vector::BitCastOp::create(b, words, loaded);
}

void MatrixTile::store(ImplicitLocOpBuilder &b, Value packed, Value shared,
                       Value offset) {
  vector::StoreOp::create(b, packed, shared, offset, /*nontemporal=*/false,
                          llvm::MaybeAlign(kChunkBytes));
}
