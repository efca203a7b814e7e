//===- LaneMath.h - Scalar helpers of the row operations --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by the sources that are compiled once per instruction set.
// Everything here has internal linkage, and nothing from the standard library
// is used that could leave an inline function compiled for the wrong set in the
// program.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_LANEMATH_H
#define DIETCODE_LIB_VIRTUALGPU_LANEMATH_H

#include "LaneOps.h"

// Rows may be the same row but never overlap otherwise, so lanes do not depend
// on one another. Unrolling is off because it would come before vectorization
// and leave 32 scalar operations.
#if defined(__clang__)
#define DIETCODE_LANE_LOOP                                                     \
  _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define DIETCODE_LANE_LOOP _Pragma("GCC ivdep")
#endif

namespace dietcode::vgpu {
namespace {

constexpr int laneCount = 32;

/// A binary16 value as its bits; arithmetic goes through double.
struct Half {
  uint16_t bits;
};

template <typename To, typename From>
inline To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}

[[maybe_unused]] inline double halfToDouble(Half h) {
  uint32_t sign = static_cast<uint32_t>(h.bits & 0x8000u) << 16;
  uint32_t exponent = (h.bits >> 10) & 31u;
  uint32_t mantissa = h.bits & 1023u;
  if (exponent == 31)
    return bitCast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    double v = static_cast<double>(mantissa) * 0x1p-24;
    return sign ? -v : v;
  }
  return bitCast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

/// Whether a magnitude whose dropped part is `rest` of `half`+`half` rounds up.
inline bool roundsUp(uint32_t mode, bool negative, bool odd, uint64_t rest,
                     uint64_t half) {
  switch (mode) {
  case RoundNearest:
    return rest > half || (rest == half && odd);
  case RoundDown:
    return negative && rest != 0;
  case RoundUp:
    return !negative && rest != 0;
  default:
    return false;
  }
}

[[maybe_unused]] inline Half doubleToHalf(double value, uint32_t mode) {
  uint64_t bits = bitCast<uint64_t>(value);
  bool negative = bits >> 63;
  uint16_t sign = negative ? 0x8000 : 0;
  int exponent = static_cast<int>((bits >> 52) & 2047) - 1023;
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 1024)
    return {static_cast<uint16_t>(mantissa ? 0x7fff : sign | 0x7c00)};
  uint32_t result = 0x7c00;
  // Below a quarter of the least subnormal, 2^-24, only the mode matters.
  constexpr int leastExponent = -26;
  if (exponent <= 15 && exponent >= leastExponent) {
    mantissa |= uint64_t(1) << 52;
    int shift = exponent < -14 ? 42 + (-14 - exponent) : 42;
    uint64_t quotient = mantissa >> shift;
    uint64_t rest = mantissa & ((uint64_t(1) << shift) - 1);
    uint64_t half = uint64_t(1) << (shift - 1);
    quotient += roundsUp(mode, negative, quotient & 1, rest, half);
    result = static_cast<uint32_t>(quotient);
    if (exponent >= -14)
      result += static_cast<uint32_t>(exponent + 14) << 10;
  } else if (exponent < leastExponent) {
    result = roundsUp(mode, negative, false, value != 0, 2);
  }
  if (result >= 0x7c00) { // Overflow: infinity, or the largest finite value.
    bool toInfinity = mode == RoundNearest || (mode == RoundDown && negative) ||
                      (mode == RoundUp && !negative);
    result = toInfinity ? 0x7c00 : 0x7bff;
  }
  return {static_cast<uint16_t>(sign | result)};
}

/// a * b + c, rounded once. The product is exact in double; the sum is rounded
/// to odd so that the second rounding sees whether anything was dropped.
[[maybe_unused]] inline Half halfFma(Half a, Half b, Half c, uint32_t mode) {
  double p = halfToDouble(a) * halfToDouble(b);
  double q = halfToDouble(c);
  double s = p + q;
  if (__builtin_isfinite(s)) {
    double t = s - p;
    double error = (p - (s - t)) + (q - t);
    uint64_t bits = bitCast<uint64_t>(s);
    if (error != 0 && !(bits & 1))
      s = bitCast<double>((error > 0) == (s > 0) ? bits + 1 : bits - 1);
  }
  return doubleToHalf(s, mode);
}

inline float flush(float x) {
  uint32_t bits = bitCast<uint32_t>(x);
  return (bits & 0x7f800000u) ? x : bitCast<float>(bits & 0x80000000u);
}
inline double flush(double x) { return x; }

/// Flushes under .ftz, which exists for single precision only.
template <typename T>
inline T flushIf(T x, uint32_t imm) {
  return (imm & FlagFtz) ? flush(x) : x;
}

/// Clamps to [0, 1]; NaN gives 0.
template <typename T>
inline T saturate(T x) {
  return x > T(0) ? (x < T(1) ? x : T(1)) : T(0);
}

} // namespace
} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_LANEMATH_H
