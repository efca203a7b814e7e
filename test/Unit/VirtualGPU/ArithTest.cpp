//===- ArithTest.cpp - Arithmetic is exact ------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"
#include <cfenv>
#include <cmath>
#include <limits>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float qnan = std::numeric_limits<float>::quiet_NaN();

TEST(Arith, FmaRoundsOnce) {
  // (1 + 2^-12)^2 - 1 - 2^-11 is 2^-24, which a rounded product loses.
  float a = 1.0f + 0x1p-12f, c = -1.0f - 0x1p-11f;
  std::string fma = "mov.b32 %f1, %r10; mov.b32 %f2, %r11; mov.b32 %f3, %r12;"
                    "fma.rn.f32 %f4, %f1, %f2, %f3; mov.b32 %r1, %f4;";
  EXPECT_EQ(evalF(fma, a, a, c), 0x1p-24f);
  EXPECT_EQ(
      evalF("mul.rn.f32 %r2, %r10, %r11; add.rn.f32 %r1, %r2, %r12;", a, a, c),
      0.0f);
}

TEST(Arith, FloatRegistersMayBeUntyped) {
  // LLVM 22 writes .b32 for everything.
  EXPECT_EQ(evalF("add.rn.f32 %r1, %r10, %r11;", 1.5f, 2.25f), 3.75f);
  EXPECT_EQ(evalF("sub.f32 %r1, %r10, %r11;", 1.5f, 2.25f), -0.75f);
  EXPECT_EQ(evalF("mul.f32 %r1, %r10, 0f40000000;", 1.5f), 3.0f);
}

