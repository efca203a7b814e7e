//===- LaunchTest.cpp - Launch limits, threads and reports --------------===//
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

/// Sets an environment variable for one scope.
class ScopedEnv {
public:
  ScopedEnv(const char *name, const char *value) : name(name) {
    setenv(name, value, 1);
  }
  ~ScopedEnv() { unsetenv(name); }

private:
  const char *name;
};

std::string launchMessage(const std::string &ptx, const LaunchConfig &config,
                          const char *kernel = "k", size_t params = 2) {
  auto module = parseModule(ptx, "t.ptx");
  if (!module)
    return messageOf(module);
  VirtualGPU gpu(testDevice());
  uint64_t zero = 0;
  void *values[] = {&zero, &zero};
  return messageOf(gpu.launch(**module, kernel, config, values, params));
}

LaunchConfig shape(std::array<int64_t, 3> grid, std::array<int64_t, 3> block,
                   int64_t shared = 0) {
  LaunchConfig config;
  config.grid = grid;
  config.block = block;
  config.dynamicSharedBytes = shared;
  return config;
}

TEST(Launch, Limits) {
  std::string ptx = wrap("");
  expectContains(launchMessage(ptx, {}, "other"),
                 "t.ptx: there is no kernel 'other'; the module has k");
  expectContains(
      launchMessage(ptx, {}, "k", 1),
      "cannot launch kernel 'k': 1 parameters were given; the kernel "
      "has 2");
  expectContains(launchMessage(ptx, shape({1, 1, 1}, {1025, 1, 1})),
                 "block (1025, 1, 1) is outside of the limits of t4: 1 to 1024 "
                 "in x");
  expectContains(launchMessage(ptx, shape({1, 1, 1}, {32, 64, 1})),
                 "block (32, 64, 1) has 2048 threads; t4 allows 1024");
  expectContains(launchMessage(ptx, shape({1, 1, 1}, {1, 1, 65})), "in z");
  expectContains(launchMessage(ptx, shape({0, 1, 1}, {1, 1, 1})),
                 "grid (0, 1, 1) is outside of the limits");
  expectContains(launchMessage(ptx, shape({1, 65536, 1}, {1, 1, 1})),
                 "1 to 65535 in y");
  expectContains(launchMessage(ptx, shape({1 << 20, 65535, 2}, {1, 1, 1})),
                 "has 137436856320 blocks; the virtual GPU counts up to "
                 "4294967295");
  expectContains(launchMessage(ptx, shape({1, 1, 1}, {1, 1, 1}, INT64_MAX)),
                 "9223372036854775807 dynamic");
  expectContains(launchMessage(ptx, shape({1, 1, 1}, {1, 1, 1}, 65537)),
                 "65537 bytes of shared memory (0 static, 65537 dynamic); t4 "
                 "allows 65536");
  expectContains(launchMessage(ptx, shape({1, 1, 1}, {1, 1, 1}, -1)), "-1");
  expectContains(launchMessage(wrap(".shared .b8 big[49153];"), {}),
                 "declares 49153 bytes of shared memory; t4 allows 49152 bytes "
                 "statically");
}

TEST(Launch, KernelDirectives) {
  auto with = [](const std::string &directive) {
    return header() + ".entry k() " + directive + " { ret; }";
  };
  expectContains(
      launchMessage(with(".reqntid 32"), shape({1, 1, 1}, {64, 1, 1}), "k", 0),
      "not the one that the kernel requires (.reqntid)");
  expectContains(launchMessage(with(".maxntid 16, 4, 1"),
                               shape({1, 1, 1}, {65, 1, 1}), "k", 0),
                 "65 threads; the kernel allows 64 (.maxntid)");
  EXPECT_EQ(launchMessage(with(".maxntid 16, 4, 1 .minnctapersm 2"),
                          shape({1, 1, 1}, {64, 1, 1}), "k", 0),
            "(no error)");
}

