//===- CudaOutOfMemoryTest.cpp - The runtime without host memory ----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each allocation of the runtime fails in turn, alone, or with all that come
// after it; the fake driver has memory of its own, and counts what it gives.
//
//===----------------------------------------------------------------------===//

#include "../OutOfMemory/FailingNew.h"
#include "CudaProgram.h"

using namespace dietcode::runtime;
using namespace outofmemory;

namespace {

/// Exempts the driver. Death tests come first: others leave memory that the
/// driver could not free.
class CudaOutOfMemoryDeathTest : public testing::Test {
protected:
  void SetUp() override {
    exempt(ofFake<decltype(fakeCudaIsInside)>("fakeCudaIsInside"));
  }
};

/// Runs the program without an allocation; returns whether one has failed.
bool runWithout(CudaProgram &program, uint64_t nth, Afterwards afterwards) {
  FakeCounts before = counts();
  RuntimeFailure failure;
  program.change();
  FailingNew failing(nth, afterwards);
  bool ok = guardedCall([&] { program.run(); }, &failure);
  bool hasFailed = failing.stop();
  std::string which = std::to_string(nth);
  if (!ok) {
    EXPECT_TRUE(hasFailed);
    EXPECT_EQ(failure.kind, FailureKind::OutOfMemory) << failure.message;
    EXPECT_EQ(failure.message, "out of memory") << which;
  }
  expectNothingHeld(before, which);
  EXPECT_TRUE(guardedCall([&] { program.change().run(); }, &failure))
      << failure.message;
  return hasFailed;
}

TEST_F(CudaOutOfMemoryDeathTest, EachAllocation) {
  CudaProgram program;
  for (int i = 0; i < 40; ++i)
    program.change().run();
  int64_t live = liveObjects();
  forEachAllocation([&](uint64_t nth, Afterwards afterwards) {
    bool hasFailed = runWithout(program, nth, afterwards);
    expectMemoryFree(std::to_string(nth));
    return hasFailed;
  });
  // Some vectors and tables have grown.
  EXPECT_LE(liveObjects(), live + 64);
}

/// The device is made by the first call that can; what did not get so far has
/// left nothing.
TEST_F(CudaOutOfMemoryDeathTest, TheFirstCall) {
  auto call = [](uint64_t nth) {
    RuntimeFailure failure;
    FailingNew failing(nth, Afterwards::Nothing);
    bool ok = guardedCall(
        [] { mgpuMemFree(mgpuMemAlloc(4, nullptr, false), nullptr); },
        &failure);
    bool hasFailed = failing.stop();
    if (!ok) {
      EXPECT_EQ(failure.message, "out of memory");
    }
    return hasFailed;
  };
  auto run = [&] {
    uint64_t nth = 1;
    while (call(nth))
      ++nth;
    bool isRight = counts().contexts == 1 && nth > 10 && !HasFailure();
    std::_Exit(isRight ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

} // namespace
