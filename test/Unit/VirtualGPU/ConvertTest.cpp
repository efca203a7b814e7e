//===- ConvertTest.cpp - Conversions and moves --------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Half.h"
#include "TestUtil.h"
#include <cmath>
#include <limits>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

TEST(Convert, FloatToInteger) {
  EXPECT_EQ(evalF("cvt.rni.f32.f32 %r1, %r10;", 2.5f), 2.0f);
  EXPECT_EQ(evalF("cvt.rzi.f32.f32 %r1, %r10;", -2.7f), -2.0f);
  EXPECT_EQ(evalF("cvt.rmi.f32.f32 %r1, %r10;", -2.2f), -3.0f);
  EXPECT_EQ(evalF("cvt.rpi.f32.f32 %r1, %r10;", 2.2f), 3.0f);
  auto toInt = [](float x) {
    return eval("cvt.rzi.s32.f32 %r1, %r10;", bitsOf<uint32_t>(x));
  };
  EXPECT_EQ(toInt(-2.7f), uint32_t(-2));
  EXPECT_EQ(toInt(1e20f), 0x7fffffffu);
  EXPECT_EQ(toInt(-1e20f), 0x80000000u);
  EXPECT_EQ(toInt(std::numeric_limits<float>::quiet_NaN()), 0u);
  EXPECT_EQ(eval("cvt.rzi.u32.f32 %r1, %r10;", bitsOf<uint32_t>(-5.0f)), 0u);
  EXPECT_EQ(eval("cvt.rni.s32.f32 %r1, %r10;", bitsOf<uint32_t>(3.5f)), 4u);
}

/// PTX ISA, cvt: zero, but from .f64 and to 64 bits the highest bit alone.
TEST(Convert, NanToInteger) {
  std::string wide = "cvt.f64.f32 %fd1, %r10;", half = "mov.b16 %h1, 0x7e00;";
  uint32_t nan = 0x7fc00000;
  for (std::string type : {"s32", "u32"}) {
    EXPECT_EQ(eval("cvt.rzi." + type + ".f32 %r1, %r10;", nan), 0u);
    EXPECT_EQ(eval(half + "cvt.rni." + type + ".f16 %r1, %h1;"), 0u);
    EXPECT_EQ(eval(wide + "cvt.rzi." + type + ".f64 %r1, %fd1;", nan),
              0x80000000u);
  }
  for (std::string type : {"s64", "u64"}) {
    uint64_t expected = uint64_t(1) << 63;
    EXPECT_EQ(eval64("cvt.rzi." + type + ".f64 %rd12, %rd10;", ~0ull),
              expected);
    EXPECT_EQ(eval64("mov.b32 %r10, 0x7fc00000; cvt.rmi." + type +
                     ".f32 %rd12, %r10;"),
              expected);
    EXPECT_EQ(eval64(half + "cvt.rpi." + type + ".f16 %rd12, %h1;"), expected);
  }
}

/// `value` as a half, from the list of all of them.
uint32_t nearestHalf(double value, const std::string &mode) {
  double magnitude = std::fabs(value);
  uint32_t sign = std::signbit(value) ? 0x8000 : 0, below = 0;
  auto valueAt = [](uint32_t bits) { // 2^16 follows the largest one.
    return bits == 0x7c00 ? 65536.0 : valueOf(static_cast<uint16_t>(bits));
  };
  while (below < 0x7bff && valueAt(below + 1) <= magnitude)
    ++below;
  double down = magnitude - valueAt(below);
  double up = valueAt(below + 1) - magnitude;
  bool away = mode == "rn"   ? up < down || (up == down && (below & 1))
              : mode == "rm" ? sign && down > 0
              : mode == "rp" ? !sign && down > 0
                             : false;
  return sign | (below + away);
}

