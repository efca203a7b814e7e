//===- LaneBits.cpp - Row operations on bits, predicates and halves -------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneExtra.h"
#include "LaneMath.h"
#include "LaneTargets.h"

namespace dietcode::vgpu {
namespace {

template <typename T>
inline T element(const void *row, int i) {
  return static_cast<const T *>(row)[i];
}

/// Applies a scalar function to each lane; A, B, C, D are the source elements.
#define EACH(NAME, R, EXPR)                                                    \
  template <typename T>                                                        \
  void NAME(void *dst, [[maybe_unused]] const void *a,                         \
            [[maybe_unused]] const void *b, [[maybe_unused]] const void *c,    \
            [[maybe_unused]] const void *d, [[maybe_unused]] uint32_t imm) {   \
    auto *out = static_cast<R *>(dst);                                         \
    for (int i = 0; i < laneCount; ++i)                                        \
      out[i] = static_cast<R>(EXPR);                                           \
  }

template <typename T>
inline T extractField(T a, uint32_t position, uint32_t length) {
  constexpr int msb = 8 * sizeof(T) - 1;
  int pos = position & 255, len = length & 255;
  bool isSignedType = T(-1) < T(0);
  bool fill = false;
  if (isSignedType && len != 0) {
    int at = pos + len - 1 < msb ? pos + len - 1 : msb;
    fill = (uint64_t(a) >> at) & 1;
  }
  uint64_t result = 0;
  for (int i = 0; i <= msb; ++i) {
    bool bit =
        i < len && pos + i <= msb ? (uint64_t(a) >> (pos + i)) & 1 : fill;
    result |= uint64_t(bit) << i;
  }
  return static_cast<T>(result);
}

template <typename T>
inline T insertField(T field, T into, uint32_t position, uint32_t length) {
  constexpr int bits = 8 * sizeof(T);
  int pos = position & 255, len = length & 255;
  T result = into;
  for (int i = 0; i < len && pos + i < bits; ++i) {
    T bit = T(1) << (pos + i);
    result = ((field >> i) & 1) ? (result | bit) : (result & ~bit);
  }
  return result;
}

template <typename T>
inline uint32_t findLeading(T a, bool shiftAmount) {
  constexpr int bits = 8 * sizeof(T);
  uint64_t value = a < T(0) ? ~uint64_t(int64_t(a)) : uint64_t(a);
  if (sizeof(T) == 4)
    value &= 0xffffffffu;
  if (value == 0)
    return ~0u;
  uint32_t at = 63 - __builtin_clzll(value);
  return shiftAmount ? bits - 1 - at : at;
}

template <typename T>
inline T reverseBits(T a) {
  T result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i)
    result |= ((a >> i) & 1) << (8 * sizeof(T) - 1 - i);
  return result;
}

inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t s = (selector >> (4 * i)) & 15;
    uint32_t byte = (bytes >> (8 * (s & 7))) & 255;
    if (s & 8)
      byte = (byte & 128) ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

inline uint32_t logic3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (int k = 0; k < 8; ++k)
    if ((table >> k) & 1)
      result |= ((k & 4) ? a : ~a) & ((k & 2) ? b : ~b) & ((k & 1) ? c : ~c);
  return result;
}

/// The distance of a funnel shift: modulo 32, or clamped to it when imm is set.
inline uint32_t funnelDistance(uint32_t n, uint32_t clamp) {
  return clamp ? (n < 32 ? n : 32) : n & 31;
}

template <typename T>
inline uint32_t dotBytes(uint32_t a, uint32_t b, uint32_t c) {
  for (int k = 0; k < 4; ++k)
    c += uint32_t(int32_t(T(a >> (8 * k))) * int32_t(T(b >> (8 * k))));
  return c;
}

EACH(rowBfe, T,
     extractField<T>(element<T>(a, i), element<uint32_t>(b, i),
                     element<uint32_t>(c, i)))
EACH(rowBfi, T,
     insertField<T>(element<T>(a, i), element<T>(b, i), element<uint32_t>(c, i),
                    element<uint32_t>(d, i)))
EACH(rowBfind, uint32_t, findLeading<T>(element<T>(a, i), imm))
EACH(rowBrev, T, reverseBits<T>(element<T>(a, i)))
EACH(rowClz, uint32_t,
     element<T>(a, i) == 0
         ? 8 * sizeof(T)
         : __builtin_clzll(element<T>(a, i)) - (64 - 8 * sizeof(T)))
EACH(rowPopc, uint32_t, __builtin_popcountll(element<T>(a, i)))
EACH(rowPrmt, T, permute(element<T>(a, i), element<T>(b, i), element<T>(c, i)))
EACH(rowLop3, T,
     logic3(element<T>(a, i), element<T>(b, i), element<T>(c, i), imm))
