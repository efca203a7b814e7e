//===- LaneExtra.cpp - Rarer row operations -------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneExtra.h"
#include "LaneMath.h"
#include <type_traits>

namespace dietcode::vgpu {
namespace {

template <typename T>
inline T element(const void *row, int i) {
  return static_cast<const T *>(row)[i];
}

/// PTX ISA 9.7.1.6: the low 24 bits of the operands, extended by their sign;
/// .lo is the low 32 bits of the 48-bit product, .hi the high 32.
inline uint32_t product24(uint32_t a, uint32_t b, uint32_t imm) {
  uint64_t product;
  if (imm & 2)
    product =
        uint64_t(int64_t(int32_t(a << 8) >> 8) * int64_t(int32_t(b << 8) >> 8));
  else
    product = uint64_t(a & 0xffffffu) * (b & 0xffffffu);
  return static_cast<uint32_t>((imm & 1) ? product >> 16 : product);
}

inline int32_t part(uint32_t word, unsigned index, unsigned bits,
                    bool isSignedPart) {
  uint32_t shifted = word << (32 - bits * (index + 1));
  return isSignedPart ? int32_t(shifted) >> (32 - bits)
                      : int32_t(shifted >> (32 - bits));
}

template <typename T, typename S>
void rowSlct(void *dst, const void *a, const void *b, const void *c,
             const void *, uint32_t imm) {
  for (int i = 0; i < laneCount; ++i) {
    // A flushed subnormal is a zero of either sign, which is not below zero.
    bool first;
    if constexpr (std::is_floating_point_v<S>)
      first = flushIf(element<S>(c, i), imm) >= S(0);
    else
      first = element<S>(c, i) >= S(0);
    static_cast<T *>(dst)[i] = first ? element<T>(a, i) : element<T>(b, i);
  }
}

template <typename F, typename U>
void rowTestp(void *dst, const void *a, const void *, const void *,
              const void *, uint32_t imm) {
  constexpr unsigned mantissa = sizeof(F) == 4 ? 23 : 52;
  constexpr U exponentMask = (sizeof(F) == 4 ? U(0xff) : U(0x7ff)) << mantissa;
  uint32_t result = 0;
  for (int i = 0; i < laneCount; ++i) {
    U bits = element<U>(a, i) & ~(U(1) << (8 * sizeof(U) - 1));
    bool isSpecial = (bits & exponentMask) == exponentMask;
    bool isTiny = (bits & exponentMask) == 0;
    bool yes = false;
    switch (static_cast<FloatTest>(imm)) {
    case FloatTest::Finite:
      yes = !isSpecial;
      break;
    case FloatTest::Infinite:
      yes = bits == exponentMask;
      break;
    case FloatTest::Number:
      yes = bits <= exponentMask;
      break;
    case FloatTest::NotANumber:
      yes = bits > exponentMask;
      break;
    case FloatTest::Normal:
      yes = !isSpecial && !isTiny;
      break;
    case FloatTest::Subnormal:
      yes = isTiny && bits != 0;
      break;
    }
    result |= uint32_t(yes) << i;
  }
  *static_cast<uint32_t *>(dst) = result;
}

template <int N>
void rowSetHalves(void *dst, const void *a, const void *b, const void *,
                  const void *, uint32_t imm) {
  uint16_t yes = (imm & 256) ? 0xffff : 0x3c00;
  for (int i = 0; i < N; ++i)
    static_cast<uint16_t *>(dst)[i] =
        compareHalves(halfToDouble(element<Half>(a, i)),
                      halfToDouble(element<Half>(b, i)), imm & 255)
            ? yes
            : 0;
}

} // namespace

void rowMad24(void *dst, const void *a, const void *b, const void *c,
              const void *, uint32_t imm) {
  for (int i = 0; i < laneCount; ++i)
    static_cast<uint32_t *>(dst)[i] =
        product24(element<uint32_t>(a, i), element<uint32_t>(b, i), imm) +
        element<uint32_t>(c, i);
}

void rowDotMixed(void *dst, const void *pa, const void *pb, const void *pc,
                 const void *, uint32_t imm) {
  bool halves = imm & 4;
  for (int i = 0; i < laneCount; ++i) {
    uint32_t a = element<uint32_t>(pa, i), b = element<uint32_t>(pb, i);
    uint32_t sum = element<uint32_t>(pc, i);
    for (unsigned k = 0; k < (halves ? 2u : 4u); ++k) {
      unsigned bIndex = k + ((imm & 8) ? 2 : 0);
      sum += uint32_t(part(a, k, halves ? 16 : 8, imm & 1) *
                      part(b, bIndex, 8, imm & 2));
    }
    static_cast<uint32_t *>(dst)[i] = sum;
  }
}

/// The pseudocode of PTX ISA 9.7.18.3 for one field.
static int32_t packedResult(int32_t a, int32_t b, PackedOp op) {
  switch (op) {
  case PackedOp::Add:
    return a + b;
  case PackedOp::Sub:
    return a - b;
  case PackedOp::Average:
    return (a + b + (a + b >= 0)) >> 1;
  case PackedOp::AbsoluteDifference:
    return a < b ? b - a : a - b;
  case PackedOp::Min:
    return a < b ? a : b;
  case PackedOp::Max:
    return a < b ? b : a;
  case PackedOp::SetEq:
    return a == b;
  case PackedOp::SetNe:
    return a != b;
  case PackedOp::SetLt:
    return a < b;
  case PackedOp::SetLe:
    return a <= b;
  case PackedOp::SetGt:
    return a > b;
  case PackedOp::SetGe:
    return a >= b;
  }
  return 0;
}

static int32_t clampTo(int32_t value, unsigned bits, bool isSignedField) {
  int32_t low = isSignedField ? -(1 << (bits - 1)) : 0;
  int32_t high = (1 << (isSignedField ? bits - 1 : bits)) - 1;
  return value < low ? low : value > high ? high : value;
}

void rowPacked(void *dst, const void *pa, const void *pb, const void *pc,
               const void *, uint32_t imm) {
  unsigned bits = imm & PackedBits;
  auto op = static_cast<PackedOp>(imm >> PackedOpShift);
  uint32_t mask = (1u << bits) - 1;
  for (int i = 0; i < laneCount; ++i) {
    uint32_t a = element<uint32_t>(pa, i), b = element<uint32_t>(pb, i);
    uint32_t sum = element<uint32_t>(pc, i), packed = 0;
    for (unsigned k = 0; k < 32 / bits; ++k) {
      int32_t field = packedResult(part(a, k, bits, imm & PackedSignedA),
                                   part(b, k, bits, imm & PackedSignedB), op);
      if (imm & PackedSaturates)
        field = clampTo(field, bits, imm & PackedSignedResult);
      sum += static_cast<uint32_t>(field);
      packed |= (static_cast<uint32_t>(field) & mask) << (bits * k);
    }
    static_cast<uint32_t *>(dst)[i] = (imm & PackedSums) ? sum : packed;
  }
}

void rowFindNthSet(void *dst, const void *pa, const void *pb, const void *pc,
                   const void *, uint32_t) {
  for (int i = 0; i < laneCount; ++i) {
    uint32_t mask = element<uint32_t>(pa, i), result = ~0u;
    int64_t position = element<uint32_t>(pb, i);
    int64_t offset = element<int32_t>(pc, i);
    int64_t left = offset < 0 ? -offset : offset > 0 ? offset : 1;
    for (; position >= 0 && position < 32; position += offset < 0 ? -1 : 1) {
      bool isSet = (mask >> position) & 1;
      if (isSet && --left == 0)
        result = static_cast<uint32_t>(position);
      if (left == 0 || offset == 0)
        break;
    }
    static_cast<uint32_t *>(dst)[i] = result;
  }
}

void rowPermuteMode(void *dst, const void *pa, const void *pb, const void *pc,
                    const void *, uint32_t imm) {
  // For each mode and the lower two bits of c: which bytes of b:a, highest
  // first (PTX ISA 9.7.9.7, prmt).
  static constexpr uint16_t selectors[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
      {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
      {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  for (int i = 0; i < laneCount; ++i) {
    uint64_t bytes =
        uint64_t(element<uint32_t>(pb, i)) << 32 | element<uint32_t>(pa, i);
    unsigned selector = selectors[imm][element<uint32_t>(pc, i) & 3];
    uint32_t result = 0;
    for (unsigned k = 0; k < 4; ++k)
      result |= uint32_t((bytes >> (8 * ((selector >> (4 * k)) & 7))) & 255)
                << (8 * k);
    static_cast<uint32_t *>(dst)[i] = result;
  }
}

LaneFn slctFunction(unsigned bytes, bool isFloatSelector) {
  if (bytes == 2)
    return isFloatSelector ? rowSlct<uint16_t, float>
                           : rowSlct<uint16_t, int32_t>;
  if (bytes == 4)
    return isFloatSelector ? rowSlct<uint32_t, float>
                           : rowSlct<uint32_t, int32_t>;
  return isFloatSelector ? rowSlct<uint64_t, float>
                         : rowSlct<uint64_t, int32_t>;
}

LaneFn testpFunction(bool isDouble) {
  return isDouble ? rowTestp<double, uint64_t> : rowTestp<float, uint32_t>;
}

void rowIsSpace(void *dst, const void *a, const void *, const void *,
                const void *, uint32_t imm) {
  uint32_t result = 0;
  for (int i = 0; i < laneCount; ++i) {
    auto top = static_cast<uint32_t>(element<uint64_t>(a, i) >> 56);
    bool isWindow = top >= 0xf1 && top <= 0xf3;
    result |= uint32_t(imm ? top == imm : !isWindow) << i;
  }
  *static_cast<uint32_t *>(dst) = result;
}

LaneFn setHalvesFunction(unsigned count) {
  return count == 64 ? rowSetHalves<64> : rowSetHalves<32>;
}

/// PTX ISA 9.7.1.21: bits above the low b are copies of the highest of those
/// (.s32) or zero (.u32). Beyond 31 bits: .wrap is modulo 32, .clamp keeps all.
void rowSignExtend(void *dst, const void *a, const void *b, const void *,
                   const void *, uint32_t imm) {
  for (int i = 0; i < laneCount; ++i) {
    uint32_t value = element<uint32_t>(a, i), n = element<uint32_t>(b, i);
    n = (imm & 1) ? (n < 32 ? n : 32) : n & 31;
    uint32_t mask = n == 32 ? ~0u : (1u << n) - 1;
    bool fill = (imm & 2) && n > 0 && (value >> (n - 1)) & 1;
    static_cast<uint32_t *>(dst)[i] = (value & mask) | (fill ? ~mask : 0);
  }
}

/// PTX ISA 9.7.1.22: b ones from position a on.
void rowBitMask(void *dst, const void *a, const void *b, const void *,
                const void *, uint32_t imm) {
  for (int i = 0; i < laneCount; ++i) {
    uint64_t position = element<uint32_t>(a, i), n = element<uint32_t>(b, i);
    position = imm ? (position < 32 ? position : 32) : position & 31;
    n = imm ? (n < 32 ? n : 32) : n & 31;
    static_cast<uint32_t *>(dst)[i] =
        static_cast<uint32_t>(((uint64_t(1) << n) - 1) << position);
  }
}

} // namespace dietcode::vgpu
