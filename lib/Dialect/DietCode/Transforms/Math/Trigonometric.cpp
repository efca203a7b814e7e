//===- Trigonometric.cpp - Sine, cosine and tangent -----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::dietcode;

/// (sin(x) - x) / x^3 of x^2, for |x| <= pi / 4.
static constexpr float kSin[] = {-0x1.555556p-3f, 0x1.111174p-7f,
                                 -0x1.a0595ep-13f, 0x1.7c3226p-19f};

/// (cos(x) - 1 + x^2 / 2) / x^4 of x^2.
static constexpr float kCos[] = {0x1.55554ap-5f, -0x1.6c0c28p-10f,
                                 0x1.99e816p-16f};

/// (tan(x) - x) / x^3 of x^2.
static constexpr float kTan[] = {
    0x1.55556p-2f,  0x1.110d9ap-3f,  0x1.badad8p-5f, 0x1.5cb32ap-6f,
    0x1.631b06p-7f, 0x1.650a6cp-14f, 0x1.1f057ap-8f};

/// pi / 2 = 0x1.921fb6p+0 + ..., each the rest rounded.
static constexpr float kHalfPi[] = {0x1.921fb6p+0f, -0x1.777a5cp-25f,
                                    -0x1.ee59dap-50f};

/// The words of 2 / pi, after 32 zeros.
static constexpr uint32_t kTwoOverPi[] = {0,          0xa2f9836e, 0x4e441529,
                                          0xfc2757d1, 0xf534ddc0, 0xdb629599,
                                          0x3c439041, 0xfe5163ab};

/// Up to here n pi / 2 can be subtracted in three steps, as the first of them
/// is exact.
static constexpr float kLargeArgument = 65536;

namespace {

/// x = n pi / 2 + r.
struct Quadrant {
  Value r;
  Value n; ///< Modulo 4, in the lowest bits.
};

} // namespace

/// Cody and Waite's reduction.
static Quadrant reduceSmall(MathBuilder &b, Value x) {
  Value rounder = b.number(0x1.8p23f);
  Value shifted = b.fma(x, 0x1.45f306p-1f, rounder);
  Value n = b.sub(shifted, rounder);
  Value r = x;
  for (float part : kHalfPi)
    r = b.fma(n, -part, r);
  return {r, b.bits(shifted)};
}

/// 96 bits of 2 / pi, in an i64 and an i32 that is extended, such that the
/// first two are those that multiples of 2^(exponent - 23) turn into a number
/// of quadrants; what is before them makes whole circles.
static std::pair<Value, Value> selectBits(MathBuilder &b, Value exponent) {
  // The window begins at bit exponent + 7, in one of the words 0 to 4.
  Type i64 = b.getBuilder().getI64Type();
  Value start = b.addInt(exponent, b.integer(7));
  Value first = b.shiftRight(start, b.integer(5));
  SmallVector<Value> isLater;
  for (int i = 1; i <= 4; ++i)
    isLater.push_back(
        b.compareInt(arith::CmpIPredicate::sge, first, b.integer(i)));
  SmallVector<Value> words;
  for (int i = 0; i < 4; ++i) {
    Value word = b.integer(kTwoOverPi[i]);
    for (int j = 1; j <= 4; ++j)
      word = b.select(isLater[j - 1], b.integer(kTwoOverPi[i + j]), word);
    words.push_back(b.cast<arith::ExtUIOp>(i64, word));
  }
  Value w32 = b.integer(32, 64);
  Value high = b.bitOr(b.shiftLeft(words[0], w32), words[1]);
  Value low = b.bitOr(b.shiftLeft(words[2], w32), words[3]);
  Value shift = b.cast<arith::ExtUIOp>(i64, b.bitAnd(start, b.integer(31)));
  // By 64 - shift, which may be 64.
  Value carry = b.shiftRight(b.shiftRight(low, b.integer(1, 64)),
                             b.subInt(b.integer(63, 64), shift));
  return {b.bitOr(b.shiftLeft(high, shift), carry),
          b.shiftRight(b.shiftLeft(low, shift), w32)};
}

