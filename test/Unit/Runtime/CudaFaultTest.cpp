//===- CudaFaultTest.cpp - What goes wrong on CUDA ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ResidentMemory.h"
#include "CudaProgram.h"
#include "dietcode/Device/Device.h"

#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace dietcode::runtime;

namespace {

//===----------------------------------------------------------------------===//
// What the driver refuses
//===----------------------------------------------------------------------===//

TEST(CudaFault, Mistakes) {
  auto expectFailure = [](const std::function<void()> &call,
                          const std::string &part) {
    RuntimeFailure failure = failureOf(call);
    EXPECT_PART(failure.message, part);
    EXPECT_EQ(failure.kind, FailureKind::Error);
  };
  expectFailure([] { load("nonsense"); },
                ".ptx: CUDA_ERROR_INVALID_PTX, a fault: line 1; no version");
  expectFailure([] { load(""); }, "CUDA_ERROR_INVALID_PTX");
  failAt("cuModuleLoadDataEx", 1, 222);
  // Failures leave what they jump over as it is: nothing must own the text.
  std::string text = ptx("new");
  expectFailure([&] { mgpuModuleLoad(text.data(), text.size()); },
                "CUDA_ERROR_UNSUPPORTED_PTX_VERSION, a fault; this driver is "
                "CUDA 12.2's: compile for an older PTX (ptx-version)");
  char bitcode[] = "BC\xc0\xde";
  expectFailure([&] { mgpuModuleLoad(bitcode, 4); },
                "cannot load LLVM bitcode: the CUDA driver takes PTX, cubins "
                "and fatbins");
  void *module = load();
  expectFailure([&] { mgpuModuleGetFunction(module, "nope"); },
                ".ptx: there is no kernel 'nope'");
  void *function = mgpuModuleGetFunction(module, "work");
  auto launch = [&](intptr_t grid, intptr_t block, int32_t shared,
                    size_t count) {
    void *data = nullptr;
    void *params[] = {&data};
    mgpuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, nullptr, params,
                     nullptr, count);
  };
  expectFailure(
      [&] { launch(0, 1, 0, 1); },
      "kernel 'work', grid (0, 1, 1), block (1, 1, 1), 0 bytes of "
      "dynamic shared memory: grid (0, 1, 1) is outside of the limits "
      "of cuda:0: 1 to 2147483647 in x");
  expectFailure([&] { launch(1, 2048, 0, 1); }, "1 to 1024 in x");
  expectFailure(
      [&] { launch(1, 1, 65000, 1); },
      "65000 bytes of dynamic shared memory: it has 1024 static ones; "
      "cuda:0 allows 65536 together");
  launch(1, 1, 64000, 1);
  expectFailure([&] { launch(1, 1, 0, 2); },
                "2 parameters were given; the kernel has 1");
  failAt("cuLaunchKernel", 1, 701);
  expectFailure([&] { launch(5, 7, 9, 1); },
                "kernel 'work', grid (5, 1, 1), block (7, 1, 1), 9 bytes of "
                "dynamic shared memory: CUDA error 701");
  launch(5, 7, 9, 1);
  mgpuModuleUnload(module);
  expectFailure([&] { launch(1, 1, 0, 1); }, "not loaded");
}

//===----------------------------------------------------------------------===//
// Every call fails in turn
//===----------------------------------------------------------------------===//

TEST(CudaFault, EveryCallFails) {
  CudaProgram program;
  auto run = [&] { program.change().run(); };
  const char *functions[] = {
      "cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncGetAttribute",
      "cuFuncSetAttribute", "cuStreamCreate",      "cuMemAlloc_v2",
      "cuMemAllocManaged",  "cuMemsetD32Async",    "cuMemsetD16Async",
      "cuMemcpyAsync",      "cuLaunchKernel",      "cuStreamSynchronize",
      "cuStreamWaitEvent",  "cuEventCreate",       "cuEventRecord",
      "cuEventSynchronize", "cuMemHostRegister_v2"};
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(guardedCall(run, nullptr));
  FakeCounts before = counts();
  for (const char *function : functions) {
    int failures = 0;
    for (int nth = 1;; ++nth) {
      expectMemoryFree(function);
      failAt(function, nth, kOutOfMemory);
      RuntimeFailure failure;
      bool ok = guardedCall(run, &failure);
      failAt("", 0, 0);
      expectNothingHeld(before, function);
      if (ok)
        break;
      ++failures;
      EXPECT_PART(failure.message, "CUDA_ERROR_OUT_OF_MEMORY") << function;
      ASSERT_TRUE(guardedCall(run, &failure)) << failure.message;
    }
    EXPECT_GT(failures, 0) << function;
  }
  expectMemoryFree("the end");
}

/// Also what gives back, which then cannot.
TEST(CudaFault, AnyCallFails) {
  CudaProgram program;
  auto run = [&] { program.change().run(); };
  ASSERT_TRUE(guardedCall(run, nullptr));
  for (int nth = 1;; ++nth) {
    ASSERT_LT(nth, 1000);
    failAt("*", nth, 999);
    RuntimeFailure failure;
    bool ok = guardedCall(run, &failure);
    failAt("", 0, 0);
    if (!ok) {
      EXPECT_PART(failure.message, "CUDA error 999");
    }
    ASSERT_TRUE(guardedCall(run, &failure)) << failure.message;
    if (ok && nth > 200)
      break;
  }
}

