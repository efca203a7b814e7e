//===- CoverageTest.cpp - Rarer instructions and forms --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

struct Row {
  const char *code; ///< Of %r10, %r11, %r12 into %r1.
  uint32_t a, b, c, expected;
};

constexpr Row rows[] = {
    // Only the low 24 bits count, by their sign under .s32.
    {"mul24.lo.u32 %r1, %r10, %r11;", 0xff000003, 0xaa000005, 0, 15},
    {"mul24.lo.s32 %r1, %r10, %r11;", 0x00ffffff, 7, 0, 0xfffffff9},
    {"mul24.hi.u32 %r1, %r10, %r11;", 0xffffff, 0xffffff, 0, 0xfffffe00},
    {"mul24.hi.s32 %r1, %r10, %r11;", 0x800000, 0x7fffff, 0, 0xc0000080},
    {"mad24.lo.u32 %r1, %r10, %r11, %r12;", 100, 200, 7, 20007},
    {"mad24.lo.s32 %r1, %r10, %r11, %r12;", 0xfffffe, 3, 1, 0xfffffffb},
    {"mad24.hi.u32 %r1, %r10, %r11, %r12;", 0x800000, 0x800000, 2, 0x40000002},
    {"mad24.hi.s32 %r1, %r10, %r11, %r12;", 0xffffff, 1, 5, 4},
    {"dp4a.u32.u32 %r1, %r10, %r11, %r12;", 0x01020304, 0x05060708, 10, 80},
    {"dp4a.s32.s32 %r1, %r10, %r11, %r12;", 0xff020304, 0x05060708, 0, 60},
    {"dp4a.u32.s32 %r1, %r10, %r11, %r12;", 0xff000000, 0xff000000, 0,
     0xffffff01},
    {"dp4a.s32.u32 %r1, %r10, %r11, %r12;", 0xff000000, 0xff000000, 0,
     0xffffff01},
    {"dp2a.lo.u32.u32 %r1, %r10, %r11, %r12;", 0x00020003, 0x05060708, 1, 39},
    {"dp2a.hi.u32.u32 %r1, %r10, %r11, %r12;", 0x00020003, 0x05060708, 1, 29},
    {"dp2a.lo.s32.u32 %r1, %r10, %r11, %r12;", 0xffff0003, 0x000002ff, 0, 763},
    {"dp2a.hi.u32.s32 %r1, %r10, %r11, %r12;", 0x00010001, 0xff800000, 0,
     0xffffff7f},
    {"slct.b32.s32 %r1, %r10, %r11, %r12;", 1, 2, 0, 1},
    {"slct.u32.s32 %r1, %r10, %r11, %r12;", 1, 2, 0x80000000, 2},
    {"slct.f32.f32 %r1, %r10, %r11, %r12;", 1, 2, 0x80000000, 1}, // -0.0
    {"slct.f32.f32 %r1, %r10, %r11, %r12;", 1, 2, 0x7fc00000, 2}, // NaN
    {"slct.s32.f32 %r1, %r10, %r11, %r12;", 1, 2, 0x80000001, 2},
    {"slct.ftz.s32.f32 %r1, %r10, %r11, %r12;", 1, 2, 0x80000001, 1},
    {"cvt.u16.u32 %h1, %r10; cvt.u16.u32 %h2, %r11;"
     "slct.b16.s32 %h3, %h1, %h2, %r12; cvt.u32.u16 %r1, %h3;",
     7, 8, 0xffffffff, 8},
    {"cvt.u64.u32 %rd5, %r10; cvt.u64.u32 %rd6, %r11;"
     "slct.u64.f32 %rd7, %rd5, %rd6, %r12; cvt.u32.u64 %r1, %rd7;",
     7, 8, 0x3f800000, 7},
    {"szext.clamp.s32 %r1, %r10, %r11;", 0xa5, 8, 0, 0xffffffa5},
    {"szext.clamp.u32 %r1, %r10, %r11;", 0xffa5, 8, 0, 0xa5},
    {"szext.wrap.s32 %r1, %r10, %r11;", 0xa5, 32, 0, 0},
    {"szext.clamp.s32 %r1, %r10, %r11;", 0xa5, 99, 0, 0xa5},
    {"bmsk.clamp.b32 %r1, %r10, %r11;", 4, 8, 0, 0xff0},
    {"bmsk.clamp.b32 %r1, %r10, %r11;", 28, 8, 0, 0xf0000000},
    {"bmsk.wrap.b32 %r1, %r10, %r11;", 36, 33, 0, 0x10},
    {"bmsk.clamp.b32 %r1, %r10, %r11;", 40, 8, 0, 0},
    // Halves: 1.0 is 0x3c00, 2.0 is 0x4000, 0x7e00 a NaN.
    {"set.lt.f16x2.f16x2 %r1, %r10, %r11;", 0x3c004000, 0x40003c00, 0,
     0x3c000000},
    {"set.ltu.u32.f16x2 %r1, %r10, %r11;", 0x7e004000, 0x40003c00, 0,
     0xffff0000},
    {"set.num.f16x2.f16x2 %r1, %r10, %r11;", 0x7e004000, 0x40003c00, 0, 0x3c00},
    {"set.ne.f16x2.f16x2 %r1, %r10, %r11;", 0x7e004000, 0x40003c00, 0, 0x3c00},
    {"set.neu.f16x2.f16x2 %r1, %r10, %r11;", 0x7e004000, 0x40004000, 0,
     0x3c000000},
    {"mov.b32 {%h1, %h2}, %r10; set.gt.f16.f16 %h3, %h1, %h2;"
     "set.gt.u16.f16 %h4, %h1, %h2; mov.b32 %r1, {%h3, %h4};",
     0x3c004000, 0, 0, 0xffff3c00},
    {"mov.b32 {%h1, %h2}, %r10; set.le.u32.f16 %r1, %h1, %h2;", 0x3c004000, 0,
     0, 0},
    {"setp.lt.f16x2 %p1|%p2, %r10, %r11; selp.b32 %r1, 1, 0, %p1;"
     "selp.b32 %r2, 2, 0, %p2; or.b32 %r1, %r1, %r2;",
     0x3c004000, 0x40003c00, 0, 2},
    {"setp.ne.u32 %p3, %r12, 0;"
     "setp.eq.and.f16x2 %p1|%p2, %r10, %r11, !%p3; selp.b32 %r1, 1, 0, %p1;"
     "selp.b32 %r2, 2, 0, %p2; or.b32 %r1, %r1, %r2;",
     0x3c004000, 0x3c004000, 0, 3},
    {"mov.b32 {%h1, %h2}, %r10; add.ftz.f16 %h3, %h1, %h2;"
     "mul.ftz.f16 %h4, %h2, %h2; mov.b32 %r1, {%h3, %h4};",
     0x04008001, 0, 0, 0x00000400}, // 2^-14 + -2^-24, and 2^-28.
    {"add.f16x2 %r1, %r10, %r11;", 0x00018001, 0x00010001, 0, 0x00020000},
    {"fma.rn.ftz.sat.f16x2 %r1, %r10, %r11, %r12;", 0x3c000001, 0x40003c00, 0,
     0x3c000000},
    {"neg.ftz.f16x2 %r1, %r10;", 0x00018401, 0, 0, 0x80000401},
    {"vabsdiff4.u32.u32.u32 %r1, %r10, %r11, %r12;", 0x01ff80f0, 0xff01800f, 99,
     0xfefe00e1},
    {"vabsdiff4.u32.u32.u32.add %r1, %r10, %r11, %r12;", 0x01ff80f0, 0xff01800f,
     99, 254 + 254 + 225 + 99},
    {"vabsdiff4.s32.s32.s32 %r1, %r10, %r11, %r12;", 0x01ff80f0, 0xff01800f, 0,
     0x0202001f},
    {"vabsdiff2.s32.s32.s32.add %r1, %r10, %r11, %r12;", 0xffff0005, 0x00010003,
     1, 5},
    {"vabsdiff2.u32.u32.u32 %r1, %r10, %r11, %r12;", 0xffff0005, 0x00010007, 0,
     0xfffe0002},
    {"vabsdiff4.s32.s32.s32.sat %r1, %r10, %r11, %r12;", 0x80ff7f01, 0x7f017f80,
     0, 0x7f02007f},
    {"vadd4.u32.u32.u32 %r1, %r10, %r11, %r12;", 0x01ff80f0, 0xff0180f0, 0,
     0x000000e0},
    {"vadd4.u32.u32.u32.sat %r1, %r10, %r11, %r12;", 0x01ff7f10, 0xff0180e0, 0,
     0xfffffff0},
    {"vadd4.s32.s32.s32.sat %r1, %r10, %r11, %r12;", 0x7f80ff10, 0x0181ff20, 0,
     0x7f80fe30},
    {"vadd2.s32.s32.s32.sat %r1, %r10, %r11, %r12;", 0x7fff8000, 0x0001ffff, 0,
     0x7fff8000},
    {"vadd2.s32.u32.s32.add %r1, %r10, %r11, %r12;", 0xffff0001, 0xffff0001, 5,
     65535 - 1 + 2 + 5},
    {"vsub4.u32.u32.u32 %r1, %r10, %r11, %r12;", 0x01ff0080, 0x02ff0110, 0,
     0xff00ff70},
    {"vsub2.u32.u32.u32.sat %r1, %r10, %r11, %r12;", 0x0005ffff, 0x0006000f, 0,
     0x0000fff0},
    {"vsub4.s32.s32.s32.sat %r1, %r10, %r11, %r12;", 0x807f0005, 0x01ff0108, 0,
     0x807ffffd},
    {"vavrg4.u32.u32.u32 %r1, %r10, %r11, %r12;", 0xff010305, 0xff020305, 0,
     0xff020305},
    {"vavrg2.s32.s32.s32 %r1, %r10, %r11, %r12;", 0xffff0001, 0xfffe0002, 0,
     0xfffe0002},
    {"vmin4.u32.u32.u32 %r1, %r10, %r11, %r12;", 0x80ff0102, 0x7f000201, 0,
     0x7f000101},
    {"vmin2.s32.s32.s32 %r1, %r10, %r11, %r12;", 0x80000001, 0x7fffffff, 0,
     0x8000ffff},
    {"vmax4.s32.s32.s32 %r1, %r10, %r11, %r12;", 0x80ff0102, 0x7f000201, 0,
     0x7f000202},
    {"vmax2.u32.u32.u32 %r1, %r10, %r11, %r12;", 0x80000001, 0x7fff0000, 0,
     0x80000001},
    {"vset4.u32.u32.eq %r1, %r10, %r11, %r12;", 0x01020304, 0x01ff0305, 0,
     0x01000100},
    {"vset4.u32.u32.ne %r1, %r10, %r11, %r12;", 0x01020304, 0x01ff0305, 0,
     0x00010001},
    {"vset4.s32.s32.lt %r1, %r10, %r11, %r12;", 0x80010203, 0x00000203, 0,
     0x01000000},
    {"vset2.u32.u32.gt %r1, %r10, %r11, %r12;", 0x80000001, 0x7fff0001, 0,
     0x00010000},
    {"vset2.s32.s32.le.add %r1, %r10, %r11, %r12;", 0x80000001, 0x7fff0001, 9,
     11},
    {"vset4.u32.u32.ge %r1, %r10, %r11, %r12;", 0x80010203, 0x00020203, 0,
     0x01000101},
    // a: the mask, b: from which bit on, c: the how-manieth set bit.
    {"fns.b32 %r1, %r10, %r11, %r12;", 0x90000105, 0, 1, 0},
    {"fns.b32 %r1, %r10, %r11, %r12;", 0x90000105, 0, 2, 2},
    {"fns.b32 %r1, %r10, %r11, %r12;", 0x90000105, 3, 3, 31},
    {"fns.b32 %r1, %r10, %r11, %r12;", 0x90000105, 3, 4, ~0u},
    {"fns.b32 %r1, %r10, %r11, %r12;", 0x90000105, 30, uint32_t(-2), 8},
    {"fns.b32 %r1, %r10, %r11, %r12;", 0x90000105, 2, uint32_t(-3), ~0u},
    {"fns.b32 %r1, %r10, %r11, %r12;", 0x90000105, 8, 0, 8},
    {"fns.b32 %r1, %r10, %r11, %r12;", 0x90000105, 7, 0, ~0u},
    {"fns.b32 %r1, %r10, %r11, %r12;", 0x90000105, 32, 1, ~0u},
    {"setp.eq.u32 %p2, %r12, 1; lop3.or.b32 %r2|%p1, %r10, %r11, %r12, 0xc0, "
     "%p2; selp.b32 %r3, 256, 0, %p1; or.b32 %r1, %r2, %r3;",
     0xf0, 0x3c, 0, 0x130},
    {"setp.eq.u32 %p2, %r12, 0; lop3.and.b32 _|%p1, %r10, %r11, %r12, 0xc0, "
     "!%p2; selp.b32 %r1, 256, 1, %p1;",
     0xf0, 0x3c, 0, 1},
    {"prmt.b32.f4e %r1, %r10, %r11, %r12;", 0x33221100, 0x77665544, 1,
     0x44332211},
    {"prmt.b32.b4e %r1, %r10, %r11, %r12;", 0x33221100, 0x77665544, 1,
     0x66770011},
    {"prmt.b32.rc8 %r1, %r10, %r11, %r12;", 0x33221100, 0x77665544, 6,
     0x22222222},
    {"prmt.b32.ecl %r1, %r10, %r11, %r12;", 0x33221100, 0x77665544, 2,
     0x33222222},
    {"prmt.b32.ecr %r1, %r10, %r11, %r12;", 0x33221100, 0x77665544, 1,
     0x11111100},
    {"prmt.b32.rc16 %r1, %r10, %r11, %r12;", 0x33221100, 0x77665544, 3,
     0x33223322},
    {"mov.u16 %h1, %ntid.x; cvt.u32.u16 %r1, %h1;", 0, 0, 0, 32},
    {"mov.u64 %rd5, %gridid; cvt.u32.u64 %r1, %rd5;", 0, 0, 0, 0},
    {"pmevent 1; membar.gl; fence.sc.gpu; fence.acq_rel.sys; prefetch.L1 "
     "[%rd1]; prefetchu.L1 [%rd1]; nanosleep.u32 20; mov.u32 %r1, 3;",
     0, 0, 0, 3},
    {"mov.u32 %r2, %globaltimer_hi; mov.u32 %r3, %globaltimer_lo;"
     "mov.u64 %rd5, %globaltimer; mov.u32 %r1, %r2;",
     0, 0, 0, 0},
};

