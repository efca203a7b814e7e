//===- CudaDeviceTest.cpp - Tests of CUDA devices on a fake driver --------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process loads the driver once, and what a kernel breaks stays broken, so
// each test that needs another driver or breaks it runs in a child.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"
#include "dietcode/Device/Device.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace dietcode;

static constexpr const char *kPtx =
    ".version 6.3\n.visible .entry add(\n.visible .entry fault(\n";

namespace {

class CudaDevice : public testing::Test {
protected:
  void SetUp() override { setenv("DIETCODE_LIBCUDA", FAKE_CUDA, 1); }

  static DeviceLaunch makeLaunch(const std::string &kernel,
                                 DevicePointer pointer, uint32_t value) {
    DeviceLaunch launch;
    launch.kernel = kernel;
    launch.block = {256, 1, 1};
    launch.params.resize(2);
    launch.params[0].resize(8);
    launch.params[1].resize(4);
    std::memcpy(launch.params[0].data(), &pointer, 8);
    std::memcpy(launch.params[1].data(), &value, 4);
    return launch;
  }
};

} // namespace

template <typename T>
static std::string messageOf(const Expected<T> &result) {
  return result ? "no error" : result.error().message;
}

/// Ends the child of a death test, whose output is then compared.
#define EXPECT_SAYS(statement, what)                                           \
  EXPECT_EXIT(                                                                 \
      {                                                                        \
        std::fprintf(stderr, "%s\n", std::string(statement).c_str());          \
        std::exit(0);                                                          \
      },                                                                       \
      testing::ExitedWithCode(0), what)

TEST_F(CudaDevice, RunsAndTimesKernels) {
  auto device = openDevice("cuda:0");
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->name(), "cuda:0");
  EXPECT_EQ((*device)->recordName(), "cuda:Tesla T4");
  EXPECT_EQ(recordNameOf("cuda").value_or(""), "cuda:Tesla T4");
  EXPECT_FALSE((*device)->isModel());
  EXPECT_EQ((*device)->spec().name, "t4");
  EXPECT_EQ((*device)->spec().smCount, 40); // The table's, not the driver's.
  auto module = (*device)->loadModule(kPtx, "k.ptx");
  ASSERT_TRUE(module) << module.error().message;
  Expected<KernelFacts> facts = (*module)->kernel("add");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->registers, 77);
  EXPECT_EQ(facts->paramBytes, (std::vector<uint32_t>{8, 4}));

  Expected<DevicePointer> pointer =
      (*device)->allocate(4, BufferUse::Checked, "word");
  ASSERT_TRUE(pointer);
  uint32_t word = 0;
  ASSERT_TRUE((*device)->copyToHost(&word, *pointer, 4));
  EXPECT_EQ(word, 0xffffffffu);
  word = 5;
  ASSERT_TRUE((*device)->copyToDevice(*pointer, &word, 4));
  Expected<LaunchResult> run =
      (*device)->launch(**module, makeLaunch("add", *pointer, 3));
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_TRUE((*device)->copyToHost(&word, *pointer, 4));
  EXPECT_EQ(word, 8u);
  EXPECT_EQ(run->blocksPerSM, 4);
  EXPECT_EQ(run->sharedBytes, 1024);
  EXPECT_TRUE((*device)->free(*pointer));
  EXPECT_FALSE((*device)->free(*pointer));
}

/// The state of the fake driver.
static FakeCounts counts() {
  void *library = ::dlopen(FAKE_CUDA, RTLD_NOW);
  return reinterpret_cast<decltype(&fakeCudaCounts)>(
      ::dlsym(library, "fakeCudaCounts"))();
}