/// Every thread of a 3-d grid writes where it is.
const char *placesPtx = R"(
  .reg .b32 %b<4>; .reg .b32 %g<4>;
  mov.u32 %b1, %ctaid.x; mov.u32 %b2, %ctaid.y; mov.u32 %b3, %ctaid.z;
  mov.u32 %g1, %nctaid.x; mov.u32 %g2, %nctaid.y; mov.u32 %g3, %ntid.x;
  mad.lo.s32 %r1, %b3, %g2, %b2; mad.lo.s32 %r1, %r1, %g1, %b1;
  mad.lo.s32 %r1, %r1, %g3, %r0; mul.wide.u32 %rd5, %r1, 4;
  add.s64 %rd5, %rd0, %rd5; mul.lo.s32 %r2, %r1, %r1;
  st.global.u32 [%rd5], %r2;)";

TEST(Launch, GridsAndThreadCounts) {
  std::vector<uint32_t> first;
  LaunchReport firstReport;
  for (const char *threads : {"1", "2", "5"}) {
    ScopedEnv env("DIETCODE_VGPU_THREADS", threads);
    auto module = parseModule(wrap(placesPtx), "t.ptx");
    ASSERT_TRUE(module) << messageOf(module);
    VirtualGPU gpu(testDevice());
    std::vector<uint32_t> out(3 * 4 * 5 * 64);
    ASSERT_TRUE(gpu.memory().registerRange(out.data(), 4 * out.size()));
    void *pointer = out.data();
    void *params[] = {&pointer, &pointer};
    auto report =
        gpu.launch(**module, "k", shape({3, 4, 5}, {64, 1, 1}), params, 2);
    ASSERT_TRUE(report) << messageOf(report);
    for (uint32_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], i * i);
    if (first.empty()) {
      first = out;
      firstReport = *report;
    }
    EXPECT_EQ(report->instructions.total, firstReport.instructions.total);
    EXPECT_EQ(report->sectorsWritten, firstReport.sectorsWritten);
    EXPECT_EQ(report->virtualSeconds, firstReport.virtualSeconds);
  }
}

