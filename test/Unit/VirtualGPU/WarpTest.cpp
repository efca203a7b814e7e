//===- WarpTest.cpp - Exchanges between lanes, and atomics --------------===//
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

std::vector<uint32_t> run(const std::string &body, unsigned threads = 32,
                          LaunchConfig config = {}) {
  std::vector<uint32_t> in(threads);
  for (unsigned i = 0; i < threads; ++i)
    in[i] = i * 10;
  auto result = runPtx(wrap("ld.global.u32 %r10, [%rd3];\n" + body +
                            "\nst.global.u32 [%rd2], %r1;"),
                       in, threads, 0, config);
  EXPECT_TRUE(result) << messageOf(result);
  return result ? *result : std::vector<uint32_t>(threads);
}

TEST(Warp, Shuffles) {
  auto bfly = run("shfl.sync.bfly.b32 %r1, %r10, 5, 31, -1;");
  auto up = run("shfl.sync.up.b32 %r1|%p1, %r10, 3, 0, 0xffffffff;"
                "@!%p1 mov.u32 %r1, 1;");
  auto down = run("shfl.sync.down.b32 %r1, %r10, 3, 31, -1;");
  auto idx = run("shfl.sync.idx.b32 %r1, %r10, 9, 31, -1;");
  // Segments of 8 lanes: mask 0x18 in the upper byte.
  auto segment = run("shfl.sync.idx.b32 %r1, %r10, 2, 0x181f, -1;");
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(bfly[i], (i ^ 5) * 10);
    EXPECT_EQ(up[i], i < 3 ? 1 : (i - 3) * 10);
    EXPECT_EQ(down[i], (i + 3 < 32 ? i + 3 : i) * 10);
    EXPECT_EQ(idx[i], 90u);
    EXPECT_EQ(segment[i], (i / 8 * 8 + 2) * 10);
  }
}

TEST(Warp, ReductionOverAWarp) {
  std::string body = "mov.u32 %r1, %r10;";
  for (const char *delta : {"16", "8", "4", "2", "1"})
    body += std::string("shfl.sync.bfly.b32 %r2, %r1, ") + delta +
            ", 31, -1; add.s32 %r1, %r1, %r2;";
  for (uint32_t lane : run(body))
    EXPECT_EQ(lane, 31u * 32 / 2 * 10);
}

TEST(Warp, Votes) {
  EXPECT_EQ(run("setp.lt.u32 %p1, %r0, 4;"
                "vote.sync.ballot.b32 %r1, %p1, -1;")[9],
            0xfu);
  auto out = run("setp.lt.u32 %p1, %r0, 4; vote.sync.any.pred %p2, %p1, -1;"
                 "vote.sync.all.pred %p3, %p1, -1; setp.ge.u32 %p5, %r0, 4;"
                 "vote.sync.uni.pred %p4, !%p5, -1;"
                 "selp.b32 %r1, 1, 0, %p2; selp.b32 %r2, 2, 0, %p3;"
                 "add.s32 %r1, %r1, %r2; selp.b32 %r2, 4, 0, %p4;"
                 "add.s32 %r1, %r1, %r2;");
  EXPECT_EQ(out[0], 1u);
}

TEST(Warp, MemberMasksAreChecked) {
  auto outside =
      runPtx(wrap("shfl.sync.bfly.b32 %r1, %r0, 1, 31, 0xffff;"), {0});
  expectContains(messageOf(outside), "not in its own member mask");
  expectContains(messageOf(outside), "thread (16, 0, 0)");
  auto diverged = runPtx(wrap("setp.lt.u32 %p1, %r0, 4; @%p1 bra SOME;"
                              "bra DONE;\nSOME:\n"
                              "shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;\n"
                              "DONE: mov.u32 %r2, 0;"),
                         {0});
  expectContains(messageOf(diverged), "does not take part");
}

TEST(Warp, MatchAny) {
  auto out = run("and.b32 %r2, %r0, 1; match.any.sync.b32 %r1, %r2, -1;");
  EXPECT_EQ(out[0], 0x55555555u);
  EXPECT_EQ(out[1], 0xaaaaaaaau);
}