EACH(rowShfL, T,
     ((uint64_t(element<T>(b, i)) << 32 | element<T>(a, i))
      << funnelDistance(element<T>(c, i), imm)) >>
         32)
EACH(rowShfR, T,
     (uint64_t(element<T>(b, i)) << 32 | element<T>(a, i)) >>
         funnelDistance(element<T>(c, i), imm))
EACH(rowDp4a, uint32_t,
     dotBytes<T>(element<uint32_t>(a, i), element<uint32_t>(b, i),
                 element<uint32_t>(c, i)))

//===----------------------------------------------------------------------===//
// Predicates: one mask each.
//===----------------------------------------------------------------------===//

#define PREDICATE(NAME, EXPR)                                                  \
  void NAME(void *dst, const void *pa, const void *pb, const void *,           \
            const void *, uint32_t) {                                          \
    uint32_t a = element<uint32_t>(pa, 0);                                     \
    [[maybe_unused]] uint32_t b = pb ? element<uint32_t>(pb, 0) : 0;           \
    *static_cast<uint32_t *>(dst) = EXPR;                                      \
  }
PREDICATE(predMov, a)
PREDICATE(predNot, ~a)
PREDICATE(predAnd, a &b)
PREDICATE(predOr, a | b)
PREDICATE(predXor, a ^ b)

void predSelp(void *dst, const void *a, const void *b, const void *c,
              const void *, uint32_t) {
  uint32_t mask = element<uint32_t>(c, 0);
  *static_cast<uint32_t *>(dst) =
      (element<uint32_t>(a, 0) & mask) | (element<uint32_t>(b, 0) & ~mask);
}

//===----------------------------------------------------------------------===//
// Half precision. N is 32 for .f16 and 64 for .f16x2.
//===----------------------------------------------------------------------===//

inline uint32_t roundingOf(uint32_t imm) {
  return (imm & RoundMask) >> RoundShift;
}
/// Subnormal halves are zero under .ftz.
inline Half flushHalf(Half h, uint32_t imm) {
  bool isSubnormal = (imm & FlagFtz) && !(h.bits & 0x7c00);
  return isSubnormal ? Half{uint16_t(h.bits & 0x8000)} : h;
}
inline Half finishHalf(double value, uint32_t imm) {
  Half h = flushHalf(doubleToHalf(value, roundingOf(imm)), imm);
  return (imm & FlagSat) ? doubleToHalf(saturate(halfToDouble(h)), 0) : h;
}
inline Half halfExtreme(Half x, Half y, bool wantMax) {
  double a = halfToDouble(x), b = halfToDouble(y);
  if (a != a)
    return b != b ? Half{0x7fff} : y;
  if (b != b)
    return x;
  bool less = a < b || (a == b && (x.bits & 0x8000));
  return less != wantMax ? x : y;
}

#define HALVES(NAME, EXPR)                                                     \
  template <int N>                                                             \
  void NAME(void *dst, const void *pa, const void *pb, const void *pc,         \
            const void *, [[maybe_unused]] uint32_t imm) {                     \
    auto *out = static_cast<Half *>(dst);                                      \
    for (int i = 0; i < N; ++i) {                                              \
      auto get = [imm, i](const void *row) {                                   \
        return row ? flushHalf(element<Half>(row, i), imm) : Half{0};          \
      };                                                                       \
      Half a = get(pa);                                                        \
      [[maybe_unused]] Half b = get(pb), c = get(pc);                          \
      out[i] = EXPR;                                                           \
    }                                                                          \
  }
HALVES(halfAdd, finishHalf(halfToDouble(a) + halfToDouble(b), imm))
HALVES(halfSub, finishHalf(halfToDouble(a) - halfToDouble(b), imm))
HALVES(halfMul, finishHalf(halfToDouble(a) * halfToDouble(b), imm))
HALVES(halfFma,
       finishHalf(halfToDouble(vgpu::halfFma(a, b, c, roundingOf(imm))), imm))
HALVES(halfMin, halfExtreme(a, b, false))
HALVES(halfMax, halfExtreme(a, b, true))
HALVES(halfAbs, Half{uint16_t(a.bits & 0x7fff)})
HALVES(halfNeg, Half{uint16_t(a.bits ^ 0x8000)})
HALVES(halfEx2, finishHalf(__builtin_exp2(halfToDouble(a)), 0))
HALVES(halfTanh, finishHalf(__builtin_tanh(halfToDouble(a)), 0))

template <int K>
void halfCompare(void *dst, const void *a, const void *b, const void *,
                 const void *, uint32_t) {
  uint32_t mask = 0;
  for (int i = 0; i < laneCount; ++i)
    mask |= uint32_t(compareHalves(halfToDouble(element<Half>(a, i)),
                                   halfToDouble(element<Half>(b, i)), K))
            << i;
  *static_cast<uint32_t *>(dst) = mask;
}

