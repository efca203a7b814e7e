//===- MmaProduct.cpp - Products of warps ---------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warp multiplies threadM rows of A by threadN columns of B, in steps of
// the instruction's k:
//
//   for each step:
//     matrices of A, matrices of B = ldmatrix, four 8 x 8 matrices at a time
//     for each m x n part of the warp's tile:  sums += mma(A, B)
//
// A matrix is eight rows of A, or columns of B, by 16 bytes along k. ldmatrix
// gives lane l the four bytes at k = 4 bytes * (l % 4) of row l / 4, which is
// what mma wants of both factors, B being `col`. Where the tile has the rows
// side by side rather than k, ldmatrix.trans does the same. It knows elements
// of two bytes alone, so that tiles of bytes always lie along k.
//
// Of the sums, lane l has columns 2 (l % 4) and 2 (l % 4) + 1 of row l / 4 of
// each 8 x 8 part.
//
//===----------------------------------------------------------------------===//

#include "TileProduct.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Instruction;
using ::dietcode::InstructionInfo;

static constexpr int64_t kWarpSize = 32;
static constexpr int64_t kMatrixRows = 8;
/// Matrices that one ldmatrix loads at most.
static constexpr int64_t kMostMatrices = 4;
static constexpr unsigned kSharedSpace = 3;
static constexpr int64_t kWordBytes = 4;

namespace {

/// What a warp reads of one operand.
struct WarpOperand {
  MatrixTile *tile;
  int64_t matrices; ///< Of one step along k.
  Value start;      ///< First row or column of the warp.

  int64_t getLoads() const { return llvm::divideCeil(matrices, kMostMatrices); }
};

class MmaProduct : public TileProduct {
public:
  explicit MmaProduct(const ProductRequest &request);

  void createPosition(ImplicitLocOpBuilder &b, Value threadId,
                      Value shared) override;
  SmallVector<Value> createZeros(ImplicitLocOpBuilder &b) override;
  int64_t getLoads() const override {
    return left.getLoads() + right.getLoads();
  }
  int64_t getProducts() const override {
    return left.matrices / getRowMatrices() * right.matrices;
  }
  SmallVector<Value> loadFragment(ImplicitLocOpBuilder &b, Value stage,
                                  int64_t step, int64_t load) override;
  void multiplyOne(ImplicitLocOpBuilder &b, ArrayRef<Value> fragments,
                   MutableArrayRef<Value> sums, int64_t number) override;
  SmallVector<Value> getElements(ImplicitLocOpBuilder &b,
                                 ArrayRef<Value> sums) override;
  ThreadTile getRows(ImplicitLocOpBuilder &b, Value start, Value size) override;
  ThreadTile getColumns(ImplicitLocOpBuilder &b, Value start,
                        Value size) override;

private:
  SmallVector<Value> loadMatrices(ImplicitLocOpBuilder &b, Value address,
                                  int64_t count, bool transpose);
  Value getAddress(ImplicitLocOpBuilder &b, const WarpOperand &operand,
                   Value stage, int64_t step, int64_t first, int64_t count);
  Type getPartType(Builder &b);
  bool isPacked() const { return info.sumBytes < kWordBytes; }
  /// What the loop carries of a row and a pair of columns of sums: both, or
  /// one value that holds them.
  int64_t getValuesPerPair() const { return isPacked() ? 1 : 2; }
  int64_t getColumnPairs() const { return schedule.threadN / kMatrixRows; }
  /// Matrices of A that a product takes.
  int64_t getRowMatrices() const { return info.m / kMatrixRows; }

  const InstructionInfo &info;
  WarpOperand left, right;
  Value lane;
  Value shared; ///< Address of shared memory.
};

} // namespace

