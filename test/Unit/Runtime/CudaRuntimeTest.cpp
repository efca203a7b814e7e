//===- CudaRuntimeTest.cpp - Programs on the fake CUDA driver -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fake driver sees whether it is called rightly, and runs no kernel.
//
//===----------------------------------------------------------------------===//

#include "CudaTesting.h"
#include "dietcode/Runtime/Entry.h"
#include "dietcode/Runtime/Stream.h"

#include <chrono>
#include <cstdlib>
#include <thread>

using namespace dietcode::runtime;

namespace {

constexpr uint64_t kMega = 1 << 20;

TEST(CudaRuntime, RunsKernels) {
  EXPECT_EQ(deviceDescription(), "cuda:0, Tesla T4");
  void *module = load();
  void *function = mgpuModuleGetFunction(module, "add");
  EXPECT_EQ(mgpuModuleGetFunction(module, "add"), function);
  void *stream = mgpuStreamCreate();
  void *data = mgpuMemAlloc(128, stream, false);
  mgpuMemset32(data, 41, 32, stream);
  uint32_t one = 1;
  void *params[] = {&data, &one};
  mgpuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, params, nullptr, 2);
  void *event = mgpuEventCreate();
  mgpuEventRecord(event, stream);
  mgpuStreamWaitEvent(nullptr, event);
  mgpuEventSynchronize(event);
  mgpuStreamSynchronize(stream);
  uint32_t host[32];
  mgpuMemcpy(host, data, sizeof(host), nullptr);
  EXPECT_EQ(host[0], 42u);
  EXPECT_EQ(host[31], 41u);
  mgpuMemset16(data, 7, 1, nullptr);
  mgpuMemcpy(host, data, 2, stream);
  EXPECT_EQ(host[0], 7u);
  mgpuEventDestroy(event);
  mgpuMemFree(data, stream);
  mgpuMemFree(nullptr, stream);
  mgpuStreamDestroy(stream);
  mgpuModuleUnload(module);
  mgpuSetDefaultDevice(0);
}

TEST(CudaRuntime, LogsWhatIsKnown) {
  void *module = load();
  void *function = mgpuModuleGetFunction(module, "work");
  void *data = mgpuMemAlloc(1000, nullptr, true);
  int64_t events = counts().events;
  startLaunchLog();
  void *more = mgpuMemAlloc(3000, nullptr, true);
  launchWork(function, data);
  mgpuMemFree(more, nullptr);
  std::vector<LaunchRecord> log = takeLaunchLog();
  launchWork(function, data);
  EXPECT_EQ(countAllocations().allocations, 1u);
  EXPECT_EQ(countAllocations().peakBytes, 3000u);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].kernel, "work");
  EXPECT_EQ(log[0].grid[0], 2);
  EXPECT_EQ(log[0].dynamicSharedBytes, 64);
  EXPECT_EQ(log[0].sharedBytes, 1024 + 64);
  EXPECT_FLOAT_EQ(log[0].seconds.value_or(0), 2e-3);
  EXPECT_FALSE(log[0].report);
  EXPECT_FALSE(lastFinding());
  EXPECT_EQ(counts().events, events);
  mgpuMemFree(data, nullptr);
  mgpuModuleUnload(module);
}

