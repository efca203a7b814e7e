//===- MathBuilder.h - Arithmetic on f32 values --------------- -*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_TRANSFORMS_MATH_MATHBUILDER_H
#define DIETCODE_LIB_TRANSFORMS_MATH_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlir::dietcode {

/// Builds operations on scalars, of which the floats are f32 unless a function
/// says that it knows others. None carries fast-math flags, whatever the
/// function that is expanded has, since the errors of the expansions rest on
/// each rounding. Operands of integer operations are i32 or i64.
class MathBuilder {
public:
  MathBuilder(OpBuilder &builder, Location loc)
      : MathBuilder(builder, loc, builder.getF32Type()) {}
  MathBuilder(OpBuilder &builder, Location loc, FloatType type)
      : builder(builder), loc(loc), type(type) {}

  OpBuilder &getBuilder() { return builder; }
  Location getLoc() const { return loc; }
  FloatType getType() const { return type; }

  Value number(float value);
  Value integer(int64_t value, unsigned width = 32);

  Value add(Value a, Value b) { return make<arith::AddFOp>(a, b); }
  Value sub(Value a, Value b) { return make<arith::SubFOp>(a, b); }
  Value mul(Value a, Value b) { return make<arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return make<arith::DivFOp>(a, b); }
  Value neg(Value a) { return make<arith::NegFOp>(a); }
  /// The smaller, or the larger; the other one if one is NaN.
  Value min(Value a, Value b) { return call("llvm.minnum", {a, b}); }
  Value max(Value a, Value b) { return call("llvm.maxnum", {a, b}); }
  /// a * b + c with one rounding.
  Value fma(Value a, Value b, Value c) { return call("llvm.fma", {a, b, c}); }
  Value fma(Value a, float b, Value c) { return fma(a, number(b), c); }
  Value abs(Value a) { return call("llvm.fabs", a); }
  Value trunc(Value a) { return call("llvm.trunc", a); }
  Value copysign(Value a, Value b) { return call("llvm.copysign", {a, b}); }
  /// With IEEE rounding.
  Value sqrt(Value a) { return call("llvm.sqrt", a); }

  // What the hardware approximates. The PTX ISA gives largest errors.
  /// 1 / a to an ulp, where a and the result are normal.
  Value approximateRcp(Value a) {
    return call("llvm.nvvm.rcp.approx.ftz.f", a);
  }
  Value approximateRsqrt(Value a) {
    return call("llvm.nvvm.rsqrt.approx.f", a);
  }
  Value approximateLog2(Value a) { return call("llvm.nvvm.lg2.approx.f", a); }
  Value approximateExp2(Value a) { return call("llvm.nvvm.ex2.approx", a); }

  /// 1 / a to little more than rounding, for a in [2^-100, 2^100].
  Value rcp(Value a);
  /// coefficients[0] + coefficients[1] x + ...
  Value polynomial(Value x, ArrayRef<float> coefficients);
  /// x + x^3 p(x^2), with x^2 given.
  Value oddPolynomial(Value x, Value square, ArrayRef<float> coefficients);

  Value less(Value a, Value b) {
    return compare(arith::CmpFPredicate::OLT, a, b);
  }
  Value less(Value a, float b) { return less(a, number(b)); }
  Value greater(Value a, float b) {
    return compare(arith::CmpFPredicate::OGT, a, number(b));
  }
  Value equal(Value a, Value b) {
    return compare(arith::CmpFPredicate::OEQ, a, b);
  }
  Value equal(Value a, float b) { return equal(a, number(b)); }
  Value differ(Value a, Value b) {
    return compare(arith::CmpFPredicate::UNE, a, b);
  }
  Value unordered(Value a, Value b) {
    return compare(arith::CmpFPredicate::UNO, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return make<arith::SelectOp>(condition, a, b);
  }
  /// `limit` where a is less, or more, and a otherwise: unlike max and min, it
  /// keeps NaN.
  Value atLeast(Value a, float limit) {
    return select(less(a, limit), number(limit), a);
  }
  Value atMost(Value a, float limit) {
    return select(greater(a, limit), number(limit), a);
  }

  Value bits(Value a) {
    return cast<arith::BitcastOp>(builder.getI32Type(), a);
  }
  Value fromBits(Value a) {
    return cast<arith::BitcastOp>(builder.getF32Type(), a);
  }
  Value addInt(Value a, Value b) { return make<arith::AddIOp>(a, b); }
  Value subInt(Value a, Value b) { return make<arith::SubIOp>(a, b); }
  Value mulInt(Value a, Value b) { return make<arith::MulIOp>(a, b); }
  Value bitAnd(Value a, Value b) { return make<arith::AndIOp>(a, b); }
  Value bitOr(Value a, Value b) { return make<arith::OrIOp>(a, b); }
  Value bitXor(Value a, Value b) { return make<arith::XOrIOp>(a, b); }
  Value shiftLeft(Value a, Value b) { return make<arith::ShLIOp>(a, b); }
  Value shiftRight(Value a, Value b) { return make<arith::ShRUIOp>(a, b); }
  Value compareInt(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }

  template <typename Op>
  Value cast(Type type, Value a) {
    return Op::create(builder, loc, type, a);
  }
  Value call(StringRef intrinsic, ValueRange operands);

private:
  template <typename Op, typename... Args>
  Value make(Args... args) {
    return Op::create(builder, loc, args...);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }

  OpBuilder &builder;
  Location loc;
  FloatType type;
};

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_TRANSFORMS_MATH_MATHBUILDER_H