TEST(Warp, SpecialRegisters) {
  auto out = run("mov.u32 %r1, %laneid; mov.u32 %r2, %warpid;"
                 "mad.lo.s32 %r1, %r2, 100, %r1;"
                 "mov.u32 %r3, %lanemask_lt; popc.b32 %r3, %r3;"
                 "mad.lo.s32 %r1, %r3, 10000, %r1;",
                 64);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i % 32 + i / 32 * 100 + i % 32 * 10000);
}

/// Words of global memory after a snippet ran on 64 threads.
std::vector<uint32_t> atomics(const std::string &body) {
  auto result = runPtx(wrap("setp.eq.u32 %p1, %r0, 0;\n"
                            "@%p1 st.global.u32 [%rd0], 5;\n"
                            "@%p1 st.global.u32 [%rd0+4], 0;\n"
                            "bar.sync 0;\n" +
                            body),
                       {0}, 64, 4);
  EXPECT_TRUE(result) << messageOf(result);
  return result ? *result : std::vector<uint32_t>(4);
}

TEST(Warp, Atomics) {
  EXPECT_EQ(atomics("red.global.add.u32 [%rd0], 2;")[0], 5u + 128);
  EXPECT_EQ(atomics("red.relaxed.gpu.global.max.s32 [%rd0], %r0;")[0], 63u);
  EXPECT_EQ(atomics("atom.global.min.u32 %r1, [%rd0], %r0;")[0], 0u);
  EXPECT_EQ(atomics("red.global.or.b32 [%rd0], %r0;")[0], 63u);
  EXPECT_EQ(atomics("atom.global.xor.b32 %r1, [%rd0], 1;")[0], 5u);
  EXPECT_EQ(atomics("atom.global.inc.u32 %r1, [%rd0], 9;")[0], (5u + 64) % 10);
  EXPECT_EQ(atomics("atom.global.add.f32 %f1, [%rd0+4], 0f3F000000;")[1],
            bitsOf<uint32_t>(32.0f));
  EXPECT_EQ(atomics("atom.add.u32 %r1, [%rd0], 1;")[0], 69u); // Generic.
  auto cas = atomics("atom.global.cas.b32 %r1, [%rd0], 5, 99;\n"
                     "atom.global.exch.b32 %r2, [%rd0+4], %r0;");
  EXPECT_EQ(cas[0], 99u);
  EXPECT_EQ(cas[1], 63u) << "lanes and warps take turns in order";
}

TEST(Warp, SharedAtomics) {
  auto out = runPtx(wrap(R"(.shared .align 4 .u32 sum;
    setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [sum], 0;
    bar.sync 0;
    atom.shared.add.u32 %r1, [sum], %r0;
    bar.sync 0;
    ld.shared.u32 %r2, [sum]; st.global.u32 [%rd2], %r2;)"),
                    {0}, 128);
  ASSERT_TRUE(out) << messageOf(out);
  EXPECT_EQ((*out)[127], 127u * 128 / 2);
}

TEST(Warp, NamedBarriersAndSpinning) {
  // Warp 0 polls shared memory until warp 1 has written it.
  auto out = runPtx(wrap(R"(.shared .align 4 .u32 flag;
    setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [flag], 0;
    barrier.sync 1, 64;
    setp.lt.u32 %p2, %r0, 32; @%p2 bra WAIT;
    st.volatile.shared.u32 [flag], 1; bra DONE;
  WAIT:
    ld.volatile.shared.u32 %r1, [flag]; setp.eq.u32 %p3, %r1, 0;
    @%p3 bra WAIT;
  DONE:
    bar.sync 0;
    ld.shared.u32 %r2, [flag]; st.global.u32 [%rd2], %r2;)"),
                    {0}, 64);
  ASSERT_TRUE(out) << messageOf(out);
  EXPECT_EQ((*out)[0], 1u);
}

} // namespace
