//===- CostModelTest.cpp - Tests of the cost model ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/CostModel.h"
#include "dietcode/CostModel/CrossValidation.h"
#include "dietcode/Search/ScheduleSpace.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

using namespace dietcode;

static const DeviceSpec &t4() { return *lookupDevice("t4"); }

//===----------------------------------------------------------------------===//
// Traits and features
//===----------------------------------------------------------------------===//

TEST(OperatorTraits, SignaturesRoundTrip) {
  OperatorTraits traits;
  EXPECT_EQ(traits.signature(), "matmul f32 nn");
  traits.transposeB = traits.accumulate = true;
  traits.epilogueOperands = 2;
  EXPECT_EQ(traits.signature(), "matmul f32 nt acc e2");
  for (const char *text : {"matmul f32 nn", "matmul f16 tt e11",
                           "matmul f32 tn acc", "conv f32 nt acc e2"}) {
    Expected<OperatorTraits> parsed = parseSignature(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->signature(), text);
  }
  for (const char *text :
       {"", "matmul", "matmul f32", "matmul f32 n", "matmul f32 xx",
        "matmul f32 nn e", "matmul f32 nn e1x", "matmul f32 nn acc acc",
        "matmul f32 nn e99999999999", "matmul  f32 nn", "matmul f32 nn "})
    EXPECT_FALSE(parseSignature(text)) << text;
}

/// Of a softmax of f32, as dietcode.rowwise gives them.
static OperatorTraits softmaxTraits() {
  OperatorTraits traits;
  traits.kind = "rowwise";
  traits.rows = RowTraits{RowAccess::Columns, 4, 1, 2, 2, 2, 8, 25};
  return traits;
}

TEST(OperatorTraits, SignaturesOfRowsRoundTrip) {
  EXPECT_EQ(softmaxTraits().signature(),
            "rowwise f32 columns v4 c1 r2 p2 a2 b8 o25");
  for (const char *text : {"rowwise f32 columns v4 c1 r2 p2 a2 b8 o25",
                           "rowwise f16 mixed v1 c9 r0 p0 a3 b4 o1"}) {
    Expected<OperatorTraits> parsed = parseSignature(text);
    ASSERT_TRUE(parsed) << text;
    ASSERT_TRUE(parsed->rows) << text;
    EXPECT_EQ(parsed->signature(), text);
  }
  for (const char *text :
       {"rowwise f32 columns", "rowwise f32 columns v4 c1 r2 p2 a2 b8",
        "rowwise f32 lines v4 c1 r2 p2 a2 b8 o25",
        "rowwise f32 columns v4 c1 r2 p2 a2 o8 b25",
        "rowwise f32 columns v4 c1 r2 p2 a2 b8 o25 e1",
        "rowwise f32 columns v4 c1 r-2 p2 a2 b8 o25",
        "rowwise f32 columns v04 c1 r2 p2 a2 b8 o25"})
    EXPECT_FALSE(parseSignature(text)) << text;
}

TEST(Features, AreNamedOnceAndFinite) {
  std::vector<std::string_view> all = kernelFeatureNames();
  EXPECT_EQ(std::set<std::string_view>(all.begin(), all.end()).size(),
            all.size());
  AnalyticalModel model(t4());
  size_t count = 0;
  for (const OperatorTraits &traits : {OperatorTraits(), softmaxTraits()}) {
    std::vector<std::string_view> names = kernelFeatureNames(familyOf(traits));
    count += names.size();
    for (const Schedule &schedule :
         enumerateSchedules(t4(), {}, traits.instructions())) {
      KernelProfile profile = model.profile(schedule, std::nullopt, traits);
      if (!profile.valid)
        continue;
      std::vector<float> features =
          kernelFeatures(profile, model.cost(profile), traits, t4());
      ASSERT_EQ(features.size(), names.size());
      for (size_t i = 0; i < names.size(); ++i)
        EXPECT_TRUE(std::isfinite(features[i]))
            << schedule.name() << " " << names[i];
    }
  }
  EXPECT_EQ(count, all.size());
}

//===----------------------------------------------------------------------===//
// Measurements
//===----------------------------------------------------------------------===//