TEST(Arith, DirectedRounding) {
  float third = 1.0f / 3.0f; // Rounded to nearest, that is up.
  EXPECT_EQ(evalF("div.rn.f32 %r1, %r10, %r11;", 1, 3), third);
  EXPECT_EQ(evalF("div.rz.f32 %r1, %r10, %r11;", 1, 3),
            std::nextafter(third, 0.0f));
  EXPECT_EQ(evalF("div.rp.f32 %r1, %r10, %r11;", 1, 3), third);
  EXPECT_EQ(evalF("div.rm.f32 %r1, %r10, %r11;", -1, 3), -third);
  EXPECT_EQ(evalF("add.rp.f32 %r1, %r10, %r11;", 1, 0x1p-30f),
            std::nextafter(1.0f, 2.0f));
  EXPECT_EQ(evalF("add.rz.f32 %r1, %r10, %r11;", 1, 0x1p-30f), 1.0f);
  EXPECT_EQ(evalF("fma.rm.f32 %r1, %r10, %r11, %r12;", 1, 1, -0x1p-30f),
            std::nextafter(1.0f, 0.0f));
  EXPECT_EQ(evalF("rcp.rn.f32 %r1, %r10;", 3), third);
  EXPECT_EQ(evalF("sqrt.rn.f32 %r1, %r10;", 2), std::sqrt(2.0f));
  EXPECT_EQ(evalF("sqrt.rz.f32 %r1, %r10;", 2),
            std::min(std::sqrt(2.0f), float(std::sqrt(2.0))));
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(Arith, FlushToZeroOnlyWhereAsked) {
  float tiny = 0x1p-140f;
  EXPECT_EQ(evalF("add.f32 %r1, %r10, %r11;", tiny, 0), tiny);
  EXPECT_EQ(evalF("add.ftz.f32 %r1, %r10, %r11;", tiny, 0), 0.0f);
  EXPECT_EQ(eval("add.rn.ftz.f32 %r1, %r10, %r11;", bitsOf<uint32_t>(-tiny),
                 0x80000000u),
            0x80000000u);
  EXPECT_EQ(evalF("mul.ftz.f32 %r1, %r10, %r11;", 0x1p-100f, 0x1p-40f), 0.0f);
  EXPECT_EQ(evalF("mul.f32 %r1, %r10, %r11;", 0x1p-100f, 0x1p-40f), tiny);
}

TEST(Arith, Saturation) {
  EXPECT_EQ(evalF("add.sat.f32 %r1, %r10, %r11;", 1, 1), 1.0f);
  EXPECT_EQ(evalF("add.sat.f32 %r1, %r10, %r11;", -1, 0.5f), 0.0f);
  EXPECT_EQ(evalF("fma.rn.sat.f32 %r1, %r10, %r11, %r12;", qnan, 1, 1), 0.0f);
  EXPECT_EQ(eval("add.sat.s32 %r1, %r10, %r11;", 0x7fffffff, 1), 0x7fffffffu);
  EXPECT_EQ(eval("sub.sat.s32 %r1, %r10, %r11;", 0x80000000, 1), 0x80000000u);
}

TEST(Arith, MinimumAndMaximum) {
  EXPECT_EQ(evalF("min.f32 %r1, %r10, %r11;", qnan, 2), 2.0f);
  EXPECT_EQ(evalF("max.f32 %r1, %r10, %r11;", 2, qnan), 2.0f);
  EXPECT_TRUE(std::signbit(evalF("min.f32 %r1, %r10, %r11;", 0.0f, -0.0f)));
  EXPECT_FALSE(std::signbit(evalF("max.f32 %r1, %r10, %r11;", -0.0f, 0.0f)));
  EXPECT_TRUE(std::isnan(evalF("min.f32 %r1, %r10, %r11;", qnan, qnan)));
  EXPECT_EQ(eval("min.s32 %r1, %r10, %r11;", ~0u, 1), ~0u);
  EXPECT_EQ(eval("min.u32 %r1, %r10, %r11;", ~0u, 1), 1u);
  EXPECT_EQ(evalF("abs.f32 %r1, %r10;", -3), 3.0f);
  EXPECT_EQ(evalF("neg.f32 %r1, %r10;", inf), -inf);
  EXPECT_EQ(evalF("copysign.f32 %r1, %r10, %r11;", -1, 5), -5.0f);
}

TEST(Arith, Integers) {
  EXPECT_EQ(eval("mul.lo.s32 %r1, %r10, %r11;", 0x10001, 0x10001), 0x20001u);
  EXPECT_EQ(eval("mul.hi.u32 %r1, %r10, %r11;", ~0u, ~0u), 0xfffffffeu);
  EXPECT_EQ(eval("mul.hi.s32 %r1, %r10, %r11;", ~0u, ~0u), 0u);
  EXPECT_EQ(eval("mad.lo.s32 %r1, %r10, %r11, %r12;", 3, 5, 7), 22u);
  EXPECT_EQ(eval("mad.hi.u32 %r1, %r10, %r11, %r12;", ~0u, 2, 7), 8u);
  EXPECT_EQ(eval64("mul.hi.u64 %rd12, %rd10, %rd11;", ~0ull, 3), 2u);
  EXPECT_EQ(eval64("mul.wide.s32 %rd12, -2, 3;"), uint64_t(-6));
  EXPECT_EQ(eval64("mad.wide.u32 %rd12, 4000000000, 4, %rd10;", 1),
            16000000001u);
  EXPECT_EQ(eval("div.s32 %r1, %r10, %r11;", uint32_t(-7), 2), uint32_t(-3));
  EXPECT_EQ(eval("rem.s32 %r1, %r10, %r11;", uint32_t(-7), 2), uint32_t(-1));
  EXPECT_EQ(eval("div.u32 %r1, %r10, %r11;", 7, 0), ~0u);
  EXPECT_EQ(eval("div.s32 %r1, %r10, %r11;", 0x80000000, ~0u), 0x80000000u);
  EXPECT_EQ(eval("rem.s32 %r1, %r10, %r11;", 0x80000000, ~0u), 0u);
  EXPECT_EQ(eval64("div.u64 %rd12, %rd10, %rd11;", 1ull << 40, 3),
            (1ull << 40) / 3);
  EXPECT_EQ(eval("sad.s32 %r1, %r10, %r11, %r12;", uint32_t(-5), 3, 10), 18u);
  EXPECT_EQ(eval("abs.s32 %r1, %r10;", uint32_t(-5)), 5u);
  EXPECT_EQ(eval("cvt.u16.u32 %h1, %r10; add.s16 %h2, %h1, 1;"
                 "cvt.u32.u16 %r1, %h2;",
                 0xffff),
            0u);
}

TEST(Arith, Shifts) {
  EXPECT_EQ(eval("shl.b32 %r1, %r10, %r11;", 1, 31), 0x80000000u);
  EXPECT_EQ(eval("shl.b32 %r1, %r10, %r11;", 1, 32), 0u);
  EXPECT_EQ(eval("shr.u32 %r1, %r10, %r11;", ~0u, 40), 0u);
  EXPECT_EQ(eval("shr.s32 %r1, %r10, %r11;", 0x80000000, 99), ~0u);
  EXPECT_EQ(eval("shr.s32 %r1, %r10, %r11;", 0x80000000, 4), 0xf8000000u);
  EXPECT_EQ(eval64("shl.b64 %rd12, %rd10, 63;", 1), 1ull << 63);
  EXPECT_EQ(eval("shf.l.wrap.b32 %r1, %r10, %r11, %r12;", 0x80000000, 1, 33),
            3u);
  EXPECT_EQ(eval("shf.l.clamp.b32 %r1, %r10, %r11, %r12;", 5, 1, 33), 5u);
  EXPECT_EQ(eval("shf.r.wrap.b32 %r1, %r10, %r11, %r12;", 2, 1, 1),
            0x80000001u);
  EXPECT_EQ(eval("shf.r.clamp.b32 %r1, %r10, %r11, %r12;", 2, 9, 77), 9u);
}

TEST(Arith, Bits) {
  EXPECT_EQ(eval("bfe.u32 %r1, %r10, 4, 8;", 0xabcd), 0xbcu);
  EXPECT_EQ(eval("bfe.s32 %r1, %r10, 4, 8;", 0xabcd), 0xffffffbcu);
  EXPECT_EQ(eval("bfe.s32 %r1, %r10, 28, 8;", 0x80000000), 0xfffffff8u);
  EXPECT_EQ(eval("bfi.b32 %r1, %r10, %r11, 8, 4;", 0xf5, 0), 0x500u);
  EXPECT_EQ(eval("clz.b32 %r1, %r10;", 1), 31u);
  EXPECT_EQ(eval("clz.b32 %r1, %r10;", 0), 32u);
  EXPECT_EQ(eval("popc.b32 %r1, %r10;", 0xf0f), 8u);
  EXPECT_EQ(eval("brev.b32 %r1, %r10;", 1), 0x80000000u);
  EXPECT_EQ(eval("bfind.u32 %r1, %r10;", 0x100), 8u);
  EXPECT_EQ(eval("bfind.s32 %r1, %r10;", ~0u), ~0u);
  EXPECT_EQ(eval("prmt.b32 %r1, %r10, %r11, 0x5410;", 0x1111, 0x2222),
            0x22221111u);
  EXPECT_EQ(eval("prmt.b32 %r1, %r10, %r11, 0x8880;", 0x80, 0), 0xffffff80u);
  EXPECT_EQ(eval("lop3.b32 %r1, %r10, %r11, %r12, 0xe8;", 12, 10, 6), 14u);
  EXPECT_EQ(eval("not.b32 %r1, %r10;", 0xff), 0xffffff00u);
  EXPECT_EQ(
      eval("dp4a.s32.s32 %r1, %r10, %r11, %r12;", 0xff010203, 0x01010101, 10),
      15u);
}

TEST(Arith, ApproximationsAreClose) {
  EXPECT_NEAR(evalF("ex2.approx.f32 %r1, %r10;", 3.5f), std::exp2(3.5f), 1e-5);
  EXPECT_NEAR(evalF("lg2.approx.ftz.f32 %r1, %r10;", 10), std::log2(10.f),
              1e-6);
  EXPECT_NEAR(evalF("sin.approx.f32 %r1, %r10;", 1), std::sin(1.f), 1e-6);
  EXPECT_NEAR(evalF("cos.approx.f32 %r1, %r10;", 1), std::cos(1.f), 1e-6);
  EXPECT_NEAR(evalF("rsqrt.approx.f32 %r1, %r10;", 4), 0.5f, 1e-6);
  EXPECT_NEAR(evalF("tanh.approx.f32 %r1, %r10;", 0.5f), std::tanh(.5f), 1e-6);
  EXPECT_EQ(evalF("rcp.approx.ftz.f32 %r1, %r10;", 8), 0.125f);
  EXPECT_EQ(evalF("div.full.f32 %r1, %r10, %r11;", 9, 3), 3.0f);
}

TEST(Arith, Doubles) {
  uint64_t a = bitsOf<uint64_t>(1.0), b = bitsOf<uint64_t>(3.0);
  EXPECT_EQ(eval64("div.rn.f64 %rd12, %rd10, %rd11;", a, b),
            bitsOf<uint64_t>(1.0 / 3.0));
  EXPECT_EQ(eval64("fma.rn.f64 %rd12, %rd10, %rd11, 0d3FF0000000000000;", a, b),
            bitsOf<uint64_t>(4.0));
}

TEST(Arith, Halves) {
  // 1 + 2^-11 lies halfway between two halves; fma rounds it once, to even.
  EXPECT_EQ(eval("mov.b16 %h1, 0x3C00; mov.b16 %h2, 0x1000;"
                 "fma.rn.f16 %h3, %h1, %h1, %h2; cvt.u32.u16 %r1, %h3;"),
            0x3c00u);
  EXPECT_EQ(eval("mov.b16 %h1, 0x3C00; add.f16 %h2, %h1, %h1;"
                 "cvt.u32.u16 %r1, %h2;"),
            0x4000u);
  EXPECT_EQ(eval("mul.rn.f16x2 %r1, %r10, %r11;", 0x3c004000, 0x40004200),
            0x40004600u);
}

} // namespace