TEST(ArithExtra, Table) {
  for (const Row &row : rows)
    EXPECT_EQ(eval(row.code, row.a, row.b, row.c), row.expected) << row.code;
}

TEST(ArithExtra, Carries) {
  // 96-bit sum and difference of (c:b:a) and (a:c:b).
  auto wide = [](const char *op, uint32_t a, uint32_t b, uint32_t c) {
    std::string name(op);
    std::string code = name + ".cc.u32 %r2, %r10, %r11;" + name +
                       "c.cc.u32 %r3, %r11, %r12;" + name +
                       "c.u32 %r4, %r12, %r10;";
    return std::array<uint32_t, 3>{eval(code + "mov.b32 %r1, %r2;", a, b, c),
                                   eval(code + "mov.b32 %r1, %r3;", a, b, c),
                                   eval(code + "mov.b32 %r1, %r4;", a, b, c)};
  };
  using Wide = unsigned __int128;
  for (uint32_t a : {0u, 1u, 0x80000000u, 0xffffffffu})
    for (uint32_t b : {0u, 5u, 0xffffffffu})
      for (uint32_t c : {0u, 0xfffffffeu, 0xffffffffu}) {
        Wide x = Wide(c) << 64 | Wide(b) << 32 | a;
        Wide y = Wide(a) << 64 | Wide(c) << 32 | b;
        auto sum = wide("add", a, b, c), difference = wide("sub", a, b, c);
        for (unsigned i = 0; i < 3; ++i) {
          EXPECT_EQ(sum[i], uint32_t((x + y) >> (32 * i)));
          EXPECT_EQ(difference[i], uint32_t((x - y) >> (32 * i)));
        }
      }
  // 64 x 64 -> 64 from 32-bit halves, as compilers emit it.
  for (uint64_t x : {0x123456789abcdef0u, 0xffffffffffffffffu})
    for (uint64_t y : {0xfedcba9876543210u, 0x00000001ffffffffu}) {
      EXPECT_EQ(
          eval64("mov.b64 {%r1, %r2}, %rd10; mov.b64 {%r3, %r4}, %rd11;"
                 "mul.lo.u32 %r5, %r1, %r3; mul.hi.u32 %r6, %r1, %r3;"
                 "mad.lo.cc.u32 %r6, %r1, %r4, %r6;"
                 "mad.lo.u32 %r6, %r2, %r3, %r6; mov.b64 %rd12, {%r5, %r6};",
                 x, y),
          x * y);
      // The upper half: madc.hi with carries.
      EXPECT_EQ(eval64("mul.lo.u64 %rd5, %rd10, %rd11; mov.u64 %rd7, -1;"
                       "add.cc.u64 %rd6, %rd5, %rd7;"
                       "madc.hi.u64 %rd12, %rd10, %rd11, 0;",
                       x, y),
                uint64_t((Wide(x) * y) >> 64) + (x * y != 0));
      EXPECT_EQ(
          eval64("add.cc.s64 %rd5, %rd10, %rd11; addc.s64 %rd12, 0, 0;", x, y),
          uint64_t((Wide(x) + y) >> 64));
    }
}

