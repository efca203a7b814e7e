//===- MgpuTest.cpp - MLIR's mgpu* functions ------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mgpu.h"
#include "dietcode-c/Artefact.h"
#include "dietcode/Runtime/Runtime.h"
#include "dietcode/Runtime/Stream.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

using namespace dietcode::runtime;

namespace {

/// Adds one to a word per thread.
char increment[] = R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry increment(.param .u64 p)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.b64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.b32 %r2, [%rd3];
  add.s32 %r3, %r2, 1;
  st.global.b32 [%rd3], %r3;
  ret;
}
)";

void launch(void *function, void *data, intptr_t threads,
            void *stream = nullptr) {
  void *params[] = {&data};
  mgpuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, stream, params, nullptr,
                   1);
}

TEST(Mgpu, DeviceMemory) {
  void *stream = mgpuStreamCreate();
  void *event = mgpuEventCreate();
  void *module = mgpuModuleLoadJIT(increment, 2);
  void *function = mgpuModuleGetFunction(module, "increment");
  EXPECT_EQ(mgpuModuleGetFunction(module, "increment"), function);
  auto *data = static_cast<uint32_t *>(mgpuMemAlloc(128, stream, false));
  mgpuMemset32(data, 41, 32, stream);
  startLaunchLog();
  launch(function, data, 32);
  std::vector<LaunchRecord> log = takeLaunchLog();
  mgpuEventRecord(event, stream);
  mgpuStreamWaitEvent(stream, event);
  mgpuEventSynchronize(event);
  mgpuStreamSynchronize(stream);
  uint32_t host[32];
  mgpuMemcpy(host, data, sizeof(host), stream);
  for (uint32_t word : host)
    EXPECT_EQ(word, 42u);
  mgpuMemset16(data, 7, 1, stream);
  EXPECT_EQ(data[0], 7u);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].kernel, "increment");
  EXPECT_EQ(log[0].block[0], 32);
  EXPECT_GT(log[0].seconds.value_or(0), 0);
  launch(function, data, 1);
  EXPECT_TRUE(takeLaunchLog().empty()) << "the log was not running";
  mgpuMemFree(data, stream);
  mgpuMemFree(nullptr, stream);
  mgpuModuleUnload(module);
  mgpuEventDestroy(event);
  mgpuStreamDestroy(stream);
}

/// What a launch writes is in L2 for the next one in its stream, until the host
/// has waited for it.
TEST(Mgpu, Streams) {
  void *stream = mgpuStreamCreate();
  void *module = mgpuModuleLoadJIT(increment, 2);
  void *function = mgpuModuleGetFunction(module, "increment");
  void *data = mgpuMemAlloc(128, stream, true);
  startLaunchLog();
  launch(function, data, 32, stream);
  launch(function, data, 32, stream);
  mgpuStreamSynchronize(stream);
  launch(function, data, 32, stream);
  launch(function, data, 32);
  std::vector<LaunchRecord> log = takeLaunchLog();
  ASSERT_EQ(log.size(), 4u);
  auto seconds = [&](size_t i) { return log[i].seconds.value_or(0); };
  EXPECT_LT(seconds(1), seconds(0));
  EXPECT_EQ(seconds(2), seconds(0));
  EXPECT_EQ(seconds(3), seconds(0));
  mgpuMemFree(data, stream);
  mgpuModuleUnload(module);
  mgpuStreamDestroy(stream);
}

TEST(Mgpu, CallersStream) {
  int native = 0;
  dietcodeSetStream(&native, dietcodeStreamWaits);
  void *stream = mgpuStreamCreate();
  EXPECT_EQ(mgpuStreamCreate(), stream);
  mgpuStreamDestroy(stream);
  std::thread([&] {
    void *other = mgpuStreamCreate();
    EXPECT_NE(other, stream);
    mgpuStreamDestroy(other);
  }).join();
  // Launches without a stream are in this one, and follow each other.
  void *module = mgpuModuleLoadJIT(increment, 2);
  void *function = mgpuModuleGetFunction(module, "increment");
  void *data = mgpuMemAlloc(128, nullptr, true);
  startLaunchLog();
  launch(function, data, 32);
  launch(function, data, 32, stream);
  std::vector<LaunchRecord> log = takeLaunchLog();
  EXPECT_LT(log[1].seconds.value_or(0), log[0].seconds.value_or(0));
  dietcodeResetStream();
  dietcodeResetStream();
  mgpuMemFree(data, nullptr);
  mgpuModuleUnload(module);
}

