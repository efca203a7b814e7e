//===- ErrorFunction.cpp - erf and erfc -----------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"

using namespace mlir;
using namespace mlir::dietcode;

/// erf(x) / x - 1 of x^2, for |x| <= 0.95.
static constexpr float kErf[] = {
    0x1.06eba8p-3f, -0x1.81274p-2f,  0x1.ce2d64p-4f, -0x1.b80124p-6f,
    0x1.544b08p-8f, -0x1.a6181p-11f, 0x1.4fa924p-14f};

/// log(erfc(x)) + x for x in [0.92, 3.93].
static constexpr float kLogErfc[] = {
    0x1.506114p-13f, -0x1.0914bcp-3f, -0x1.445fd2p-1f,
    -0x1.ba6a9ep-4f, 0x1.97e19cp-6f,  -0x1.09a478p-8f,
    0x1.9fef4ap-12f, -0x1.dff06p-17f, -0x1.188cf6p-21f};

/// (1 + 2 x) exp(x^2) erfc(x) - 1 of (x - 4) / (x + 4), for x in [0.45, 10.1].
static constexpr float kScaledErfc[] = {
    0x1.dd2c8cp-3f,  -0x1.1df1aap-3f, 0x1.f7f5ep-7f,   0x1.16eaa8p-4f,
    -0x1.9ddf64p-4f, 0x1.80125p-4f,   -0x1.0f69ccp-4f, 0x1.2f0714p-5f,
    -0x1.0fbce4p-6f, 0x1.58e97ep-8f};

/// erf(x) for |x| <= 0.95.
static Value buildSmallErf(MathBuilder &b, Value x) {
  return b.fma(x, b.polynomial(b.mul(x, x), kErf), x);
}

Value mlir::dietcode::buildErf(MathBuilder &b, Value x) {
  // 1 - exp(log(erfc(a))), which is 1 from 3.92 on.
  Value a = b.abs(x);
  Value limited = b.atMost(a, 3.93f);
  Value log = b.sub(b.polynomial(limited, kLogErfc), limited);
  Value large = b.sub(b.number(1), scale(b, reduceExp(b, log)));
  return b.select(b.less(a, 0.94f), buildSmallErf(b, x), b.copysign(large, x));
}

/// (a - 4) / (a + 4).
static Value buildTransformed(MathBuilder &b, Value a) {
  Value four = b.number(4);
  Value numerator = b.sub(a, four);
  Value rcp = b.approximateRcp(b.add(a, four));
  Value ratio = b.mul(numerator, rcp);
  // The rest a - 4 - ratio (a + 4) without the rounding of a - 4 and a + 4.
  Value rest = b.fma(b.add(ratio, b.number(1)), -4.0f, a);
  rest = b.fma(b.neg(ratio), a, rest);
  return b.fma(rcp, rest, ratio);
}

/// exp(a^2) erfc(a) for a in [0.45, 10.1], as a number and its tail.
static std::pair<Value, Value> buildScaledErfc(MathBuilder &b, Value a) {
  Value one = b.number(1);
  Value p = b.polynomial(buildTransformed(b, a), kScaledErfc);
  Value numerator = b.add(p, one);
  Value tail = b.sub(p, b.sub(numerator, one));
  // Divided by 1 + 2 a, with the rest of the division and that of the sum.
  Value rcp = b.approximateRcp(b.fma(a, 2.0f, one));
  Value quotient = b.mul(numerator, rcp);
  Value rest = b.fma(b.neg(quotient), b.add(a, a), numerator);
  rest = b.add(b.sub(rest, quotient), tail);
  return {quotient, b.mul(rest, rcp)};
}

Value mlir::dietcode::buildErfc(MathBuilder &b, Value x) {
  Value a = b.atMost(b.abs(x), 10.1f);
  Value square = b.mul(a, a);
  Value squareTail = b.fma(b.neg(a), a, square);
  Scaled exp = reduceExpExactly(b, b.neg(square), squareTail);
  auto [scaled, scaledTail] = buildScaledErfc(b, a);
  Value tail = b.fma(exp.fraction, scaledTail, b.mul(exp.tail, scaled));
  Value product = b.fma(exp.fraction, scaled, tail);
  Value right = scaleGradually(b, {product, exp.exponent}, b.number(-1));
  Value large = b.select(b.less(x, 0.0f), b.sub(b.number(2), right), right);
  Value small = b.sub(b.number(1), buildSmallErf(b, x));
  return b.select(b.less(a, 0.47f), small, large);
}