TEST(ArithExtra, Testp) {
  const std::pair<uint32_t, const char *> values[] = {
      {0x3f800000, "finite number normal"},
      {0x80000000, "finite number"},
      {0x00000001, "finite number subnormal"},
      {0xff800000, "infinite number"},
      {0x7fc00000, "notanumber"}};
  for (auto &[bits, kinds] : values)
    for (std::string test : {"finite", "infinite", "number", "notanumber",
                             "normal", "subnormal"}) {
      std::string padded = " " + std::string(kinds) + " ";
      bool expected = padded.find(" " + test + " ") != std::string::npos;
      EXPECT_EQ(
          eval("testp." + test + ".f32 %p1, %r10; selp.b32 %r1, 1, 0, %p1;",
               bits),
          uint32_t(expected))
          << test << " of " << kinds;
      uint64_t wide =
          bitsOf<uint64_t>(static_cast<double>(bitsOf<float>(bits)));
      if (test.find("normal") == std::string::npos)
        EXPECT_EQ(eval64("testp." + test +
                             ".f64 %p1, %rd10; selp.b64 %rd12, 1, 0, %p1;",
                         wide),
                  uint64_t(expected));
    }
}

std::vector<uint32_t> run(const std::string &body, unsigned threads = 32,
                          unsigned outWords = 0,
                          const std::string &before = "") {
  auto out = runPtx(wrap(body, before), std::vector<uint32_t>(threads), threads,
                    outWords);
  EXPECT_TRUE(out) << messageOf(out);
  return out ? *out : std::vector<uint32_t>(std::max(threads, outWords));
}

