//===- TuneReportTest.cpp - Tests of what a search prints -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/TuneReport.h"
#include "gtest/gtest.h"

using namespace dietcode;

namespace {

class BoundTest : public ::testing::Test {
protected:
  DeviceSpec t4 = *lookupDevice("t4");
  /// Multiply-adds per second of all SMs, with `rate` of each per cycle.
  double peak(double rate) const { return t4.smCount * rate * t4.clockHz; }
};

TEST_F(BoundTest, IsOfTheFastestInstruction) {
  ContractionShape shape{4096, 4096, 4096};
  double macs = 4096.0 * 4096 * 4096;
  OperatorTraits traits;
  EXPECT_DOUBLE_EQ(boundSeconds(shape, traits, t4),
                   macs / peak(t4.fp32LanesPerSM));
  traits.elementType = "f16";
  EXPECT_DOUBLE_EQ(boundSeconds(shape, traits, t4),
                   macs / peak(t4.tensorMacsPerSM));
  shape.batch = 3;
  EXPECT_DOUBLE_EQ(boundSeconds(shape, traits, t4),
                   3 * macs / peak(t4.tensorMacsPerSM));
}

/// Windows that overlap are of fewer elements than are multiplied.
TEST_F(BoundTest, CountsElementsInMemory) {
  ContractionShape shape{1024, 4, 9};
  OperatorTraits traits;
  auto bytes = [&] {
    return boundSeconds(shape, traits, t4) * t4.dramBytesPerSecond;
  };
  EXPECT_DOUBLE_EQ(bytes(), 4.0 * (1024 * 9 + 9 * 4 + 1024 * 4));
  shape.reuseA = 9;
  EXPECT_DOUBLE_EQ(bytes(), 4.0 * (1024 + 9 * 4 + 1024 * 4));
}

} // namespace
