//===- ProgramTest.cpp - Tests of compiled programs ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ResidentMemory.h"
#include "ProgramTesting.h"

#include <thread>
#include <vector>

TEST_F(Program, ServesAnyShape) {
  for (int64_t rows : {1, 5, 37, 64, 100})
    check(rows);
  check(0);
}

TEST_F(Program, SaysWhatItIs) {
  dietcode_text text = {};
  ASSERT_EQ(dietcode_program_describe(program, &text), DIETCODE_OK);
  std::string json = take(text);
  EXPECT_TRUE(contains(json, "\"name\": \"f\"")) << json;
  EXPECT_TRUE(contains(json, "\"dtype\": \"f32\""));
  EXPECT_TRUE(contains(json, "null"));
  ASSERT_EQ(dietcode_program_ptx(program, &text), DIETCODE_OK);
  EXPECT_TRUE(contains(take(text), ".target sm_75"));
  ASSERT_EQ(dietcode_program_header(program, &text), DIETCODE_OK);
  EXPECT_TRUE(contains(take(text), "dietcode_status f("));
  ASSERT_EQ(dietcode_program_object(program, &text), DIETCODE_OK);
  EXPECT_TRUE(contains(take(text), "ELF"));
}

TEST_F(Program, IsSavedAndLoaded) {
  dietcode_text saved = {}, before = {}, after = {};
  ASSERT_EQ(dietcode_program_save(program, &saved), DIETCODE_OK);
  ASSERT_EQ(dietcode_program_describe(program, &before), DIETCODE_OK);
  ASSERT_EQ(dietcode_program_destroy(program), DIETCODE_OK);
  ASSERT_EQ(dietcode_program_load(saved.data, saved.length, &program),
            DIETCODE_OK)
      << dietcode_last_error();
  check(37);
  ASSERT_EQ(dietcode_program_describe(program, &after), DIETCODE_OK);
  EXPECT_EQ(take(before), take(after));
  ASSERT_EQ(dietcode_program_ptx(program, &after), DIETCODE_OK);
  EXPECT_TRUE(contains(take(after), ".target sm_75"));
  // It is saved as it was.
  ASSERT_EQ(dietcode_program_save(program, &after), DIETCODE_OK);
  EXPECT_EQ(take(saved), take(after));
}

TEST_F(Program, BrokenFilesAreRefused) {
  dietcode_text text = {};
  ASSERT_EQ(dietcode_program_save(program, &text), DIETCODE_OK);
  std::string saved = take(text);
  auto expectError = [](const std::string &bytes, const char *message) {
    dietcode_program *loaded = nullptr;
    EXPECT_EQ(dietcode_program_load(bytes.data(), bytes.size(), &loaded),
              DIETCODE_COMPILE_ERROR);
    EXPECT_EQ(loaded, nullptr);
    EXPECT_TRUE(contains(dietcode_last_error(), message))
        << dietcode_last_error();
  };
  expectError("", "this is no compiled program");
  expectError("func.func @f()", "this is no compiled program");
  expectError(saved.substr(0, 20), "is truncated");
  expectError(saved.substr(0, saved.size() / 2), "is truncated or was changed");
  std::string changed = saved;
  changed[changed.size() / 2] ^= 1;
  expectError(changed, "is truncated or was changed");
  changed = saved;
  changed[8] = 2;
  expectError(changed, "is of version 2 of the format");
  changed = saved;
  changed[12] = 77;
  expectError(changed, "is for version 77 of the runtime's interface");
  dietcode_program *loaded = nullptr;
  EXPECT_EQ(dietcode_program_load(nullptr, 0, &loaded),
            DIETCODE_INVALID_ARGUMENT);
}