/// Payne and Hanek's reduction, for numbers from 2^16 on: the product of the
/// mantissa and the bits of 2 / pi that matter, as a fraction of a circle.
static Quadrant reduceLarge(MathBuilder &b, Value x) {
  OpBuilder &builder = b.getBuilder();
  Type i64 = builder.getI64Type(), f64 = builder.getF64Type();
  Value bits = b.bits(x);
  Value exponent = b.bitAnd(b.shiftRight(bits, b.integer(23)), b.integer(255));
  Value mantissa = b.cast<arith::ExtUIOp>(
      i64, b.bitOr(b.bitAnd(bits, b.integer(0x7fffff)), b.integer(0x800000)));
  auto [high, low] = selectBits(b, b.subInt(exponent, b.integer(127)));
  Value product =
      b.addInt(b.mulInt(mantissa, high),
               b.shiftRight(b.mulInt(mantissa, low), b.integer(32, 64)));
  // Two bits of quadrants, then a fraction that becomes one in [-1/2, 1/2).
  Value rounded = b.addInt(product, b.integer(int64_t(1) << 61, 64));
  Value n = b.cast<arith::TruncIOp>(builder.getI32Type(),
                                    b.shiftRight(rounded, b.integer(62, 64)));
  Value fraction = b.shiftLeft(product, b.integer(2, 64));
  Value unit = arith::ConstantOp::create(
      builder, b.getLoc(),
      builder.getF64FloatAttr(0x1.921fb54442d18p+0 * 0x1p-64));
  Value wide = arith::MulFOp::create(
      builder, b.getLoc(), b.cast<arith::SIToFPOp>(f64, fraction), unit);
  Value r = b.cast<arith::TruncFOp>(builder.getF32Type(), wide);
  Value isNegative = b.less(x, 0.0f);
  // Infinity and NaN have no angle.
  Value angle = b.fma(x, 0.0f, b.select(isNegative, b.neg(r), r));
  return {angle, b.select(isNegative, b.subInt(b.integer(0), n), n)};
}

static Quadrant reduceAngle(MathBuilder &b, Value x) {
  OpBuilder &builder = b.getBuilder();
  Value isSmall = b.less(b.abs(x), kLargeArgument);
  auto build = [&](Quadrant (*reduce)(MathBuilder &, Value)) {
    return [x, reduce](OpBuilder &inner, Location loc) {
      MathBuilder branch(inner, loc);
      Quadrant quadrant = reduce(branch, x);
      scf::YieldOp::create(inner, loc, ValueRange{quadrant.r, quadrant.n});
    };
  };
  auto branch = scf::IfOp::create(builder, b.getLoc(), isSmall,
                                  build(reduceSmall), build(reduceLarge));
  return {branch.getResult(0), branch.getResult(1)};
}

/// sin(x + n pi / 2), with `square` = r^2.
static Value buildQuarter(MathBuilder &b, const Quadrant &x, Value square) {
  Value sine = b.oddPolynomial(x.r, square, kSin);
  Value half = b.fma(square, -0.5f, b.number(1));
  Value cosine = b.fma(b.polynomial(square, kCos), b.mul(square, square), half);
  auto isSet = [&](int64_t bit) {
    return b.compareInt(arith::CmpIPredicate::ne, b.bitAnd(x.n, b.integer(bit)),
                        b.integer(0));
  };
  Value value = b.select(isSet(1), cosine, sine);
  return b.select(isSet(2), b.neg(value), value);
}

/// `value`, or `x` if that is 0: the reduction loses the sign of zero.
static Value keepZero(MathBuilder &b, Value x, Value value) {
  return b.select(b.equal(x, 0.0f), x, value);
}

std::pair<Value, Value> mlir::dietcode::buildSinCos(MathBuilder &b, Value x) {
  Quadrant quadrant = reduceAngle(b, x);
  Value square = b.mul(quadrant.r, quadrant.r);
  Value sine = keepZero(b, x, buildQuarter(b, quadrant, square));
  quadrant.n = b.addInt(quadrant.n, b.integer(1));
  return {sine, buildQuarter(b, quadrant, square)};
}

Value mlir::dietcode::buildSin(MathBuilder &b, Value x) {
  Quadrant quadrant = reduceAngle(b, x);
  Value square = b.mul(quadrant.r, quadrant.r);
  return keepZero(b, x, buildQuarter(b, quadrant, square));
}

Value mlir::dietcode::buildCos(MathBuilder &b, Value x) {
  Quadrant quadrant = reduceAngle(b, x);
  quadrant.n = b.addInt(quadrant.n, b.integer(1));
  return buildQuarter(b, quadrant, b.mul(quadrant.r, quadrant.r));
}

Value mlir::dietcode::buildTan(MathBuilder &b, Value x) {
  auto [r, n] = reduceAngle(b, x);
  Value square = b.mul(r, r);
  Value p = b.mul(b.polynomial(square, kTan), square);
  Value tangent = b.fma(p, r, r);
  // -1 / (tangent + tail), by a step of Newton: an odd n has a tangent that is
  // not small.
  Value tail = b.fma(p, r, b.sub(r, tangent));
  Value rcp = b.neg(b.approximateRcp(tangent));
  Value rest = b.fma(rcp, tail, b.fma(rcp, tangent, b.number(1)));
  Value cotangent = b.fma(rcp, rest, rcp);
  Value isOdd = b.compareInt(arith::CmpIPredicate::ne,
                             b.bitAnd(n, b.integer(1)), b.integer(0));
  return keepZero(b, x, b.select(isOdd, cotangent, tangent));
}
