//===- RaceTest.cpp - Races in shared and in global memory ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"
#include <cstdlib>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

/// %rd5 is the thread's own word in shared memory, %rd6 the one of its
/// neighbour in a ring of 128 threads; all words have been written.
const std::string before = ".shared .align 16 .b8 s[1024];";
const std::string setUp = R"(mov.u64 %rd7, s; add.s64 %rd5, %rd7, %rd4;
  add.u32 %r9, %r0, 1; and.b32 %r9, %r9, 127; mul.wide.u32 %rd6, %r9, 4;
  add.s64 %rd6, %rd6, %rd7; st.shared.u32 [%rd5], %r0;
  setp.eq.u32 %p9, %r0, 0; setp.lt.u32 %p8, %r0, 32;
)";

std::string run(const std::string &body, unsigned threads = 128) {
  return messageOf(runPtx(wrap(setUp + body, before),
                          std::vector<uint32_t>(threads), threads));
}

TEST(SharedRace, ReadAfterWrite) {
  std::string message = run("ld.shared.u32 %r1, [%rd6];");
  expectContains(message, "race in shared memory (read after write): shared "
                          "load of 4 bytes at address 0x");
  expectContains(message, "thread (0, 0, 0), in 'ld.shared.u32 %r1, [%rd6]'");
  EXPECT_EQ(run("bar.sync 0; ld.shared.u32 %r1, [%rd6];"), "(no error)");
}

TEST(SharedRace, BetweenWarps) {
  // bar.warp.sync orders lanes, not warps: lane 31 reads the next warp's word.
  std::string message = run("bar.sync 0; st.shared.u32 [%rd5], %r0;"
                            "bar.warp.sync -1; ld.shared.u32 %r1, [%rd6];");
  expectContains(message, "with no barrier between them");
  expectContains(message, "conflicts with thread (31, 0, 0) at line 23, "
                          "'ld.shared.u32 %r1, [%rd6]'");
}

TEST(SharedRace, WriteAfterRead) {
  std::string message = run("bar.sync 0; ld.shared.u32 %r1, [%rd6];"
                            "st.shared.u32 [%rd5], %r1;");
  expectContains(message, "(write after read)");
  EXPECT_EQ(run("bar.sync 0; ld.shared.u32 %r1, [%rd6]; bar.sync 0;"
                "st.shared.u32 [%rd5], %r1;"),
            "(no error)");
  // Several warps read what the last one overwrites.
  message = run("bar.sync 0; ld.shared.u32 %r1, [s]; setp.eq.u32 %p1, %r0, 127;"
                "@%p1 st.shared.u32 [s], %r1;");
  expectContains(message, "(write after read)");
  expectContains(message, "threads of warp 0");
  expectContains(message, "thread (127, 0, 0)");
}

TEST(SharedRace, WriteAfterWrite) {
  std::string message = run("bar.sync 0; st.shared.u32 [s+512], %r0;", 32);
  expectContains(message, "(write after write)");
  expectContains(message, "overwrites in the same instruction");
  message = run("bar.sync 0; @%p8 bra L; mov.u32 %r1, 3; L:"
                "mov.u32 %r1, 7; st.shared.u32 [s+512], %r1;");
  expectContains(message, "(write after write)");
  expectContains(message, "thread (32, 0, 0)");
}

TEST(SharedRace, OneInstructionStoresOneValue) {
  EXPECT_EQ(run("bar.sync 0; mov.u32 %r1, 7; @%p8 st.shared.u32 [s+512], %r1;"
                "@%p8 ld.shared.u32 %r2, [s+512];"),
            "(no error)");
  EXPECT_EQ(run("bar.sync 0; mov.u32 %r1, 7; mov.u32 %r2, 8;"
                "@%p8 st.shared.v2.u32 [s+512], {%r1, %r2};"),
            "(no error)");
}

