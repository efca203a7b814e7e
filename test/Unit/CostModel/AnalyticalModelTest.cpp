//===- AnalyticalModelTest.cpp - Tests of the analytical cost model -------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/AnalyticalModel.h"
#include "dietcode/Search/ScheduleSpace.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace dietcode;

static const DeviceSpec &t4() { return *lookupDevice("t4"); }

static CostEstimate estimate(const MicroKernelCost &cost,
                             const ContractionShape &shape) {
  return Adaption(t4()).estimate(cost, shape);
}

static double peak() { return 2 * 40 * 64 * 1590e6; }

static const std::vector<ContractionShape> &shapes() {
  static const std::vector<ContractionShape> shapes = {
      {2048, 2304, 768}, {16, 2304, 768},    {1, 1, 1},   {1, 4096, 4096},
      {80, 768, 3072},   {4096, 4096, 4096}, {33, 65, 9}, {128, 128, 16384}};
  return shapes;
}

static Schedule fastest(const ContractionShape &shape) {
  AnalyticalModel model(t4());
  std::vector<Schedule> schedules = enumerateSchedules(t4());
  return *std::min_element(schedules.begin(), schedules.end(),
                           [&](const Schedule &a, const Schedule &b) {
                             return model.estimate(a, shape).seconds <
                                    model.estimate(b, shape).seconds;
                           });
}

TEST(AnalyticalModel, ChoosesPlausiblyForALargeShape) {
  ContractionShape shape{2048, 2304, 768};
  Schedule best = fastest(shape);
  CostEstimate estimate = AnalyticalModel(t4()).estimate(best, shape);
  EXPECT_GE(best.threadM * best.threadN, 32) << best.name();
  EXPECT_GE(best.blockM * best.blockN, 64 * 64) << best.name();
  EXPECT_GE(estimate.flopsPerSecond, 0.75 * peak()) << explain(estimate);
  EXPECT_LE(estimate.flopsPerSecond, 0.95 * peak()) << explain(estimate);
  EXPECT_EQ(estimate.bound, "fma");
}

TEST(AnalyticalModel, ChoosesASmallTileForFewRows) {
  ContractionShape shape{16, 2304, 768};
  Schedule best = fastest(shape);
  EXPECT_EQ(best.blockM, 16) << best.name();
  EXPECT_LE(best.blockN, 64) << best.name();
  // The weights alone are 7 MB.
  EXPECT_EQ(AnalyticalModel(t4()).estimate(best, shape).bound, "dram");
}

TEST(AnalyticalModel, NeverBeatsTheRoofline) {
  AnalyticalModel model(t4());
  for (const Schedule &schedule : enumerateSchedules(t4()))
    for (const ContractionShape &shape : shapes()) {
      CostEstimate estimate = model.estimate(schedule, shape);
      double m = shape.m, n = shape.n, k = shape.k;
      double bytes = 4 * (m * k + k * n + m * n);
      EXPECT_GE(estimate.seconds, 2 * m * n * k / peak());
      EXPECT_GE(estimate.seconds, bytes / t4().dramBytesPerSecond);
      EXPECT_GT(estimate.seconds, t4().launchSeconds);
      EXPECT_GE(estimate.paddingWaste, 0);
      EXPECT_LT(estimate.paddingWaste, 1);
      EXPECT_LE(estimate.occupancy, 1);
    }
}

TEST(AnalyticalModel, TakesNoTimeForEmptyShapes) {
  AnalyticalModel model(t4());
  for (const ContractionShape &shape :
       {ContractionShape{0, 8, 8}, ContractionShape{8, 0, 8},
        ContractionShape{8, 8, 0}, ContractionShape{-1, 8, 8}}) {
    CostEstimate estimate = model.estimate({128, 128, 8, 8, 8}, shape);
    EXPECT_EQ(estimate.seconds, 0);
    EXPECT_EQ(estimate.blocks, 0);
    EXPECT_EQ(explain(estimate), "nothing to compute");
  }
}