//===----------------------------------------------------------------------===//
// Long runs
//===----------------------------------------------------------------------===//

/// Memory is as it was after warm-up.
constexpr int64_t kFlat = 1 << 20;

TEST(CudaLongRun, LoadsAndUnloads) {
  auto cycle = [](int number) {
    void *module = load(ptx(std::to_string(number % 100)));
    launchWork(mgpuModuleGetFunction(module, "work"), nullptr);
    mgpuModuleUnload(module);
  };
  for (int i = 0; i < 200; ++i)
    cycle(i);
  FakeCounts before = counts();
  int64_t resident = residentBytes();
  for (int i = 0; i < 2000; ++i)
    cycle(i);
  EXPECT_EQ(counts().modules, before.modules);
  EXPECT_EQ(counts().assembled, before.assembled + 2000);
  expectFlat(resident, kFlat);
}

void callOften(void *function, int times) {
  for (int i = 0; i < times; ++i) {
    void *arena = mgpuMemAlloc(4096, nullptr, true);
    void *stream = mgpuStreamCreate();
    launchWork(function, arena, stream);
    mgpuStreamSynchronize(stream);
    mgpuStreamDestroy(stream);
    mgpuMemFree(arena, nullptr);
  }
}

TEST(CudaLongRun, Calls) {
  void *module = load();
  void *function = mgpuModuleGetFunction(module, "work");
  callOften(function, 1000);
  FakeCounts before = counts();
  int64_t resident = residentBytes();
  callOften(function, 100000);
  FakeCounts after = counts();
  EXPECT_EQ(after.launches, before.launches + 100000);
  EXPECT_EQ(after.allocations, before.allocations);
  EXPECT_EQ(after.streams, before.streams);
  EXPECT_EQ(after.events, before.events);
  expectFlat(resident, kFlat);
  mgpuModuleUnload(module);
}