TEST(SharedRace, BetweenLanes) {
  std::string message = run("st.shared.u32 [%rd5], %r0;"
                            "xor.b32 %r3, %r0, 1; mul.wide.u32 %rd8, %r3, 4;"
                            "add.s64 %rd8, %rd8, %rd7;"
                            "ld.shared.u32 %r1, [%rd8];",
                            32);
  expectContains(message, "(read after write)");
  expectContains(message, "with no bar.warp.sync between them");
  std::string swap = "bar.warp.sync -1; xor.b32 %r3, %r0, 1;"
                     "mul.wide.u32 %rd8, %r3, 4; add.s64 %rd8, %rd8, %rd7;"
                     "ld.shared.u32 %r1, [%rd8];";
  for (unsigned threads : {32u, 128u}) {
    EXPECT_EQ(
        run(swap + "bar.warp.sync -1; st.shared.u32 [%rd5], %r1;", threads),
        "(no error)");
    expectContains(run(swap + "st.shared.u32 [%rd5], %r1;", threads),
                   "(write after read)");
    // Shuffles and votes wait for the lanes too.
    EXPECT_EQ(run(swap + "vote.sync.ballot.b32 %r4, %p8, -1;"
                         "st.shared.u32 [%rd5], %r1;",
                  threads),
              "(no error)");
  }
}

TEST(SharedRace, AThreadIsOrderedWithItself) {
  EXPECT_EQ(run("st.shared.u32 [%rd5], %r0; ld.shared.u32 %r1, [%rd5];"
                "st.shared.u32 [%rd5], %r1; bar.sync 0;"
                "ld.shared.u32 %r1, [%rd5]; st.shared.u32 [%rd5], %r1;"),
            "(no error)");
}

TEST(SharedRace, Atomics) {
  EXPECT_EQ(run("bar.sync 0; red.shared.add.u32 [s], 1;"
                "red.shared.max.u32 [s], 1; bar.sync 0;"
                "ld.shared.u32 %r1, [s];"),
            "(no error)");
  // Without either of the barriers.
  expectContains(run("red.shared.add.u32 [s], 1;"), "shared atomic access");
  std::string message = run("bar.sync 0; red.shared.add.u32 [s], 1;"
                            "ld.shared.u32 %r1, [s];");
  expectContains(message, "race in shared memory");
  message = run("bar.sync 0; red.shared.add.u32 [s], 1;"
                "bar.warp.sync -1; ld.shared.u32 %r1, [s];");
  expectContains(message, "race in shared memory");
}

TEST(SharedRace, VolatileAccessesOrderNothingButAreNoRace) {
  EXPECT_EQ(run("bar.sync 0; st.volatile.shared.u32 [%rd5], %r0;"
                "ld.volatile.shared.u32 %r1, [%rd6];"),
            "(no error)");
  expectContains(run("bar.sync 0; st.volatile.shared.u32 [%rd5], %r0;"
                     "ld.shared.u32 %r1, [%rd6];"),
                 "(read after write)");
}

TEST(SharedRace, NamedBarriers) {
  // Warp 0 produces for warp 1; the others have nothing to do with it.
  std::string produce = "bar.sync 0; setp.ge.u32 %p1, %r0, 64; @%p1 bra DONE;"
                        "@!%p8 bra CONSUME; st.shared.u32 [%rd5+512], %r0;";
  std::string consume = "bra DONE; CONSUME:";
  std::string read = "ld.shared.u32 %r1, [%rd5+384];";
  EXPECT_EQ(run(produce + "bar.arrive 1, 64;" + consume + "bar.sync 1, 64;" +
                read + "DONE:"),
            "(no error)");
  EXPECT_EQ(run(produce + "bar.sync 2, 64;" + consume + "bar.sync 2, 64;" +
                read + "DONE:"),
            "(no error)");
  expectContains(run(produce + consume + read + "DONE:"), "(read after write)");
  // What comes after bar.arrive is not ordered by it.
  expectContains(run(produce +
                     "bar.arrive 1, 64; st.shared.u32 [%rd5+512], 1;" +
                     consume + "bar.sync 1, 64;" + read + "DONE:"),
                 "(read after write)");
}

TEST(SharedRace, ExitedWarpsAreBeforeLaterBarriers) {
  EXPECT_EQ(run("setp.ge.u32 %p1, %r0, 96; @%p1 bra DONE; bar.sync 0;"
                "ld.shared.u32 %r1, [%rd6]; bar.sync 0;"
                "st.shared.u32 [%rd6], %r1; DONE:"),
            "(no error)");
}

