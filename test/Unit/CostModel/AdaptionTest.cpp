//===- AdaptionTest.cpp - Tests of the adaption to a shape ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/Adaption.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace dietcode;

static const DeviceSpec &t4() { return *lookupDevice("t4"); }

/// Two blocks fit; a k tile of one takes 1 us and of two 1.5 us.
static MicroKernelCost makeCost() {
  MicroKernelCost cost;
  cost.schedule = {128, 128, 8, 8, 8};
  cost.resources = resourcesOf(cost.schedule, t4());
  cost.valid = true;
  cost.source = CostSource::Measured;
  cost.lone = {10e-6, 1e-6};
  cost.full = {12e-6, 1.5e-6};
  return cost;
}

static double kernelSeconds(const MicroKernelCost &cost,
                            const ContractionShape &shape) {
  return Adaption(t4()).estimate(cost, shape).seconds - t4().launchSeconds;
}

TEST(Adaption, AddsUpRounds) {
  MicroKernelCost cost = makeCost();
  // Slow enough that memory is no bound.
  cost.lone.perTile = 10e-6;
  cost.full.perTile = 15e-6;
  ASSERT_EQ(cost.resources.blocksPerSM, 2);
  // 100 tiles along k; 40 SMs.
  auto seconds = [&](int64_t blocks) {
    return kernelSeconds(cost, {128 * blocks, 128, 800});
  };
  double lone = 10e-6 + 1000e-6, full = 12e-6 + 1500e-6;
  EXPECT_DOUBLE_EQ(seconds(1), lone);
  EXPECT_DOUBLE_EQ(seconds(40), lone);
  EXPECT_DOUBLE_EQ(seconds(41), full);
  EXPECT_DOUBLE_EQ(seconds(80), full);
  EXPECT_DOUBLE_EQ(seconds(81), full + lone);
  EXPECT_DOUBLE_EQ(seconds(240), 3 * full);
}

TEST(Adaption, RoundsBetweenOneAndAllBlocksGrow) {
  MicroKernelCost cost = makeCost();
  cost.resources.blocksPerSM = 6;
  cost.full = {12e-6, 4e-6};
  Adaption adaption(t4());
  double last = 0;
  for (int blocks = 1; blocks <= 6; ++blocks) {
    double now = adaption.roundSeconds(cost, blocks, 100);
    EXPECT_GT(now, last) << blocks;
    last = now;
  }
  EXPECT_DOUBLE_EQ(adaption.roundSeconds(cost, 1, 100), 110e-6);
  EXPECT_DOUBLE_EQ(adaption.roundSeconds(cost, 6, 100), 412e-6);
  // Five of six blocks do about five sixths of the work, two next to none more
  // than the latency of one.
  EXPECT_NEAR(adaption.roundSeconds(cost, 5, 100), 412e-6 * 5 / 6, 5e-6);
  EXPECT_LT(adaption.roundSeconds(cost, 2, 100), 1.4 * 110e-6);
}

/// On four schedulers, five blocks of two warps take what six do, unless it is
/// shared memory that they wait for.
TEST(Adaption, WarpsStayWithTheirScheduler) {
  MicroKernelCost cost = makeCost();
  cost.resources.blocksPerSM = 6;
  cost.resources.threads = 64;
  cost.full = {12e-6, 4e-6};
  Adaption adaption(t4());
  auto seconds = [&](int blocks) {
    return adaption.roundSeconds(cost, blocks, 100);
  };
  EXPECT_DOUBLE_EQ(seconds(1), 110e-6);
  EXPECT_DOUBLE_EQ(seconds(2), 110e-6);
  EXPECT_DOUBLE_EQ(seconds(3), seconds(4));
  EXPECT_DOUBLE_EQ(seconds(5), 412e-6);
  cost.load = {0, 1, 0};
  EXPECT_LT(seconds(5), 0.9 * 412e-6);
  EXPECT_GT(seconds(2), seconds(1));
}

/// Where a full SM has no more to do than one block, the slower one counts.
TEST(Adaption, FullRoundsWithoutMoreWorkAreNoFaster) {
  MicroKernelCost cost = makeCost();
  cost.resources.blocksPerSM = 4;
  cost.resources.threads = 32;
  cost.full = {10e-6, 1.25e-6};
  for (int blocks : {2, 3, 4})
    EXPECT_DOUBLE_EQ(Adaption(t4()).roundSeconds(cost, blocks, 100), 135e-6);
}

TEST(Adaption, PaddingOfKCounts) {
  MicroKernelCost cost = makeCost();
  EXPECT_EQ(kernelSeconds(cost, {128, 128, 793}),
            kernelSeconds(cost, {128, 128, 800}));
  EXPECT_GT(kernelSeconds(cost, {128, 128, 801}),
            kernelSeconds(cost, {128, 128, 800}));
}

TEST(Adaption, CalibratesNearMeasuredShapes) {
  MicroKernelCost plain = makeCost(), calibrated = plain;
  ContractionShape here{1280, 1280, 768};
  calibrated.calibrations.push_back({here, 1.25});
  double ratio = kernelSeconds(calibrated, here) / kernelSeconds(plain, here);
  EXPECT_NEAR(ratio, 1.25, 0.01);
  ContractionShape near{1408, 1280, 768}, far{128, 1280, 768};
  double nearRatio =
      kernelSeconds(calibrated, near) / kernelSeconds(plain, near);
  EXPECT_GT(nearRatio, 1.2);
  EXPECT_NEAR(kernelSeconds(calibrated, far) / kernelSeconds(plain, far), 1,
              0.01);
}