TEST(AnalyticalModel, CountsPaddingOfAllThreeDims) {
  AnalyticalModel model(t4());
  Schedule schedule{128, 64, 8, 8, 8};
  EXPECT_EQ(model.estimate(schedule, {256, 128, 16}).paddingWaste, 0);
  EXPECT_DOUBLE_EQ(model.estimate(schedule, {96, 64, 8}).paddingWaste, 0.25);
  EXPECT_DOUBLE_EQ(model.estimate(schedule, {128, 48, 8}).paddingWaste, 0.25);
  EXPECT_DOUBLE_EQ(model.estimate(schedule, {128, 64, 6}).paddingWaste, 0.25);
  EXPECT_DOUBLE_EQ(model.estimate(schedule, {64, 32, 4}).paddingWaste, 0.875);
}

TEST(AnalyticalModel, CountsWaves) {
  AnalyticalModel model(t4());
  Schedule schedule{128, 128, 8, 8, 8};
  CostEstimate estimate = model.estimate(schedule, {2048, 2304, 768});
  EXPECT_EQ(estimate.blocks, 16 * 18);
  EXPECT_EQ(estimate.blocksPerSM, 2);
  EXPECT_DOUBLE_EQ(estimate.waves, 288 / 80.0);
}

TEST(AnalyticalModel, NeverGetsFasterWithMoreWork) {
  AnalyticalModel model(t4());
  for (const char *name : {"128x128x8_8x8", "64x64x16_4x4", "16x64x32_2x4"}) {
    MicroKernelCost cost = model.cost(*parseSchedule(name));
    double last[3] = {0, 0, 0};
    for (int64_t extent = 1; extent < 3000; extent += 7) {
      double now[3] = {estimate(cost, {extent, 768, 768}).seconds,
                       estimate(cost, {512, extent, 768}).seconds,
                       estimate(cost, {512, 768, extent}).seconds};
      for (int dim = 0; dim < 3; ++dim) {
        EXPECT_GE(now[dim], 0.995 * last[dim]) << name << " " << extent;
        last[dim] = now[dim];
      }
    }
  }
}

TEST(AnalyticalModel, StepsUpWhereAWaveOverflows) {
  AnalyticalModel model(t4());
  MicroKernelCost cost = model.cost({128, 128, 8, 8, 8});
  auto seconds = [&](int64_t blocks) {
    return estimate(cost, {128 * blocks, 128, 4096}).seconds;
  };
  // One block on each SM, and then one SM with two.
  EXPECT_LT(seconds(40), 1.05 * seconds(20));
  EXPECT_GT(seconds(41), 1.5 * seconds(40));
  EXPECT_LT(seconds(80), 1.1 * seconds(41));
  EXPECT_GT(seconds(81), 1.3 * seconds(80));
}

TEST(AnalyticalModel, PrefersCompactWarps) {
  AnalyticalModel model(t4());
  // 32 threads of 8 x 8 each, as 4 x 8 and as 1 x 32.
  KernelProfile compact = model.profile({32, 64, 8, 8, 8});
  KernelProfile flat = model.profile({8, 256, 8, 8, 8});
  EXPECT_EQ(compact.load.fma, flat.load.fma);
  EXPECT_GT(flat.load.shared, 1.5 * compact.load.shared);
}

TEST(AnalyticalModel, PrefersLargeThreadTilesForThroughput) {
  AnalyticalModel model(t4());
  ContractionShape shape{4096, 4096, 4096};
  double large = model.estimate({128, 128, 8, 8, 8}, shape).flopsPerSecond;
  double medium = model.estimate({64, 64, 8, 4, 4}, shape).flopsPerSecond;
  double small = model.estimate({16, 32, 8, 2, 2}, shape).flopsPerSecond;
  EXPECT_GT(large, medium);
  EXPECT_GT(medium, small);
  EXPECT_GT(large, 0.85 * peak());
}

TEST(AnalyticalModel, ScalesWithTheDevice) {
  DeviceSpec twice = t4();
  twice.smCount *= 2;
  ContractionShape shape{4096, 4096, 4096};
  Schedule schedule{128, 128, 8, 8, 8};
  double ratio = AnalyticalModel(t4()).estimate(schedule, shape).seconds /
                 AnalyticalModel(twice).estimate(schedule, shape).seconds;
  EXPECT_GT(ratio, 1.7);
  EXPECT_LT(ratio, 2.05);
}

