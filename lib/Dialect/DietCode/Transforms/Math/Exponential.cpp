//===- Exponential.cpp - Exponential and hyperbolic functions -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"

using namespace mlir;
using namespace mlir::dietcode;

/// Adding it to a number of magnitude below 2^22 rounds that to an integer,
/// which is then in the lowest bits of the sum.
static constexpr float kRounder = 0x1.8p23f;

static constexpr float kLog2E = 0x1.715476p+0f;
static constexpr float kLn2 = 0x1.62e43p-1f;
static constexpr float kLn2Tail = -0x1.05c61p-29f;

/// exp(r) = 1 + r + r^2 q(r) for |r| <= ln(2) / 2.
static constexpr float kExp[] = {0x1.fffffep-2f, 0x1.5554b4p-3f, 0x1.5556f2p-5f,
                                 0x1.12256p-7f, 0x1.6b9caap-10f};

/// 2^f for |f| <= 1/2.
static constexpr float kExp2[] = {
    1.0f,           0x1.62e43p-1f,   0x1.ebfbep-3f,  0x1.c6af78p-5f,
    0x1.3b2a26p-7f, 0x1.5f0ad6p-10f, 0x1.4449fap-13f};

/// (sinh(x) - x) / x^3 of x^2, for |x| <= 1.
static constexpr float kSinh[] = {0x1.555556p-3f, 0x1.1110ep-7f,
                                  0x1.a022bcp-13f, 0x1.756c1ep-19f};

/// (tanh(x) - x) / x^3 of x^2, for |x| <= 0.6.
static constexpr float kTanh[] = {-0x1.555554p-2f, 0x1.111086p-3f,
                                  -0x1.b9f58p-5f,  0x1.63de6cp-6f,
                                  -0x1.0db2cep-7f, 0x1.1fc462p-9f};

namespace {

/// x = n ln 2 + r.
struct Reduced {
  Value r;
  Value n; ///< As `Scaled::exponent`.
};

} // namespace

/// With n at most round(limit / ln 2), so that r grows above that.
static Reduced reduceByLn2(MathBuilder &b, Value x, float limit) {
  Value rounder = b.number(kRounder);
  Value shifted = b.fma(b.min(x, b.number(limit)), kLog2E, rounder);
  Value n = b.sub(shifted, rounder);
  Value r = b.fma(n, -kLn2, x);
  return {b.fma(n, -kLn2Tail, r), b.bits(shifted)};
}

Scaled mlir::dietcode::reduceExp(MathBuilder &b, Value x) {
  auto [r, n] = reduceByLn2(b, x, 130);
  Value one = b.number(1);
  return {b.fma(b.fma(b.polynomial(r, kExp), r, one), r, one), n};
}

Scaled mlir::dietcode::reduceExpExactly(MathBuilder &b, Value x, Value tail) {
  auto [r, n] = reduceByLn2(b, x, 130);
  r = b.add(r, tail);
  Value one = b.number(1);
  Value growth = b.fma(b.polynomial(r, kExp), b.mul(r, r), r);
  Value fraction = b.add(growth, one);
  return {fraction, n, b.sub(growth, b.sub(fraction, one))};
}

Scaled mlir::dietcode::reduceExp2(MathBuilder &b, Value x, Value tail) {
  Value rounder = b.number(kRounder);
  Value shifted = b.add(b.min(x, b.number(190)), rounder);
  Value f = b.sub(x, b.sub(shifted, rounder));
  if (tail)
    f = b.add(f, tail);
  return {b.polynomial(f, kExp2), b.bits(shifted)};
}

/// The float 2^(n + offset).
static Value powerOfTwo(MathBuilder &b, Value n, Value offset) {
  return b.fromBits(b.addInt(b.shiftLeft(n, b.integer(23)), offset));
}

static Value biased(MathBuilder &b, int exponent) {
  return b.integer(int64_t(exponent + 127) << 23);
}

Value mlir::dietcode::scale(MathBuilder &b, const Scaled &value) {
  return b.mul(value.fraction, powerOfTwo(b, value.exponent, biased(b, 0)));
}