TEST(WarpExtra, MatchAll) {
  std::string end = "selp.b32 %r2, 1, 0, %p1; xor.b32 %r1, %r1, %r2;"
                    "st.global.b32 [%rd2], %r1;";
  EXPECT_EQ(run("match.all.sync.b32 %r1|%p1, 7, -1;" + end)[3], 0xfffffffeu);
  EXPECT_EQ(run("match.all.sync.b32 %r1|%p1, %r0, -1;" + end)[3], 0u);
  EXPECT_EQ(
      run("cvt.u64.u32 %rd5, %r0; shr.u64 %rd5, %rd5, 5;"
          "match.all.sync.b64 %r1, %rd5, -1; st.global.b32 [%rd2], %r1;")[9],
      0xffffffffu);
}

TEST(WarpExtra, ReductionsAtBarriers) {
  std::string threshold = "setp.lt.u32 %p1, %r0, 70;";
  auto out = run(threshold + "bar.red.popc.u32 %r1, 0, %p1;"
                             "st.global.b32 [%rd2], %r1;",
                 100);
  EXPECT_EQ(out[0], 70u);
  EXPECT_EQ(out[99], 70u);
  EXPECT_EQ(run(threshold + "barrier.red.popc.u32 %r1, 3, 128, !%p1;"
                            "st.global.b32 [%rd2], %r1;",
                128)[5],
            58u);
  for (auto &[op, limit, expected] :
       std::vector<std::tuple<std::string, int, uint32_t>>{
           {"and", 96, 1}, {"and", 95, 0}, {"or", 1, 1}, {"or", 0, 0}}) {
    auto result = run("setp.lt.u32 %p1, %r0, " + std::to_string(limit) +
                          ";bar.red." + op +
                          ".pred %p2, 1, %p1; selp.b32 %r1, 1, 0, %p2;"
                          "st.global.b32 [%rd2], %r1;",
                      96);
    EXPECT_EQ(result[0], expected) << op << " " << limit;
    EXPECT_EQ(result[95], expected) << op << " " << limit;
  }
}

