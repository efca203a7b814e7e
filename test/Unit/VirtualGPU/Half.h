//===- Half.h - Halves for tests --------------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_VIRTUALGPU_HALF_H
#define DIETCODE_TEST_UNIT_VIRTUALGPU_HALF_H

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace dietcode::vgpu {

inline float valueOf(uint16_t half) {
  int exponent = (half >> 10) & 31;
  float mantissa = static_cast<float>(half & 1023);
  float v = exponent ? std::ldexp(1024 + mantissa, exponent - 25)
                     : std::ldexp(mantissa, -24);
  return half & 0x8000 ? -v : v;
}

/// Of a quarter that a half holds exactly.
inline uint16_t halfOf(float value) {
  static const std::map<float, uint16_t> table = [] {
    std::map<float, uint16_t> t;
    for (uint32_t bits = 0xbfff; bits > 0; --bits)
      if (bits < 0x4400 || bits > 0x8000)
        t[valueOf(uint16_t(bits))] = uint16_t(bits);
    for (uint32_t bits = 0xc400; bits >= 0xc000; --bits)
      t[valueOf(uint16_t(bits))] = uint16_t(bits);
    t[0] = 0;
    return t;
  }();
  return table.at(value);
}

/// Quarters between -2 and 2.
struct Halves {
  explicit Halves(size_t n) {
    std::mt19937 engine(5);
    for (size_t i = 0; i < n; ++i) {
      values.push_back((static_cast<float>(engine() % 17) - 8) / 4);
      bits.push_back(halfOf(values.back()));
    }
  }
  std::vector<float> values;
  std::vector<uint16_t> bits;
};

} // namespace dietcode::vgpu

#endif // DIETCODE_TEST_UNIT_VIRTUALGPU_HALF_H