TEST_F(CudaDevice, TimesRunsOfLaunches) {
  // Of 21 repetitions.
  setenv("FAKE_CUDA_TIMES", "9,1,2", 1);
  auto device = openDevice("cuda:0");
  ASSERT_TRUE(device) << device.error().message;
  auto module = (*device)->loadModule(kPtx, "k.ptx");
  Expected<DevicePointer> word = (*device)->allocate(4, BufferUse::Timed, "w");
  ASSERT_TRUE(module && word);
  FakeCounts before = counts();
  DeviceLaunch launch = makeLaunch("add", *word, 1);
  Expected<TimedRun> timed = (*device)->time(**module, {launch, launch});
  unsetenv("FAKE_CUDA_TIMES");
  ASSERT_TRUE(timed) << timed.error().message;
  EXPECT_FLOAT_EQ(timed->seconds, 2e-3);
  EXPECT_EQ(timed->first.registers, 77);
  EXPECT_EQ(timed->first.blocksPerSM, 4);
  ASSERT_TRUE(timed->measured);
  EXPECT_EQ(timed->measured->repetitions, 21);
  EXPECT_FLOAT_EQ(timed->measured->leastSeconds, 1e-3);
  EXPECT_FLOAT_EQ(timed->measured->mostSeconds, 9e-3);
  EXPECT_EQ(timed->measured->l2, L2State::Flushed);
  // Once alone, three times to warm up, and then the repetitions.
  FakeCounts after = counts();
  EXPECT_EQ(after.launches - before.launches, 2 * (1 + 3 + 21));
  EXPECT_EQ(after.fills - before.fills, 21);
  EXPECT_EQ(after.allocations, before.allocations);
  EXPECT_EQ(after.events, before.events);
  uint32_t value = 0;
  ASSERT_TRUE((*device)->copyToHost(&value, *word, 4));
  EXPECT_TRUE((*device)->free(*word));
}

/// What takes long is repeated less often.
TEST_F(CudaDevice, StopsRepeatingAfterAWhile) {
  setenv("FAKE_CUDA_TIMES", "90", 1);
  auto device = openDevice("cuda:0");
  auto module = (*device)->loadModule(kPtx, "k.ptx");
  Expected<DevicePointer> word = (*device)->allocate(4, BufferUse::Timed, "w");
  Expected<TimedRun> timed =
      (*device)->time(**module, {makeLaunch("add", *word, 1)});
  unsetenv("FAKE_CUDA_TIMES");
  ASSERT_TRUE(timed) << timed.error().message;
  EXPECT_EQ(timed->measured->repetitions, 3);
  EXPECT_TRUE((*device)->free(*word));
}

/// Without memory to flush it with, L2 is warm.
TEST_F(CudaDevice, SaysInWhichStateL2Is) {
  auto device = openDevice("cuda:0");
  auto module = (*device)->loadModule(kPtx, "k.ptx");
  Expected<DevicePointer> word = (*device)->allocate(4, BufferUse::Timed, "w");
  void *library = ::dlopen(FAKE_CUDA, RTLD_NOW);
  auto setMemory = reinterpret_cast<decltype(&fakeCudaSetMemory)>(
      ::dlsym(library, "fakeCudaSetMemory"));
  setMemory(0);
  Expected<TimedRun> timed =
      (*device)->time(**module, {makeLaunch("add", *word, 1)});
  setMemory(1 << 30);
  ASSERT_TRUE(timed) << timed.error().message;
  EXPECT_EQ(timed->measured->l2, L2State::Warm);
  EXPECT_TRUE((*device)->free(*word));
}

/// What `time` reports of the GPU's state with this library of NVML.
static std::string conditionsWith(const char *nvml,
                                  const DeviceLaunch &launch) {
  setenv("DIETCODE_LIBNVML", nvml, 1);
  auto device = openDevice("cuda:0");
  auto module = (*device)->loadModule(kPtx, "k.ptx");
  DeviceLaunch withWord = launch;
  Expected<DevicePointer> word = (*device)->allocate(4, BufferUse::Timed, "w");
  std::memcpy(withWord.params[0].data(), &*word, 8);
  Expected<TimedRun> timed = (*device)->time(**module, {withWord});
  if (!timed)
    return timed.error().message;
  const DeviceConditions &now = timed->measured->conditions;
  return std::to_string(now.smMegahertz) + " " +
         std::to_string(now.memoryMegahertz) + " " + std::to_string(now.watts) +
         " " + std::to_string(now.celsius);
}

TEST_F(CudaDevice, AsksForClocksAndPower) {
  DeviceLaunch launch = makeLaunch("add", 0, 0);
  EXPECT_SAYS(conditionsWith(FAKE_NVML, launch), "1590 5001 68.25.* 61");
  setenv("FAKE_NVML_BUS", "0000:00:00.0", 1);
  EXPECT_SAYS(conditionsWith(FAKE_NVML, launch), "0 0 0.0.* 0");
  EXPECT_SAYS(conditionsWith("/no/such/library", launch), "0 0 0.0.* 0");
  EXPECT_SAYS(conditionsWith(FAKE_CUDA, launch), "0 0 0.0.* 0");
}

