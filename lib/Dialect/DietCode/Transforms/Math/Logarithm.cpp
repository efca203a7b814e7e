//===- Logarithm.cpp - Logarithms and inverse hyperbolic functions --------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"

#include <cmath>

using namespace mlir;
using namespace mlir::dietcode;

static constexpr float kLn2 = 0x1.62e43p-1f;

/// (log(1 + f) - f) / f^2 for 1 + f in [sqrt(1/2), sqrt(2)].
static constexpr float kLog[] = {
    -0x1.fffff8p-2f, 0x1.55555p-2f,   -0x1.000434p-2f,
    0x1.99a406p-3f,  -0x1.542528p-3f, 0x1.226fc8p-3f,
    -0x1.0f4798p-3f, 0x1.0856fep-3f,  -0x1.3803cp-4f};

/// (log2(1 + f) - f / ln 2) / f^2.
static constexpr float kLog2[] = {
    -0x1.71547p-1f,  0x1.ec7092p-2f,  -0x1.715afcp-2f,
    0x1.277fdcp-2f,  -0x1.eaa452p-3f, 0x1.a2b01ap-3f,
    -0x1.87c4a4p-3f, 0x1.7fcd54p-3f,  -0x1.c672d8p-4f};

/// (log10(1 + f) - f / ln 10) / f^2.
static constexpr float kLog10[] = {
    -0x1.bcb7aap-3f, 0x1.287a7p-3f,   -0x1.bcbf46p-4f,
    0x1.63d074p-4f,  -0x1.276cb2p-4f, 0x1.f84df4p-5f,
    -0x1.d75b96p-5f, 0x1.ccd2p-5f,    -0x1.10dac2p-5f};

/// (atanh(x) - x) / x^3 of x^2, for |x| <= 1/2.
static constexpr float kAtanh[] = {0x1.55554p-2f,  0x1.99a676p-3f,
                                   0x1.234d9ap-3f, 0x1.e3ffcap-4f,
                                   0x1.a6be3p-5f,  0x1.693922p-3f};

/// The bits of sqrt(1/2).
static constexpr int64_t kRootHalf = 0x3f3504f3;
static constexpr int64_t kExponentBits = 0xff800000;

/// 2^23 e in an integer, such that the number with these bits is 2^e times one
/// in [sqrt(1/2), sqrt(2)].
static Value exponentOf(MathBuilder &b, Value bits) {
  return b.bitAnd(b.subInt(bits, b.integer(kRootHalf)),
                  b.integer(kExponentBits));
}

static Value toFloat(MathBuilder &b, Value integer) {
  return b.cast<arith::SIToFPOp>(b.getBuilder().getF32Type(), integer);
}

Mantissa mlir::dietcode::splitMantissa(MathBuilder &b, Value x) {
  Value isTiny = b.less(x, 0x1p-126f);
  Value bits = b.bits(b.select(isTiny, b.mul(x, b.number(0x1p23f)), x));
  Value exponent = exponentOf(b, bits);
  Value f = b.sub(b.fromBits(b.subInt(bits, exponent)), b.number(1));
  Value shift = b.select(isTiny, b.integer(23 << 23), b.integer(0));
  return {f, toFloat(b, b.subInt(exponent, shift))};
}

/// `value` if x is positive and finite. The logarithms of other numbers do not
/// depend on the base, and the hardware has them.
static Value withSpecialCases(MathBuilder &b, Value value, Value x) {
  Value before = b.subInt(b.bits(x), b.integer(1));
  Value isOrdinary =
      b.compareInt(arith::CmpIPredicate::ult, before, b.integer(0x7f7fffff));
  return b.select(isOrdinary, value, b.approximateLog2(x));
}

/// e ln 2 + log(1 + f).
static Value combine(MathBuilder &b, const Mantissa &mantissa) {
  auto [f, exponent] = mantissa;
  Value log = b.fma(b.polynomial(f, kLog), b.mul(f, f), f);
  return b.fma(exponent, kLn2 * 0x1p-23f, log);
}

Value mlir::dietcode::buildLog(MathBuilder &b, Value x) {
  return withSpecialCases(b, combine(b, splitMantissa(b, x)), x);
}

