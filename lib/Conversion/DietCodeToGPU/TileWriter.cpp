//===- TileWriter.cpp - Guarded write-back of tiles -----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileWriter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::dietcode;

/// Offset of element `index` of a thread from its first one.
static int64_t getElementOffset(const ThreadTile &tile, int64_t index) {
  return index / tile.group * tile.group * tile.threads + index % tile.group;
}

/// if (index < size) { body() }
static void createGuard(ImplicitLocOpBuilder &b, Value index, Value size,
                        function_ref<void()> body) {
  auto guarded = scf::IfOp::create(b, IndexMath(b).less(index, size),
                                   /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  body();
}

Value mlir::dietcode::getElement(ImplicitLocOpBuilder &b,
                                 const ThreadTile &tile, int64_t index) {
  return IndexMath(b).add(tile.start, getElementOffset(tile, index));
}

/// Positions are computed where they are used: all of them at once would take
/// more registers than there are beside the values.
void mlir::dietcode::writeTile(ImplicitLocOpBuilder &b, ArrayRef<Value> values,
                               const ThreadTile &rows,
                               const ThreadTile &columns, int64_t step,
                               const TileVisitor &visitor) {
  int64_t width = columns.elements;
  int64_t atOnce = visitor.byGroups ? columns.group : width;
  auto writeRow = [&](int64_t i, int64_t begin) {
    if (visitor.enterRow)
      visitor.enterRow(i);
    for (int64_t j = begin; j < begin + atOnce; j += step)
      createGuard(b, getElement(b, columns, j), columns.size, [&] {
        visitor.writeGroup(values.slice(i * width + j, step), i, j);
      });
  };
  for (int64_t begin = 0; begin < width; begin += atOnce) {
    if (visitor.enterColumns)
      visitor.enterColumns(begin, atOnce);
    for (int64_t i : llvm::seq<int64_t>(0, rows.elements))
      createGuard(b, getElement(b, rows, i), rows.size,
                  [&] { writeRow(i, begin); });
  }
}

static Type getElementType(Value flat) {
  return cast<MemRefType>(flat.getType()).getElementType();
}

static llvm::MaybeAlign getAlignment(Value flat, int64_t count) {
  return llvm::MaybeAlign(getElementType(flat).getIntOrFloatBitWidth() / 8 *
                          count);
}

SmallVector<Value> mlir::dietcode::loadGroup(ImplicitLocOpBuilder &b,
                                             Value flat, Value offset,
                                             int64_t count) {
  if (count == 1)
    return {memref::LoadOp::create(b, flat, offset)};
  Value loaded = vector::LoadOp::create(
      b, VectorType::get({count}, getElementType(flat)), flat, offset,
      /*nontemporal=*/false, getAlignment(flat, count));
  SmallVector<Value> values;
  for (int64_t i : llvm::seq<int64_t>(0, count))
    values.push_back(vector::ExtractOp::create(b, loaded, i));
  return values;
}

void mlir::dietcode::storeGroup(ImplicitLocOpBuilder &b, ArrayRef<Value> values,
                                Value flat, Value offset) {
  int64_t count = values.size();
  if (count == 1) {
    memref::StoreOp::create(b, values.front(), flat, offset);
    return;
  }
  auto type = VectorType::get({count}, getElementType(flat));
  vector::StoreOp::create(b, vector::FromElementsOp::create(b, type, values),
                          flat, offset, /*nontemporal=*/false,
                          getAlignment(flat, count));
}