/// What compiled code would have released after the point of failure.
TEST(Mgpu, FailedCallsReleaseWhatTheyHold) {
  void *module = nullptr, *data = nullptr, *kept = nullptr;
  RuntimeFailure failure = failureOf([&] {
    module = mgpuModuleLoadJIT(increment, 2);
    void *freed = mgpuMemAlloc(128, nullptr, false);
    data = mgpuMemAlloc(128, nullptr, false);
    mgpuMemFree(freed, nullptr);
    mgpuStreamCreate();
    mgpuEventCreate();
    EXPECT_TRUE(
        guardedCall([&] { kept = mgpuMemAlloc(4, nullptr, false); }, nullptr));
    mgpuModuleGetFunction(module, "nope");
  });
  EXPECT_NE(failure.message.find("no kernel"), std::string::npos);
  failure = failureOf([&] { mgpuMemFree(data, nullptr); });
  EXPECT_NE(failure.message.find("was freed before"), std::string::npos);
  failure = failureOf([&] { mgpuModuleUnload(module); });
  EXPECT_NE(failure.message.find("not loaded"), std::string::npos);
  // A call that succeeds gives what it keeps to its caller.
  mgpuMemFree(kept, nullptr);
}

TEST(Mgpu, HostMemory) {
  void *module = mgpuModuleLoad(increment, sizeof(increment));
  void *function = mgpuModuleGetFunction(module, "increment");
  std::vector<uint32_t> host(32);
  registerHostMemory(host.data(), 128, "argument 0");
  launch(function, host.data(), 32);
  EXPECT_EQ(host[31], 1u);
  RuntimeFailure failure =
      failureOf([&] { launch(function, host.data(), 33); });
  EXPECT_EQ(failure.kind, FailureKind::Finding);
  EXPECT_NE(
      failure.message.find("0 bytes past the end of host memory 'argument "
                           "0' of 128 bytes"),
      std::string::npos)
      << failure.message;
  unregisterHostMemory(host.data());
  failure = failureOf([&] { launch(function, host.data(), 1); });
  EXPECT_NE(failure.message.find("no memory is allocated or registered"),
            std::string::npos)
      << failure.message;
  mgpuModuleUnload(module);
}

TEST(Mgpu, MemRefs) {
  void *module = mgpuModuleLoadJIT(increment, 2);
  void *function = mgpuModuleGetFunction(module, "increment");
  std::vector<uint32_t> host(64);
  // 3 rows of 4 with a row stride of 10, from element 5: 24 elements.
  struct {
    void *allocated, *aligned;
    int64_t offset, sizes[2], strides[2];
  } memref = {host.data(), host.data(), 5, {3, 4}, {10, 1}};
  mgpuMemHostRegisterMemRef(2, &memref, 4);
  launch(function, host.data() + 5, 24);
  failureOf([&] { launch(function, host.data() + 5, 25); });
  failureOf([&] { launch(function, host.data() + 4, 1); });
  mgpuMemHostUnregisterMemRef(2, &memref, 4);
  failureOf([&] { launch(function, host.data() + 5, 1); });
  mgpuModuleUnload(module);
}

