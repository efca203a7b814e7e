//===- Workspace.cpp - Sums of the parts of a split -----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workspace.h"
#include "dietcode/Search/Schedule.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::kMaxVectorWidth;

MemRefType Workspace::getType(MLIRContext *context) {
  return MemRefType::get({ShapedType::kDynamic}, Float32Type::get(context));
}

Value Workspace::getElements(ImplicitLocOpBuilder &b, int64_t parts, Value rows,
                             Value sizeN) {
  IndexMath math(b);
  return math.mul(math.mul(rows, getColumns(b, sizeN)), parts);
}

Value Workspace::getColumns(ImplicitLocOpBuilder &b, Value sizeN) {
  IndexMath math(b);
  return math.mul(math.ceilDiv(sizeN, kMaxVectorWidth), kMaxVectorWidth);
}

Value Workspace::getOffset(Value part, Value row, Value column) {
  Value line = math.add(math.mul(part, rows), row);
  return math.add(math.mul(line, columns), column);
}

void Workspace::store(ArrayRef<Value> sums, Value part, Value row,
                      Value column) {
  Type f32 = b.getF32Type();
  SmallVector<Value> floats;
  for (Value sum : sums) {
    if (sum.getType().isInteger(32))
      sum = arith::BitcastOp::create(b, f32, sum);
    else if (sum.getType() != f32)
      sum = arith::ExtFOp::create(b, f32, sum);
    floats.push_back(sum);
  }
  storeGroup(b, floats, flat, getOffset(part, row, column));
}