template <int N>
void fillHalf(LaneTable &table, Type type) {
  auto set = [&](Op op, LaneFn fn) {
    table.op[unsigned(op)][unsigned(type)] = fn;
  };
  set(Op::Add, halfAdd<N>);
  set(Op::Sub, halfSub<N>);
  set(Op::Mul, halfMul<N>);
  set(Op::Fma, halfFma<N>);
  set(Op::Min, halfMin<N>);
  set(Op::Max, halfMax<N>);
  set(Op::Abs, halfAbs<N>);
  set(Op::Neg, halfNeg<N>);
  set(Op::Ex2, halfEx2<N>);
  set(Op::Tanh, halfTanh<N>);
}

template <int K>
void fillHalfCompare(LaneTable &table) {
  table.op[unsigned(Op::CmpEq) + K][unsigned(Type::F16)] = halfCompare<K>;
  if constexpr (K > 0)
    fillHalfCompare<K - 1>(table);
}

//===----------------------------------------------------------------------===//
// Packing.
//===----------------------------------------------------------------------===//

template <typename D, typename S>
void rowExtract(void *dst, const void *a, const void *, const void *,
                const void *, uint32_t imm) {
  for (int i = 0; i < laneCount; ++i)
    static_cast<D *>(dst)[i] =
        static_cast<D>(uint64_t(element<S>(a, i)) >> (imm & 63));
}

template <typename D, typename S>
void rowPack(void *dst, const void *a, const void *b, const void *,
             const void *, uint32_t) {
  for (int i = 0; i < laneCount; ++i)
    static_cast<D *>(dst)[i] = static_cast<D>(
        D(element<S>(a, i)) | D(element<S>(b, i)) << (8 * sizeof(S)));
}

template <typename D>
void fillExtract(LaneTable &table, unsigned dst) {
  table.extract[dst][0] = rowExtract<D, uint8_t>;
  table.extract[dst][1] = rowExtract<D, uint16_t>;
  table.extract[dst][2] = rowExtract<D, uint32_t>;
  table.extract[dst][3] = rowExtract<D, uint64_t>;
}

template <typename U, typename S>
void fillBitsOf(LaneTable &table, Type u, Type s) {
  auto set = [&](Op op, Type type, LaneFn fn) {
    table.op[unsigned(op)][unsigned(type)] = fn;
  };
  set(Op::Bfe, u, rowBfe<U>);
  set(Op::Bfe, s, rowBfe<S>);
  set(Op::Bfi, u, rowBfi<U>);
  set(Op::Bfind, u, rowBfind<U>);
  set(Op::Bfind, s, rowBfind<S>);
  set(Op::Brev, u, rowBrev<U>);
  set(Op::Clz, u, rowClz<U>);
  set(Op::Popc, u, rowPopc<U>);
}

} // namespace

void fillBits(LaneTable &table) {
  auto set = [&](Op op, Type type, LaneFn fn) {
    table.op[unsigned(op)][unsigned(type)] = fn;
  };
  fillBitsOf<uint32_t, int32_t>(table, Type::U32, Type::S32);
  fillBitsOf<uint64_t, int64_t>(table, Type::U64, Type::S64);
  set(Op::Prmt, Type::U32, rowPrmt<uint32_t>);
  set(Op::Lop3, Type::U32, rowLop3<uint32_t>);
  set(Op::ShfL, Type::U32, rowShfL<uint32_t>);
  set(Op::ShfR, Type::U32, rowShfR<uint32_t>);
  set(Op::Dp4a, Type::U32, rowDp4a<uint8_t>);
  set(Op::Dp4a, Type::S32, rowDp4a<int8_t>);
  set(Op::Mov, Type::Pred, predMov);
  set(Op::Not, Type::Pred, predNot);
  set(Op::And, Type::Pred, predAnd);
  set(Op::Or, Type::Pred, predOr);
  set(Op::Xor, Type::Pred, predXor);
  set(Op::Selp, Type::Pred, predSelp);
  fillHalf<32>(table, Type::F16);
  fillHalf<64>(table, Type::F16x2);
  fillHalfCompare<13>(table);
  fillExtract<uint8_t>(table, 0);
  fillExtract<uint16_t>(table, 1);
  fillExtract<uint32_t>(table, 2);
  fillExtract<uint64_t>(table, 3);
  table.pack[0] = rowPack<uint16_t, uint8_t>;
  table.pack[1] = rowPack<uint32_t, uint16_t>;
  table.pack[2] = rowPack<uint64_t, uint32_t>;
}

} // namespace dietcode::vgpu