TEST(Mgpu, Mistakes) {
  auto expectFailure = [](const std::function<void()> &call,
                          const std::string &part) {
    RuntimeFailure failure = failureOf(call);
    EXPECT_NE(failure.message.find(part), std::string::npos) << failure.message;
    EXPECT_EQ(failure.kind, FailureKind::Error);
  };
  char elf[] = "\x7f"
               "ELF\x02",
       fatbin[] = "\x50\xed\x55\xba", other[] = "module { }",
       bad[] = ".version 7.5\n.entry k() { foo; }";
  expectFailure([&] { mgpuModuleLoad(elf, 5); },
                "cannot load an ELF cubin: the virtual GPU runs PTX; compile "
                "with the binary format 'isa'");
  expectFailure([&] { mgpuModuleLoad(fatbin, 4); }, "cannot load a fatbin");
  expectFailure([&] { mgpuModuleLoad(other, 10); }, "this is not PTX");
  expectFailure([&] { mgpuModuleLoadJIT(nullptr, 0); }, "null pointer");
  expectFailure([&] { mgpuModuleLoadJIT(bad, 0); },
                ":2: unsupported instruction 'foo'");
  int local = 0;
  expectFailure([&] { mgpuMemFree(&local, nullptr); }, "cannot free");
  expectFailure([&] { mgpuMemHostUnregister(&local); }, "cannot unregister");
  expectFailure([&] { mgpuModuleUnload(&local); }, "not loaded");
  expectFailure([&] { launch(&local, &local, 1); }, "not loaded");
  expectFailure([&] { mgpuSetDefaultDevice(3); }, "only one device");
  mgpuSetDefaultDevice(0);
  void *module = mgpuModuleLoadJIT(increment, 2);
  expectFailure([&] { mgpuModuleGetFunction(module, "nope"); },
                "there is no kernel 'nope'");
  void *function = mgpuModuleGetFunction(module, "increment");
  expectFailure([&] { launch(function, &local, 4096); },
                "outside of the limits of t4");
  expectFailure(
      [&] {
        mgpuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                         nullptr, 0);
      },
      "0 parameters were given; the kernel has 1");
  mgpuModuleUnload(module);
  expectFailure([&] { launch(function, &local, 1); }, "not loaded");
  void *small = mgpuMemAlloc(4, nullptr, false);
  char big[64];
  expectFailure([&] { mgpuMemcpy(small, big, 64, nullptr); },
                "memcpy to the device of 64 bytes runs past the end of "
                "allocation 'allocation #");
  expectFailure([&] { mgpuMemset32(small, 0, 2, nullptr); }, "memset of 8");
  mgpuMemFree(small, nullptr);
}

TEST(Mgpu, MemoryThatNobodyWrote) {
  void *module = mgpuModuleLoadJIT(increment, 2);
  void *function = mgpuModuleGetFunction(module, "increment");
  void *data = mgpuMemAlloc(128, nullptr, false);
  mgpuMemset32(data, 0, 31, nullptr);
  RuntimeFailure failure = failureOf([&] { launch(function, data, 32); });
  EXPECT_EQ(failure.kind, FailureKind::Finding);
  EXPECT_NE(failure.message.find("uninitialised memory: global load"),
            std::string::npos)
      << failure.message;
  std::optional<dietcode::vgpu::Finding> finding = lastFinding();
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, dietcode::vgpu::FindingKind::UninitializedGlobal);
  EXPECT_EQ(finding->site.thread[0], 31u);
  EXPECT_EQ(finding->allocationOffset, 124);
  // Copies write, and the host may write memory that it shares.
  char zeros[128] = {};
  mgpuMemcpy(data, zeros, 128, nullptr);
  launch(function, data, 32);
  EXPECT_FALSE(lastFinding());
  void *shared = mgpuMemAlloc(128, nullptr, true);
  launch(function, shared, 32);
  mgpuMemFree(shared, nullptr);
  mgpuMemFree(data, nullptr);
  failure = failureOf([&] { launch(function, data, 1); });
  EXPECT_NE(failure.message.find("use after free"), std::string::npos);
  failure = failureOf([&] { mgpuMemcpy(zeros, data, 4, nullptr); });
  EXPECT_NE(failure.message.find("which was freed before"), std::string::npos);
  failure = failureOf([&] { mgpuMemFree(data, nullptr); });
  EXPECT_NE(failure.message.find("was freed before"), std::string::npos);
  mgpuModuleUnload(module);
}

