//===- LaneMemory.cpp - Row loads and stores, once per instruction set ----===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneMath.h"
#include "LaneTargets.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dietcode::vgpu {
namespace {

template <typename T>
void blendRow(void *dst, const void *src, uint32_t mask) {
  auto *out = static_cast<T *>(dst);
  auto *in = static_cast<const T *>(src);
  DIETCODE_LANE_LOOP
  for (int i = 0; i < laneCount; ++i)
    out[i] = (mask >> i) & 1 ? in[i] : out[i];
}

template <typename T>
void addressRow(uint64_t *ea, const void *reg, int64_t offset,
                AddressRange &range) {
  auto *base = static_cast<const T *>(reg);
  uint64_t low = ~uint64_t(0), high = 0, bits = 0;
  DIETCODE_LANE_LOOP
  for (int i = 0; i < laneCount; ++i) {
    uint64_t address = uint64_t(base[i]) + uint64_t(offset);
    ea[i] = address;
    low = address < low ? address : low;
    high = address > high ? address : high;
    bits |= address;
  }
  range = {low, high, bits};
}

template <typename T, int N>
void loadRows(void *const *rows, const uint64_t *addresses) {
  for (int i = 0; i < laneCount; ++i) {
    T element[N];
    __builtin_memcpy(element, reinterpret_cast<const void *>(addresses[i]),
                     sizeof(element));
    for (int k = 0; k < N; ++k)
      static_cast<T *>(rows[k])[i] = element[k];
  }
}

template <typename T, int N>
void storeRows(const void *const *rows, const uint64_t *addresses) {
  for (int i = 0; i < laneCount; ++i) {
    T element[N];
    for (int k = 0; k < N; ++k)
      element[k] = static_cast<const T *>(rows[k])[i];
    __builtin_memcpy(reinterpret_cast<void *>(addresses[i]), element,
                     sizeof(element));
  }
}

#if defined(__SSE2__)
// Vectors of four words are what tiled kernels live on: four lanes at a time,
// as a 4x4 transposition between memory order and rows.
inline __m128i loadVector(uint64_t address) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i *>(address));
}

inline void transpose(__m128i &a, __m128i &b, __m128i &c, __m128i &d) {
  __m128i ab0 = _mm_unpacklo_epi32(a, b), ab1 = _mm_unpackhi_epi32(a, b);
  __m128i cd0 = _mm_unpacklo_epi32(c, d), cd1 = _mm_unpackhi_epi32(c, d);
  a = _mm_unpacklo_epi64(ab0, cd0);
  b = _mm_unpackhi_epi64(ab0, cd0);
  c = _mm_unpacklo_epi64(ab1, cd1);
  d = _mm_unpackhi_epi64(ab1, cd1);
}

template <>
void loadRows<uint32_t, 4>(void *const *rows, const uint64_t *addresses) {
  auto *r0 = static_cast<__m128i *>(rows[0]);
  auto *r1 = static_cast<__m128i *>(rows[1]);
  auto *r2 = static_cast<__m128i *>(rows[2]);
  auto *r3 = static_cast<__m128i *>(rows[3]);
  for (int i = 0; i < laneCount / 4; ++i) {
    __m128i a = loadVector(addresses[4 * i]);
    __m128i b = loadVector(addresses[4 * i + 1]);
    __m128i c = loadVector(addresses[4 * i + 2]);
    __m128i d = loadVector(addresses[4 * i + 3]);
    transpose(a, b, c, d);
    _mm_store_si128(r0 + i, a);
    _mm_store_si128(r1 + i, b);
    _mm_store_si128(r2 + i, c);
    _mm_store_si128(r3 + i, d);
  }
}

template <>
void storeRows<uint32_t, 4>(const void *const *rows,
                            const uint64_t *addresses) {
  for (int i = 0; i < laneCount / 4; ++i) {
    __m128i v[4];
    for (int k = 0; k < 4; ++k)
      v[k] = _mm_load_si128(static_cast<const __m128i *>(rows[k]) + i);
    transpose(v[0], v[1], v[2], v[3]);
    for (int k = 0; k < 4; ++k)
      _mm_storeu_si128(reinterpret_cast<__m128i *>(addresses[4 * i + k]), v[k]);
  }
}
#endif

template <typename T>
void fillWidth(LaneTable &table, unsigned log2Bytes) {
  table.load[log2Bytes][0] = loadRows<T, 1>;
  table.load[log2Bytes][1] = loadRows<T, 2>;
  table.load[log2Bytes][2] = loadRows<T, 4>;
  table.store[log2Bytes][0] = storeRows<T, 1>;
  table.store[log2Bytes][1] = storeRows<T, 2>;
  table.store[log2Bytes][2] = storeRows<T, 4>;
  table.blend[log2Bytes] = blendRow<T>;
}

} // namespace

void DIETCODE_LANE_FUNCTION(fillMemory)(LaneTable &table) {
  fillWidth<uint8_t>(table, 0);
  fillWidth<uint16_t>(table, 1);
  fillWidth<uint32_t>(table, 2);
  fillWidth<uint64_t>(table, 3);
  table.address[0] = addressRow<uint32_t>;
  table.address[1] = addressRow<uint64_t>;
}

} // namespace dietcode::vgpu