/// Runs of a kernel that takes `factor` times what the analytical model says.
static MeasuredKernel measureAs(const Schedule &schedule, double lone,
                                double full) {
  MicroKernelCost cost = AnalyticalModel(t4()).cost(schedule);
  MeasuredKernel kernel;
  kernel.schedule = schedule;
  kernel.registers = cost.resources.registers;
  int64_t m = schedule.blockM, n = schedule.blockN * t4().smCount, k = 4096;
  double tiles = double(k) / double(schedule.blockK);
  int perSM = cost.resources.blocksPerSM;
  kernel.runs.push_back({{m, n, k},
                         t4().smCount,
                         t4().launchSeconds + cost.lone.overhead +
                             tiles * cost.lone.perTile * lone});
  if (perSM > 1)
    kernel.runs.push_back({{m * perSM, n, k},
                           int64_t(t4().smCount) * perSM,
                           t4().launchSeconds + cost.full.overhead +
                               tiles * cost.full.perTile * full});
  return kernel;
}

TEST(CostModel, StartsFromTheDeviceTable) {
  CostModel model(t4());
  EXPECT_FALSE(model.isTrained());
  Schedule schedule{64, 64, 8, 8, 4};
  MicroKernelCost cost = model.predict(schedule, {});
  EXPECT_EQ(cost.source, CostSource::Analytical);
  EXPECT_EQ(cost.full.perTile,
            AnalyticalModel(t4()).cost(schedule).full.perTile);
}

TEST(CostModel, MeasurementsReplacePredictions) {
  CostModel model(t4());
  Schedule schedule{64, 64, 8, 8, 4};
  MicroKernelCost expected = AnalyticalModel(t4()).cost(schedule);
  MeasuredKernel kernel = measureAs(schedule, 3, 1.5);
  MicroKernelCost cost = model.measured(kernel, kernel.runs.back().shape);
  EXPECT_EQ(cost.source, CostSource::Measured);
  EXPECT_NEAR(cost.lone.perTile / expected.lone.perTile, 3, 1e-6);
  EXPECT_NEAR(cost.full.perTile / expected.full.perTile, 1.5, 1e-6);
  for (const KernelRun &run : kernel.runs)
    EXPECT_NEAR(model.getAdaption().estimate(cost, run.shape).seconds,
                run.seconds, 1e-3 * run.seconds);
}

TEST(CostModel, RegistersOfTheAssemblerDecideOccupancy) {
  CostModel model(t4());
  MeasuredKernel kernel = measureAs({64, 64, 8, 8, 4}, 1, 1);
  kernel.registers = 255;
  EXPECT_EQ(
      model.measured(kernel, kernel.runs.front().shape).resources.blocksPerSM,
      2);
}

/// That twice as many blocks fit as was expected does not make any of them
/// faster, where only one block on each SM was measured.
TEST(CostModel, MoreBlocksThanExpectedShareTheSM) {
  CostModel model(t4());
  const Schedule schedule{256, 64, 8, 16, 4};
  MicroKernelCost expected = model.predict(schedule, {});
  MeasuredKernel kernel;
  kernel.schedule = schedule;
  kernel.registers = 128;
  ContractionShape shape{256 * 36, 64, 3072};
  kernel.runs = {{shape, 36, t4().launchSeconds + 384 * expected.lone.perTile}};
  MicroKernelCost cost = model.measured(kernel, shape);
  ASSERT_EQ(expected.resources.blocksPerSM, 1);
  ASSERT_EQ(cost.resources.blocksPerSM, 2);
  EXPECT_NEAR(cost.full.perTile, 2 * expected.full.perTile,
              0.02 * expected.full.perTile);
}

/// A grid that took less than the model says that memory needs tells nothing of
/// its rounds.
TEST(CostModel, RoundsAreNotFittedToMemoryBounds) {
  CostModel model(t4());
  const Schedule schedule{128, 8, 32, 4, 2};
  MeasuredKernel kernel;
  kernel.schedule = schedule;
  kernel.registers = 95;
  ContractionShape large{2048, 256, 512};
  kernel.runs = {{large, 512, 211.4e-6}, {{1, 256, 512}, 32, 17.2e-6}};
  MicroKernelCost cost = model.measured(kernel, large);
  ASSERT_EQ(cost.resources.blocksPerSM, 1);
  // 16 tiles.
  EXPECT_NEAR(16 * cost.lone.perTile + cost.lone.overhead,
              17.2e-6 - t4().launchSeconds, 0.1e-6);
}

