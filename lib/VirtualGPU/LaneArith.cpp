//===- LaneArith.cpp - Row arithmetic, once per instruction set -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DIETCODE_LANE_TARGET names the instruction set this file is compiled for.
//
//===----------------------------------------------------------------------===//

#include "LaneMath.h"
#include "LaneTargets.h"

namespace dietcode::vgpu {
namespace {

#if defined(__x86_64__) && !defined(__FMA__)
/// Without the instruction, libm's fmaf is a call per lane. The product of two
/// floats is exact in double; rounding the sum to odd there keeps what decides
/// the final rounding (Boldo and Melquiond, "Emulation of FMA and correctly
/// rounded sums", 2008). Infinities and NaN have no error term and pass
/// through.
inline float fmaOf(float a, float b, float c) {
  double product = static_cast<double>(a) * static_cast<double>(b);
  double addend = c;
  double sum = product + addend;
  double other = sum - product;
  double error = (product - (sum - other)) + (addend - other);
  int64_t bits = bitCast<int64_t>(sum);
  int64_t inexact = (error > 0) | (error < 0);
  int64_t away = (error > 0) == (sum > 0) ? 1 : -1;
  bits += (inexact & ~bits & 1) * away;
  return static_cast<float>(bitCast<double>(bits));
}
#else
inline float fmaOf(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
#endif
inline double fmaOf(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

template <typename T>
struct Wider;
template <>
struct Wider<uint16_t> {
  using Type = uint32_t;
};
template <>
struct Wider<int16_t> {
  using Type = int32_t;
};
template <>
struct Wider<uint32_t> {
  using Type = uint64_t;
};
template <>
struct Wider<int32_t> {
  using Type = int64_t;
};
template <>
struct Wider<uint64_t> {
  using Type = unsigned __int128;
};
template <>
struct Wider<int64_t> {
  using Type = __int128;
};
template <typename T>
using WiderT = typename Wider<T>::Type;

template <typename T>
struct Unsign {
  using Type = T;
};
template <>
struct Unsign<int16_t> {
  using Type = uint32_t;
};
template <>
struct Unsign<uint16_t> {
  using Type = uint32_t; // uint16_t would promote to int and overflow.
};
template <>
struct Unsign<int32_t> {
  using Type = uint32_t;
};
template <>
struct Unsign<int64_t> {
  using Type = uint64_t;
};
template <typename T>
using UnsignT = typename Unsign<T>::Type;

// One row function: EXPR of x, y, z, w (elements of the sources) of type T.
#define ROW2(NAME, D, B, C, EXPR)                                              \
  template <typename T>                                                        \
  void NAME(void *dst, const void *pa, const void *pb, const void *pc,         \
            const void *pd, [[maybe_unused]] uint32_t imm) {                   \
    auto *out = static_cast<D *>(dst);                                         \
    [[maybe_unused]] auto *a = static_cast<const T *>(pa);                     \
    [[maybe_unused]] auto *b = static_cast<const B *>(pb);                     \
    [[maybe_unused]] auto *c = static_cast<const C *>(pc);                     \
    [[maybe_unused]] auto *d = static_cast<const uint32_t *>(pd);              \
    DIETCODE_LANE_LOOP                                                         \
    for (int i = 0; i < laneCount; ++i)                                        \
      out[i] = static_cast<D>(EXPR);                                           \
  }
#define ROW(NAME, EXPR) ROW2(NAME, T, T, T, EXPR)

ROW(rowMov, a[i])
ROW(rowAdd, UnsignT<T>(a[i]) + UnsignT<T>(b[i]))
ROW(rowSub, UnsignT<T>(a[i]) - UnsignT<T>(b[i]))
ROW(rowMul, UnsignT<T>(a[i]) * UnsignT<T>(b[i]))
ROW(rowMad, UnsignT<T>(a[i]) * UnsignT<T>(b[i]) + UnsignT<T>(c[i]))
ROW(rowMulHi, (WiderT<T>(a[i]) * WiderT<T>(b[i])) >> (8 * sizeof(T)))
ROW(rowMadHi,
    UnsignT<T>((WiderT<T>(a[i]) * WiderT<T>(b[i])) >> (8 * sizeof(T))) +
        UnsignT<T>(c[i]))
ROW2(rowMulWide, WiderT<T>, T, T, WiderT<T>(a[i]) * WiderT<T>(b[i]))
ROW2(rowMadWide, WiderT<T>, T, WiderT<T>,
     UnsignT<WiderT<T>>(WiderT<T>(a[i]) * WiderT<T>(b[i])) +
         UnsignT<WiderT<T>>(c[i]))
ROW(rowFma, fmaOf(a[i], b[i], c[i]))
ROW(rowMin, b[i] < a[i] ? b[i] : a[i])
ROW(rowMax, a[i] < b[i] ? b[i] : a[i])
ROW(rowAbs, a[i] < 0 ? UnsignT<T>(0) - UnsignT<T>(a[i]) : UnsignT<T>(a[i]))
ROW(rowNeg, UnsignT<T>(0) - UnsignT<T>(a[i]))
ROW(rowAnd, a[i] & b[i])
ROW(rowOr, a[i] | b[i])
ROW(rowXor, a[i] ^ b[i])
ROW(rowNot, ~a[i])
ROW(rowCnot, a[i] == 0)
ROW2(rowShl, T, uint32_t, T,
     b[i] < 8 * sizeof(T) ? UnsignT<T>(a[i]) << (b[i] & (8 * sizeof(T) - 1))
                          : UnsignT<T>(0))
ROW2(rowShr, T, uint32_t, T,
     a[i] >> (b[i] < 8 * sizeof(T) ? b[i] & (8 * sizeof(T) - 1)
                                   : 8 * sizeof(T) - 1) >>
         (b[i] < 8 * sizeof(T) ? 0 : 1))
ROW2(rowSad, T, T, T,
     UnsignT<T>(a[i] < b[i] ? UnsignT<T>(b[i]) - UnsignT<T>(a[i])
                            : UnsignT<T>(a[i]) - UnsignT<T>(b[i])) +
         UnsignT<T>(c[i]))

inline int32_t clamp32(int64_t v) {
  return v > INT32_MAX   ? INT32_MAX
         : v < INT32_MIN ? INT32_MIN
                         : static_cast<int32_t>(v);
}
ROW(rowAddSat, clamp32(int64_t(a[i]) + b[i]))
ROW(rowSubSat, clamp32(int64_t(a[i]) - b[i]))

// Division by zero is undefined in PTX; the hardware gives all ones, and an
// interpreter must not trap, least of all in inactive lanes.
template <typename T>
inline T divide(T a, T b) {
  if (b == 0)
    return static_cast<T>(~T(0));
  if (T(-1) < T(0) && b == T(-1))
    return static_cast<T>(UnsignT<T>(0) - UnsignT<T>(a));
  return static_cast<T>(a / b);
}
template <typename T>
inline T remainder(T a, T b) {
  if (b == 0)
    return a;
  if (T(-1) < T(0) && b == T(-1))
    return 0;
  return static_cast<T>(a % b);
}
ROW(rowDiv, divide<T>(a[i], b[i]))
ROW(rowRem, remainder<T>(a[i], b[i]))

ROW(rowFAdd, a[i] + b[i])
ROW(rowFSub, a[i] - b[i])
ROW(rowFMul, a[i] * b[i])
ROW(rowFDiv, a[i] / b[i])

/// IEEE minNum/maxNum with -0 < +0; two NaNs give the canonical one.
template <typename T>
inline T minimum(T a, T b) {
  if (a != a)
    return b != b ? T(bitCast<float>(0x7fffffffu)) : b;
  if (b != b)
    return a;
  return a < b || (a == b && __builtin_signbit(a)) ? a : b;
}
template <typename T>
inline T maximum(T a, T b) {
  if (a != a)
    return b != b ? T(bitCast<float>(0x7fffffffu)) : b;
  if (b != b)
    return a;
  return a > b || (a == b && !__builtin_signbit(a)) ? a : b;
}
ROW(rowFMin, minimum<T>(flushIf(a[i], imm), flushIf(b[i], imm)))
ROW(rowFMax, maximum<T>(flushIf(a[i], imm), flushIf(b[i], imm)))
// The operations on signs work on bits, so they keep NaN payloads.
inline float absolute(float x) { return __builtin_fabsf(x); }
inline double absolute(double x) { return __builtin_fabs(x); }
inline float withSign(float x, float s) { return __builtin_copysignf(x, s); }
inline double withSign(double x, double s) { return __builtin_copysign(x, s); }
ROW(rowFAbs, absolute(flushIf(a[i], imm)))
ROW(rowFNeg, -flushIf(a[i], imm))
ROW(rowCopysign, withSign(b[i], a[i]))

// PTX gives maximum errors for the .approx functions, not bits; the host's
// correctly rounded or libm results lie within them.
inline float rootOf(float x) { return __builtin_sqrtf(x); }
inline double rootOf(double x) { return __builtin_sqrt(x); }
ROW(rowRcp, flushIf(T(1) / flushIf(a[i], imm), imm))
ROW(rowSqrt, flushIf(rootOf(flushIf(a[i], imm)), imm))
ROW(rowRsqrt, flushIf(T(1.0 / __builtin_sqrt(double(flushIf(a[i], imm)))), imm))
ROW(rowEx2, flushIf(T(__builtin_exp2(double(flushIf(a[i], imm)))), imm))
ROW(rowLg2, flushIf(T(__builtin_log2(double(flushIf(a[i], imm)))), imm))
ROW(rowSin, flushIf(T(__builtin_sin(double(flushIf(a[i], imm)))), imm))
ROW(rowCos, flushIf(T(__builtin_cos(double(flushIf(a[i], imm)))), imm))
ROW(rowTanh, flushIf(T(__builtin_tanh(double(a[i]))), imm))

// Comparisons collect one bit per lane.
#define COMPARE(NAME, EXPR)                                                    \
  template <typename T>                                                        \
  void NAME(void *dst, const void *pa, const void *pb, const void *,           \
            const void *, [[maybe_unused]] uint32_t imm) {                     \
    auto *a = static_cast<const T *>(pa);                                      \
    auto *b = static_cast<const T *>(pb);                                      \
    uint32_t mask = 0;                                                         \
    for (int i = 0; i < laneCount; ++i) {                                      \
      T x = comparand(a[i], imm), y = comparand(b[i], imm);                    \
      mask |= uint32_t(EXPR) << i;                                             \
    }                                                                          \
    *static_cast<uint32_t *>(dst) = mask;                                      \
  }
template <typename T>
inline T comparand(T x, uint32_t) {
  return x;
}
template <>
inline float comparand(float x, uint32_t imm) {
  return flushIf(x, imm);
}
COMPARE(cmpEq, x == y)
// For floats the plain comparisons are ordered: NaN makes them false.
COMPARE(cmpNe, (x < y) | (x > y))
COMPARE(cmpLt, x < y)
COMPARE(cmpLe, x <= y)
COMPARE(cmpGt, x > y)
COMPARE(cmpGe, x >= y)
COMPARE(cmpEqu, !((x < y) | (x > y)))
COMPARE(cmpNeu, !(x == y))
COMPARE(cmpLtu, !(x >= y))
COMPARE(cmpLeu, !(x > y))
COMPARE(cmpGtu, !(x <= y))
COMPARE(cmpGeu, !(x < y))
COMPARE(cmpNum, (x == x) & (y == y))
COMPARE(cmpNan, (x != x) | (y != y))

template <typename T>
void rowSelp(void *dst, const void *pa, const void *pb, const void *pc,
             const void *, uint32_t) {
  auto *out = static_cast<T *>(dst);
  auto *a = static_cast<const T *>(pa);
  auto *b = static_cast<const T *>(pb);
  uint32_t mask = *static_cast<const uint32_t *>(pc);
  DIETCODE_LANE_LOOP
  for (int i = 0; i < laneCount; ++i)
    out[i] = (mask >> i) & 1 ? a[i] : b[i];
}

#define SET(OP, TYPE, FN, T)                                                   \
  table.op[unsigned(Op::OP)][unsigned(Type::TYPE)] = FN<T>;

template <typename T>
void fillInteger(LaneTable &table, Type type) {
  auto set = [&](Op op, LaneFn fn) {
    table.op[unsigned(op)][unsigned(type)] = fn;
  };
  set(Op::Mov, rowMov<T>);
  set(Op::Add, rowAdd<T>);
  set(Op::Sub, rowSub<T>);
  set(Op::Mul, rowMul<T>);
  set(Op::MulHi, rowMulHi<T>);
  set(Op::Mad, rowMad<T>);
  set(Op::MadHi, rowMadHi<T>);
  set(Op::Div, rowDiv<T>);
  set(Op::Rem, rowRem<T>);
  set(Op::Min, rowMin<T>);
  set(Op::Max, rowMax<T>);
  set(Op::Neg, rowNeg<T>);
  set(Op::Abs, rowAbs<T>);
  set(Op::And, rowAnd<T>);
  set(Op::Or, rowOr<T>);
  set(Op::Xor, rowXor<T>);
  set(Op::Not, rowNot<T>);
  set(Op::Cnot, rowCnot<T>);
  set(Op::Shl, rowShl<T>);
  set(Op::Shr, rowShr<T>);
  set(Op::Sad, rowSad<T>);
  set(Op::Selp, rowSelp<T>);
  set(Op::CmpEq, cmpEq<T>);
  set(Op::CmpNe, cmpNe<T>);
  set(Op::CmpLt, cmpLt<T>);
  set(Op::CmpLe, cmpLe<T>);
  set(Op::CmpGt, cmpGt<T>);
  set(Op::CmpGe, cmpGe<T>);
}

template <typename T>
void fillCompare(LaneTable &table, Type type) {
  LaneFn fns[] = {cmpEq<T>,  cmpNe<T>,  cmpLt<T>,  cmpLe<T>,  cmpGt<T>,
                  cmpGe<T>,  cmpEqu<T>, cmpNeu<T>, cmpLtu<T>, cmpLeu<T>,
                  cmpGtu<T>, cmpGeu<T>, cmpNum<T>, cmpNan<T>};
  unsigned op = unsigned(Op::CmpEq);
  for (LaneFn fn : fns)
    table.op[op++][unsigned(type)] = fn;
}

template <typename T>
void fillFloat(LaneTable &table, Type type) {
  auto set = [&](Op op, LaneFn fn) {
    table.op[unsigned(op)][unsigned(type)] = fn;
  };
  set(Op::Mov, rowMov<T>);
  set(Op::Add, rowFAdd<T>);
  set(Op::Sub, rowFSub<T>);
  set(Op::Mul, rowFMul<T>);
  set(Op::Fma, rowFma<T>);
  set(Op::Div, rowFDiv<T>);
  set(Op::Min, rowFMin<T>);
  set(Op::Max, rowFMax<T>);
  set(Op::Abs, rowFAbs<T>);
  set(Op::Neg, rowFNeg<T>);
  set(Op::Copysign, rowCopysign<T>);
  set(Op::Selp, rowSelp<T>);
  set(Op::Rcp, rowRcp<T>);
  set(Op::Sqrt, rowSqrt<T>);
  set(Op::Rsqrt, rowRsqrt<T>);
  set(Op::Ex2, rowEx2<T>);
  set(Op::Lg2, rowLg2<T>);
  set(Op::Sin, rowSin<T>);
  set(Op::Cos, rowCos<T>);
  set(Op::Tanh, rowTanh<T>);
  fillCompare<T>(table, type);
}

} // namespace

void DIETCODE_LANE_FUNCTION(fillArith)(LaneTable &table) {
  fillInteger<uint16_t>(table, Type::U16);
  fillInteger<int16_t>(table, Type::S16);
  fillInteger<uint32_t>(table, Type::U32);
  fillInteger<int32_t>(table, Type::S32);
  fillInteger<uint64_t>(table, Type::U64);
  fillInteger<int64_t>(table, Type::S64);
  fillFloat<float>(table, Type::F32);
  fillFloat<double>(table, Type::F64);
  SET(Mov, U8, rowMov, uint8_t)
  SET(Mov, S8, rowMov, int8_t)
  SET(Mov, F16, rowMov, uint16_t)
  SET(Selp, F16, rowSelp, uint16_t)
  SET(Mov, F16x2, rowMov, uint32_t)
  SET(MulWide, U16, rowMulWide, uint16_t)
  SET(MulWide, S16, rowMulWide, int16_t)
  SET(MulWide, U32, rowMulWide, uint32_t)
  SET(MulWide, S32, rowMulWide, int32_t)
  SET(MadWide, U16, rowMadWide, uint16_t)
  SET(MadWide, S16, rowMadWide, int16_t)
  SET(MadWide, U32, rowMadWide, uint32_t)
  SET(MadWide, S32, rowMadWide, int32_t)
  SET(AddSat, S32, rowAddSat, int32_t)
  SET(SubSat, S32, rowSubSat, int32_t)
}

} // namespace dietcode::vgpu