TEST(Adaption, IsExactAtEachMeasuredShape) {
  MicroKernelCost plain = makeCost(), calibrated = plain;
  calibrated.calibrations = {{{64, 2304, 768}, 0.8}, {{80, 2304, 768}, 1.3}};
  for (const Calibration &known : calibrated.calibrations) {
    EXPECT_TRUE(calibrated.isMeasuredAt(known.shape));
    EXPECT_NEAR(kernelSeconds(calibrated, known.shape),
                known.ratio * kernelSeconds(plain, known.shape),
                1e-4 * kernelSeconds(plain, known.shape));
  }
  EXPECT_FALSE(calibrated.isMeasuredAt({72, 2304, 768}));
}

TEST(Adaption, MemoryBoundsWhatWasMeasured) {
  MicroKernelCost cost = makeCost();
  cost.lone = cost.full = {0, 1e-12};
  ContractionShape shape{16, 4096, 4096};
  double bytes = 4.0 * (16 * 4096 + 4096 * 4096 + 16 * 4096);
  CostEstimate estimate = Adaption(t4()).estimate(cost, shape);
  EXPECT_GE(estimate.seconds, bytes / t4().dramBytesPerSecond);
  EXPECT_EQ(estimate.bound, "dram");
}

TEST(Adaption, ThroughputIsThatOfFullRounds) {
  MicroKernelCost cost = makeCost();
  double flop = 2.0 * 128 * 128 * 4096 * 2 * 40;
  EXPECT_DOUBLE_EQ(Adaption(t4()).throughput(cost),
                   flop / (12e-6 + 512 * 1.5e-6));
  cost.valid = false;
  EXPECT_EQ(Adaption(t4()).throughput(cost), 0);
  EXPECT_TRUE(std::isinf(Adaption(t4()).estimate(cost, {8, 8, 8}).seconds));
}

TEST(Adaption, SplitsAreMoreAndShorterBlocks) {
  MicroKernelCost cost = makeCost();
  cost.lone.perTile = 10e-6;
  cost.full.perTile = 15e-6;
  cost.schedule.split = 4;
  // 10 tiles of C are 40 blocks of 25 of the 100 tiles along k.
  ContractionShape shape{1280, 128, 800};
  Adaption adaption(t4());
  double other = adaption.otherSeconds(cost.schedule, shape, 40);
  CostEstimate estimate = adaption.estimate(cost, shape);
  EXPECT_EQ(estimate.blocks, 40);
  EXPECT_DOUBLE_EQ(estimate.seconds, other + 10e-6 + 250e-6);
  // With 98 tiles the last part has 23.
  EXPECT_DOUBLE_EQ(adaption.estimate(cost, {1280, 128, 784}).seconds,
                   estimate.seconds);
  EXPECT_GT(adaption.estimate(cost, {1280, 128, 784}).paddingWaste, 0);
}

TEST(Adaption, SplitsCostALaunchAndTheReduction) {
  Adaption adaption(t4());
  Schedule schedule{128, 128, 8, 8, 8};
  ContractionShape shape{128, 128, 800};
  EXPECT_EQ(adaption.otherSeconds(schedule, shape, 1), t4().launchSeconds);
  schedule.split = 4;
  double bytes = 4.0 * 128 * 128;
  double fixed = 2 * t4().launchSeconds + t4().globalLatency / t4().clockHz;
  // Of a small one the parts are in L2, and their total goes to DRAM.
  EXPECT_DOUBLE_EQ(adaption.otherSeconds(schedule, shape, 4),
                   fixed + std::max(4 * bytes / t4().l2BytesPerSecond,
                                    bytes / t4().dramBytesPerSecond));
  // What is left out of a grid is not added up.
  ContractionShape large{2048, 2048, 800};
  EXPECT_DOUBLE_EQ(adaption.otherSeconds(schedule, large, 4),
                   adaption.otherSeconds(schedule, shape, 4));
  bytes = 4.0 * 2048 * 2048;
  EXPECT_DOUBLE_EQ(adaption.otherSeconds(schedule, large, 4 * 256),
                   fixed + 5 * bytes / t4().dramBytesPerSecond);
}

TEST(Adaption, TheOrderDecidesWhatIsReadAgain) {
  MicroKernelCost cost = makeCost();
  // So fast that DRAM is the bound.
  cost.lone = cost.full = {0, 1e-9};
  Schedule turned = cost.schedule;
  turned.order = TileOrder::NFirst;
  Adaption adaption(t4());
  auto seconds = [&](const Schedule &schedule, int64_t m, int64_t n) {
    MicroKernelCost other = cost;
    other.schedule = schedule;
    return adaption.estimate(other, {m, n, 4096}).seconds;
  };
  // What a dimension is to one order the other is to the other.
  EXPECT_DOUBLE_EQ(seconds(turned, 16384, 2048),
                   seconds(cost.schedule, 2048, 16384));
  EXPECT_NE(seconds(turned, 16384, 2048), seconds(cost.schedule, 16384, 2048));
}
