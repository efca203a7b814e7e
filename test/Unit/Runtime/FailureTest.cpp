//===- FailureTest.cpp - How running programs fail ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Runtime/Runtime.h"
#include <gtest/gtest.h>
#include <thread>

using namespace dietcode::runtime;

namespace {

TEST(Failure, GuardedCallReturns) {
  RuntimeFailure failure;
  int reached = 0;
  EXPECT_TRUE(guardedCall([&] { reached = 1; }, &failure));
  EXPECT_EQ(reached, 1);
  EXPECT_FALSE(guardedCall(
      [&] {
        reportFailure("out of luck", FailureKind::Finding);
        reached = 2;
      },
      &failure));
  EXPECT_EQ(reached, 1);
  EXPECT_EQ(failure.message, "out of luck");
  EXPECT_EQ(failure.kind, FailureKind::Finding);
  EXPECT_FALSE(guardedCall([] { reportFailure("again"); }, nullptr));
}

TEST(Failure, GuardsNest) {
  RuntimeFailure outer, inner;
  bool ok = guardedCall(
      [&] {
        EXPECT_FALSE(guardedCall([] { reportFailure("inner"); }, &inner));
        reportFailure("outer");
      },
      &outer);
  EXPECT_FALSE(ok);
  EXPECT_EQ(inner.message, "inner");
  EXPECT_EQ(outer.message, "outer");
}

TEST(Failure, GuardsBelongToThreads) {
  std::thread threads[4];
  for (int i = 0; i < 4; ++i)
    threads[i] = std::thread([i] {
      std::string text = "thread " + std::to_string(i);
      for (int k = 0; k < 100; ++k) {
        RuntimeFailure failure;
        EXPECT_FALSE(
            guardedCall([&] { reportFailure(text.c_str()); }, &failure));
        EXPECT_EQ(failure.message, text);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Failure, ShapeMismatch) {
  RuntimeFailure failure;
  EXPECT_FALSE(guardedCall(
      [] {
        dietcodeShapeMismatch("f.mlir:3:8: dimension 0 of argument 1", 7, 16);
      },
      &failure));
  EXPECT_EQ(failure.message,
            "f.mlir:3:8: dimension 0 of argument 1: got 7, expected 16");
  EXPECT_EQ(failure.kind, FailureKind::Shape);
}

TEST(FailureDeathTest, WithoutAGuardTheProcessEnds) {
  EXPECT_EXIT(reportFailure("no guard"), testing::ExitedWithCode(1),
              "^error: no guard\n$");
  EXPECT_EXIT(reportFailure("found it", FailureKind::Finding),
              testing::ExitedWithCode(4), "error: found it");
  EXPECT_EXIT(dietcodeShapeMismatch("x", 1, 2), testing::ExitedWithCode(1),
              "error: x: got 1, expected 2");
}

} // namespace