TEST(Mgpu, Description) {
  EXPECT_EQ(deviceDescription(), "virtual:t4 (model, not a measurement)");
  // A process has one device.
  EXPECT_EQ(dietcode_set_device("virtual:t4"), DIETCODE_OK);
  EXPECT_EQ(dietcode_set_device("cuda:0"), DIETCODE_DEVICE_ERROR);
  EXPECT_STREQ(dietcode_last_error(),
               "dietcode_set_device: the device of this process is virtual:t4 "
               "(model, not a measurement) already, so it cannot be cuda:0; "
               "choose before the first call, or set DIETCODE_DEVICE");
  EXPECT_EQ(dietcode_set_device(""), DIETCODE_INVALID_ARGUMENT);
}

// Each in a process of its own, since the device is chosen once.
TEST(MgpuDeathTest, DeviceChoice) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto loadOn = [](const char *device) {
    setenv("DIETCODE_DEVICE", device, 1);
    mgpuModuleLoadJIT(increment, 2);
    std::_Exit(0);
  };
  // Without a driver, that is the default.
  setenv("DIETCODE_LIBCUDA", "/no/such/libcuda.so", 1);
  EXPECT_EXIT(loadOn("cuda:0"), testing::ExitedWithCode(1),
              "error: DIETCODE_DEVICE=cuda:0: there is no CUDA driver: "
              "/no/such/libcuda.so");
  EXPECT_EXIT(loadOn(""), testing::ExitedWithCode(0), "");
  unsetenv("DIETCODE_LIBCUDA");
  EXPECT_EXIT(loadOn("virtual:x"), testing::ExitedWithCode(1),
              "there is no such device; use one of virtual:t4");
  EXPECT_EXIT(loadOn("virtual:t4"), testing::ExitedWithCode(0), "");
}

/// Two blocks of it write the same word, and nothing ever stops.
char racing[] = R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry racing(.param .u64 p)
{
  .reg .b64 %rd<2>;
  ld.param.b64 %rd1, [p];
  st.global.b32 [%rd1], 1;
  ret;
}
.visible .entry endless() { LOOP: bra LOOP; }
)";

TEST(MgpuDeathTest, Checkers) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto race = [](const char *variable, const char *value) {
    setenv(variable, value, 1);
    void *function =
        mgpuModuleGetFunction(mgpuModuleLoadJIT(racing, 2), "racing");
    void *data = mgpuMemAlloc(4, nullptr, false);
    void *params[] = {&data};
    mgpuLaunchKernel(function, 2, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr,
                     1);
    std::_Exit(0);
  };
  const char *check = "DIETCODE_VGPU_CHECK";
  const char *most = "DIETCODE_VGPU_MAX_INSTRUCTIONS";
  unsetenv(check);
  EXPECT_EXIT(race(check, "all"), testing::ExitedWithCode(4),
              "race in global memory between blocks");
  EXPECT_EXIT(race(check, "memory"), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(race(check, "none"), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(race(check, ""), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(race(check, "some"), testing::ExitedWithCode(1),
              "DIETCODE_VGPU_CHECK: 'some' names no set of checkers; use all, "
              "memory or none");
  for (const char *bad : {"-1", "many", "1x", "99999999999999999999"})
    EXPECT_EXIT(race(most, bad), testing::ExitedWithCode(1),
                "expected a number of warp instructions; 0 is no limit");
}

TEST(MgpuDeathTest, EndlessKernels) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto hang = [] {
    setenv("DIETCODE_VGPU_MAX_INSTRUCTIONS", "1000000", 1);
    void *function =
        mgpuModuleGetFunction(mgpuModuleLoadJIT(racing, 2), "endless");
    mgpuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr,
                     0);
    std::_Exit(0);
  };
  EXPECT_EXIT(hang(), testing::ExitedWithCode(4),
              "the block executed more than 1000000 warp instructions; the "
              "kernel may not terminate .DIETCODE_VGPU_MAX_INSTRUCTIONS sets");
}

} // namespace