TEST(SharedRace, Parts) {
  auto module =
      parseModule(wrap(setUp + "bar.sync 0; st.shared.u32 [%rd5], %r0;\n"
                               "ld.shared.u32 %r1, [%rd6];",
                       before),
                  "t.ptx");
  ASSERT_TRUE(module) << messageOf(module);
  VirtualGPU gpu(testDevice());
  uint64_t zero = 0;
  void *params[] = {&zero, &zero};
  LaunchConfig config;
  config.block = {128, 1, 1};
  Finding finding;
  EXPECT_FALSE(gpu.launch(**module, "k", config, params, 2, nullptr, &finding));
  EXPECT_EQ(finding.kind, FindingKind::SharedRace);
  ASSERT_TRUE(finding.other);
  EXPECT_EQ(finding.other->line + 1, finding.site.line);
  EXPECT_EQ(finding.site.thread[0], 0u);
  EXPECT_EQ(finding.other->thread[0], 1u);
  EXPECT_TRUE(finding.other->hasThread);
}

//===----------------------------------------------------------------------===//
// Between blocks
//===----------------------------------------------------------------------===//

/// %r8 is the block's number; %rd2 and %rd3 belong to the thread of the grid.
const std::string gridSetUp = R"(mov.u32 %r8, %ctaid.x; mul.wide.u32 %rd8, %r8,
  128; add.s64 %rd2, %rd2, %rd8; add.s64 %rd3, %rd3, %rd8;
)";

struct GridResult {
  std::string message;
  Finding finding;
  std::vector<uint32_t> out;
};

GridResult runGrid(const std::string &body, const char *threads = "1",
                   int64_t blocks = 24) {
  setenv("DIETCODE_VGPU_THREADS", threads, 1);
  GridResult result;
  auto module = parseModule(wrap(gridSetUp + body), "t.ptx");
  if (!module) {
    result.message = messageOf(module);
    return result;
  }
  VirtualGPU gpu(testDevice());
  result.out.resize(32 * static_cast<size_t>(blocks));
  std::vector<uint32_t> in(result.out.size());
  void *outPointer = result.out.data(), *inPointer = in.data();
  EXPECT_TRUE(gpu.memory().registerRange(outPointer, 4 * in.size(), "out"));
  EXPECT_TRUE(gpu.memory().registerRange(inPointer, 4 * in.size(), "in"));
  void *params[] = {&outPointer, &inPointer};
  LaunchConfig config;
  config.grid = {blocks, 1, 1};
  config.block = {32, 1, 1};
  result.message = messageOf(
      gpu.launch(**module, "k", config, params, 2, nullptr, &result.finding));
  unsetenv("DIETCODE_VGPU_THREADS");
  return result;
}

TEST(GlobalRace, Stores) {
  EXPECT_EQ(runGrid("st.global.u32 [%rd2], %r0;").message, "(no error)");
  // Blocks from 5 on write where block 4 does.
  std::string body = "setp.lt.u32 %p1, %r8, 4; @%p1 bra L;"
                     "add.s64 %rd2, %rd0, %rd4; st.global.u32 [%rd2+512], %r0;"
                     "L:";
  for (const char *threads : {"1", "2", "5"})
    for (int i = 0; i < 20; ++i) {
      GridResult result = runGrid(body, threads);
      expectContains(result.message, "race in global memory between blocks: a "
                                     "store to address 0x");
      expectContains(result.message, "512 bytes into host memory 'out' of 3072 "
                                     "bytes, which block (4, 0, 0), thread "
                                     "(0, 0, 0) stores to at line 21");
      expectContains(result.message, "; block (5, 0, 0), thread (0, 0, 0), in "
                                     "'st.global.u32 [%rd2+512], %r0'");
      EXPECT_EQ(result.finding.kind, FindingKind::GlobalRace);
      EXPECT_EQ(result.finding.allocation, "out");
      EXPECT_EQ(result.finding.allocationOffset, 512);
      ASSERT_TRUE(result.finding.other);
      EXPECT_EQ(result.finding.other->block[0], 4u);
    }
}

