//===- CheckerTest.cpp - Each planted mistake is found ------------------===//
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

std::string run(const std::string &body, unsigned threads = 32,
                const std::string &before = "", LaunchConfig config = {}) {
  std::vector<uint32_t> in(32);
  return messageOf(runPtx(wrap(body, before), in, threads, 64, config));
}

TEST(Checker, GlobalPastTheEnd) {
  std::string message = run("ld.global.u32 %r1, [%rd3+128];");
  // The line is the instruction's: the header has 17 before the body.
  EXPECT_EQ(message.find("test.ptx:"), 0u) << message;
  expectContains(message, "kernel 'k': out-of-bounds global load of 4 bytes at "
                          "address 0x");
  expectContains(message, "0 bytes past the end of host memory 'in' of 128 "
                          "bytes");
  expectContains(message, "block (0, 0, 0), thread (0, 0, 0)");
  expectContains(message, "in 'ld.global.u32 %r1, [%rd3+128]'");
}

TEST(Checker, GlobalBeforeTheStart) {
  std::string message = run("st.global.u32 [%rd3+-4], %r0;");
  expectContains(message, "out-of-bounds global store of 4 bytes");
  expectContains(message, "4 bytes before the start of host memory 'in'");
}

TEST(Checker, VectorsMustFitWhole) {
  std::string message = run("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, "
                            "[%rd1+120];\n");
  // 120 is a multiple of 8, not of 16, so alignment comes first.
  expectContains(message, "misaligned load of 16 bytes");
  message = run("mul.wide.u32 %rd5, %r0, 8; add.s64 %rd6, %rd1, %rd5;"
                "add.s64 %rd6, %rd6, 4;"
                "and.b64 %rd6, %rd6, -8;"
                "ld.global.v2.u32 {%r1, %r2}, [%rd6+8];");
  expectContains(message, "out-of-bounds global load of 8 bytes");
}

TEST(Checker, OnlyTheGuiltyLane) {
  std::string message = run("setp.eq.u32 %p1, %r0, 21;"
                            "@%p1 st.global.u32 [%rd3+4096], %r0;");
  expectContains(message, "out-of-bounds global store of 4 bytes");
  expectContains(message, "thread (21, 0, 0)");
}

TEST(Checker, Misaligned) {
  std::string message = run("ld.global.u32 %r1, [%rd3+2];");
  expectContains(message, "misaligned load of 4 bytes at address 0x");
  expectContains(message, "not a multiple of 4");
}

TEST(Checker, NullPointer) {
  std::string message = run("mov.u64 %rd5, 0; ld.global.u32 %r1, [%rd5];");
  expectContains(message, "out-of-bounds global load of 4 bytes at address "
                          "0x0");
}

TEST(Checker, SharedMemory) {
  std::string before = ".shared .align 4 .b8 buffer[64];";
  std::string body = "mov.u64 %rd5, buffer; add.s64 %rd6, %rd5, %rd4;";
  std::string message = run(body + "st.shared.u32 [%rd6], %r0;", 32, before);
  expectContains(message, "out-of-bounds shared store of 4 bytes at address "
                          "0x40, 0 bytes past the end of the block's 64 bytes "
                          "of shared memory");
  expectContains(message, "thread (16, 0, 0)");
  message = run("ld.shared.u32 %r1, [buffer+-4];", 32, before);
  expectContains(message, "4 bytes before the start of the block's");
  message = run("cvta.shared.u64 %rd7, 4096; ld.u32 %r1, [%rd7];", 32, before);
  expectContains(message, "out-of-bounds shared load");
}

TEST(Checker, LocalMemory) {
  std::string message = run(".local .align 4 .b8 depot[16];\n"
                            "mov.u64 %rd5, depot; st.local.u32 [%rd5+16], 1;");
  expectContains(message, "out-of-bounds local store of 4 bytes");
  expectContains(message, "the thread's 16 bytes of local memory");
}

TEST(Checker, AtomicsAreCheckedToo) {
  expectContains(run("red.global.add.u32 [%rd1+128], 1;"),
                 "out-of-bounds global atomic access of 4 bytes");
}