TEST(WarpExtra, AtomicsOnHalves) {
  std::string zero = "setp.eq.u32 %p1, %r0, 0; @%p1 st.global.b32 [%rd0], 0;"
                     "bar.sync 0;";
  // 64 times 0.5 and 1.5; 0x5000 is 32, 0x5600 is 96.
  EXPECT_EQ(run(zero + "mov.b32 %r1, 0x3e003800;"
                       "red.relaxed.gpu.global.add.noftz.f16x2 [%rd0], %r1;",
                64, 64)[0],
            0x56005000u);
  EXPECT_EQ(run(zero + "mov.b16 %h1, 0x3c00;"
                       "atom.add.noftz.f16 %h2, [%rd0+2], %h1;",
                64, 64)[0],
            0x54000000u);
  auto cas = run(zero + "mov.b16 %h1, 0; cvt.u16.u32 %h2, %r0; add.u16 %h2, "
                        "%h2, 9; atom.acq_rel.cta.global.cas.b16 %h3, [%rd0], "
                        "%h1, %h2;",
                 32, 32);
  EXPECT_EQ(cas[0], 9u);
  EXPECT_EQ(run(".shared .align 4 .b32 s;"
                "setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.b32 [s], 0;"
                "bar.sync 0; mov.b32 %r1, 0x3c003c00;"
                "red.shared.add.noftz.f16x2 [s], %r1; bar.sync 0;"
                "ld.shared.b32 %r1, [s]; st.global.b32 [%rd2], %r1;")[7],
            0x50005000u);
}

