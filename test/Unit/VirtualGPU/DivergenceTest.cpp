//===- DivergenceTest.cpp - Lanes that wait for lanes on other paths ------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Since sm_70 each thread has a program counter of its own: bar.warp.sync and
// barrier.sync wait for threads wherever these are (PTX ISA 9.0, 9.7.13).
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

Expected<std::vector<uint32_t>> run(const std::string &body,
                                    unsigned threads = 32) {
  return runPtx(wrap(body, ".shared .align 4 .b8 s[512];"),
                std::vector<uint32_t>(threads), threads);
}

/// Some lanes store and the others load what they stored, each side in a path
/// of its own. The barrier orders them whichever side runs first.
std::string storeAndLoad(const std::string &condition,
                         const std::string &barrier) {
  return "mov.u64 %rd5, s; add.s64 %rd6, %rd5, %rd4;\n"
         "mov.u32 %r1, 0; and.b32 %r2, %r0, 31;\n" +
         condition + "@%p1 bra STORE;\n" + barrier +
         "xor.b32 %r3, %r0, 16; mul.wide.u32 %rd7, %r3, 4;"
         "add.s64 %rd7, %rd5, %rd7; ld.shared.u32 %r1, [%rd7];\n"
         "bra DONE;\n"
         "STORE: add.s32 %r4, %r0, 100; st.shared.u32 [%rd6], %r4;\n" +
         barrier + "DONE: st.global.u32 [%rd2], %r1;\n";
}

TEST(Divergence, WarpBarriersOnBothPaths) {
  for (bool lowStores : {false, true}) {
    auto out = run(storeAndLoad(lowStores ? "setp.lt.u32 %p1, %r2, 16;\n"
                                          : "setp.ge.u32 %p1, %r2, 16;\n",
                                "bar.warp.sync 0xffffffff;\n"));
    ASSERT_TRUE(out) << messageOf(out);
    for (unsigned i = 0; i < 32; ++i)
      EXPECT_EQ((*out)[i], (i < 16) == lowStores ? 0 : 100 + (i ^ 16)) << i;
  }
}

TEST(Divergence, BlockBarriersOnBothPaths) {
  for (bool lowStores : {false, true}) {
    std::string condition = lowStores ? "setp.lt.u32 %p1, %r2, 16;\n"
                                      : "setp.ge.u32 %p1, %r2, 16;\n";
    auto out = run(storeAndLoad(condition, "barrier.sync 0;\n"), 96);
    ASSERT_TRUE(out) << messageOf(out);
    for (unsigned i = 0; i < 96; ++i)
      EXPECT_EQ((*out)[i], (i % 32 < 16) == lowStores ? 0 : 100 + (i ^ 16));
    // With .aligned, the warp must come as a whole.
    expectContains(
        messageOf(
            run(storeAndLoad(condition, "barrier.sync.aligned 0;\n"), 96)),
        "divergent barrier");
  }
}

TEST(Divergence, FourPathsMeetTwice) {
  // Quarter q stores at step q and all read all of it in the end.
  auto out = run(R"(mov.u64 %rd5, s; add.s64 %rd6, %rd5, %rd4;
    shr.u32 %r2, %r0, 3; and.b32 %r3, %r2, 1; mov.u32 %r1, 0;
    setp.ge.u32 %p1, %r2, 2; setp.eq.u32 %p2, %r3, 1;
    @%p1 bra UPPER;
    @%p2 bra ONE;
    st.shared.u32 [%rd6], 1; bar.warp.sync -1; bar.warp.sync -1; bra LOWER;
  ONE:
    st.shared.u32 [%rd6], 2; bar.warp.sync -1; ld.shared.u32 %r1, [s];
    bar.warp.sync -1;
  LOWER: bra DONE;
  UPPER:
    @%p2 bra THREE;
    bar.warp.sync -1; ld.shared.u32 %r1, [s+32]; bar.warp.sync -1; bra LAST;
  THREE:
    bar.warp.sync -1; bar.warp.sync -1; ld.shared.u32 %r1, [s];
  LAST:
  DONE: st.global.u32 [%rd2], %r1;)");
  ASSERT_TRUE(out) << messageOf(out);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ((*out)[i], std::vector<uint32_t>({0, 1, 2, 1})[i / 8]) << i;
}

TEST(Divergence, LanesThatExitAreNotWaitedFor) {
  auto out = run("mov.u32 %r1, 5; setp.lt.u32 %p1, %r0, 9; @%p1 bra WAIT;\n"
                 "mov.u32 %r1, 6; st.global.u32 [%rd2], %r1; exit;\n"
                 "WAIT: bar.warp.sync -1; st.global.u32 [%rd2], %r1;");
  ASSERT_TRUE(out) << messageOf(out);
  EXPECT_EQ((*out)[0], 5u);
  EXPECT_EQ((*out)[9], 6u);
}

TEST(Divergence, MembersOfTwoBarriers) {
  // Halves that meet among themselves, under guards and in step.
  auto out = run("setp.lt.u32 %p1, %r0, 16; mov.u32 %r1, 7;\n"
                 "@%p1 bar.warp.sync 0xffff;\n@!%p1 bar.warp.sync 0xffff0000;\n"
                 "selp.b32 %r2, 0xffff, 0xffff0000, %p1; bar.warp.sync %r2;\n"
                 "st.global.u32 [%rd2], %r1;");
  ASSERT_TRUE(out) << messageOf(out);
  EXPECT_EQ((*out)[31], 7u);
  expectContains(messageOf(run("bar.warp.sync 0xff;")),
                 "the executing thread is not in its own member mask");
}

TEST(Divergence, LocksAmongTheLanesOfAWarp) {
  // The lane that has the lock must get to where it gives it back, though the
  // others are still in the loop that it has left.
  auto out = run(R"(setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [s], 0;
    @%p1 st.shared.u32 [s+4], 0; bar.sync 0;
  LOOP: atom.shared.cas.b32 %r1, [s], 0, 1;
    setp.ne.u32 %p2, %r1, 0; @%p2 bra LOOP;
    fence.acq_rel.cta;
    ld.volatile.shared.u32 %r2, [s+4]; add.s32 %r3, %r2, 1;
    st.volatile.shared.u32 [s+4], %r3;
    fence.acq_rel.cta;
    atom.shared.exch.b32 %r1, [s], 0;
    bar.warp.sync -1; ld.volatile.shared.u32 %r1, [s+4];
    st.global.u32 [%rd2], %r1;)");
  ASSERT_TRUE(out) << messageOf(out);
  for (uint32_t count : *out)
    EXPECT_EQ(count, 32u);
}

TEST(Divergence, WaitingInVain) {
  // Thread 20 never comes to such a barrier, since it waits where paths meet.
  std::string message = messageOf(
      run("setp.eq.u32 %p1, %r0, 20; @%p1 bra MEET;\nbar.warp.sync -1;\n"
          "mov.u32 %r1, 1;\nMEET: st.global.u32 [%rd2], %r0;"));
  expectContains(message, "deadlock: this thread waits for others of its warp");
  expectContains(message, "thread (0, 0, 0), in 'bar.warp.sync -1'");
  // Barriers of two numbers in one warp.
  expectContains(
      messageOf(run("setp.lt.u32 %p1, %r0, 16; @%p1 bra ONE;\n"
                    "barrier.sync 2; bra DONE;\nONE: barrier.sync 1;\nDONE:")),
      "deadlock: this thread waits for others of its warp");
}

} // namespace
