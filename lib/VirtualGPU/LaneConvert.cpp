//===- LaneConvert.cpp - Row conversions between types --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled with -frounding-math: the directed modes change the host's.
//
//===----------------------------------------------------------------------===//

#include "LaneMath.h"
#include "LaneTargets.h"
#include <cfenv>
#include <type_traits>

namespace dietcode::vgpu {
namespace {

/// Sets the host's rounding mode for one row.
class ScopedRounding {
public:
  explicit ScopedRounding(uint32_t imm) {
    static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                    FE_UPWARD};
    uint32_t mode = (imm & RoundMask) >> RoundShift;
    if ((changed = mode != RoundNearest))
      std::fesetround(modes[mode]);
  }
  ~ScopedRounding() {
    if (changed)
      std::fesetround(FE_TONEAREST);
  }

private:
  bool changed;
};

template <typename T>
constexpr bool isFloating =
    std::is_floating_point_v<T> || std::is_same_v<T, Half>;

inline double widen(Half h) { return halfToDouble(h); }
inline float widen(float x) { return x; }
inline double widen(double x) { return x; }

/// To the integral value in the mode that the row has set. Not rint: some hosts
/// map it to a fixed mode under optimisation; nearbyint obeys.
inline float toIntegral(float x) { return __builtin_nearbyintf(x); }
inline double toIntegral(double x) { return __builtin_nearbyint(x); }

/// `x` is of the type S, or widened from it.
template <typename D, typename S, typename F>
inline D floatToInteger(F x) {
  F r = toIntegral(x);
  constexpr int bits = 8 * sizeof(D);
  // PTX ISA, cvt: NaN gives zero, or the highest bit alone from or to 64 bits.
  constexpr bool isNanZero = !std::is_same_v<S, double> && bits < 64;
  if (r != r)
    return static_cast<D>(isNanZero ? 0 : uint64_t(1) << (bits - 1));
  constexpr bool isSignedType = std::is_signed_v<D>;
  const F limit = isSignedType ? F(uint64_t(1) << (bits - 1))
                               : F(uint64_t(1) << (bits - 1)) * F(2);
  if (r >= limit)
    return static_cast<D>(isSignedType ? (uint64_t(1) << (bits - 1)) - 1
                                       : ~uint64_t(0));
  if (isSignedType ? r < -limit : r < F(0))
    return static_cast<D>(isSignedType ? uint64_t(1) << (bits - 1) : 0);
  return static_cast<D>(r);
}

template <typename D, typename S>
inline D clampInteger(S x) {
  constexpr __int128 low =
      std::is_signed_v<D> ? -(__int128(1) << (8 * sizeof(D) - 1)) : 0;
  constexpr __int128 high =
      (__int128(1) << (8 * sizeof(D) - (std::is_signed_v<D> ? 1 : 0))) - 1;
  __int128 v = x;
  return static_cast<D>(v < low ? low : v > high ? high : v);
}

template <typename D>
inline D finishFloat(double x, uint32_t imm);
template <>
inline Half finishFloat<Half>(double x, uint32_t imm) {
  return doubleToHalf(imm & FlagSat ? saturate(x) : x,
                      (imm & RoundMask) >> RoundShift);
}
template <>
inline float finishFloat<float>(double x, uint32_t imm) {
  float y = static_cast<float>(x);
  return flushIf(imm & FlagSat ? saturate(y) : y, imm);
}
template <>
inline double finishFloat<double>(double x, uint32_t imm) {
  return imm & FlagSat ? saturate(x) : x;
}

template <typename D, typename S>
inline D convert(S x, uint32_t imm) {
  if constexpr (isFloating<D> && isFloating<S>) {
    auto v = flushIf(widen(x), imm);
    if (imm & FlagRoundInt)
      v = toIntegral(v);
    return finishFloat<D>(v, imm);
  } else if constexpr (isFloating<S>) {
    return floatToInteger<D, S>(flushIf(widen(x), imm));
  } else if constexpr (std::is_same_v<D, Half>) {
    // Integers beyond 2^53, which double rounds, overflow half anyway.
    return finishFloat<Half>(static_cast<double>(x), imm);
  } else if constexpr (isFloating<D>) {
    D y = static_cast<D>(x);
    return imm & FlagSat ? saturate(y) : y;
  } else {
    return imm & FlagSat ? clampInteger<D>(x) : static_cast<D>(x);
  }
}

template <typename D, typename S>
void rowConvert(void *dst, const void *a, const void *, const void *,
                const void *, uint32_t imm) {
  ScopedRounding rounding(isFloating<D> || isFloating<S> ? imm : 0);
  auto *out = static_cast<D *>(dst);
  auto *in = static_cast<const S *>(a);
  DIETCODE_LANE_LOOP
  for (int i = 0; i < laneCount; ++i)
    out[i] = convert<D, S>(in[i], imm);
}

template <typename D>
void fillFrom(LaneTable &table, Type dst) {
  auto set = [&](Type src, LaneFn fn) {
    table.cvt[unsigned(dst)][unsigned(src)] = fn;
  };
  set(Type::U8, rowConvert<D, uint8_t>);
  set(Type::S8, rowConvert<D, int8_t>);
  set(Type::U16, rowConvert<D, uint16_t>);
  set(Type::S16, rowConvert<D, int16_t>);
  set(Type::U32, rowConvert<D, uint32_t>);
  set(Type::S32, rowConvert<D, int32_t>);
  set(Type::U64, rowConvert<D, uint64_t>);
  set(Type::S64, rowConvert<D, int64_t>);
  set(Type::F16, rowConvert<D, Half>);
  set(Type::F32, rowConvert<D, float>);
  set(Type::F64, rowConvert<D, double>);
}

//===----------------------------------------------------------------------===//
// Arithmetic with a directed rounding, .ftz or .sat.
//===----------------------------------------------------------------------===//

inline float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
inline float root(float x) { return __builtin_sqrtf(x); }
inline double root(double x) { return __builtin_sqrt(x); }

#define DIRECTED(NAME, EXPR)                                                   \
  template <typename T>                                                        \
  void NAME(void *dst, const void *pa, const void *pb, const void *pc,         \
            const void *, uint32_t imm) {                                      \
    ScopedRounding rounding(imm);                                              \
    auto *out = static_cast<T *>(dst);                                         \
    for (int i = 0; i < laneCount; ++i) {                                      \
      T x = flushIf(static_cast<const T *>(pa)[i], imm);                       \
      [[maybe_unused]] T y =                                                   \
          pb ? flushIf(static_cast<const T *>(pb)[i], imm) : T(0);             \
      [[maybe_unused]] T z =                                                   \
          pc ? flushIf(static_cast<const T *>(pc)[i], imm) : T(0);             \
      T r = flushIf(T(EXPR), imm);                                             \
      out[i] = imm & FlagSat ? saturate(r) : r;                                \
    }                                                                          \
  }
DIRECTED(directedAdd, x + y)
DIRECTED(directedSub, x - y)
DIRECTED(directedMul, x *y)
DIRECTED(directedFma, fused(x, y, z))
DIRECTED(directedDiv, x / y)
DIRECTED(directedSqrt, root(x))

template <typename T>
void fillDirectedOf(LaneTable &table, Type type) {
  auto set = [&](Op op, LaneFn fn) {
    table.op[unsigned(op)][unsigned(type)] = fn;
  };
  set(Op::FAdd, directedAdd<T>);
  set(Op::FSub, directedSub<T>);
  set(Op::FMul, directedMul<T>);
  set(Op::FFma, directedFma<T>);
  set(Op::FDiv, directedDiv<T>);
  set(Op::FSqrt, directedSqrt<T>);
}

} // namespace

void fillConvert(LaneTable &table) {
  fillFrom<uint8_t>(table, Type::U8);
  fillFrom<int8_t>(table, Type::S8);
  fillFrom<uint16_t>(table, Type::U16);
  fillFrom<int16_t>(table, Type::S16);
  fillFrom<uint32_t>(table, Type::U32);
  fillFrom<int32_t>(table, Type::S32);
  fillFrom<uint64_t>(table, Type::U64);
  fillFrom<int64_t>(table, Type::S64);
  fillFrom<Half>(table, Type::F16);
  fillFrom<float>(table, Type::F32);
  fillFrom<double>(table, Type::F64);
}

void fillDirected(LaneTable &table) {
  fillDirectedOf<float>(table, Type::F32);
  fillDirectedOf<double>(table, Type::F64);
}

} // namespace dietcode::vgpu
