//===- CheckerTest.cpp - Each planted mistake is found ------------------===//
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
  std::string message = run("st.global.u32 [%rd3+-4], %r1;");
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
                            "@%p1 st.global.u32 [%rd3+4096], %r1;");
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
  std::string message = run(body + "st.shared.u32 [%rd6], %r1;", 32, before);
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

TEST(Checker, FreedMemory) {
  auto module = parseModule(wrap("ld.global.u32 %r1, [%rd1];"), "t.ptx");
  ASSERT_TRUE(module) << messageOf(module);
  VirtualGPU gpu(testDevice());
  void *a = *gpu.memory().allocate(128, "a"), *b = *gpu.memory().allocate(128);
  void *params[] = {&a, &b};
  ASSERT_TRUE(gpu.launch(**module, "k", {}, params, 2));
  ASSERT_TRUE(gpu.memory().free(b));
  FailureKind kind = FailureKind::Refused;
  auto report = gpu.launch(**module, "k", {}, params, 2, &kind);
  expectContains(messageOf(report), "out-of-bounds global load");
  EXPECT_EQ(kind, FailureKind::Finding);
}

} // namespace
