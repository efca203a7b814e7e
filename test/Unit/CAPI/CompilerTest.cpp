//===- CompilerTest.cpp - Tests of the C interface -----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ResidentMemory.h"
#include "CompilerTesting.h"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>
#include <vector>

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

TEST_F(Compiler, NullIsNoHandle) {
  dietcode_module *module = nullptr;
  dietcode_text text = {};
  EXPECT_EQ(dietcode_context_create(nullptr), DIETCODE_INVALID_ARGUMENT);
  EXPECT_STREQ(dietcode_last_error(),
               "dietcode_context_create: 'context' is null");
  EXPECT_EQ(dietcode_context_destroy(nullptr), DIETCODE_INVALID_ARGUMENT);
  EXPECT_STREQ(dietcode_last_error(),
               "dietcode_context_destroy: null is no context");
  EXPECT_EQ(dietcode_module_parse(nullptr, "", 0, "x", &module),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(dietcode_module_parse(context, nullptr, 0, "x", &module),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(dietcode_module_parse(context, "", 0, "x", nullptr),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(dietcode_module_destroy(nullptr), DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(dietcode_module_print(nullptr, &text), DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(dietcode_module_tune(nullptr, nullptr, nullptr),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(dietcode_module_explain(nullptr, "T=1", nullptr, &text),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(dietcode_module_overview(nullptr, nullptr, &text),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(dietcode_module_overview(nullptr, nullptr, nullptr),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(dietcode_context_set_diagnostics(nullptr, nullptr, nullptr),
            DIETCODE_INVALID_ARGUMENT);
  dietcode_text_release(nullptr);
  dietcode_text_release(&text);
}

TEST_F(Compiler, WhatWasDestroyedIsNoHandle) {
  dietcode_module *module = parse();
  EXPECT_EQ(dietcode_module_destroy(module), DIETCODE_OK);
  EXPECT_EQ(dietcode_module_destroy(module), DIETCODE_INVALID_ARGUMENT);
  EXPECT_STREQ(dietcode_last_error(), "dietcode_module_destroy: this is no "
                                      "module, or it was destroyed");
  dietcode_text text = {};
  EXPECT_EQ(dietcode_module_print(module, &text), DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(text.data, nullptr);
  // Neither is a handle of another kind.
  EXPECT_EQ(
      dietcode_module_destroy(reinterpret_cast<dietcode_module *>(context)),
      DIETCODE_INVALID_ARGUMENT);
}

TEST_F(Compiler, ModulesOutliveTheirContext) {
  dietcode_context *other = nullptr;
  ASSERT_EQ(dietcode_context_create(&other), DIETCODE_OK);
  dietcode_module *module = nullptr;
  ASSERT_EQ(dietcode_module_parse(other, kMatmul, std::strlen(kMatmul), nullptr,
                                  &module),
            DIETCODE_OK);
  EXPECT_EQ(dietcode_context_destroy(other), DIETCODE_OK);
  EXPECT_EQ(dietcode_context_destroy(other), DIETCODE_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(print(module), "func.func @f"));
  EXPECT_EQ(dietcode_module_destroy(module), DIETCODE_OK);
}

TEST(CompilerCycles, LeaveNothingBehind) {
  auto cycle = [] {
    dietcode_context *context = nullptr;
    dietcode_module *module = nullptr;
    ASSERT_EQ(dietcode_context_create(&context), DIETCODE_OK);
    ASSERT_EQ(dietcode_module_parse(context, kMatmul, std::strlen(kMatmul),
                                    nullptr, &module),
              DIETCODE_OK);
    dietcode_module_destroy(module);
    dietcode_context_destroy(context);
  };
  for (int i = 0; i < 50; ++i)
    cycle();
  int64_t before = residentBytes();
  for (int i = 0; i < 200; ++i)
    cycle();
  // A context that is left is 1 MB, a module some KB.
  expectFlat(before, 1 << 20);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(Compiler, ErrorsAreLocated) {
  dietcode_module *module = nullptr;
  const char text[] = "func.func @f() {\n  return %x : f32\n}\n";
  EXPECT_EQ(
      dietcode_module_parse(context, text, sizeof(text) - 1, "f.mlir", &module),
      DIETCODE_COMPILE_ERROR);
  EXPECT_EQ(module, nullptr);
  EXPECT_TRUE(contains(dietcode_last_error(),
                       "dietcode_module_parse: f.mlir:2:10: use of undeclared "
                       "SSA value name"))
      << dietcode_last_error();
  // The next call works.
  EXPECT_EQ(dietcode_module_destroy(parse()), DIETCODE_OK);
}

TEST_F(Compiler, DiagnosticsReachTheHandler) {
  std::vector<std::pair<dietcode_severity, std::string>> seen;
  dietcode_context_set_diagnostics(
      context,
      [](void *user, dietcode_severity severity, const char *text) {
        static_cast<decltype(seen) *>(user)->emplace_back(severity, text);
      },
      &seen);
  dietcode_module *module = nullptr;
  EXPECT_EQ(dietcode_module_parse(context, "what", 4, "f.mlir", &module),
            DIETCODE_COMPILE_ERROR);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].first, DIETCODE_ERROR);
  EXPECT_TRUE(contains(seen[0].second, "f.mlir:1:1: ")) << seen[0].second;
  dietcode_context_set_diagnostics(context, nullptr, nullptr);
  EXPECT_EQ(dietcode_module_parse(context, "what", 4, "f.mlir", &module),
            DIETCODE_COMPILE_ERROR);
  EXPECT_EQ(seen.size(), 1u);
}

TEST_F(Compiler, ErrorsAreOfTheirThread) {
  EXPECT_EQ(dietcode_module_destroy(nullptr), DIETCODE_INVALID_ARGUMENT);
  std::string mine = dietcode_last_error();
  std::thread([&] {
    EXPECT_STREQ(dietcode_last_error(), "");
    EXPECT_EQ(dietcode_context_destroy(nullptr), DIETCODE_INVALID_ARGUMENT);
    EXPECT_NE(mine, dietcode_last_error());
  }).join();
  EXPECT_EQ(mine, dietcode_last_error());
}

TEST(CompilerThreads, ContextsAreIndependent) {
  auto work = [] {
    for (int i = 0; i < 5; ++i) {
      dietcode_context *context = nullptr;
      dietcode_module *module = nullptr;
      ASSERT_EQ(dietcode_context_create(&context), DIETCODE_OK);
      ASSERT_EQ(dietcode_module_parse(context, kMatmul, std::strlen(kMatmul),
                                      nullptr, &module),
                DIETCODE_OK);
      dietcode_text json = {};
      EXPECT_EQ(dietcode_module_explain(module, "T=5", nullptr, &json),
                DIETCODE_OK)
          << dietcode_last_error();
      EXPECT_TRUE(contains(take(json), "m = 5, n = 48, k = 32"));
      dietcode_context_destroy(context);
      dietcode_module_destroy(module);
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}

/// Whoever uses one context at a time takes turns.
TEST_F(Compiler, ThreadsShareAContext) {
  dietcode_module *module = parse();
  auto work = [&] {
    for (int i = 0; i < 20; ++i)
      EXPECT_TRUE(contains(print(module), "func.func @f"));
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  dietcode_module_destroy(module);
}

TEST_F(Compiler, StructsOfOtherReleasesAreRefused) {
  dietcode_module *module = parse();
  dietcode_tune_options tune = DIETCODE_TUNE_OPTIONS_INIT;
  tune.struct_size = 8;
  EXPECT_EQ(dietcode_module_tune(module, &tune, nullptr),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(dietcode_last_error(), "struct_size is 8, but"));
  dietcode_explain_options explain = {};
  dietcode_text text = {};
  EXPECT_EQ(dietcode_module_explain(module, "T=1", &explain, &text),
            DIETCODE_INVALID_ARGUMENT);
  dietcode_module_destroy(module);
}

//===----------------------------------------------------------------------===//
// Tuning and explaining
//===----------------------------------------------------------------------===//

TEST_F(Compiler, TunesByTheModel) {
  dietcode_module *module = parse();
  dietcode_tune_options options = DIETCODE_TUNE_OPTIONS_INIT;
  options.model_only = 1;
  options.max_kernels = 2;
  dietcode_text report = {};
  ASSERT_EQ(dietcode_module_tune(module, &options, &report), DIETCODE_OK)
      << dietcode_last_error();
  EXPECT_TRUE(contains(take(report), "\"trials\": 0"));
  std::string tuned = print(module);
  EXPECT_TRUE(contains(tuned, "dietcode.dispatch @f_matmul"));
  EXPECT_TRUE(contains(tuned, "dietcode.micro_kernel @simt_"));
  // What it prints is a module that needs nothing else.
  dietcode_module *again = parse(tuned.c_str());
  dietcode_text json = {};
  EXPECT_EQ(dietcode_module_explain(again, "T=37", nullptr, &json), DIETCODE_OK)
      << dietcode_last_error();
  EXPECT_TRUE(contains(take(json), "\"shape\": \"m = 37, n = 48, k = 32\""));
  EXPECT_EQ(dietcode_module_overview(again, nullptr, &json), DIETCODE_OK)
      << dietcode_last_error();
  std::string overview = take(json);
  EXPECT_TRUE(contains(overview, "\"otherwise\": \"simt_")) << overview;
  EXPECT_TRUE(contains(overview, "\"curve\": [")) << overview;
  dietcode_module_destroy(again);
  dietcode_module_destroy(module);
}

TEST_F(Compiler, BadOptionsLeaveTheModule) {
  dietcode_module *module = parse();
  std::string before = print(module);
  dietcode_tune_options options = DIETCODE_TUNE_OPTIONS_INIT;
  options.trials = 0;
  EXPECT_EQ(dietcode_module_tune(module, &options, nullptr),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(dietcode_last_error(), "give a budget"));
  options = DIETCODE_TUNE_OPTIONS_INIT;
  options.device = "virtual:none";
  EXPECT_EQ(dietcode_module_tune(module, &options, nullptr),
            DIETCODE_COMPILE_ERROR);
  EXPECT_TRUE(contains(dietcode_last_error(), "virtual:none"));
  options = DIETCODE_TUNE_OPTIONS_INIT;
  options.entry = "g";
  EXPECT_EQ(dietcode_module_tune(module, &options, nullptr),
            DIETCODE_COMPILE_ERROR);
  dietcode_text text = {};
  EXPECT_EQ(dietcode_module_explain(module, "T=x", nullptr, &text),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_EQ(dietcode_module_explain(module, "H=1", nullptr, &text),
            DIETCODE_COMPILE_ERROR);
  EXPECT_EQ(print(module), before);
  dietcode_module_destroy(module);
}

TEST_F(Compiler, MeasuresAndReports) {
  dietcode_module *module = parse();
  std::vector<uint64_t> trials;
  dietcode_tune_options options = DIETCODE_TUNE_OPTIONS_INIT;
  options.trials = 4;
  options.batch = 2;
  options.measure_program = DIETCODE_MEASURE;
  options.progress_user = &trials;
  options.progress = [](void *user, const dietcode_tune_progress *progress) {
    static_cast<std::vector<uint64_t> *>(user)->push_back(progress->trials);
    EXPECT_TRUE(contains(progress->operator_name, "f"));
    EXPECT_EQ(progress->max_trials, 4u);
    return 0;
  };
  dietcode_text report = {};
  ASSERT_EQ(dietcode_module_tune(module, &options, &report), DIETCODE_OK)
      << dietcode_last_error();
  EXPECT_TRUE(contains(take(report), "\"trials\": 4"));
  EXPECT_EQ(trials, (std::vector<uint64_t>{2, 4}));
  EXPECT_TRUE(contains(print(module), "dietcode.dispatch"));
  dietcode_module_destroy(module);
}

/// Tunes in one batch of hours, and stops after `delay`. Returns the first
/// record.
static std::string stopAfter(dietcode_module *module,
                             std::chrono::seconds delay) {
  volatile int stop = 0;
  std::string records = ::testing::TempDir() + "stop.jsonl";
  std::remove(records.c_str());
  dietcode_tune_options options = DIETCODE_TUNE_OPTIONS_INIT;
  options.trials = 100000;
  options.batch = 100000;
  options.measure_program = DIETCODE_MEASURE;
  options.records = records.c_str();
  options.stop = &stop;
  std::thread other([&] {
    std::this_thread::sleep_for(delay);
    stop = 1;
  });
  EXPECT_EQ(dietcode_module_tune(module, &options, nullptr),
            DIETCODE_INTERRUPTED);
  other.join();
  std::ifstream file(records);
  std::string first;
  std::getline(file, first);
  return first;
}

TEST_F(Compiler, StopsWhenItIsTold) {
  dietcode_module *module = parse();
  // What was measured until then is kept, and none of it failed.
  std::string record;
  for (int seconds = 1; record.empty() && seconds < 64; seconds *= 2)
    record = stopAfter(module, std::chrono::seconds(seconds));
  EXPECT_TRUE(contains(record, "\"verified\":true")) << record;
  dietcode_module_destroy(module);
}

TEST_F(Compiler, ProgressInterrupts) {
  dietcode_module *module = parse();
  std::string before = print(module);
  dietcode_tune_options options = DIETCODE_TUNE_OPTIONS_INIT;
  options.trials = 1000;
  options.batch = 2;
  options.measure_program = DIETCODE_MEASURE;
  options.progress = [](void *, const dietcode_tune_progress *) { return 1; };
  dietcode_text report = {};
  EXPECT_EQ(dietcode_module_tune(module, &options, &report),
            DIETCODE_INTERRUPTED);
  EXPECT_EQ(report.data, nullptr);
  EXPECT_EQ(print(module), before);
  dietcode_module_destroy(module);
}