TEST(WarpExtra, ScopesAndSemantics) {
  auto out = run("setp.eq.u32 %p1, %r0, 0; @%p1 st.release.sys.global.b32 "
                 "[%rd0], 5; bar.sync 0;"
                 "ld.acquire.gpu.global.b32 %r1, [%rd0];"
                 "ld.relaxed.cta.b32 %r2, [%rd0]; st.relaxed.gpu.b32 [%rd0], "
                 "%r1; ld.volatile.global.b32 %r3, [%rd0];"
                 "red.release.gpu.global.add.u32 [%rd0], 1;"
                 "atom.acquire.cta.global.exch.b32 %r4, [%rd0+4], %r2;"
                 "red.relaxed.sys.or.b32 [%rd0+4], 64;");
  EXPECT_EQ(out[0], 5u + 32);
  EXPECT_EQ(out[1], 5u | 64);
}

TEST(MemoryOpsExtra, Spaces) {
  std::string body = R"(.local .align 4 .b32 mine; .shared .align 4 .b32 ours;
    mov.u64 %rd5, mine; cvta.local.u64 %rd5, %rd5;
    mov.u64 %rd6, ours; cvta.shared.u64 %rd6, %rd6; mov.b32 %r1, 0;)";
  unsigned bit = 0;
  uint32_t expected = 0;
  for (const char *space : {"global", "local", "shared"})
    for (const char *address : {"%rd1", "%rd5", "%rd6"}) {
      body += "isspacep." + std::string(space) + " %p1, " + address +
              "; selp.b32 %r2, " + std::to_string(1 << bit) +
              ", 0, %p1; or.b32 %r1, %r1, %r2;";
      bool isIn = bit == 0 || bit == 4 || bit == 8;
      expected |= uint32_t(isIn) << bit++;
    }
  EXPECT_EQ(run(body + "st.global.b32 [%rd2], %r1;")[1], expected);
}

