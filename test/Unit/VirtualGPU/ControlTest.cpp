//===- ControlTest.cpp - Branches, loops and predication ----------------===//
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

std::vector<uint32_t> run(const std::string &body, unsigned threads = 32) {
  auto result = runPtx(wrap(body), std::vector<uint32_t>(threads), threads);
  EXPECT_TRUE(result) << messageOf(result);
  return result ? *result : std::vector<uint32_t>(threads);
}

TEST(Control, PredicationKeepsTheOtherLanes) {
  auto out = run("mov.u32 %r1, 7; setp.lt.u32 %p1, %r0, 5;\n"
                 "@%p1 mov.u32 %r1, 8; @!%p1 add.s32 %r1, %r1, %r0;\n"
                 "st.global.u32 [%rd2], %r1;");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i < 5 ? 8 : 7 + i);
}

TEST(Control, BothSidesOfABranch) {
  auto out = run(R"(and.b32 %r2, %r0, 1; setp.eq.s32 %p1, %r2, 0;
    mov.u32 %r3, 0;
    @%p1 bra EVEN;
    add.s32 %r1, %r0, 100; bra.uni DONE;
  EVEN:
    add.s32 %r1, %r0, 200;
  DONE:
    activemask.b32 %r3;
    popc.b32 %r3, %r3;
    add.s32 %r1, %r1, %r3;
    st.global.u32 [%rd2], %r1;)");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i + (i % 2 ? 100 : 200) + 32) << "not reconverged";
}

TEST(Control, LoopWithADifferentTripCountPerLane) {
  auto out = run(R"(mov.u32 %r1, 0; mov.u32 %r2, 0;
  LOOP:
    setp.gt.u32 %p1, %r2, %r0;
    @%p1 bra DONE;
    add.s32 %r1, %r1, %r2;
    add.s32 %r2, %r2, 1;
    bra LOOP;
  DONE:
    activemask.b32 %r3; popc.b32 %r3, %r3; shl.b32 %r3, %r3, 16;
    add.s32 %r1, %r1, %r3;
    st.global.u32 [%rd2], %r1;)");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i * (i + 1) / 2 + (32u << 16));
}

TEST(Control, NestedLoopsAndBreaks) {
  // sum over i <= tid of the first j with j * j >= i.
  auto out = run(R"(mov.u32 %r1, 0; mov.u32 %r2, 0;
  OUTER:
    mov.u32 %r3, 0;
  INNER:
    mul.lo.s32 %r4, %r3, %r3;
    setp.ge.u32 %p1, %r4, %r2;
    @%p1 bra FOUND;
    add.s32 %r3, %r3, 1;
    bra.uni INNER;
  FOUND:
    add.s32 %r1, %r1, %r3;
    add.s32 %r2, %r2, 1;
    setp.le.u32 %p2, %r2, %r0;
    @%p2 bra OUTER;
    st.global.u32 [%rd2], %r1;)");
  for (unsigned i = 0; i < 32; ++i) {
    unsigned expected = 0;
    for (unsigned k = 0; k <= i; ++k) {
      unsigned j = 0;
      while (j * j < k)
        ++j;
      expected += j;
    }
    EXPECT_EQ(out[i], expected);
  }
}

TEST(Control, EarlyExitBeforeABarrier) {
  // The lanes that returned must not be missed at the barrier.
  auto out = run(R"(mov.u32 %r1, 1;
    setp.ge.u32 %p1, %r0, 40;
    @%p1 bra OUT;
    bar.sync 0;
    st.global.u32 [%rd2], %r1;
  OUT:)",
                 64);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i < 40 ? 1 : 0xdeadbeef);
}

TEST(Control, GuardedReturn) {
  auto out = run("setp.gt.u32 %p1, %r0, 3; @%p1 ret;"
                 "st.global.u32 [%rd2], %r0;");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i <= 3 ? i : 0xdeadbeef);
}

TEST(Control, PartialWarps) {
  auto out = run("activemask.b32 %r1; st.global.u32 [%rd2], %r1;", 37);
  EXPECT_EQ(out[0], 0xffffffffu);
  EXPECT_EQ(out[36], 0x1fu);
}

TEST(Control, NestedDivergence) {
  auto out = run(R"(mov.u32 %r1, 0;
    and.b32 %r2, %r0, 1; setp.eq.s32 %p1, %r2, 0;
    and.b32 %r3, %r0, 2; setp.eq.s32 %p2, %r3, 0;
    @%p1 bra A;
    @%p2 bra B;
    add.s32 %r1, %r1, 1; bra C;
  B: add.s32 %r1, %r1, 2;
  C: activemask.b32 %r4; popc.b32 %r4, %r4; mad.lo.s32 %r1, %r4, 100, %r1;
    bra E;
  A: add.s32 %r1, %r1, 4;
  E: activemask.b32 %r4; popc.b32 %r4, %r4; mad.lo.s32 %r1, %r4, 10000, %r1;
    st.global.u32 [%rd2], %r1;)");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], 320000 + (i % 2 == 0 ? 4 : 1600 + (i & 2 ? 1 : 2)));
}

TEST(Control, BranchTables) {
  auto out = run(R"(and.b32 %r2, %r0, 3; mov.u32 %r1, 0;
  LIST: .branchtargets A, B, C, B;
    brx.idx %r2, LIST;
  A: add.s32 %r1, %r1, 1;
  B: add.s32 %r1, %r1, 10;
    bra END;
  C: add.s32 %r1, %r1, 100;
  END:
    activemask.b32 %r3; popc.b32 %r3, %r3; mad.lo.s32 %r1, %r3, 1000, %r1;
    st.global.u32 [%rd2], %r1;)");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], 32000 + (i % 4 == 0 ? 11 : i % 4 == 2 ? 100 : 10));
}

} // namespace