TEST(Checker, DivergentBarrier) {
  std::string message = run("setp.lt.u32 %p1, %r0, 7; @%p1 bra SKIP;\n"
                            "bar.sync 0;\nmov.u32 %r1, 1;\n"
                            "SKIP: mov.u32 %r2, 0;");
  expectContains(message, "divergent barrier: this thread has not reached the "
                          "barrier that thread 7 of its warp waits at");
  expectContains(message, "thread (0, 0, 0), in 'bar.sync 0'");
}

TEST(Checker, Deadlock) {
  // One warp waits at barrier 1, the other at barrier 2.
  std::string message = run("setp.lt.u32 %p1, %r0, 32; @%p1 bra ONE;\n"
                            "bar.sync 2; bra DONE;\nONE: bar.sync 1;\n"
                            "DONE: mov.u32 %r1, 0;",
                            64);
  expectContains(message, "deadlock: barrier");
  expectContains(message, "2 wait at barriers and 0 have exited");
}

TEST(Checker, BarrierOperands) {
  expectContains(run("bar.sync 16;"), "barrier 16 does not exist");
  expectContains(run("bar.sync 1, 33;"), "multiple of the warp size");
}

TEST(Checker, Trap) {
  expectContains(run("setp.eq.u32 %p1, %r0, 9; @%p1 trap;"),
                 "the kernel executed trap; block (0, 0, 0), thread (9, 0, 0)");
}

TEST(Checker, Assertions) {
  std::string before = R"(.extern .func __assertfail
(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e)
.noreturn;
.global .align 1 .b8 text[4] = {105, 60, 57};
.global .align 1 .b8 file[4] = {97, 46, 99};)";
  std::string body = R"(setp.lt.u32 %p1, %r0, 9; @%p1 bra FINE;
  { // callseq 0, 0
    .param .b64 param0; .param .b64 param1; .param .b32 param2;
    .param .b64 param3; .param .b64 param4;
    mov.b64 %rd5, text; cvta.global.u64 %rd6, %rd5;
    st.param.b64 [param0], %rd6; st.param.b64 [param1], file;
    st.param.b32 [param2], 7; st.param.b64 [param3], 0;
    st.param.b64 [param4], 1;
    call.uni __assertfail, (param0, param1, param2, param3, param4);
  }
  FINE: mov.u32 %r1, 0;)";
  std::string message = run(body, 32, before);
  expectContains(message, "assertion failed at a.c:7: i<9; block (0, 0, 0), "
                          "thread (9, 0, 0)");
  EXPECT_EQ(run(body, 9, before), "(no error)");
}

TEST(Checker, RunawayKernels) {
  LaunchConfig config;
  config.maxWarpInstructionsPerBlock = 100000;
  expectContains(run("LOOP: add.s32 %r1, %r1, 1; bra LOOP;", 32, "", config),
                 "more than 100000 warp instructions");
}

TEST(Checker, LaunchesThatTakeTooLong) {
  std::string endless = "LOOP: add.s32 %r1, %r1, 1; bra LOOP;";
  LaunchConfig config;
  config.maxSeconds = 0.05;
  expectContains(run(endless, 32, "", config), "takes longer than it may");
  setenv("DIETCODE_VGPU_MAX_SECONDS", "0.05", 1);
  expectContains(run(endless), "takes longer than it may");
  setenv("DIETCODE_VGPU_MAX_SECONDS", "soon", 1);
  expectContains(run(endless), "DIETCODE_VGPU_MAX_SECONDS=soon: expected a "
                               "positive number of seconds");
  unsetenv("DIETCODE_VGPU_MAX_SECONDS");
}

TEST(Checker, FreedMemory) {
  auto module = parseModule(wrap("ld.global.u32 %r1, [%rd1+8];"), "t.ptx");
  ASSERT_TRUE(module) << messageOf(module);
  VirtualGPU gpu(testDevice());
  void *a = *gpu.memory().allocate(128, "a");
  void *b = *gpu.memory().allocate(128, "b");
  gpu.memory().markWritten(b, 128);
  void *params[] = {&a, &b};
  ASSERT_TRUE(gpu.launch(**module, "k", {}, params, 2));
  ASSERT_TRUE(gpu.memory().free(b));
  // Its addresses are not given to anybody else.
  void *c = *gpu.memory().allocate(128, "c");
  EXPECT_NE(b, c);
  FailureKind kind = FailureKind::Refused;
  Finding finding;
  auto report = gpu.launch(**module, "k", {}, params, 2, &kind, &finding);
  expectContains(messageOf(report), "use after free: global load of 4 bytes");
  expectContains(messageOf(report), "8 bytes into allocation 'b' of 128 bytes, "
                                    "which was freed before");
  EXPECT_EQ(kind, FailureKind::Finding);
  EXPECT_EQ(finding.kind, FindingKind::UseAfterFree);
  EXPECT_EQ(finding.allocation, "b");
  EXPECT_EQ(finding.allocationOffset, 8);
  expectContains(messageOf(gpu.memory().free(b)),
                 "allocation 'b' of 128 bytes was freed before");
}

