//===- IndexMath.h - Folding index arithmetic -------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index arithmetic that folds as it is built, so that static extents and
// strides disappear from the generated code.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_INDEXMATH_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_INDEXMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::dietcode {

/// Builds arithmetic on values of type `index`; operands are not negative.
class IndexMath {
public:
  explicit IndexMath(ImplicitLocOpBuilder &b) : b(b) {}

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value of(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
  }
  Value add(Value lhs, Value rhs) {
    return b.createOrFold<arith::AddIOp>(lhs, rhs);
  }
  Value add(Value lhs, int64_t rhs) {
    return rhs == 0 ? lhs : add(lhs, constant(rhs));
  }
  Value sub(Value lhs, Value rhs) {
    return b.createOrFold<arith::SubIOp>(lhs, rhs);
  }
  Value mul(Value lhs, Value rhs) {
    return b.createOrFold<arith::MulIOp>(lhs, rhs);
  }
  Value mul(Value lhs, int64_t rhs) {
    return rhs == 1 ? lhs : mul(lhs, constant(rhs));
  }
  Value div(Value lhs, int64_t rhs) {
    return b.createOrFold<arith::DivUIOp>(lhs, constant(rhs));
  }
  Value div(Value lhs, Value rhs) {
    return b.createOrFold<arith::DivUIOp>(lhs, rhs);
  }
  Value rem(Value lhs, int64_t rhs) { return rem(lhs, constant(rhs)); }
  Value rem(Value lhs, Value rhs) {
    return b.createOrFold<arith::RemUIOp>(lhs, rhs);
  }
  Value min(Value lhs, Value rhs) {
    return b.createOrFold<arith::MinSIOp>(lhs, rhs);
  }
  Value max(Value lhs, int64_t rhs) {
    return b.createOrFold<arith::MaxSIOp>(lhs, constant(rhs));
  }
  Value ceilDiv(Value lhs, int64_t rhs) { return div(add(lhs, rhs - 1), rhs); }
  /// Whether 0 <= lhs < rhs; `lhs` alone may be negative.
  Value isWithin(Value lhs, Value rhs) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, lhs, rhs);
  }
  Value less(Value lhs, Value rhs) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, lhs, rhs);
  }
  Value equal(Value lhs, int64_t rhs) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, lhs,
                                         constant(rhs));
  }
  Value isMultiple(Value value, int64_t of) { return equal(rem(value, of), 0); }
  Value both(Value lhs, Value rhs) {
    return b.createOrFold<arith::AndIOp>(lhs, rhs);
  }

private:
  ImplicitLocOpBuilder &b;
};

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_INDEXMATH_H