TEST(AnalyticalModel, NamesTheBound) {
  AnalyticalModel model(t4());
  auto boundOf = [&](const Schedule &schedule, const ContractionShape &shape) {
    return model.estimate(schedule, shape).bound;
  };
  EXPECT_EQ(boundOf({128, 128, 8, 8, 8}, {4096, 4096, 4096}), "fma");
  EXPECT_EQ(boundOf({16, 32, 16, 2, 2}, {4096, 4096, 4096}), "shared");
  EXPECT_EQ(boundOf({16, 64, 32, 2, 4}, {16, 4096, 4096}), "dram");
  EXPECT_EQ(boundOf({32, 32, 8, 4, 4}, {32, 32, 8}), "launch");
  EXPECT_EQ(boundOf({32, 32, 8, 4, 4}, {32, 32, 65536}), "latency");
}

TEST(AnalyticalModel, RefusesWhatCannotRun) {
  AnalyticalModel model(t4());
  CostEstimate nonsense = model.estimate({7, 0, -3, 1, 1}, {64, 64, 64});
  EXPECT_TRUE(std::isinf(nonsense.seconds));
  EXPECT_EQ(explain(nonsense), "cannot run");
  // 2^66 blocks do not fit a grid of 2^31 - 1.
  int64_t huge = int64_t(1) << 40;
  EXPECT_TRUE(
      std::isinf(model.estimate({128, 128, 8, 8, 8}, {huge, huge, 8}).seconds));
}

TEST(AnalyticalModel, ExplainsInAPhrase) {
  AnalyticalModel model(t4());
  EXPECT_EQ(explain(model.estimate({128, 128, 8, 8, 8}, {2000, 2304, 768})),
            "288 blocks, 2 per SM, 3.6 waves, 2 % padding, fma-bound");
  EXPECT_EQ(explain(model.estimate({32, 32, 8, 4, 4}, {32, 32, 8})),
            "1 block, 14 per SM, 0.0 waves, 0 % padding, launch-bound");
  EXPECT_EQ(explain(model.estimate({32, 32, 8, 4, 4}, {1, 1, 1})),
            "1 block, 14 per SM, 0.0 waves, over 99 % padding, launch-bound");
}

TEST(AnalyticalModel, LeavesRegistersForAddresses) {
  auto fits = [](const char *name, AddressNeeds needs) {
    OperatorTraits traits;
    traits.addresses = needs;
    return AnalyticalModel(t4()).cost(*parseSchedule(name), traits).valid;
  };
  // About 240 registers, with two copies of A and four of B.
  const char *large = "128x256x32_64x64_mma_mnm";
  EXPECT_TRUE(fits(large, {}));
  EXPECT_TRUE(fits(large, {2, 0, 0}));
  EXPECT_FALSE(fits(large, {3, 0, 0}));
  EXPECT_TRUE(fits(large, {0, 1, 0}));
  EXPECT_FALSE(fits(large, {0, 2, 0}));
  EXPECT_FALSE(fits(large, {0, 0, 1}));
  EXPECT_TRUE(fits("64x128x32_32x64_mma_mnm", {6, 3, 0}));
  // 256 sums of 16 bits in a lane.
  EXPECT_TRUE(fits("256x256x16_64x128_mma16_mnm", {}));
  EXPECT_FALSE(fits("256x256x16_64x128_mma16_mnm", {1, 0, 0}));
  // About 220 registers; each thread copies 32 elements of A, each of which may
  // have a row of its own.
  EXPECT_TRUE(fits("128x8x8_8x4", {6, 0, 0}));
  EXPECT_FALSE(fits("128x8x8_8x4", {2, 1, 0}));
  EXPECT_FALSE(fits("16x16x32_2x4", {6, 3, 0}));
  EXPECT_TRUE(fits("256x64x8_8x8", {4, 2, 0}));
  // A table knows the positions of windows.
  EXPECT_FALSE(fits("64x256x16_8x8", {4, 0, 2}));
  EXPECT_FALSE(fits("64x256x16_8x8", {4, 2, 2, true, false}));
  EXPECT_TRUE(fits("64x256x16_8x8", {4, 0, 2, false, true}));
}
