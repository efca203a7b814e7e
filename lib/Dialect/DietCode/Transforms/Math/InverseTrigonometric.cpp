//===- InverseTrigonometric.cpp - Arc functions ---------------------------===//
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

/// (asin(x) - x) / x^3 of x^2, for |x| <= 9/16.
static constexpr float kAsin[] = {0x1.555526p-3f, 0x1.334932p-4f,
                                  0x1.6a59a6p-5f, 0x1.169d94p-5f,
                                  0x1.b9e734p-8f, 0x1.84fbf4p-5f};

/// (atan(x) - x) / x^3 of x^2, for |x| <= 1.
static constexpr float kAtan[] = {
    -0x1.55553ep-2f, 0x1.9991e6p-3f,  -0x1.2420b6p-3f,
    0x1.c08f64p-4f,  -0x1.58155ep-4f, 0x1.da5ed4p-5f,
    -0x1.fdfc1cp-6f, 0x1.64c1cep-7f,  -0x1.d4984ap-10f};

static constexpr float kHalfPi = 0x1.921fb6p+0f;
static constexpr float kHalfPiTail = -0x1.777a5cp-25f;

/// `turns` times pi / 2, minus x.
static Value subtractFromHalfPi(MathBuilder &b, float turns, Value factor,
                                Value x) {
  Value rest = b.fma(factor, x, b.number(turns * kHalfPiTail));
  return b.add(rest, b.number(turns * kHalfPi));
}

namespace {

struct ArcSine {
  Value isSmall; ///< |x| <= 9/16
  Value value;   ///< asin(x), or else asin(sqrt((1 - |x|) / 2))
};

} // namespace

static ArcSine buildArcSine(MathBuilder &b, Value x) {
  Value a = b.abs(x);
  Value isSmall = b.less(a, 0.5625f);
  Value rest = b.mul(b.sub(b.number(1), a), b.number(0.5f));
  Value square = b.select(isSmall, b.mul(x, x), rest);
  Value base = b.select(isSmall, x, b.sqrt(rest));
  return {isSmall, b.oddPolynomial(base, square, kAsin)};
}

Value mlir::dietcode::buildAsin(MathBuilder &b, Value x) {
  auto [isSmall, arc] = buildArcSine(b, x);
  Value large = subtractFromHalfPi(b, 1, b.number(-2), arc);
  return b.select(isSmall, arc, b.copysign(large, x));
}

Value mlir::dietcode::buildAcos(MathBuilder &b, Value x) {
  auto [isSmall, arc] = buildArcSine(b, x);
  Value small = subtractFromHalfPi(b, 1, b.number(-1), arc);
  Value negative = subtractFromHalfPi(b, 2, b.number(-2), arc);
  Value large = b.select(b.less(x, 0.0f), negative, b.add(arc, arc));
  return b.select(isSmall, small, large);
}

Value mlir::dietcode::buildAtan(MathBuilder &b, Value x) {
  Value a = b.abs(x);
  Value isLarge = b.greater(a, 1);
  Value ratio = b.select(isLarge, b.div(b.number(1), a), a);
  Value arc = b.oddPolynomial(ratio, b.mul(ratio, ratio), kAtan);
  Value rest = subtractFromHalfPi(b, 1, b.number(-1), arc);
  return b.copysign(b.select(isLarge, rest, arc), x);
}

Value mlir::dietcode::buildAtan2(MathBuilder &b, Value y, Value x) {
  Value ay = b.abs(y), ax = b.abs(x);
  Value isSteep = b.less(ax, ay);
  Value large = b.max(ax, ay), small = b.min(ax, ay);
  Value ratio = b.div(small, large);
  // 0 / 0 is 0, and infinity / infinity 1.
  Value isDiagonal = b.equal(small, INFINITY);
  ratio = b.select(isDiagonal, b.number(1), ratio);
  ratio = b.select(b.equal(large, 0.0f), b.number(0), ratio);
  Value arc = b.oddPolynomial(ratio, b.mul(ratio, ratio), kAtan);
  Value steep = subtractFromHalfPi(b, 1, b.number(-1), arc);
  Value first = b.select(isSteep, steep, arc);
  Value second = subtractFromHalfPi(b, 2, b.number(-1), first);
  Value isLeft =
      b.compareInt(arith::CmpIPredicate::slt, b.bits(x), b.integer(0));
  Value angle = b.copysign(b.select(isLeft, second, first), y);
  return b.select(b.unordered(x, y), b.number(NAN), angle);
}
