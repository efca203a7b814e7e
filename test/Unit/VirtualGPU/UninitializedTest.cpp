//===- UninitializedTest.cpp - Reads of what nobody wrote -----------------===//
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

const std::string shared = ".shared .align 16 .b8 s[1024];";

std::string run(const std::string &body, unsigned threads = 32,
                const std::string &before = "") {
  return messageOf(
      runPtx(wrap(body, before), std::vector<uint32_t>(threads), threads));
}

TEST(Uninitialized, Registers) {
  std::string message = run("st.global.u32 [%rd2], %r5;");
  expectContains(message, "uninitialised register: the value it stores comes "
                          "from a register that this thread has not written");
  expectContains(message, "thread (0, 0, 0), in 'st.global.u32 [%rd2], %r5'");
  expectContains(run("ld.global.u32 %r1, [%rd9];"), "register: its address");
  expectContains(run("@%p3 bra L; mov.u32 %r1, 0; L:"), "register: its guard");
  expectContains(run("bar.sync %r9;"), "register: an operand");
}

TEST(Uninitialized, RegistersPerLaneAndPath) {
  // Only lanes 20 to 31 come without a value.
  std::string message = run("setp.lt.u32 %p1, %r0, 20; @!%p1 bra L;"
                            "mov.u32 %r5, 1; L: st.global.u32 [%rd2], %r5;");
  expectContains(message, "thread (20, 0, 0)");
  message = run("setp.lt.u32 %p1, %r0, 20; @%p1 mov.u32 %r5, 1;"
                "add.u32 %r6, %r5, 1; st.global.u32 [%rd2], %r6;");
  expectContains(message, "thread (20, 0, 0)");
}

TEST(Uninitialized, RegistersThatNobodyDependsOn) {
  // Reads under the guard of the write, copies, and selections of the other.
  EXPECT_EQ(run("setp.lt.u32 %p1, %r0, 20; @%p1 mov.u32 %r5, 1;"
                "@%p1 st.global.u32 [%rd2], %r5;"),
            "(no error)");
  EXPECT_EQ(run("mov.u32 %r6, %r5; add.u32 %r7, %r6, %r0;"), "(no error)");
  EXPECT_EQ(run("setp.lt.u32 %p1, %r0, 20; @%p1 mov.u32 %r5, 1;"
                "selp.u32 %r6, %r5, 7, %p1; st.global.u32 [%rd2], %r6;"),
            "(no error)");
  // A loop that writes before it reads in each round.
  EXPECT_EQ(run("mov.u32 %r2, 0; LOOP: setp.eq.u32 %p1, %r2, 0;"
                "@%p1 mov.u32 %r5, 3; st.global.u32 [%rd2], %r5;"
                "add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 4; @%p2 bra LOOP;"),
            "(no error)");
}

TEST(Uninitialized, KernelsWithoutRegisters) {
  auto module = parseModule(
      header() + ".visible .entry k() { LOOP: bra LOOP; }", "t.ptx");
  EXPECT_TRUE(module) << messageOf(module);
}

TEST(Uninitialized, Shared) {
  std::string message = run("mul.wide.u32 %rd5, %r0, 4; mov.u64 %rd6, s;"
                            "add.s64 %rd5, %rd5, %rd6; st.shared.u32 [%rd5], "
                            "%r0; bar.sync 0; ld.shared.u32 %r1, [%rd5+4];",
                            64, shared);
  expectContains(message, "uninitialised memory: shared load of 4 bytes at "
                          "address 0x100, but no thread of the block has "
                          "written address 0x100");
  expectContains(message, "thread (63, 0, 0)");
  expectContains(run("atom.shared.add.u32 %r1, [s], 1;", 32, shared),
                 "uninitialised memory: shared atomic access");
  EXPECT_EQ(run("atom.shared.exch.b32 %r1, [s], 1;", 32, shared), "(no error)");
}

TEST(Uninitialized, SharedBytes) {
  // A kernel that stores halves is watched by halves.
  std::string body = "mov.u16 %h1, 1; st.shared.u16 [s+4], %h1; bar.sync 0;"
                     "ld.shared.u32 %r1, [s+4];";
  expectContains(run(body, 1, shared), "has written address 0x6");
}

class UninitializedGlobal : public ::testing::Test {
protected:
  /// Runs `k` on two words-per-thread device buffers.
  std::string launch(const std::string &body, int64_t blocks = 1) {
    auto module = parseModule(wrap(body), "t.ptx");
    if (!module)
      return messageOf(module);
    void *params[] = {&out, &in};
    LaunchConfig config;
    config.grid = {blocks, 1, 1};
    config.block = {32, 1, 1};
    return messageOf(gpu.launch(**module, "k", config, params, 2));
  }

  VirtualGPU gpu{testDevice()};
  void *out = *gpu.memory().allocate(128, "out");
  void *in = *gpu.memory().allocate(128, "in");
};

TEST_F(UninitializedGlobal, NeverWritten) {
  std::string message = launch("ld.global.u32 %r1, [%rd3];");
  expectContains(message, "uninitialised memory: global load of 4 bytes at");
  expectContains(message, "0 bytes into allocation 'in' of 128 bytes, which "
                          "nothing has written there");
  gpu.memory().markWritten(in, 124);
  message = launch("ld.global.u32 %r1, [%rd3];");
  expectContains(message, "124 bytes into allocation 'in'");
  expectContains(message, "thread (31, 0, 0)");
  gpu.memory().markWritten(static_cast<char *>(in) + 124, 4);
  EXPECT_EQ(launch("ld.global.u32 %r1, [%rd3];"), "(no error)");
}

TEST_F(UninitializedGlobal, KernelsWrite) {
  std::string copy = "ld.global.u32 %r1, [%rd3]; st.global.u32 [%rd2], %r1;";
  gpu.memory().markWritten(in, 128);
  expectContains(launch("ld.global.u32 %r1, [%rd2];"), "allocation 'out'");
  EXPECT_EQ(launch(copy), "(no error)");
  EXPECT_EQ(launch("ld.global.u32 %r1, [%rd2];"), "(no error)");
  // And within one launch.
  in = *gpu.memory().allocate(128, "third");
  EXPECT_EQ(launch("st.global.u32 [%rd3], %r0;" + copy), "(no error)");
}

TEST_F(UninitializedGlobal, Atomics) {
  expectContains(launch("red.global.add.u32 [%rd2], 1;"),
                 "uninitialised memory: global atomic access");
  EXPECT_EQ(launch("atom.global.exch.b32 %r1, [%rd2], 1;"), "(no error)");
  EXPECT_EQ(launch("red.global.add.u32 [%rd2], 1;"), "(no error)");
}

} // namespace