TEST(GlobalRace, LoadsAndStores) {
  // Each block reads a word that the block before the next one writes.
  std::string before = "setp.lt.u32 %p1, %r8, 7; @%p1 bra L;"
                       "ld.global.u32 %r1, [%rd2+-256]; L:"
                       "st.global.u32 [%rd2], %r0;";
  std::string after = "setp.ge.u32 %p1, %r8, 20; @%p1 bra L;"
                      "ld.global.u32 %r1, [%rd2+256]; L:"
                      "st.global.u32 [%rd2], %r0;";
  for (const char *threads : {"1", "2", "5"})
    for (int i = 0; i < 20; ++i) {
      std::string message = runGrid(before, threads).message;
      expectContains(message, "a load from address");
      expectContains(message, "block (5, 0, 0), thread (0, 0, 0) stores to");
      expectContains(message, "; block (7, 0, 0)");
      message = runGrid(after, threads).message;
      expectContains(message, "a store to address");
      expectContains(message, "block (0, 0, 0), thread (0, 0, 0) loads from");
      expectContains(message, "; block (2, 0, 0)");
    }
}

TEST(GlobalRace, TheFirstFaultWins) {
  // Block 9 traps; blocks 5 and 12 race with their predecessors.
  auto body = [](const char *racing) {
    return std::string("setp.eq.u32 %p1, %r8, 9; @%p1 trap;"
                       "setp.ne.u32 %p2, %r8, ") +
           racing +
           "; st.global.u32 [%rd2], %r0; @%p2 bra L;"
           "st.global.u32 [%rd2+-128], %r0; L:";
  };
  for (const char *threads : {"1", "4"}) {
    expectContains(runGrid(body("5"), threads).message, "; block (5, 0, 0)");
    expectContains(runGrid(body("12"), threads).message, "executed trap");
  }
}

TEST(GlobalRace, SharedReadsAndAtomicsAreFine) {
  EXPECT_EQ(runGrid("ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r1;"
                    "red.global.add.u32 [%rd1+4], 1;",
                    "3")
                .message,
            "(no error)");
}

TEST(GlobalRace, HalvesOfAWord) {
  // The blocks share words, but no halves.
  std::string body = "setp.ne.u32 %p1, %r0, 0; @%p1 bra L;"
                     "mul.wide.u32 %rd8, %r8, 2; add.s64 %rd8, %rd8, %rd0;"
                     "mov.u16 %h1, 1; st.global.u16 [%rd8], %h1; L:";
  EXPECT_EQ(runGrid(body, "3").message, "(no error)");
}

TEST(GlobalRace, TheLastBlockMayReadWhatTheOthersPublished) {
  // The pattern of CUDA's threadFenceReduction; and without its fence.
  auto body = [](const char *fence) {
    return std::string("st.global.u32 [%rd2], 1;") + fence +
           "bar.sync 0; setp.ne.u32 %p1, %r0, 0; @%p1 bra DONE;"
           "atom.global.inc.u32 %r1, [%rd1], 1000; setp.ne.u32 %p2, %r1, 23;"
           "@%p2 bra DONE; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.b64 %rd9, %rd0;"
           "LOOP: ld.global.u32 %r4, [%rd9]; add.u32 %r3, %r3, %r4;"
           "add.s64 %rd9, %rd9, 4; add.u32 %r2, %r2, 1;"
           "setp.lt.u32 %p3, %r2, 768; @%p3 bra LOOP;"
           "st.global.u32 [%rd0], %r3; DONE:";
  };
  GridResult result = runGrid(body("membar.gl;"), "3");
  EXPECT_EQ(result.message, "(no error)");
  EXPECT_EQ(result.out[0], 768u);
  expectContains(runGrid(body(""), "3").message, "race in global memory");
  expectContains(runGrid(body("membar.cta;"), "3").message,
                 "race in global memory");
}

TEST(GlobalRace, ShadowsAreBounded) {
  auto module =
      parseModule(wrap(gridSetUp + "st.global.u32 [%rd0], %r0;"), "t.ptx");
  VirtualGPU gpu(testDevice());
  std::vector<uint32_t> words(1024);
  void *pointer = words.data();
  ASSERT_TRUE(gpu.memory().registerRange(pointer, 4096));
  void *params[] = {&pointer, &pointer};
  LaunchConfig config;
  config.grid = {8, 1, 1};
  config.checks.shadowBytes = 100;
  auto report = gpu.launch(**module, "k", config, params, 2);
  ASSERT_TRUE(report) << messageOf(report);
  EXPECT_GT(report->uncheckedPages, 0u);
}

} // namespace