TEST(CudaRuntime, SharesModules) {
  int64_t before = counts().assembled;
  void *first = load(ptx("shared")), *second = load(ptx("shared"));
  EXPECT_NE(first, second);
  mgpuModuleUnload(first);
  EXPECT_TRUE(mgpuModuleGetFunction(second, "work"));
  mgpuModuleUnload(second);
  mgpuModuleUnload(load(ptx("shared")));
  EXPECT_EQ(counts().assembled, before + 1);
  // Kernels may have written its variables.
  std::string text = ptx("variables") + ".visible .global .align 4 .u32 v;\n";
  mgpuModuleUnload(load(text));
  mgpuModuleUnload(load(text));
  EXPECT_EQ(counts().assembled, before + 3);
  char cubin[] = "\x7f"
                 "ELF\x02";
  mgpuModuleUnload(mgpuModuleLoad(cubin, sizeof(cubin)));
  EXPECT_EQ(counts().assembled, before + 4);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST(CudaPool, RepeatedCallsCostNoCallOfTheDriver) {
  void *module = load();
  void *function = mgpuModuleGetFunction(module, "work");
  auto call = [&](uint64_t bytes) {
    void *arena = mgpuMemAlloc(bytes, nullptr, true);
    void *stream = mgpuStreamCreate();
    void *workspace = mgpuMemAlloc(bytes, stream, false);
    launchWork(function, workspace, stream);
    mgpuMemFree(workspace, stream);
    mgpuStreamSynchronize(stream);
    mgpuStreamDestroy(stream);
    mgpuMemFree(arena, nullptr);
  };
  call(kMega);
  int64_t before = counts().calls;
  for (uint64_t i = 0; i < 10; ++i)
    call(kMega - i); // Of one size class.
  // Launching and waiting.
  EXPECT_EQ(counts().calls - before, 20);
  mgpuModuleUnload(module);
}

TEST(CudaPool, WaitsForWhatUsesMemory) {
  void *module = load();
  void *function = mgpuModuleGetFunction(module, "work");
  void *stream = mgpuStreamCreate(), *other = mgpuStreamCreate();
  setLaunchMicroseconds(200000);
  void *plain = mgpuMemAlloc(kMega, stream, false);
  void *shared = mgpuMemAlloc(kMega, stream, true);
  launchWork(function, plain, stream);
  launchWork(function, shared, stream);
  setLaunchMicroseconds(0);
  mgpuMemFree(plain, stream);
  mgpuMemFree(shared, stream);
  // Behind the launch, or on another stream, or for the host.
  void *ordered = mgpuMemAlloc(kMega, stream, false);
  EXPECT_EQ(ordered, plain);
  mgpuMemFree(ordered, stream);
  void *unordered = mgpuMemAlloc(kMega, other, false);
  void *unknown = mgpuMemAlloc(kMega, nullptr, false);
  void *early = mgpuMemAlloc(kMega, stream, true);
  EXPECT_NE(unordered, plain);
  EXPECT_NE(unknown, plain);
  EXPECT_NE(early, shared);
  mgpuStreamSynchronize(stream);
  void *late = mgpuMemAlloc(kMega, other, false);
  EXPECT_EQ(late, plain);
  for (void *pointer : {unordered, unknown, early, late})
    mgpuMemFree(pointer, nullptr);
  mgpuStreamDestroy(stream);
  mgpuStreamDestroy(other);
  mgpuModuleUnload(module);
}

TEST(CudaPool, GivesBackWhenThereIsNoMore) {
  setMemory(counts().allocatedBytes + int64_t(3 * kMega));
  mgpuMemFree(mgpuMemAlloc(2 * kMega, nullptr, false), nullptr);
  void *large = mgpuMemAlloc(3 * kMega, nullptr, true);
  RuntimeFailure failure =
      failureOf([] { mgpuMemAlloc(64 * kMega, nullptr, false); });
  EXPECT_PART(
      failure.message,
      "cuda:0: cannot allocate 67108864 bytes of device memory, beside ");
  EXPECT_PART(failure.message, "bytes in use: CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(failure.kind, FailureKind::Error);
  failure = failureOf([] { mgpuMemAlloc(UINT64_MAX, nullptr, true); });
  EXPECT_PART(failure.message, "cannot allocate 18446744073709551615 bytes of "
                               "memory that the host shares");
  mgpuMemFree(large, nullptr);
  failure = failureOf([&] { mgpuMemFree(large, nullptr); });
  EXPECT_PART(failure.message, "cannot free what is no allocation, or was "
                               "freed before");
  setMemory(1 << 30);
}

TEST(CudaHostRanges, ShareAndNest) {
  std::vector<char> host(20000);
  int64_t before = counts().registrations;
  registerHostMemory(host.data(), 5000, "a");
  registerHostMemory(host.data() + 5000, 5000, "b");
  registerHostMemory(host.data(), 20000, "c");
  EXPECT_EQ(counts().registrations, before + 3);
  unregisterHostMemory(host.data());
  EXPECT_EQ(counts().registrations, before + 2);
  unregisterHostMemory(host.data());
  unregisterHostMemory(host.data() + 5000);
  EXPECT_EQ(counts().registrations, before);
  mgpuMemHostRegister(host.data(), 0);
  mgpuMemHostUnregister(host.data());
  RuntimeFailure failure = failureOf([&] { mgpuMemHostUnregister(&host[1]); });
  EXPECT_PART(failure.message, "that is not registered");
  failAt("cuMemHostRegister_v2", 1, 2);
  failure = failureOf([&] { registerHostMemory(host.data(), 100, "d"); });
  EXPECT_PART(failure.message,
              "cuda:0: cannot register 100 bytes of host memory 'd': "
              "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(counts().registrations, before);
}

//===----------------------------------------------------------------------===//
// The caller's stream
//===----------------------------------------------------------------------===//

struct CallersStream {
  CallersStream() {
    ofFake<int(void **, unsigned)>("cuStreamCreate")(&native, 0);
  }
  void destroy() { ofFake<int(void *)>("cuStreamDestroy_v2")(native); }
  void *native = nullptr;
};

double secondsOf(const std::function<void()> &call) {
  auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

TEST(CudaStream, OfTheCaller) {
  withContext();
  CallersStream callers;
  void *module = load();
  void *function = mgpuModuleGetFunction(module, "work");
  setLaunchMicroseconds(100000);
  dietcodeSetStream(callers.native, dietcodeStreamWaits);
  void *stream = mgpuStreamCreate();
  launchWork(function, nullptr, stream);
  EXPECT_GE(secondsOf([&] { mgpuStreamSynchronize(stream); }), 0.05);
  mgpuStreamDestroy(stream);
  // Of a deferred one, memory goes round before anything has ended.
  dietcodeSetStream(callers.native, dietcodeStreamDeferred);
  void *first = nullptr, *last = nullptr;
  EXPECT_LT(secondsOf([&] {
              for (int i = 0; i < 20; ++i) {
                stream = mgpuStreamCreate();
                last = mgpuMemAlloc(kMega, nullptr, true);
                first = i ? first : last;
                EXPECT_EQ(last, first);
                launchWork(function, last, stream);
                mgpuStreamSynchronize(stream);
                mgpuMemFree(last, nullptr);
                mgpuStreamDestroy(stream);
              }
            }),
            1.0);
  dietcodeResetStream();
  setLaunchMicroseconds(0);
  // It may be gone from now on, and the work on it not.
  int64_t allocations = counts().allocations;
  void *other = mgpuMemAlloc(kMega, nullptr, true);
  EXPECT_NE(other, last);
  EXPECT_EQ(counts().allocations, allocations + 1);
  ofFake<int(void *)>("cuStreamSynchronize")(callers.native);
  callers.destroy();
  void *again = mgpuMemAlloc(kMega, nullptr, true);
  EXPECT_EQ(again, last);
  mgpuMemFree(again, nullptr);
  mgpuMemFree(other, nullptr);
  mgpuModuleUnload(module);
}

/// Host code that launches once, with and without a stream of its own.
void launchTwice(void *const *arguments, void *const *) {
  void *function = *static_cast<void **>(arguments[0]);
  void *stream = dietcodeCallStreamCreate();
  void *workspace = dietcodeCallAlloc(kMega, stream, false);
  launchWork(function, workspace, stream);
  launchWork(function, workspace);
  mgpuStreamSynchronize(stream);
  dietcodeCallFree(workspace, stream);
  dietcodeCallStreamDestroy(stream);
}

constexpr ValueType handleType = {DIETCODE_I64, -1, nullptr, nullptr, 0};
Artefact artefact = {artefactAbiVersion, 0, 0, nullptr, nullptr};
constexpr Entry launchTwiceEntry = {
    &artefact,         "launch_twice", 1, 0, &handleType, nullptr, launchTwice,
    /*isDeviceOnly=*/1};

/// What the option of a call does: all that the call does is on that stream,
/// and done when it returns. The stream stays the caller's.
TEST(CudaStream, OfACall) {
  withContext();
  CallersStream callers;
  auto launchesOn = ofFake<decltype(fakeCudaLaunchesOn)>("fakeCudaLaunchesOn");
  void *module = load();
  void *function = mgpuModuleGetFunction(module, "work");
  const void *arguments[] = {&function};
  dietcode_call_options options = {};
  options.struct_size = sizeof(options);
  auto call = [&] {
    EXPECT_EQ(dietcodeInvoke(&launchTwiceEntry, arguments, nullptr, &options),
              DIETCODE_OK)
        << dietcode_last_error();
  };
  call();
  EXPECT_EQ(launchesOn(callers.native), 0);
  int64_t onDefault = launchesOn(nullptr);
  options.stream = callers.native;
  setLaunchMicroseconds(50000);
  EXPECT_GE(secondsOf(call), 0.1);
  setLaunchMicroseconds(0);
  EXPECT_EQ(launchesOn(callers.native), 2);
  EXPECT_EQ(launchesOn(nullptr), onDefault);
  EXPECT_EQ(ofFake<int(void *)>("cuStreamQuery")(callers.native), 0);
  // The next call has one of its own again.
  options.stream = nullptr;
  call();
  EXPECT_EQ(launchesOn(callers.native), 2);
  callers.destroy();
  mgpuModuleUnload(module);
}

/// A call may return before its work is done, unless its host code looks at it.
TEST(CudaStream, OfAnAsynchronousCall) {
  withContext();
  CallersStream callers;
  void *module = load();
  void *function = mgpuModuleGetFunction(module, "work");
  const void *arguments[] = {&function};
  dietcode_call_options options = {};
  options.struct_size = sizeof(options);
  options.stream = callers.native;
  options.asynchronous = 1;
  auto secondsOfCall = [&](const Entry &entry) {
    return secondsOf([&] {
      EXPECT_EQ(dietcodeInvoke(&entry, arguments, nullptr, &options),
                DIETCODE_OK)
          << dietcode_last_error();
    });
  };
  // Once more, so that nothing has to be allocated.
  secondsOfCall(launchTwiceEntry);
  EXPECT_EQ(dietcode_synchronize(callers.native), DIETCODE_OK);
  setLaunchMicroseconds(200000);
  EXPECT_LT(secondsOfCall(launchTwiceEntry), 0.1);
  EXPECT_GE(secondsOf([&] {
              EXPECT_EQ(dietcode_synchronize(callers.native), DIETCODE_OK);
            }),
            0.2);
  Entry looks = launchTwiceEntry;
  looks.isDeviceOnly = 0;
  EXPECT_GE(secondsOfCall(looks), 0.4);
  // Memory of the host is lent until the work is done.
  int64_t size = 4;
  float data[4] = {};
  ValueType type = {DIETCODE_F32, 1, &size, nullptr, 0};
  dietcode_tensor tensor = {data,    DIETCODE_F32,  1,       &size,
                            nullptr, DIETCODE_HOST, nullptr, nullptr};
  const ValueType types[] = {handleType, type};
  const void *both[] = {&function, &tensor};
  Entry takesTensor = launchTwiceEntry;
  takesTensor.argumentCount = 2;
  takesTensor.arguments = types;
  auto call = [&] {
    EXPECT_EQ(dietcodeInvoke(&takesTensor, both, nullptr, &options),
              DIETCODE_OK)
        << dietcode_last_error();
  };
  EXPECT_GE(secondsOf(call), 0.4);
  setLaunchMicroseconds(0);
  callers.destroy();
  mgpuModuleUnload(module);
}

TEST(CudaStream, ManyOfCallersAreForgotten) {
  withContext();
  void *module = load();
  void *function = mgpuModuleGetFunction(module, "work");
  int64_t events = counts().events;
  for (int i = 0; i < 200; ++i) {
    CallersStream callers;
    dietcodeSetStream(callers.native, dietcodeStreamDeferred);
    launchWork(function, nullptr);
    dietcodeResetStream();
    callers.destroy();
  }
  EXPECT_LE(counts().events - events, 40);
  mgpuModuleUnload(module);
}

} // namespace