TEST(Convert, ToHalvesOfAllMagnitudes) {
  std::vector<uint32_t> values;
  for (uint32_t exponent = 127 - 60; exponent <= 127 + 16; ++exponent)
    for (uint32_t mantissa : {0u, 1u, 0x1000u, 0x3000u, 0x400000u, 0x7fffffu})
      for (uint32_t sign : {0u, 0x80000000u})
        values.push_back(sign | exponent << 23 | mantissa);
  auto count = static_cast<unsigned>(values.size());
  ASSERT_LE(count, 1024u);
  for (std::string mode : {"rn", "rz", "rm", "rp"}) {
    auto out = runPtx(wrap("ld.global.b32 %r10, [%rd3];"
                           "cvt." +
                           mode +
                           ".f16.f32 %h1, %r10; cvt.u32.u16 %r1, %h1;"
                           "st.global.b32 [%rd2], %r1;"),
                      values, count);
    ASSERT_TRUE(out) << messageOf(out);
    for (unsigned i = 0; i < count; ++i)
      EXPECT_EQ((*out)[i], nearestHalf(bitsOf<float>(values[i]), mode))
          << mode << " of " << bitsOf<float>(values[i]);
  }
}

/// Products between zero and the least half round to one of them.
TEST(Convert, TinyProductsOfHalves) {
  for (uint32_t a = 1; a < 0x3c00; a = a * 2 + 1)
    for (uint32_t b = 1; b < 0x3c00; b = b * 2 + 1) {
      double product = double(valueOf(static_cast<uint16_t>(a))) *
                       valueOf(static_cast<uint16_t>(b));
      EXPECT_EQ(eval("mul.rn.f16x2 %r1, %r10, %r11;", a | a << 16, b | b << 16),
                nearestHalf(product, "rn") * 0x10001)
          << a << " * " << b;
    }
}

TEST(Convert, IntegerToFloat) {
  EXPECT_EQ(evalF("cvt.rn.f32.s32 %r1, -16777217;"), -16777216.0f);
  EXPECT_EQ(evalF("cvt.rm.f32.s32 %r1, -16777217;"), -16777218.0f);
  EXPECT_EQ(
      evalF("cvt.rz.f32.u32 %r1, %r10;", bitsOf<float>(uint32_t(0xffffffffu))),
      4294967040.0f);
  EXPECT_EQ(evalF("cvt.rn.f32.u64 %r1, %rd1; cvt.rn.f32.u32 %r1, 7;"), 7.0f);
}

TEST(Convert, BetweenFloats) {
  EXPECT_EQ(eval("cvt.rn.f16.f32 %h1, %r10; cvt.u32.u16 %r1, %h1;",
                 bitsOf<uint32_t>(65504.0f)),
            0x7bffu);
  EXPECT_EQ(eval("cvt.rn.f16.f32 %h1, %r10; cvt.u32.u16 %r1, %h1;",
                 bitsOf<uint32_t>(65520.0f)),
            0x7c00u);
  EXPECT_EQ(eval("cvt.rz.f16.f32 %h1, %r10; cvt.u32.u16 %r1, %h1;",
                 bitsOf<uint32_t>(65520.0f)),
            0x7bffu);
  EXPECT_EQ(eval("cvt.rn.f16.f32 %h1, %r10; cvt.u32.u16 %r1, %h1;",
                 bitsOf<uint32_t>(0x1p-24f)),
            1u);
  EXPECT_EQ(evalF("mov.b16 %h1, 0x0001; cvt.f32.f16 %r1, %h1;"), 0x1p-24f);
  EXPECT_EQ(evalF("cvt.f64.f32 %rd12, %r10; cvt.rn.f32.f64 %r1, %rd12;", 0.1f),
            0.1f);
  EXPECT_EQ(
      evalF("mov.f64 %fd1, 0d3FB999999999999A; cvt.rz.f32.f64 %r1, %fd1;"),
      std::nextafter(0.1f, 0.0f));
  EXPECT_EQ(evalF("cvt.sat.f32.f32 %r1, %r10;", 7.0f), 1.0f);
}