MmaProduct::MmaProduct(const ProductRequest &request)
    : TileProduct(request),
      info(::dietcode::infoOf(request.schedule.instruction)) {
  bool isBytes = info.elementBytes == 1;
  auto a = std::make_unique<MatrixTile>(
      SharedTile::Shape{schedule.blockM, schedule.blockK,
                        request.lhsAlongK || isBytes, 0},
      info.elementBytes);
  auto b = std::make_unique<MatrixTile>(
      SharedTile::Shape{schedule.blockN, schedule.blockK,
                        request.rhsAlongK || isBytes, a->getWords()},
      info.elementBytes);
  left.tile = a.get();
  right.tile = b.get();
  lhs = std::move(a);
  rhs = std::move(b);
}

/// Warps cover the block with n fastest.
void MmaProduct::createPosition(ImplicitLocOpBuilder &b, Value threadId,
                                Value sharedMemory) {
  IndexMath math(b);
  lane = math.rem(threadId, kWarpSize);
  Value warp = math.div(threadId, kWarpSize);
  left.matrices = schedule.threadM / kMatrixRows;
  left.start = math.mul(math.div(warp, layout.warpsN), schedule.threadM);
  right.matrices = schedule.threadN / kMatrixRows;
  right.start = math.mul(math.rem(warp, layout.warpsN), schedule.threadN);
  shared = memref::ExtractAlignedPointerAsIndexOp::create(b, sharedMemory);
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// ldmatrix.x<count> from `address`, which each lane has its own of.
SmallVector<Value> MmaProduct::loadMatrices(ImplicitLocOpBuilder &b,
                                            Value address, int64_t count,
                                            bool transpose) {
  Value bits = arith::IndexCastOp::create(b, b.getI64Type(), address);
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kSharedSpace), bits);
  Type i32 = b.getI32Type();
  Type type = count == 1 ? i32
                         : LLVM::LLVMStructType::getLiteral(
                               b.getContext(), SmallVector<Type>(count, i32));
  Value loaded = NVVM::LdMatrixOp::create(
      b, type, pointer, static_cast<uint32_t>(count),
      transpose ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), kMatrixRows, kMatrixRows),
      NVVM::LdStMatrixEltType::B16);
  if (count == 1)
    return {loaded};
  SmallVector<Value> matrices;
  for (int64_t i : llvm::seq<int64_t>(0, count))
    matrices.push_back(LLVM::ExtractValueOp::create(b, loaded, i));
  return matrices;
}

/// Lane l gives the address of row l % 8 of matrix l / 8, of `count` from
/// number `first` on. What of it does not change in the loop comes first, then
/// the stage, then what is constant, so that an address is one addition, and
/// only those are kept apart that differ by the swizzle: matrices of eight
/// lines lie alike.
Value MmaProduct::getAddress(ImplicitLocOpBuilder &b,
                             const WarpOperand &operand, Value stage,
                             int64_t step, int64_t first, int64_t count) {
  IndexMath math(b);
  MatrixTile &tile = *operand.tile;
  Value row = math.rem(lane, kMatrixRows);
  Value matrix = math.rem(math.div(lane, kMatrixRows), count);
  Value start = math.add(operand.start, math.mul(matrix, kMatrixRows));
  int64_t rows = first * kMatrixRows, k = step * info.k, lines;
  Value offset;
  if (tile.getShape().alongK) {
    offset = tile.getOffset(b, math.add(start, row), math.constant(k));
    lines = rows;
  } else {
    offset = tile.getOffset(b, math.add(start, rows), row);
    lines = k;
  }
  Value address = math.add(shared, math.mul(offset, kWordBytes));
  address = math.add(address, math.mul(stage, kWordBytes));
  return math.add(address, lines * tile.getWordsPerLine() * kWordBytes);
}