TEST(MemoryOpsExtra, Sinks) {
  auto out = runPtx(wrap("mov.b32 %r1, 4; ld.global.v4.b32 {_, %r1, _, %r2}, "
                         "[%rd1]; mov.b64 {%r3, _}, %rd1; add.s32 %r1, %r1, "
                         "%r2; st.global.b32 [%rd2], %r1;"),
                    {10, 20, 30, 40});
  ASSERT_TRUE(out) << messageOf(out);
  EXPECT_EQ((*out)[0], 60u);
}

TEST(MemoryOpsExtra, AddressesInInitializers) {
  std::string before = R"(
.visible .global .align 4 .u32 words[4] = {1, 2, 3, 4};
.global .align 8 .u64 later[2] = {words+4, generic(words)+8};
.visible .global .align 1 .u8 packed[9] = {7, 0xFF(generic(words)+12), 0xFF00(generic(words)+12), 0xFF0000(generic(words)+12), 0xFF000000(generic(words)+12), 0xFF00000000(generic(words)+12), 0xFF0000000000(generic(words)+12), 0xFF000000000000(generic(words)+12), 0xFF00000000000000(generic(words)+12)};
.const .align 8 .u64 table[2] = {0, later};)";
  auto out = run(R"(ld.global.b64 %rd5, [later]; ld.b32 %r1, [%rd5];
    ld.const.b64 %rd6, [table+8]; ld.global.b64 %rd7, [%rd6+8];
    ld.global.b32 %r2, [%rd7]; mad.lo.s32 %r1, %r1, 10, %r2;
    mov.u64 %rd8, packed; mov.u64 %rd9, 0; mov.u32 %r3, 8;
  NEXT:
    cvt.u64.u32 %rd10, %r3; add.s64 %rd10, %rd8, %rd10;
    ld.global.u8 %rd11, [%rd10]; shl.b64 %rd9, %rd9, 8;
    or.b64 %rd9, %rd9, %rd11; sub.s32 %r3, %r3, 1;
    setp.ne.u32 %p1, %r3, 0; @%p1 bra NEXT;
    ld.global.b32 %r2, [%rd9]; mad.lo.s32 %r1, %r1, 10, %r2;
    st.global.b32 [%rd2], %r1;)",
                 32, 0, before);
  EXPECT_EQ(out[0], 234u);
  auto refused = [](const std::string &variable) {
    return messageOf(parseModule(header() + variable, "m.ptx"));
  };
  expectContains(refused(".shared .u32 s;\n.global .u64 p = s;"),
                 "m.ptx:5: unsupported initializer 's': it is neither a "
                 "function nor a variable in global or constant memory");
  expectContains(refused(".global .u32 x; .global .u32 p = x;"),
                 "an address does not fit into an element of 'p'");
  expectContains(refused(".global .u32 x; .global .u8 p = 0x1FF(x);"),
                 "unsupported mask");
  expectContains(refused(".global .u64 p = generic(4);"), "expected a symbol");
}