TEST_F(CudaDevice, ExplainsWhatTheDriverRefuses) {
  auto device = openDevice("cuda:0");
  ASSERT_TRUE(device);
  EXPECT_EQ(messageOf((*device)->loadModule("nonsense", "k.ptx")),
            "k.ptx: CUDA_ERROR_INVALID_PTX, a fault: line 1; no version");
  EXPECT_EQ(
      messageOf((*device)->allocate(uint64_t(1) << 40, BufferUse::Timed, "a")),
      "cannot allocate 1099511627776 bytes of device memory for a: "
      "CUDA_ERROR_OUT_OF_MEMORY, a fault");
  auto module = (*device)->loadModule(kPtx, "k.ptx");
  ASSERT_TRUE(module);
  EXPECT_EQ(messageOf((*module)->kernel("none")),
            "k.ptx: there is no kernel 'none'");
  DeviceLaunch launch = makeLaunch("add", 0, 0);
  launch.dynamicSharedBytes = 100000;
  LaunchFailure failure = LaunchFailure::Finding;
  EXPECT_EQ(messageOf((*device)->launch(**module, launch, &failure)),
            "kernel 'add' cannot have 100000 bytes of dynamic shared memory: "
            "CUDA error 1");
  EXPECT_EQ(failure, LaunchFailure::Refused);
  launch = makeLaunch("add", 0, 0);
  launch.grid[0] = int64_t(1) << 40;
  EXPECT_EQ(messageOf((*device)->launch(**module, launch)),
            "kernel 'add': grid (1099511627776, 1, 1) is outside of the limits "
            "of cuda:0: 1 to 2147483647 in x");
  launch = makeLaunch("add", 0, 0);
  launch.params[1].resize(8);
  EXPECT_EQ(messageOf((*device)->launch(**module, launch)),
            "parameter 1 of kernel 'add' has 4 bytes, got 8");
}

/// What a launch of a faulty kernel says.
static std::string runFault(const DeviceLaunch &launch) {
  auto device = openDevice("cuda:0");
  auto module = (*device)->loadModule(kPtx, "k.ptx");
  LaunchFailure failure = LaunchFailure::Refused;
  std::string message =
      messageOf((*device)->launch(**module, launch, &failure));
  return message + (failure == LaunchFailure::Finding ? " (finding)" : "");
}

TEST_F(CudaDevice, TellsAFaultFromARefusal) {
  EXPECT_SAYS(runFault(makeLaunch("fault", 0, 0)),
              "kernel 'fault': CUDA_ERROR_ILLEGAL_ADDRESS, an illegal memory "
              "access \\(finding\\)");
}

TEST_F(CudaDevice, DescribesProductsThatTheTableLacks) {
  auto describe = [](const char *product, const char *capability) {
    setenv("FAKE_CUDA_PRODUCT", product, 1);
    setenv("FAKE_CUDA_CAPABILITY", capability, 1);
    Expected<const DeviceSpec *> spec = lookupDeviceByName("cuda:0");
    return spec ? std::string((*spec)->name) + " " +
                      std::to_string((*spec)->smCount)
                : spec.error().message;
  };
  EXPECT_SAYS(describe("NVIDIA GeForce RTX 2080 Ti", "75"), "rtx2080ti 68");
  EXPECT_SAYS(describe("NVIDIA L40S", "89"), "l4 10");
  EXPECT_SAYS(describe("NVIDIA H200", "90"), "h100 10");
  EXPECT_SAYS(describe("GeForce GTX 1080", "61"),
              "cuda:0 is 'GeForce GTX 1080' of compute capability 6.1, which "
              "is older than all that the device table knows");
}

TEST_F(CudaDevice, SaysWhyThereIsNone) {
  EXPECT_EQ(messageOf(lookupDeviceByName("cuda:3")),
            "cuda:3: there is 1 CUDA device, numbered from 0");
  for (const char *name : {"cuda:", "cuda:-1", "cuda:x", "cudaX"})
    EXPECT_NE(messageOf(openDevice(name)).find("there is no such device"),
              std::string::npos)
        << name;
}

TEST_F(CudaDevice, SaysWhatIsWrongWithTheDriver) {
  auto without = [](const char *variable, const char *value) {
    setenv(variable, value, 1);
    return messageOf(openDevice("cuda:0"));
  };
  EXPECT_SAYS(without("DIETCODE_LIBCUDA", "/no/such/libcuda.so"),
              "cuda:0: there is no CUDA driver: /no/such/libcuda.so");
  EXPECT_SAYS(without("FAKE_CUDA_INIT", "100"),
              "cuda:0: the CUDA driver cannot be used: CUDA_ERROR_NO_DEVICE");
}

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  return RUN_ALL_TESTS();
}