Value mlir::dietcode::scaleGradually(MathBuilder &b, const Scaled &value,
                                     Value x) {
  // In two steps, of which the first is exact.
  Value isLarge = b.greater(x, 0);
  Value offset = b.select(isLarge, biased(b, -64), biased(b, 64));
  Value rest = b.select(isLarge, b.number(0x1p64f), b.number(0x1p-64f));
  Value first = b.mul(value.fraction, powerOfTwo(b, value.exponent, offset));
  return b.mul(first, rest);
}

Value mlir::dietcode::buildExp(MathBuilder &b, Value x) {
  Value limited = b.atLeast(x, -104);
  return scaleGradually(b, reduceExp(b, limited), limited);
}

Value mlir::dietcode::buildExp2(MathBuilder &b, Value x) {
  Value limited = b.atLeast(x, -151);
  return scaleGradually(b, reduceExp2(b, limited), limited);
}

Value mlir::dietcode::buildExpM1(MathBuilder &b, Value x) {
  // Half of 2^n (exp(r) - 1) + 2^n - 1, since 2^n may overflow.
  auto [r, n] = reduceByLn2(b, b.atLeast(x, -18), 88.9f);
  Value p = b.fma(b.polynomial(r, kExp), b.mul(r, r), r);
  Value half = powerOfTwo(b, n, biased(b, -1));
  Value sum = b.fma(p, half, b.sub(half, b.number(0.5f)));
  return b.select(b.less(b.abs(x), 0x1p-25f), x, b.add(sum, sum));
}

/// exp(x) / 2 for x >= 0.
static Value buildHalfExp(MathBuilder &b, Value x) {
  Scaled exp = reduceExp(b, x);
  Value first =
      b.mul(exp.fraction, powerOfTwo(b, exp.exponent, biased(b, -65)));
  return b.mul(first, b.number(0x1p64f));
}

Value mlir::dietcode::buildSinh(MathBuilder &b, Value x) {
  Value a = b.abs(x);
  Value half = buildHalfExp(b, a);
  Value large = b.fma(b.approximateRcp(half), -0.25f, half);
  return b.select(b.less(a, 1.0f), b.oddPolynomial(x, b.mul(x, x), kSinh),
                  b.copysign(large, x));
}

Value mlir::dietcode::buildCosh(MathBuilder &b, Value x) {
  // The other half does not count where the reciprocal is limited.
  Value half = buildHalfExp(b, b.abs(x));
  Value rcp = b.rcp(b.min(half, b.number(0x1p100f)));
  return b.fma(rcp, 0.25f, half);
}

Value mlir::dietcode::buildTanh(MathBuilder &b, Value x) {
  // 1 - 2 / (exp(2 x) + 1), which is 1 from 9.01 on.
  Value a = b.abs(x);
  Value limited = b.atMost(a, 9.1f);
  Scaled exp = reduceExp(b, b.add(limited, limited));
  Value power = powerOfTwo(b, exp.exponent, biased(b, 0));
  Value rcp = b.rcp(b.fma(exp.fraction, power, b.number(1)));
  Value large = b.fma(rcp, -2.0f, b.number(1));
  Value small = b.oddPolynomial(a, b.mul(a, a), kTanh);
  return b.copysign(b.select(b.less(a, 0.6f), small, large), x);
}

Value mlir::dietcode::buildSigmoid(MathBuilder &b, Value x) {
  // 1 / (1 + t) or t / (1 + t) with t = exp(-|x|), which does not overflow. The
  // latter is t - t (t / (1 + t)), where only the last rounding counts for
  // small t.
  Value t = buildExp(b, b.neg(b.abs(x)));
  Value one = b.number(1);
  Value sum = b.add(t, one);
  Value rcp = b.approximateRcp(sum);
  Value rest = b.fma(b.neg(sum), rcp, one);
  Value sumTail = b.sub(t, b.sub(sum, one));
  rcp = b.fma(rcp, b.fma(b.neg(sumTail), rcp, rest), rcp);
  return b.select(b.less(x, 0.0f), b.fma(b.neg(t), b.mul(t, rcp), t), rcp);
}