TEST(Launch, FloatAtomicsDoNotDependOnThreads) {
  std::string body = "cvt.rn.f32.u32 %f1, %r0; mov.u32 %r1, %ctaid.x;"
                     "cvt.rn.f32.u32 %f2, %r1; fma.rn.f32 %f1, %f2, "
                     "0f3DCCCCCD, %f1; atom.global.add.f32 %f3, [%rd0], %f1;";
  std::vector<uint32_t> results;
  for (const char *threads : {"1", "4"}) {
    ScopedEnv env("DIETCODE_VGPU_THREADS", threads);
    auto module = parseModule(wrap(body), "t.ptx");
    VirtualGPU gpu(testDevice());
    uint32_t sum = 0;
    ASSERT_TRUE(gpu.memory().registerRange(&sum, 4));
    void *pointer = &sum;
    void *params[] = {&pointer, &pointer};
    ASSERT_TRUE(
        gpu.launch(**module, "k", shape({200, 1, 1}, {64, 1, 1}), params, 2));
    results.push_back(sum);
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(Launch, TheFirstFailingBlockIsReported) {
  for (const char *threads : {"1", "3"}) {
    ScopedEnv env("DIETCODE_VGPU_THREADS", threads);
    auto module = parseModule(wrap("mov.u32 %r1, %ctaid.x;"
                                   "setp.gt.u32 %p1, %r1, 16; @%p1 trap;"),
                              "t.ptx");
    VirtualGPU gpu(testDevice());
    uint64_t zero = 0;
    void *params[] = {&zero, &zero};
    auto report =
        gpu.launch(**module, "k", shape({100, 1, 1}, {32, 1, 1}), params, 2);
    expectContains(messageOf(report), "block (17, 0, 0)");
  }
}

LaunchReport reportOf(const std::string &body, LaunchConfig config,
                      const std::string &before = "") {
  auto module = parseModule(wrap(body, before), "t.ptx");
  EXPECT_TRUE(module) << messageOf(module);
  VirtualGPU gpu(testDevice());
  void *a = *gpu.memory().allocate(1 << 20);
  void *params[] = {&a, &a};
  // The snippets are about time: what they read and write means nothing.
  config.checks = CheckOptions::none();
  auto report = gpu.launch(**module, "k", config, params, 2);
  EXPECT_TRUE(report) << messageOf(report);
  return report ? *report : LaunchReport();
}

TEST(Launch, CountsInstructions) {
  LaunchReport report =
      reportOf("mov.u32 %r2, 0;\nLOOP: fma.rn.f32 %f1, %f2, %f3, %f1;"
               "add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 10;"
               "@%p1 bra LOOP;",
               shape({6, 1, 1}, {64, 1, 1}));
  uint64_t warps = 12;
  EXPECT_EQ(report.instructions.fp32, 10 * warps);
  // mov %tid, mul.wide, two adds; mov, and twenty in the loop.
  EXPECT_EQ(report.instructions.integer, (4 + 1 + 20) * warps);
  EXPECT_EQ(report.instructions.control, (2 + 10 + 1) * warps);
  EXPECT_EQ(report.instructions.total, (10 + 25 + 13) * warps);
  EXPECT_GT(report.virtualSeconds, testDevice().launchSeconds);
}

TEST(Launch, CountsSectorsAndBankConflicts) {
  LaunchConfig one = shape({1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(reportOf("ld.global.u32 %r1, [%rd3];", one).sectorsRead, 4u);
  EXPECT_EQ(reportOf("mul.wide.u32 %rd5, %r0, 128; add.s64 %rd5, %rd5, %rd1;"
                     "st.global.u32 [%rd5], %r1;",
                     one)
                .sectorsWritten,
            32u);
  std::string before = ".shared .align 16 .b8 s[8192];";
  auto wavefronts = [&](const std::string &stride, const std::string &access) {
    return reportOf("mul.wide.u32 %rd5, %r0, " + stride +
                        "; mov.u64 %rd6, s; add.s64 %rd5, %rd5, %rd6;" + access,
                    one, before)
        .sharedWavefronts;
  };
  EXPECT_EQ(wavefronts("4", "ld.shared.u32 %r1, [%rd5];"), 1u);
  EXPECT_EQ(wavefronts("0", "ld.shared.u32 %r1, [%rd5];"), 1u);
  EXPECT_EQ(wavefronts("8", "ld.shared.u32 %r1, [%rd5];"), 2u);
  EXPECT_EQ(wavefronts("128", "ld.shared.u32 %r1, [%rd5];"), 32u);
  EXPECT_EQ(wavefronts("16", "ld.shared.v4.u32 {%r1,%r2,%r3,%r4}, [%rd5];"),
            4u);
}

TEST(Launch, TheModelDoesNotSeeHostAlignment) {
  auto module = parseModule(wrap("ld.global.u32 %r1, [%rd3];"), "t.ptx");
  ASSERT_TRUE(module) << messageOf(module);
  alignas(64) static uint32_t words[64];
  for (unsigned shift : {0, 1, 4}) {
    VirtualGPU gpu(testDevice());
    ASSERT_TRUE(gpu.memory().registerRange(words + shift, 128));
    void *pointer = words + shift;
    void *params[] = {&pointer, &pointer};
    auto report =
        gpu.launch(**module, "k", shape({1, 1, 1}, {32, 1, 1}), params, 2);
    ASSERT_TRUE(report) << messageOf(report);
    EXPECT_EQ(report->sectorsRead, 4u);
  }
}

TEST(Launch, RegistersAndOccupancy) {
  LaunchReport report =
      reportOf("mov.u32 %r1, 1;", shape({1, 1, 1}, {256, 1, 1}), "");
  EXPECT_EQ(report.residentBlocksPerSM, 4u); // 1024 threads per SM.
  report = reportOf("", shape({1, 1, 1}, {32, 1, 1}, 30000));
  EXPECT_EQ(report.residentBlocksPerSM, 2u); // 64 KiB of shared memory.
  EXPECT_EQ(report.sharedBytesPerBlock, 30000u);
}

TEST(Launch, ModelRanksBankConflicts) {
  auto seconds = [](const std::string &stride) {
    std::string body = "mul.wide.u32 %rd5, %r0, " + stride +
                       "; mov.u64 %rd6, s; add.s64 %rd5, %rd5, %rd6;"
                       "mov.u32 %r2, 0;\nLOOP: ";
    for (int i = 0; i < 16; ++i)
      body += "ld.shared.u32 %r" + std::to_string(20 + i) + ", [%rd5];";
    body += "add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100; @%p1 bra LOOP;";
    return reportOf(body, shape({400, 1, 1}, {256, 1, 1}),
                    ".shared .align 16 .b8 s[32768];")
        .virtualSeconds;
  };
  EXPECT_LT(seconds("4"), seconds("8"));
  EXPECT_LT(seconds("8"), seconds("128"));
}

} // namespace
