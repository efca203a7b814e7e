//===- Power.cpp - Powers, roots and rounding -----------------------------===//
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

Value mlir::dietcode::buildClamp(MathBuilder &b, Value x, Value low,
                                 Value high) {
  x = b.select(b.less(x, low), low, x);
  return b.select(b.less(high, x), high, x);
}

Value mlir::dietcode::buildRsqrt(MathBuilder &b, Value x) {
  if (b.getType().isF64())
    return b.div(b.number(1), b.sqrt(x));
  // One step of Newton, r + r / 2 (1 - x r^2). For 0 and infinity it has no
  // number to correct, and r is right.
  Value r = b.approximateRsqrt(x);
  Value rest = b.fma(b.neg(b.mul(x, r)), r, b.number(1));
  Value better = b.fma(b.mul(r, b.number(0.5f)), rest, r);
  return b.select(b.unordered(rest, rest), r, better);
}

Value mlir::dietcode::buildCbrt(MathBuilder &b, Value x) {
  // One step of Newton, r - (r - a / r^2) / 3, from 2^(log2(a) / 3). The rest
  // needs more bits than tiny numbers have.
  Value isTiny = b.less(b.abs(x), 0x1p-96f);
  Value scale = b.select(isTiny, b.number(0x1p60f), b.number(1));
  Value unscale = b.select(isTiny, b.number(0x1p-20f), b.number(1));
  Value a = b.mul(b.abs(x), scale);
  Value third = b.mul(b.approximateLog2(a), b.number(1.0f / 3));
  Value r = b.approximateExp2(third);
  Value square = b.mul(r, r);
  Value rest = b.fma(b.neg(square), r, a);
  Value slope = b.mul(b.approximateRcp(square), b.number(1.0f / 3));
  Value better = b.mul(b.copysign(b.fma(rest, slope, r), x), unscale);
  // 0, infinity and NaN are their own roots.
  Value isOrdinary =
      b.compareInt(arith::CmpIPredicate::ult, b.subInt(b.bits(a), b.integer(1)),
                   b.integer(0x7f7fffff));
  return b.select(isOrdinary, better, x);
}

Value mlir::dietcode::buildRound(MathBuilder &b, Value x) {
  // Halves away from zero. The difference is exact.
  Value whole = b.trunc(x);
  Value isHalf = b.less(b.abs(b.sub(x, whole)), 0.5f);
  Value away = b.add(whole, b.copysign(b.number(1), x));
  // From 2^23 on and for infinity, where the difference is NaN, it is whole.
  Value isWhole = b.equal(whole, x);
  return b.copysign(b.select(b.bitOr(isHalf, isWhole), whole, away), x);
}

namespace {

/// A number as the sum of two floats, of which the second is small.
struct Pair {
  Value head, tail;
};

} // namespace

/// a + b, where |a| >= |b| or a is 0.
static Pair addOrdered(MathBuilder &b, Value large, Value small) {
  Value sum = b.add(large, small);
  return {sum, b.add(b.sub(large, sum), small)};
}

/// a b.
static Pair multiply(MathBuilder &b, Value x, Value y) {
  Value product = b.mul(x, y);
  return {product, b.fma(x, y, b.neg(product))};
}

/// (m - 1) / (m + 1), with m = 1 + f.
static Pair buildRatio(MathBuilder &b, Value f) {
  Value sum = b.add(f, b.number(2));
  Value sumTail = b.sub(f, b.sub(sum, b.number(2)));
  Value rcp = b.rcp(sum);
  Value ratio = b.mul(f, rcp);
  Value rest = b.fma(b.neg(ratio), sum, f);
  rest = b.fma(b.neg(ratio), sumTail, rest);
  return {ratio, b.mul(rest, rcp)};
}

/// log2 of a positive number, to about 2^-33 of it: powers multiply the error
/// by up to 128.
static Pair buildPairLog2(MathBuilder &b, Value x) {
  // log2(m) = 2 / ln 2 (s + s^3 / 3 + ...), with s = (m - 1) / (m + 1), is
  // s (2 / ln 2 + s^2 c(s^2)). The two terms and the head of c are pairs.
  constexpr float head = 0x1.715476p+1f, tail = 0x1.4ae0cp-25f;
  constexpr float series[] = {0x1.2776ep-1f, 0x1.a5d042p-2f, 0x1.589114p-2f};
  Value first = b.number(0x1.ec709ep-1f);
  auto [f, exponent] = splitMantissa(b, x);
  Pair s = buildRatio(b, f);
  Pair square = multiply(b, s.head, s.head);
  square.tail = b.fma(b.add(s.head, s.head), s.tail, square.tail);
  Value later = b.polynomial(square.head, series);
  Value c = b.fma(square.head, later, first);
  Value cTail = b.fma(square.head, later, b.sub(first, c));
  Pair t = multiply(b, square.head, c);
  t.tail = b.fma(square.tail, c, b.fma(square.head, cTail, t.tail));

  Pair low = multiply(b, s.head, t.head);
  low.tail = b.fma(s.head, t.tail, b.fma(s.tail, t.head, low.tail));
  Pair high = multiply(b, s.head, b.number(head));
  high.tail = b.fma(s.head, tail, b.fma(s.tail, head, high.tail));
  Pair log = addOrdered(b, high.head, low.head);
  Value rest = b.add(log.tail, b.add(high.tail, low.tail));
  Pair sum = addOrdered(b, b.mul(exponent, b.number(0x1p-23f)), log.head);
  return {sum.head, b.add(sum.tail, rest)};
}

/// |x|^y for numbers x but 0 and 1.
static Value buildPositivePow(MathBuilder &b, Value x, Value y) {
  Pair log = buildPairLog2(b, x);
  Pair power = multiply(b, y, log.head);
  power.tail = b.fma(y, log.tail, power.tail);
  // Beyond that it is 0 or infinity, and the tail may be NaN.
  Value limited = b.max(b.min(power.head, b.number(190)), b.number(-190));
  Value isLimited = b.differ(limited, power.head);
  Value tail = b.select(isLimited, b.number(0), power.tail);
  return scaleGradually(b, reduceExp2(b, limited, tail), limited);
}

Value mlir::dietcode::buildPow(MathBuilder &b, Value x, Value y) {
  // The special cases are those of C's pow.
  Value a = b.abs(x);
  Value result = buildPositivePow(b, a, y);
  Value zero = b.number(0), infinity = b.number(INFINITY);

  Value isZero = b.equal(x, zero);
  Value isEnd = b.bitOr(isZero, b.equal(a, infinity));
  Value shrinks = b.bitXor(isZero, b.less(y, zero));
  result = b.select(isEnd, b.select(shrinks, zero, infinity), result);

  Value isWhole = b.equal(b.trunc(y), y);
  Value half = b.mul(y, b.number(0.5f));
  Value isOdd = b.bitAnd(isWhole, b.differ(b.trunc(half), half));
  result = b.select(isOdd, b.copysign(result, x), result);
  Value isNegative = b.bitAnd(b.less(x, zero), b.less(a, infinity));
  Value hasNoRoot = b.bitAnd(isNegative, b.differ(b.trunc(y), y));
  result =
      b.select(b.bitOr(hasNoRoot, b.unordered(x, y)), b.number(NAN), result);

  Value isUnit = b.bitAnd(b.equal(a, 1.0f), b.equal(b.abs(y), infinity));
  Value isOne = b.bitOr(b.equal(x, 1.0f), b.equal(y, zero));
  return b.select(b.bitOr(isOne, isUnit), b.number(1), result);
}