/// A logarithm to another base, whose factors of f and of e are not exact and
/// have tails.
static Value buildLogOfBase(MathBuilder &b, Value x,
                            ArrayRef<float> coefficients, float factor,
                            float factorTail, float exponentFactor,
                            float exponentTail) {
  auto [f, exponent] = splitMantissa(b, x);
  Value head = b.mul(f, b.number(factor));
  Value tail = b.fma(f, factor, b.neg(head));
  tail = b.fma(f, factorTail, tail);
  if (exponentTail)
    tail = b.fma(exponent, exponentTail * 0x1p-23f, tail);
  tail = b.fma(b.polynomial(f, coefficients), b.mul(f, f), tail);
  Value log = b.fma(exponent, exponentFactor * 0x1p-23f, b.add(head, tail));
  return withSpecialCases(b, log, x);
}

Value mlir::dietcode::buildLog2(MathBuilder &b, Value x) {
  return buildLogOfBase(b, x, kLog2, 0x1.715476p+0f, 0x1.4ae0cp-26f, 1, 0);
}

Value mlir::dietcode::buildLog10(MathBuilder &b, Value x) {
  return buildLogOfBase(b, x, kLog10, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f,
                        0x1.344136p-2f, -0x1.ec10cp-27f);
}

/// log(1 + x + tail), with a tail below the rounding of x, if there is one.
static Value buildLog1pOfSum(MathBuilder &b, Value x, Value tail) {
  // The exponent is that of 1 + x, and f = 2^-e x + (2^-e - 1) without the
  // rounding of 1 + x. 2^-e may be not normal, four times that is.
  Value sum = b.add(x, b.number(1));
  Value exponent = exponentOf(b, b.bits(sum));
  Value power = b.fromBits(b.subInt(b.integer(int64_t(129) << 23), exponent));
  Value minusOne = b.fma(power, 0.25f, b.number(-1));
  Value quarter = b.mul(power, b.number(0.25f));
  Value f = b.fma(quarter, x, minusOne);
  Value log = combine(b, {f, toFloat(b, exponent)});
  if (tail) // The slope is 1 / (1 + x), which 2^-e is close enough to.
    log = b.fma(tail, quarter, log);
  return withSpecialCases(b, log, sum);
}

Value mlir::dietcode::buildLog1p(MathBuilder &b, Value x) {
  Value log = buildLog1pOfSum(b, x, nullptr);
  return b.select(b.less(b.abs(x), 0x1p-25f), x, log);
}

// From here on, adding 1 to a number or to its square does not count: the
// inverses of sinh and cosh are log(a) + ln 2.
static constexpr float kLarge = 0x1p26f;

Value mlir::dietcode::buildAsinh(MathBuilder &b, Value x) {
  // log(a + sqrt(a^2 + 1)) = log1p(a + a^2 / (1 + sqrt(a^2 + 1)))
  Value a = b.abs(x);
  Value isLarge = b.greater(a, kLarge);
  Value square = b.mul(a, a);
  Value root = b.sqrt(b.fma(a, a, b.number(1)));
  Value sum = b.add(a, b.div(square, b.add(root, b.number(1))));
  Value log = buildLog1p(b, b.select(isLarge, a, sum));
  log = b.add(log, b.select(isLarge, b.number(kLn2), b.number(0)));
  return b.copysign(log, x);
}

Value mlir::dietcode::buildAcosh(MathBuilder &b, Value x) {
  // log(x + sqrt(x^2 - 1)) = log1p(sqrt(t^2 + 2 t) + t) with t = x - 1
  Value isLarge = b.greater(x, kLarge);
  Value t = b.sub(x, b.number(1));
  Value root = b.sqrt(b.fma(t, t, b.add(t, t)));
  Value sum = b.add(root, t);
  Value tail = b.sub(t, b.sub(sum, root));
  Value log = buildLog1pOfSum(b, b.select(isLarge, x, sum),
                              b.select(isLarge, b.number(0), tail));
  log = b.add(log, b.select(isLarge, b.number(kLn2), b.number(0)));
  return b.select(b.less(x, 1.0f), b.number(NAN), log);
}

Value mlir::dietcode::buildAtanh(MathBuilder &b, Value x) {
  // log((1 + a) / (1 - a)) / 2 = log1p(2 a / (1 - a)) / 2, where 1 - a is exact
  // from 1/2 on.
  Value a = b.abs(x);
  Value small = b.oddPolynomial(a, b.mul(a, a), kAtanh);
  Value log = buildLog1p(b, b.div(b.add(a, a), b.sub(b.number(1), a)));
  Value large = b.mul(log, b.number(0.5f));
  return b.copysign(b.select(b.less(a, 0.5f), small, large), x);
}