TEST_F(Program, MistakesOfACallAreNamed) {
  Matrix x(4, kInner), w(kInner, kColumns), narrow(4, kInner - 1);
  dietcode_tensor y = {};
  const void *arguments[] = {&x.tensor, &w.tensor};
  void *results[] = {&y};
  auto callWith = [&](const char *entry, size_t argumentCount,
                      size_t resultCount) {
    return dietcode_program_call(program, entry, arguments, argumentCount,
                                 results, resultCount, nullptr);
  };
  EXPECT_EQ(callWith("g", 2, 1), DIETCODE_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(dietcode_last_error(), "no function 'g'"));
  EXPECT_EQ(callWith("f", 1, 1), DIETCODE_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(dietcode_last_error(), "got 1 arguments, expected 2"));
  EXPECT_EQ(callWith("f", 2, 0), DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(call(narrow.tensor, w.tensor, y), DIETCODE_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(dietcode_last_error(), "argument 0"))
      << dietcode_last_error();
  EXPECT_EQ(y.data, nullptr);
  x.tensor.dtype = DIETCODE_F16;
  EXPECT_EQ(call(x.tensor, w.tensor, y), DIETCODE_INVALID_ARGUMENT);
  arguments[1] = nullptr;
  x.tensor.dtype = DIETCODE_F32;
  EXPECT_EQ(callWith("f", 2, 1), DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(
      dietcode_program_call(program, "f", nullptr, 2, results, 1, nullptr),
      DIETCODE_INVALID_ARGUMENT);
  // One function needs no name, and the next call works.
  arguments[1] = &w.tensor;
  EXPECT_EQ(callWith(nullptr, 2, 1), DIETCODE_OK) << dietcode_last_error();
  dietcode_tensor_release(&y);
  check(5);
}

TEST_F(Program, ManyThreadsCallIt) {
  auto work = [&] {
    for (int64_t rows = 1; rows < 20; ++rows)
      check(rows);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}

TEST_F(Program, CallsLeaveNothingBehind) {
  auto callMany = [&](int count) {
    for (int i = 0; i < count; ++i)
      check(1);
  };
  callMany(500);
  int64_t before = residentBytes();
  callMany(3000);
  expectFlat(before, 1 << 20);
}

TEST_F(Compiler, ProgramsAreHandlesToo) {
  EXPECT_EQ(dietcode_module_compile(nullptr, nullptr, nullptr),
            DIETCODE_INVALID_ARGUMENT);
  dietcode_module *module = parse();
  dietcode_program *program = nullptr;
  ASSERT_EQ(dietcode_module_compile(module, nullptr, &program), DIETCODE_OK);
  EXPECT_EQ(dietcode_program_destroy(program), DIETCODE_OK);
  EXPECT_EQ(dietcode_program_destroy(program), DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(
      dietcode_program_call(program, "f", nullptr, 0, nullptr, 0, nullptr),
      DIETCODE_INVALID_ARGUMENT);
  dietcode_text text = {};
  EXPECT_EQ(dietcode_program_ptx(program, &text), DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(dietcode_program_ptx(nullptr, nullptr), DIETCODE_INVALID_ARGUMENT);
  dietcode_module_destroy(module);
}

TEST_F(Compiler, WhatCannotBeCompiledSaysWhy) {
  dietcode_module *module = parse();
  dietcode_compile_options options = DIETCODE_COMPILE_OPTIONS_INIT;
  dietcode_program *program = nullptr;
  options.entry = "g";
  EXPECT_EQ(dietcode_module_compile(module, &options, &program),
            DIETCODE_COMPILE_ERROR);
  EXPECT_TRUE(
      contains(dietcode_last_error(), "there is no function @g with a body"))
      << dietcode_last_error();
  // It names no option of a program that it is not.
  EXPECT_FALSE(contains(dietcode_last_error(), "--")) << dietcode_last_error();
  options = DIETCODE_COMPILE_OPTIONS_INIT;
  options.chip = "sm_1";
  EXPECT_EQ(dietcode_module_compile(module, &options, &program),
            DIETCODE_COMPILE_ERROR);
  EXPECT_TRUE(contains(dietcode_last_error(), "unknown chip 'sm_1'"));
  EXPECT_FALSE(contains(dietcode_last_error(), "--")) << dietcode_last_error();
  options = DIETCODE_COMPILE_OPTIONS_INIT;
  options.max_kernels = 0;
  EXPECT_EQ(dietcode_module_compile(module, &options, &program),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(program, nullptr);
  dietcode_module_destroy(module);
}

/// DIETCODE_TEST_CYCLES=2000 is the long form.
TEST(ProgramCycles, LeaveNothingBehind) {
  const char *wanted = std::getenv("DIETCODE_TEST_CYCLES");
  int cycles = wanted ? std::atoi(wanted) : 12;
  auto cycle = [] {
    dietcode_context *context = nullptr;
    dietcode_module *module = nullptr;
    dietcode_program *program = nullptr;
    ASSERT_EQ(dietcode_context_create(&context), DIETCODE_OK);
    ASSERT_EQ(dietcode_module_parse(context, kMatmul, std::strlen(kMatmul),
                                    nullptr, &module),
              DIETCODE_OK);
    dietcode_compile_options options = DIETCODE_COMPILE_OPTIONS_INIT;
    options.max_kernels = 1;
    ASSERT_EQ(dietcode_module_compile(module, &options, &program), DIETCODE_OK)
        << dietcode_last_error();
    Matrix x(3, kInner), w(kInner, kColumns);
    dietcode_tensor y = {};
    const void *arguments[] = {&x.tensor, &w.tensor};
    void *results[] = {&y};
    ASSERT_EQ(dietcode_program_call(program, nullptr, arguments, 2, results, 1,
                                    nullptr),
              DIETCODE_OK)
        << dietcode_last_error();
    dietcode_tensor_release(&y);
    dietcode_program_destroy(program);
    dietcode_module_destroy(module);
    dietcode_context_destroy(context);
  };
  for (int i = 0; i < cycles / 2; ++i)
    cycle();
  int64_t before = residentBytes();
  for (int i = cycles / 2; i < cycles; ++i)
    cycle();
  // What allocators keep; 2000 cycles that leaked 10 KB each would show.
  expectFlat(before, 8 << 20);
}