TEST(ParserExtra, Directives) {
  auto module = parseModule(header() + R"(
.visible .entry k() .reqntid 32, 2, 1 .maxnreg 64 .minnctapersm 2
{
  .pragma "nounroll";
  .reg .b32 %r<3>;
  .loc 1 10 3
  .loc 1 12 5, function_name $L__info_string0, inlined_at 1 10 3
  mov.b32 %r1, 0;
  .loc 1 13 5, function_name $L__info_string0+8, inlined_at 1 10 3
  ret;
}
.file 1 "a.cu", 1234, 56
.section .debug_str { $L__info_string0: .b8 95, 90, 0
}
)",
                            "m.ptx");
  ASSERT_TRUE(module) << messageOf(module);
  VirtualGPU gpu(testDevice());
  expectContains(messageOf(gpu.launch(**module, "k", {}, nullptr, 0)),
                 "(.reqntid)");
}

TEST(ParserExtra, RefusedForms) {
  for (const char *line :
       {"fence.proxy.foo;",
        "membar.foo;",
        "prefetch.shared.L1 [%r1];",
        "add.cc.u16 %h1, %h2, %h3;",
        "addc %r1, %r2, %r3;",
        "mad24.hi.sat.s32 %r1, %r2, %r3, %r4;",
        "mul24.wide.u32 %rd5, %r1, %r2;",
        "atom.add.f16 %h1, [%rd1], %h2;",
        "atom.exch.b16 %h1, [%rd1], %h2;",
        "atom.max.noftz.f16 %h1, [%rd1], %h2;",
        "testp.normal.f16 %p1, %h1;",
        "isspacep.const %p1, %rd1;",
        "slct.f16.s32 %h1, %h2, %h3, %r1;",
        "bar.red.xor.pred %p1, 0, %p2;",
        "bar.red.popc.pred %p1, 0, %p2;",
        "match.all.b32 %r1, %r2, -1;",
        "set.eq.u16.u16 %h1, %h2, %h3;",
        "dp2a.u32.u32 %r1, %r2, %r3, %r4;",
        "add.b32 %r1, %r2, %r3;",
        "xor.u32 %r1, %r2, %r3;",
        "atom.or.u32 %r1, [%rd1], %r2;",
        "red.max.b32 [%rd1], %r2;",
        "fma.f16 %h1, %h2, %h3, %h4;",
        "add.sat.f64 %rd5, %rd6, %rd7;",
        "sqrt.approx.f64 %rd5, %rd6;",
        "cvt.f32.s32 %r1, %r2;",
        "cvt.rn.f32.f16 %r1, %h2;",
        "cvt.rni.f16.f32 %h1, %r2;",
        "set.eq.f16x2.f16 %r1, %h2, %h3;",
        "mov.u32 %r1, %clock_lo;",
        "shfl.idx.b32 %r1, %r2, %r3, %r4;",
        "vote.ballot.b32 %r1, %p1;",
        "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];",
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f0}, {%r0}, {%r4}, "
        "{%f0};",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16 {%f0, %f1, %f2, "
        "%f3}, {%r0, %r1}, {%r4}, {%r2, %r3};",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1}, {%r0, "
        "%r1}, {%r4}, {%f0, %f1};",
        "ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r1, %r2, %r3}, [%r4];",
        "ldmatrix.sync.aligned.m8n8.x2.global.b16 {%r1, %r2}, [%rd1];",
        "wmma.load.a.sync.aligned.row.m16n16k16.local.f16 {%r1}, [%rd1];"}) {
    std::string message = messageOf(parseModule(wrap(line), "m.ptx"));
    expectContains(message, "unsupported instruction '" +
                                std::string(line).substr(0, 8));
    expectContains(message, "m.ptx:19: ");
  }
}

} // namespace