TEST(CostModel, LearnsWhatTheAnalyticalModelMisses) {
  // A made-up device on which k tiles of 16 cost a third more, and narrow
  // thread tiles half as much again.
  auto factor = [](const Schedule &schedule) {
    return (schedule.blockK == 16 ? 1.33 : 1.0) *
           (schedule.threadN < 4 ? 1.5 : 1.0);
  };
  std::vector<Schedule> space = enumerateSchedules(t4());
  std::vector<MeasuredKernel> kernels;
  for (size_t i = 0; i < space.size(); i += 4)
    kernels.push_back(measureAs(space[i], factor(space[i]), factor(space[i])));
  CostModel model(t4());
  ASSERT_TRUE(model.train(kernels));
  ASSERT_TRUE(model.isTrained());
  AnalyticalModel analytical(t4());
  double worst = 0, sum = 0;
  size_t count = 0;
  for (size_t i = 1; i < space.size(); i += 4, ++count) {
    MicroKernelCost cost = model.predict(space[i], {});
    EXPECT_EQ(cost.source, CostSource::Predicted);
    double error = std::abs(
        std::log(cost.full.perTile /
                 (analytical.cost(space[i]).full.perTile * factor(space[i]))));
    worst = std::max(worst, error);
    sum += error;
  }
  EXPECT_LT(sum / count, 0.05);
  EXPECT_LT(worst, 0.5);
}

TEST(CostModel, FewMeasurementsTeachNothing) {
  std::vector<Schedule> space = enumerateSchedules(t4());
  std::vector<MeasuredKernel> kernels;
  for (size_t i = 0; i + 1 < CostModel::kFewestToTrain; ++i)
    kernels.push_back(measureAs(space[i], 2, 2));
  CostModel model(t4());
  ASSERT_TRUE(model.train(kernels));
  EXPECT_FALSE(model.isTrained());
}

TEST(CrossValidation, SeesAllKernelsButTheOneThatItPredicts) {
  std::vector<Schedule> space = enumerateSchedules(t4());
  std::vector<MeasuredKernel> kernels;
  for (size_t i = 0; i < space.size(); i += 24)
    kernels.push_back(measureAs(space[i], 2, 2));
  // Nothing else is like this one, so that it cannot be guessed.
  kernels.front() = measureAs(space.front(), 9, 9);
  Expected<std::vector<MicroKernelCost>> costs = predictUnseen(t4(), kernels);
  ASSERT_TRUE(costs) << costs.error().message;
  ASSERT_EQ(costs->size(), kernels.size());
  AnalyticalModel analytical(t4());
  for (size_t i = 0; i < kernels.size(); ++i) {
    const MicroKernelCost &cost = (*costs)[i];
    EXPECT_EQ(cost.schedule, kernels[i].schedule);
    EXPECT_EQ(cost.source, CostSource::Predicted);
    double factor =
        cost.full.perTile / analytical.cost(kernels[i].schedule).full.perTile;
    EXPECT_LT(factor, 4);
    if (i == 0)
      EXPECT_NEAR(factor, 2, 0.5);
  }
}

TEST(CrossValidation, IsOfTheDeviceTableWithFewKernels) {
  std::vector<Schedule> space = enumerateSchedules(t4());
  Expected<std::vector<MicroKernelCost>> costs = predictUnseen(
      t4(), {measureAs(space[0], 2, 2), measureAs(space[1], 2, 2)});
  ASSERT_TRUE(costs);
  EXPECT_EQ((*costs)[0].source, CostSource::Analytical);
  Expected<std::vector<MicroKernelCost>> none = predictUnseen(t4(), {});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST(CostModel, SavesAndLoads) {
  std::vector<Schedule> space = enumerateSchedules(t4());
  std::vector<MeasuredKernel> kernels;
  for (size_t i = 0; i < space.size(); i += 20)
    kernels.push_back(measureAs(space[i], 2, 1.5));
  CostModel model(t4());
  ASSERT_TRUE(model.train(kernels));
  std::string path =
      testing::TempDir() + "cost-model-" + std::to_string(::getpid()) + ".ubj";
  ASSERT_TRUE(model.save(path, "virtual:t4"));
  CostModel loaded(t4());
  ASSERT_TRUE(loaded.load(path, "virtual:t4"));
  for (const Schedule &schedule : space)
    EXPECT_EQ(loaded.predict(schedule, {}).full.perTile,
              model.predict(schedule, {}).full.perTile);
  Expected<void> other = CostModel(t4()).load(path, "cuda:tesla");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("cuda:tesla"), std::string::npos);
  std::remove(path.c_str());
}