TEST(CudaLongRun, TwoThreads) {
  void *module = load();
  void *function = mgpuModuleGetFunction(module, "work");
  FakeCounts before = counts();
  std::thread threads[2];
  for (std::thread &thread : threads)
    thread = std::thread([&] {
      callOften(function, 5000);
      for (int i = 0; i < 50; ++i) {
        void *own = load(ptx(std::to_string(i % 10)));
        launchWork(mgpuModuleGetFunction(own, "work"), nullptr);
        RuntimeFailure failure =
            failureOf([&] { mgpuModuleGetFunction(own, "nope"); });
        EXPECT_PART(failure.message, "no kernel 'nope'");
        mgpuModuleUnload(own);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(counts().launches, before.launches + 2 * (5000 + 50));
  EXPECT_LE(counts().modules, before.modules + 8);
  mgpuModuleUnload(module);
}

//===----------------------------------------------------------------------===//
// What a process does not get over, each in one of its own
//===----------------------------------------------------------------------===//

/// The first failure, and those of what is called then.
void failForGood() {
  void *module = load();
  void *fault = mgpuModuleGetFunction(module, "fault");
  void *stream = mgpuStreamCreate();
  void *data = mgpuMemAlloc(4, stream, false);
  launchFault(fault, stream);
  RuntimeFailure first = failureOf([&] { mgpuStreamSynchronize(stream); });
  std::string cause =
      "kernel 'fault', grid (3, 1, 1), block (32, 1, 1), 0 bytes of dynamic "
      "shared memory: CUDA_ERROR_ILLEGAL_ADDRESS, an illegal memory access";
  bool ok = first.message == cause && first.kind == FailureKind::Finding;
  int64_t calls = counts().calls;
  const std::function<void()> others[] = {
      [&] { mgpuMemAlloc(4, stream, false); },
      [&] { mgpuMemFree(data, stream); },
      [&] { launchFault(fault, stream); },
      [&] { mgpuStreamSynchronize(stream); },
      [&] { load(); },
      [&] { mgpuEventCreate(); },
      [&] { mgpuMemcpy(data, &ok, 1, stream); }};
  for (const std::function<void()> &other : others) {
    RuntimeFailure later = failureOf(other);
    ok = ok && later.kind == FailureKind::Finding &&
         later.message == "cuda:0 is lost to this process since " + cause;
  }
  mgpuStreamDestroy(stream);
  ok = ok && counts().calls == calls; // The driver is not asked again.
  if (ok)
    launchFault(fault);
}

TEST(CudaDeathTest, LostContext) {
  EXPECT_EXIT(failForGood(), testing::ExitedWithCode(4),
              "error: cuda:0 is lost to this process since kernel 'fault', ");
}

/// Where nobody waits for the stream, another call meets the fault.
void failElsewhere() {
  void *module = load();
  launchFault(mgpuModuleGetFunction(module, "fault"));
  mgpuMemAlloc(4, nullptr, false);
}

TEST(CudaDeathTest, FaultThatComesUpLater) {
  EXPECT_EXIT(
      failElsewhere(), testing::ExitedWithCode(4),
      "error: cuda:0: cannot allocate 4 bytes of device memory, beside 0 "
      "bytes in use: CUDA_ERROR_ILLEGAL_ADDRESS, an illegal memory "
      "access; the last launch was of kernel 'fault', grid \\(3, 1, 1");
}

TEST(CudaDeathTest, Fork) {
  auto run = [] {
    void *data = mgpuMemAlloc(4, nullptr, false);
    if (::fork() == 0)
      mgpuMemFree(data, nullptr); // Ends with a message.
    int status = 0;
    ::wait(&status);
    mgpuMemFree(data, nullptr);
    std::_Exit(WEXITSTATUS(status));
  };
  EXPECT_EXIT(
      run(), testing::ExitedWithCode(1),
      "error: cuda:0: this process was forked from one "
      "that uses CUDA, so it cannot; fork before the first use, or exec");
}

/// The parent has done no more than to ask what there is.
TEST(CudaDeathTest, ForkBeforeTheFirstCall) {
  auto run = [] {
    if (!dietcode::lookupDeviceByName("cuda:0"))
      std::_Exit(2);
    if (::fork() == 0)
      load(); // Ends with a message.
    int status = 0;
    ::wait(&status);
    load();
    std::_Exit(WEXITSTATUS(status));
  };
  EXPECT_EXIT(
      run(), testing::ExitedWithCode(1),
      "error: DIETCODE_DEVICE=cuda:0: this process was forked from one "
      "that uses CUDA, so it cannot; fork before the first use, or exec");
}

/// As the driver itself has it.
TEST(CudaDeathTest, ForkedDriver) {
  withContext();
  auto retain = ofFake<int(void **, int)>("cuDevicePrimaryCtxRetain");
  auto run = [&] {
    void *context = nullptr;
    pid_t child = ::fork();
    if (child == 0)
      std::_Exit(retain(&context, 40));
    int status = 0;
    ::wait(&status);
    std::_Exit(retain(&context, 40) == 0 ? WEXITSTATUS(status) : 99);
  };
  constexpr int kNotInitialized = 3;
  EXPECT_EXIT(run(), testing::ExitedWithCode(kNotInitialized), "");
}

void loadWith(const char *variable, const char *value) {
  setenv(variable, value, 1);
  load();
  std::_Exit(0);
}

TEST(CudaDeathTest, NoDevice) {
  EXPECT_EXIT(loadWith("DIETCODE_LIBCUDA", "/no/such/libcuda.so"),
              testing::ExitedWithCode(1),
              "error: DIETCODE_DEVICE=cuda:0: there is no CUDA driver: ");
  EXPECT_EXIT(loadWith("DIETCODE_LIBCUDA", "libm.so.6"),
              testing::ExitedWithCode(1),
              "the CUDA driver 'libm.so.6' is too old: it has no cuInit");
  EXPECT_EXIT(loadWith("FAKE_CUDA_INIT", "100"), testing::ExitedWithCode(1),
              "the CUDA driver cannot be used: CUDA_ERROR_NO_DEVICE");
  EXPECT_EXIT(loadWith("FAKE_CUDA_DEVICES", "0"), testing::ExitedWithCode(1),
              "DIETCODE_DEVICE=cuda:0: there are 0 CUDA devices");
  EXPECT_EXIT(loadWith("DIETCODE_DEVICE", "cuda:x"), testing::ExitedWithCode(1),
              "DIETCODE_DEVICE=cuda:x: there is no such device");
  EXPECT_EXIT(loadWith("FAKE_CUDA_FAIL", "cuDevicePrimaryCtxRetain:1:2"),
              testing::ExitedWithCode(1),
              "cuda:0: cannot make a context: CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EXIT(loadWith("FAKE_CUDA_MANAGED", "0"), testing::ExitedWithCode(1),
              "cuda:0 has no memory that the host shares");
  // The default is the GPU.
  EXPECT_EXIT(loadWith("DIETCODE_DEVICE", ""), testing::ExitedWithCode(0), "");
}

/// Nothing is kept with a bound of 0.
void freeWithout() {
  setenv("DIETCODE_CUDA_POOL_BYTES", "0", 1);
  mgpuMemFree(mgpuMemAlloc(4096, nullptr, false), nullptr);
  std::_Exit(static_cast<int>(counts().allocations));
}

TEST(CudaDeathTest, PoolBytes) {
  EXPECT_EXIT(freeWithout(), testing::ExitedWithCode(0), "");
  for (const char *bad : {"-1", "many", "1x", "99999999999999999999"})
    EXPECT_EXIT(
        loadWith("DIETCODE_CUDA_POOL_BYTES", bad), testing::ExitedWithCode(1),
        "error: DIETCODE_DEVICE=cuda:0: DIETCODE_CUDA_POOL_BYTES: '.*' is no "
        "number of bytes; 0 keeps none");
}

} // namespace