TEST(Convert, Integers) {
  EXPECT_EQ(eval("cvt.s32.s8 %r1, %r10;", 0x1ff), ~0u);
  EXPECT_EQ(eval("cvt.u32.u8 %r1, %r10;", 0x1ff), 0xffu);
  EXPECT_EQ(eval("cvt.s32.s16 %r1, %r10;", 0x8000), 0xffff8000u);
  EXPECT_EQ(eval("cvt.u8.u32 %h1, %r10; cvt.u32.u16 %r1, %h1;", 0x1234), 0x34u);
  EXPECT_EQ(eval("cvt.sat.s8.s32 %r1, %r10;", 1000), 127u);
  EXPECT_EQ(eval("cvt.sat.u8.s32 %r1, %r10;", uint32_t(-4)), 0u);
  EXPECT_EQ(eval64("cvt.s64.s32 %rd12, %r0; cvt.s64.s32 %rd12, -1;"), ~0ull);
  EXPECT_EQ(eval("cvt.u32.u64 %r1, %rd10; cvt.u64.u32 %rd10, %r10;"
                 "cvt.u32.u64 %r1, %rd10;",
                 42),
            42u);
}

TEST(Convert, PackAndUnpack) {
  EXPECT_EQ(eval64("mov.b64 {%r5, %r6}, %rd10; mov.b64 %rd12, {%r6, %r5};",
                   0x1111111122222222ull),
            0x2222222211111111ull);
  EXPECT_EQ(
      eval("mov.b32 {%h1, %h2}, %r10; mov.b32 %r1, {%h2, %h1};", 0x12345678),
      0x56781234u);
  EXPECT_EQ(eval("mov.b64 {_, %r1}, 0x500000000;"), 5u);
  EXPECT_EQ(eval64("mov.b64 {%h1, %h2, %h3, %h4}, %rd10;"
                   "mov.b64 %rd12, {%h4, %h3, %h2, %h1};",
                   0x0001000200030004ull),
            0x0004000300020001ull);
}

TEST(Convert, Comparisons) {
  uint32_t nan = 0x7fc00000, one = bitsOf<uint32_t>(1.0f);
  auto test = [](const std::string &setp, uint32_t a, uint32_t b) {
    return eval(setp + " %p1, %r10, %r11; selp.b32 %r1, 1, 0, %p1;", a, b);
  };
  EXPECT_EQ(test("setp.lt.s32", ~0u, 1), 1u);
  EXPECT_EQ(test("setp.lt.u32", ~0u, 1), 0u);
  EXPECT_EQ(test("setp.lo.u32", 1, 2), 1u);
  EXPECT_EQ(test("setp.ne.f32", nan, one), 0u);
  EXPECT_EQ(test("setp.neu.f32", nan, one), 1u);
  EXPECT_EQ(test("setp.ltu.f32", nan, one), 1u);
  EXPECT_EQ(test("setp.geu.f32", 0, one), 0u);
  EXPECT_EQ(test("setp.num.f32", one, one), 1u);
  EXPECT_EQ(test("setp.nan.f32", one, nan), 1u);
  EXPECT_EQ(test("setp.equ.f32", one, one), 1u);
}

TEST(Convert, CombinedComparisons) {
  EXPECT_EQ(eval("setp.eq.s32 %p1, %r10, 1; setp.eq.and.s32 %p2, %r11, 2, !%p1;"
                 "selp.b32 %r1, 1, 0, %p2;",
                 0, 2),
            1u);
  EXPECT_EQ(
      eval("setp.lt.s32 %p1|%p2, %r10, %r11; selp.b32 %r1, 1, 2, %p2;", 5, 3),
      1u);
  EXPECT_EQ(eval("set.eq.u32.s32 %r1, %r10, %r11;", 5, 5), ~0u);
  EXPECT_EQ(evalF("set.gt.f32.f32 %r1, %r10, %r11;", 5, 3), 1.0f);
  EXPECT_EQ(eval("setp.eq.s32 %p1, 1, 1; setp.eq.s32 %p2, 1, 2;"
                 "or.pred %p3, %p1, %p2; and.pred %p4, %p3, %p2;"
                 "xor.pred %p5, %p4, %p1; not.pred %p6, %p5; mov.pred %p7, %p6;"
                 "selp.b32 %r1, 1, 0, %p7;"),
            0u);
}

} // namespace
