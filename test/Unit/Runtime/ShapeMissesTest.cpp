//===- ShapeMissesTest.cpp - Tests of the counters of missed shapes -------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Runtime/ShapeMisses.h"
#include "dietcode/Support/File.h"
#include "dietcode/Support/TemporaryFolder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <thread>

using namespace dietcode;
using namespace dietcode::runtime;

static void miss(const char *what, std::vector<int64_t> values) {
  dietcodeShapeMiss(what, values.data());
}

TEST(ShapeMisses, CountsEachShape) {
  (void)takeShapeMisses();
  miss("f:T,H", {300, 768});
  miss("f:T,H", {300, 768});
  miss("a:b:T", {-1});
  std::vector<ShapeMiss> misses = takeShapeMisses();
  ASSERT_EQ(misses.size(), 2u);
  EXPECT_EQ(misses[0].function, "a:b");
  EXPECT_EQ(misses[0].values, (std::map<std::string, int64_t>{{"T", -1}}));
  EXPECT_EQ(misses[1].count, 2u);
  EXPECT_EQ(misses[1].values,
            (std::map<std::string, int64_t>{{"H", 768}, {"T", 300}}));
  EXPECT_TRUE(takeShapeMisses().empty());
}

TEST(ShapeMisses, LogsWithoutLosingACall) {
  (void)takeShapeMisses();
  auto folder = TemporaryFolder::create("dietcode-misses-test");
  ASSERT_TRUE(folder.has_value());
  std::string path = folder->path() + "/misses.jsonl";
  ASSERT_TRUE(setMissLog(path).has_value());
  auto callOften = [] {
    for (int i = 0; i < 1000; ++i)
      miss("f:T", {i % 2});
  };
  std::thread other(callOften);
  callOften();
  other.join();
  size_t skipped = 0;
  // What a process that is killed now has logged: the powers of two.
  auto before = readMissLog(path, &skipped);
  ASSERT_TRUE(before.has_value());
  EXPECT_EQ(before->at(0).count, 512u);
  ASSERT_TRUE(setMissLog("").has_value());
  auto after = readMissLog(path, &skipped);
  ASSERT_TRUE(after.has_value());
  ASSERT_EQ(after->size(), 2u);
  EXPECT_EQ(after->at(0).count, 1000u);
  EXPECT_EQ(after->at(1).count, 1000u);
  EXPECT_EQ(skipped, 0u);
  (void)takeShapeMisses();
}

TEST(ShapeMisses, SkipsWhatIsNoMiss) {
  auto folder = TemporaryFolder::create("dietcode-misses-test");
  ASSERT_TRUE(folder.has_value());
  std::string path = folder->path() + "/misses.jsonl";
  std::ofstream(path)
      << R"({"function":"f","values":{"T":1},"count":3})" << "\r\n\n"
      << R"({"function":"f","values":{"T":1},"count":4,"more":[1]})" << "\n"
      << R"({"function":"f","values":{"T":1.5},"count":1})" << "\n"
      << R"({"function":"f","values":{"T":1},"count":-1})" << "\n"
      << R"({"function":"f","values":{"T":1},"count":0})" << "\n"
      << "[]\nnonsense\n"
      << R"({"function":"f","val)";
  size_t skipped = 0;
  auto misses = readMissLog(path, &skipped);
  ASSERT_TRUE(misses.has_value());
  ASSERT_EQ(misses->size(), 1u);
  EXPECT_EQ(misses->front().count, 7u);
  EXPECT_EQ(skipped, 6u);
  auto absent = readMissLog(path + ".no", &skipped);
  ASSERT_FALSE(absent.has_value());
  EXPECT_NE(absent.error().message.find(".no'"), std::string::npos);
}

TEST(ShapeMisses, SaysWhenTheLogCannotBeOpened) {
  auto opened = setMissLog("/no/such/folder/log");
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().message,
            "cannot open the miss log '/no/such/folder/log': No such file or "
            "directory");
}