TEST(Checker, DeadlocksSayWhoWaitsWhere) {
  std::string message =
      run("setp.lt.u32 %p1, %r0, 32; setp.ge.u32 %p2, %r0, 96;\n"
          "@%p2 bra DONE;\n@%p1 bra ONE;\n"
          "bar.sync 2, 96; bra DONE;\nONE: bar.sync 1;\nDONE:",
          128);
  expectContains(message, "deadlock: barrier 1 never completes; of the block's "
                          "4 warps 3 wait at barriers and 1 have exited");
  expectContains(message, "line 23, 'bar.sync 1', wait warps 0");
  expectContains(message, "line 22, 'bar.sync 2, 96', wait warps 1 2");
}

TEST(Checker, CheckersCanBeSwitchedOff) {
  LaunchConfig config;
  config.checks = CheckOptions::none();
  EXPECT_EQ(run("ld.global.u32 %r1, [%rd1+2]; st.global.u32 [%rd2], %r2;", 32,
                "", config),
            "(no error)");
  EXPECT_EQ(run("st.shared.u32 [s], %r0; ld.shared.u32 %r1, [s+4];", 64,
                ".shared .align 4 .b8 s[64];", config),
            "(no error)");
  // What protects the process stays on.
  expectContains(run("ld.global.u32 %r1, [%rd3+128];", 32, "", config),
                 "out-of-bounds");
  EXPECT_TRUE(parseCheckOptions("all")->sharedRaces);
  EXPECT_FALSE(parseCheckOptions("memory")->sharedRaces);
  EXPECT_TRUE(parseCheckOptions("memory")->uninitializedGlobal);
  EXPECT_FALSE(parseCheckOptions("none")->alignment);
  expectContains(messageOf(parseCheckOptions("some")),
                 "'some' names no set of checkers; use all, memory or none");
}

TEST(Checker, FindingsHaveParts) {
  auto module = parseModule(wrap("ld.global.u32 %r1, [%rd3+128];"), "t.ptx");
  ASSERT_TRUE(module) << messageOf(module);
  VirtualGPU gpu(testDevice());
  std::vector<uint32_t> words(32);
  ASSERT_TRUE(gpu.memory().registerRange(words.data(), 128, "x"));
  void *pointer = words.data();
  void *params[] = {&pointer, &pointer};
  LaunchConfig config;
  config.block = {4, 8, 1};
  Finding finding;
  auto report = gpu.launch(**module, "k", config, params, 2, nullptr, &finding);
  EXPECT_EQ(messageOf(report), toText(finding));
  EXPECT_EQ(finding.kernel, "k");
  EXPECT_EQ(finding.file, "t.ptx");
  EXPECT_EQ(finding.site.line, 19u);
  EXPECT_EQ(finding.address, reinterpret_cast<uint64_t>(pointer) + 128);
  EXPECT_EQ(finding.accessBytes, 4u);
  EXPECT_EQ(finding.allocation, "x");
  EXPECT_EQ(finding.allocationOffset, 128);
  finding.address = 4096;
  finding.message = "what \"it\" is";
  finding.other = FindingSite{7, "st", {1, 2, 3}, {}, false};
  EXPECT_EQ(
      toJson(finding),
      R"({"kind":"out-of-bounds","kernel":"k","file":"t.ptx","line":19,)"
      R"("source":"ld.global.u32 %r1, [%rd3+128]","block":[0,0,0],)"
      R"("thread":[0,0,0],"address":4096,"accessBytes":4,"allocation":"x",)"
      R"("allocationOffset":128,"message":"what \"it\" is",)"
      R"("other":{"line":7,"source":"st","block":[1,2,3]}})");
}

} // namespace