/// Four matrices of A or of B at most, in the order of rows or columns.
SmallVector<Value> MmaProduct::loadFragment(ImplicitLocOpBuilder &b,
                                            Value stage, int64_t step,
                                            int64_t load) {
  bool isLeft = load < left.getLoads();
  const WarpOperand &operand = isLeft ? left : right;
  int64_t first = (isLeft ? load : load - left.getLoads()) * kMostMatrices;
  int64_t count = std::min(kMostMatrices, operand.matrices - first);
  SmallVector<Value> matrices =
      loadMatrices(b, getAddress(b, operand, stage, step, first, count), count,
                   !operand.tile->getShape().alongK);
  if (info.elementBytes == 1)
    return matrices;
  auto halves = VectorType::get({2}, b.getF16Type());
  for (Value &matrix : matrices)
    matrix = LLVM::BitcastOp::create(b, halves, matrix);
  return matrices;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Of one row and two columns, or one of them.
Type MmaProduct::getPartType(Builder &b) {
  if (isPacked())
    return VectorType::get({2}, b.getF16Type());
  return schedule.instruction == Instruction::MmaI8 ? Type(b.getI32Type())
                                                    : Type(b.getF32Type());
}

SmallVector<Value> MmaProduct::createZeros(ImplicitLocOpBuilder &b) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(getPartType(b)));
  return SmallVector<Value>(schedule.threadM / kMatrixRows * getColumnPairs() *
                                getValuesPerPair(),
                            zero);
}

/// Of m rows and n columns, by rows.
void MmaProduct::multiplyOne(ImplicitLocOpBuilder &b, ArrayRef<Value> fragments,
                             MutableArrayRef<Value> sums, int64_t number) {
  int64_t rows = getRowMatrices(), perPair = getValuesPerPair();
  int64_t i = number / right.matrices, j = number % right.matrices;
  auto at = [&](int64_t row, int64_t value) -> Value & {
    return sums[((i * rows + row) * getColumnPairs() + j) * perPair + value];
  };
  SmallVector<Value> addends;
  for (int64_t row : llvm::seq<int64_t>(0, rows))
    for (int64_t value : llvm::seq<int64_t>(0, perPair))
      addends.push_back(at(row, value));
  SmallVector<Type> types(addends.size(), addends.front().getType());
  bool isBytes = info.elementBytes == 1;
  std::optional<std::array<NVVM::MMATypes, 2>> factorTypes =
      std::array{NVVM::MMATypes::s8, NVVM::MMATypes::s8};
  auto product = NVVM::MmaOp::create(
      b, LLVM::LLVMStructType::getLiteral(b.getContext(), types),
      fragments.slice(i * rows, rows), fragments[left.matrices + j], addends,
      ArrayRef<int64_t>{info.m, info.n, info.k},
      /*b1Op=*/std::nullopt,
      isBytes ? std::optional(NVVM::MMAIntOverflow::wrapped) : std::nullopt,
      isBytes ? factorTypes : std::nullopt,
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  int64_t index = 0;
  for (int64_t row : llvm::seq<int64_t>(0, rows))
    for (int64_t value : llvm::seq<int64_t>(0, perPair))
      at(row, value) = LLVM::ExtractValueOp::create(b, product, index++);
}

SmallVector<Value> MmaProduct::getElements(ImplicitLocOpBuilder &b,
                                           ArrayRef<Value> sums) {
  if (!isPacked())
    return SmallVector<Value>(sums);
  SmallVector<Value> elements;
  for (Value pair : sums)
    for (int64_t i : {0, 1})
      elements.push_back(vector::ExtractOp::create(b, pair, i));
  return elements;
}

ThreadTile MmaProduct::getRows(ImplicitLocOpBuilder &b, Value start,
                               Value size) {
  IndexMath math(b);
  Value first =
      math.add(math.add(start, left.start), math.div(lane, layout.lanesN));
  return {first, size, schedule.threadM / layout.lanesM, layout.groupM,
          layout.lanesM};
}

ThreadTile MmaProduct::getColumns(ImplicitLocOpBuilder &b, Value start,
                                  Value size) {
  IndexMath math(b);
  Value first =
      math.add(math.add(start, right.start),
               math.mul(math.rem(lane, layout.lanesN), layout.groupN));
  return {first, size, schedule.threadN / layout.lanesN, layout.groupN,
          layout.lanesN};
}

std::unique_ptr<TileProduct>
mlir::dietcode::createMmaProduct(const ProductRequest &request) {
  return std::make_unique<MmaProduct>(request);
}
