//===- OutOfMemoryTest.cpp - The C interface without memory --------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each allocation of what calls no LLVM fails in turn, alone, or with all that
// come after it. What does call LLVM ends the process then.
//
//===----------------------------------------------------------------------===//

#include "../OutOfMemory/FailingNew.h"
#include "CompilerTesting.h"
#include "ProgramTesting.h"

using namespace outofmemory;

namespace {

class OutOfMemory : public Program {
protected:
  /// A call with so many rows, of which an allocation fails. Returns whether
  /// one has.
  bool callWithout(int64_t rows, uint64_t nth, Afterwards afterwards) {
    Matrix x(rows, kInner), w(kInner, kColumns);
    dietcode_tensor y = {};
    FailingNew failing(nth, afterwards);
    dietcode_status status = call(x.tensor, w.tensor, y);
    bool hasFailed = failing.stop();
    if (status == DIETCODE_OK) { // It can do without some.
      compare(x, w, y);
      dietcode_tensor_release(&y);
      return hasFailed;
    }
    EXPECT_TRUE(hasFailed);
    EXPECT_EQ(status, DIETCODE_OUT_OF_MEMORY) << dietcode_last_error();
    EXPECT_TRUE(contains(dietcode_last_error(), "out of memory"))
        << dietcode_last_error();
    EXPECT_EQ(y.data, nullptr);
    EXPECT_EQ(y.release, nullptr);
    return hasFailed;
  }
};

/// As much as is ever kept of what was freed.
constexpr int kManyCalls = 600;
/// Objects that it may be more, as tables grow in steps.
constexpr int64_t kSlack = 64;

TEST_F(OutOfMemory, CallsThatLaunchNothing) {
  for (int i = 0; i < kManyCalls; ++i)
    check(0);
  int64_t before = liveObjects();
  forEachAllocation([&](uint64_t nth, Afterwards afterwards) {
    bool hasFailed = callWithout(0, nth, afterwards);
    check(0);
    return hasFailed;
  });
  EXPECT_LE(liveObjects(), before + kSlack);
}

TEST_F(OutOfMemory, CallsThatLaunch) {
  for (int i = 0; i < kManyCalls; ++i)
    check(1);
  int64_t before = 0;
  // What the first round has more is what comes with a failure, once.
  for (int round = 0; round < 2; ++round) {
    before = liveObjects();
    forEachAllocation([&](uint64_t nth, Afterwards afterwards) {
      return callWithout(1, nth, afterwards);
    });
    check(1);
  }
  EXPECT_LE(liveObjects(), before + kSlack);
}

/// The first call loads them, or else the next.
TEST_F(OutOfMemory, LoadsOfKernels) {
  forEachAllocation([&](uint64_t nth, Afterwards afterwards) {
    return callWithout(1, nth, afterwards);
  });
  check(1);
}

/// Calls a function of the interface without an allocation, which then ends
/// with this status, or has no memory.
template <typename Function>
void expectStatus(dietcode_status expected, Function call) {
  for (Afterwards afterwards : {Afterwards::Memory, Afterwards::Nothing}) {
    bool hasFailed = true;
    for (uint64_t nth = 1; hasFailed; ++nth) {
      FailingNew failing(nth, afterwards);
      dietcode_status status = call();
      hasFailed = failing.stop();
      if (status != expected) {
        EXPECT_TRUE(hasFailed);
        EXPECT_EQ(status, DIETCODE_OUT_OF_MEMORY) << dietcode_last_error();
        EXPECT_TRUE(contains(dietcode_last_error(), "out of memory"));
      }
    }
  }
}

TEST_F(OutOfMemory, Texts) {
  auto expectText = [&](auto get, const char *part) {
    dietcode_text text = {};
    expectStatus(DIETCODE_OK, [&] {
      dietcode_text_release(&text);
      return get(program, &text);
    });
    EXPECT_TRUE(contains(take(text), part));
  };
  expectText(dietcode_program_ptx, ".target sm_75");
  expectText(dietcode_program_object, "ELF");
  FailingNew failing(1, Afterwards::Nothing);
  EXPECT_STREQ(dietcode_device_name(), "");
  failing.stop();
  EXPECT_TRUE(contains(dietcode_device_name(), "virtual:t4"));
}

TEST_F(OutOfMemory, Mistakes) {
  dietcode_text text = {};
  dietcode_module *module = nullptr;
  dietcode_program *none = nullptr;
  auto expectRefused = [](auto call) {
    expectStatus(DIETCODE_INVALID_ARGUMENT, call);
  };
  expectRefused([] { return dietcode_context_create(nullptr); });
  expectRefused([] { return dietcode_context_destroy(nullptr); });
  expectRefused([] {
    return dietcode_context_set_diagnostics(nullptr, nullptr, nullptr);
  });
  expectRefused(
      [&] { return dietcode_module_parse(nullptr, "", 0, "x", &module); });
  expectRefused([&] { return dietcode_module_print(nullptr, &text); });
  expectRefused([] { return dietcode_module_tune(nullptr, nullptr, nullptr); });
  expectRefused(
      [&] { return dietcode_module_explain(nullptr, "T=1", nullptr, &text); });
  expectRefused([] { return dietcode_module_destroy(nullptr); });
  expectRefused(
      [&] { return dietcode_module_compile(nullptr, nullptr, &none); });
  expectRefused([] { return dietcode_program_destroy(nullptr); });
  expectRefused([&] {
    return dietcode_program_call(program, "a_function_that_it_has_not", nullptr,
                                 0, nullptr, 0, nullptr);
  });
  expectRefused([&] {
    return dietcode_program_call(program, "f", nullptr, 0, nullptr, 0, nullptr);
  });
  check(1);
}

} // namespace
