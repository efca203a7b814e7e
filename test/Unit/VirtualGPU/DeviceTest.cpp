//===- DeviceTest.cpp - Devices other than the T4 -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimingUtil.h"

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

/// A kernel without parameters.
std::string kernel(const std::string &target, const std::string &body) {
  return ".version 8.2\n.target " + target +
         "\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<8>;\n"
         ".reg .f32 %f<8>;\n.reg .b64 %rd<8>;\n.shared .align 16 .b8 s[16];\n" +
         body + "\nret;\n}\n";
}

Expected<LaunchReport> launch(const char *device, const std::string &ptx,
                              const LaunchConfig &config = gridOf(1, 32)) {
  auto module = parseModule(ptx, "k.ptx");
  if (!module)
    return fail(module.error().message);
  VirtualGPU gpu(*lookupDevice(device));
  return gpu.launch(**module, "k", config, nullptr, 0);
}

const std::string fma = "mov.f32 %f1, 0f3f800000;\n"
                        "fma.rn.f32 %f2, %f1, %f1, %f1;\n";

TEST(Devices, ModulesRunOnTheirChipAndLaterOnes) {
  std::string turing = kernel("sm_75", fma), ampere = kernel("sm_80", fma);
  for (const char *device : {"t4", "rtx2080ti", "a100", "l4", "h100"})
    EXPECT_TRUE(launch(device, turing)) << device;
  for (const char *device : {"a100", "l4", "h100"})
    EXPECT_TRUE(launch(device, ampere)) << device;
  auto refused = launch("v100", turing);
  ASSERT_FALSE(refused);
  expectContains(refused.error().message,
                 "the module is for sm_75; v100 is sm_70");
  refused = launch("t4", ampere);
  ASSERT_FALSE(refused);
  expectContains(refused.error().message,
                 "the module is for sm_80; t4 is sm_75");
}

TEST(Devices, SharedMemoryIsLimitedByEach) {
  std::string ptx = kernel("sm_70", fma);
  const std::pair<const char *, int64_t> mosts[] = {
      {"t4", 65536},    {"rtx2080ti", 65536}, {"v100", 98304},
      {"a100", 166912}, {"l4", 101376},       {"h100", 232448}};
  for (auto [device, most] : mosts) {
    LaunchConfig config = gridOf(1, 32);
    config.dynamicSharedBytes = most - 16;
    auto report = launch(device, ptx, config);
    ASSERT_TRUE(report) << messageOf(report);
    EXPECT_EQ(report->residentBlocksPerSM, 1u) << device;
    config.dynamicSharedBytes = most - 15;
    auto refused = launch(device, ptx, config);
    ASSERT_FALSE(refused) << device;
    expectContains(refused.error().message,
                   std::string(device) + " allows " + std::to_string(most));
    // Static shared memory is 48 KiB everywhere.
    refused = launch(device, kernel("sm_70", ".shared .b8 big[49153];\n"));
    ASSERT_FALSE(refused) << device;
    expectContains(refused.error().message, "allows 49152 bytes statically");
  }
}

TEST(Devices, InstructionsThatAreNotImplementedAreErrors) {
  // Those of sm_80 are refused for sm_75 as ptxas does, and for sm_80 since the
  // interpreter has none of them: no device makes them work.
  const char *instructions[] = {
      "cp.async.ca.shared.global [%r1], [%rd1], 16;",
      "cp.async.commit_group;",
      "redux.sync.add.s32 %r1, %r2, -1;",
      ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4},"
       " {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};"),
  };
  for (const char *text : instructions) {
    auto module = parseModule(kernel("sm_75", text), "k.ptx");
    ASSERT_FALSE(module) << text;
    expectContains(module.error().message, "sm_80 or higher");
    module = parseModule(kernel("sm_80", text), "k.ptx");
    ASSERT_FALSE(module) << text;
    expectContains(module.error().message, "k.ptx:10: ");
    expectContains(module.error().message, "unsupported");
  }
}

TEST(Devices, ReportsSayThatTheyAreUncalibrated) {
  auto t4 = launch("t4", kernel("sm_70", fma));
  ASSERT_TRUE(t4) << messageOf(t4);
  EXPECT_EQ(t4->replay.device, "virtual:t4");
  expectContains(t4->replay.toJson(), "\"calibrated\": true");
  for (const char *device : {"rtx2080ti", "v100", "a100", "l4", "h100"}) {
    auto report = launch(device, kernel("sm_70", fma));
    ASSERT_TRUE(report) << messageOf(report);
    std::string name = std::string("virtual:") + device + " (uncalibrated)";
    EXPECT_EQ(report->replay.device, name);
    expectContains(report->replay.toText(), "[" + name + "]");
    expectContains(report->replay.toJson(), "\"calibrated\": false");
  }
}

/// What each device's arithmetic would reach.
TEST(Devices, PeaksAreReached) {
  std::string chains;
  for (int i = 10; i < 26; ++i) {
    std::string r = "%f" + std::to_string(i);
    chains += "fma.rn.f32 " + r + ", %f1, %f2, " + r + ";\n";
  }
  std::string ptx = wrap(loopOf(repeat(chains, 8), 200));
  ptx.replace(ptx.find("sm_75"), 5, "sm_70");
  for (std::string_view name : knownDeviceNames()) {
    const DeviceSpec &device = *lookupDevice(name);
    auto module = parseModule(ptx, "peak.ptx");
    ASSERT_TRUE(module) << messageOf(module);
    VirtualGPU gpu(device);
    void *out = *gpu.memory().allocate(4096, "out"), *in = out;
    void *params[] = {&out, &in};
    LaunchConfig config = gridOf(device.smCount * 4, 256);
    config.checks = CheckOptions::none();
    auto report = gpu.launch(**module, "k", config, params, 2);
    ASSERT_TRUE(report) << messageOf(report);
    EXPECT_GT(report->replay.fp32PeakFraction, 0.95) << name;
    EXPECT_LE(report->replay.fp32PeakFraction, 1.0) << name;
  }
}

} // namespace
