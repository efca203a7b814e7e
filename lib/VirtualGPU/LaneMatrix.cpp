//===- LaneMatrix.cpp - Products of small matrices ------------------------===//
//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneMath.h"
#include "LaneTargets.h"

namespace dietcode::vgpu {
namespace {

/// 64 halves to single precision: exponents are rebiased by a multiplication,
/// which also normalizes subnormal numbers.
void widenHalves(float *dst, const void *halves) {
  auto *in = static_cast<const uint16_t *>(halves);
  DIETCODE_LANE_LOOP
  for (int i = 0; i < 2 * laneCount; ++i) {
    uint32_t bits = in[i];
    uint32_t magnitude = (bits & 0x7fffu) << 13;
    uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0;
    float scaled = bitCast<float>(magnitude) * 0x1p112f;
    dst[i] = bitCast<float>(bitCast<uint32_t>(scaled) | special |
                            (bits & 0x8000u) << 16);
  }
}

/// d += a * b in the order of k; each product of two halves is exact.
template <int N>
void multiplyAdd(double *d, const float *a, const float *b, int m, int k) {
  for (int row = 0; row < m; ++row)
    for (int inner = 0; inner < k; ++inner) {
      double x = static_cast<double>(a[row * k + inner]);
      for (int column = 0; column < N; ++column)
        d[row * N + column] += x * static_cast<double>(b[inner * N + column]);
    }
}

void multiplyHalves(double *d, const float *a, const float *b, int m, int n,
                    int k) {
  if (n == 8)
    multiplyAdd<8>(d, a, b, m, k);
  else if (n == 16)
    multiplyAdd<16>(d, a, b, m, k);
  else
    multiplyAdd<32>(d, a, b, m, k);
}

} // namespace

void DIETCODE_LANE_FUNCTION(fillMatrix)(LaneTable &table) {
  table.widenHalves = widenHalves;
  table.multiplyHalves = multiplyHalves;
}

} // namespace dietcode::vgpu
