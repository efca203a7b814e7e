//===- OperatorTunerTest.cpp - Tests of the search of one operator --------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/OperatorTuner.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace dietcode;

static const DeviceSpec &t4() { return *lookupDevice("t4"); }

static OperatorTuner makeTuner() {
  OperatorTraits traits;
  traits.transposeB = true;
  std::vector<ContractionShape> points;
  for (int64_t t = 1; t <= 128; ++t)
    points.push_back({16 * t, 2304, 768});
  return OperatorTuner(t4(), traits,
                       {{{80, 2304, 768}, 0.25}, {{2048, 2304, 768}, 0.75}},
                       points, "1b");
}

static RecordRun makeRun(int64_t m, int64_t blocks, double seconds) {
  RecordRun run;
  run.shape = {{"m", m}, {"n", 2304}, {"k", 768}};
  run.blocks = blocks;
  run.seconds = seconds;
  return run;
}

static Record makeRecord(const std::string &schedule) {
  Record record;
  record.op = "matmul f32 nt";
  record.schedule = schedule;
  record.source = "1b";
  record.twin = "aligned";
  record.device = "virtual:t4";
  record.registers = 128;
  record.runs = {makeRun(2048, 288, 1e-3), makeRun(640, 80, 3e-4),
                 makeRun(256, 36, 2e-4)};
  return record;
}

/// The least time at `shape` that a first batch promises.
static double promiseOfFirstBatch(double rangeShare,
                                  const ContractionShape &shape) {
  std::vector<ContractionShape> points;
  for (int64_t t = 1; t <= 128; ++t)
    points.push_back({16 * t, 2304, 768});
  OperatorTuner tuner(t4(), {}, {{{2048, 2304, 768}, 1}}, points, "1b",
                      ScheduleSpace(), rangeShare);
  ProposerOptions options;
  options.firstRandomFraction = 0;
  options.batch = 6;
  double least = 1;
  for (size_t candidate : tuner.propose(1, options))
    least =
        std::min(least, Adaption(t4())
                            .estimate(tuner.getPool().costs[candidate], shape)
                            .seconds);
  return least;
}

TEST(OperatorTuner, ProposesForTheWholeRange) {
  ContractionShape smallest{16, 2304, 768}, instance{2048, 2304, 768};
  EXPECT_LT(promiseOfFirstBatch(0.5, smallest),
            0.8 * promiseOfFirstBatch(0, smallest));
  EXPECT_NEAR(promiseOfFirstBatch(0.5, instance) /
                  promiseOfFirstBatch(0, instance),
              1, 0.01);
}

TEST(OperatorTuner, RecordsBecomeMeasurements) {
  OperatorTuner tuner = makeTuner();
  EXPECT_EQ(tuner.countMeasured(), 0u);
  EXPECT_GT(tuner.getUsableCosts().size(), 100u);
  Record other = makeRecord("128x128x8_8x8");
  other.op = "matmul f32 nn";
  Record otherSizes = makeRecord("64x64x8_8x4");
  otherSizes.source = "2c";
  tuner.add({makeRecord("128x128x8_8x8"), other, otherSizes,
             makeRecord("no schedule")});
  tuner.update(CostModel(t4()));
  EXPECT_EQ(tuner.countMeasured(), 1u);
  std::vector<MicroKernelCost> costs = tuner.getUsableCosts();
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].source, CostSource::Measured);
  EXPECT_NEAR(Adaption(t4()).estimate(costs[0], {2048, 2304, 768}).seconds,
              1e-3, 2e-5);
  EXPECT_NEAR(tuner.weightedSeconds(), 0.25 * 2e-4 + 0.75 * 1e-3, 1e-4);
}

// What spills with the sizes of one operator may be the best with others'.
TEST(OperatorTuner, FailuresAreOfOneSource) {
  OperatorTuner tuner = makeTuner();
  Record other = makeRecord("128x128x8_8x8");
  other.source = "2c";
  other.status = RecordStatus::Spills;
  other.runs.clear();
  tuner.add({makeRecord("128x128x8_8x8"), other});
  EXPECT_EQ(tuner.countMeasured(), 1u);
  EXPECT_TRUE(tuner.getFailures().empty());
}

TEST(OperatorTuner, FailedCandidatesAreNotProposedAgain) {
  OperatorTuner tuner = makeTuner();
  ProposerOptions options;
  std::vector<size_t> batch = tuner.propose(1, options);
  Record record = makeRecord(tuner.getPool().space[batch[0]].name());
  record.status = RecordStatus::WrongResult;
  record.error = "element 3 is 1, expected 2";
  tuner.add({record});
  std::vector<size_t> next = tuner.propose(1, options);
  EXPECT_EQ(std::count(next.begin(), next.end(), batch[0]), 0);
  ASSERT_EQ(tuner.getFailures().size(), 1u);
  EXPECT_EQ(tuner.getFailures().begin()->second,
            "wrong-result: element 3 is 1, expected 2");
  // Measured well later on, it is back.
  record.status = RecordStatus::Ok;
  tuner.add({record});
  EXPECT_EQ(tuner.countFailed(), 0u);
  EXPECT_EQ(tuner.countMeasured(), 1u);
}

TEST(OperatorTuner, PlansAFitALoneAndAFullRun) {
  OperatorTuner tuner = makeTuner();
  MicroKernelCost cost = AnalyticalModel(t4()).cost(Schedule{64, 64, 8, 8, 4});
  Adaption adaption(t4());
  std::vector<PlannedRun> runs =
      planRuns(cost, tuner.getInstances(), tuner.getPoints(), adaption, t4());
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].shape.m, 2048);
  EXPECT_EQ(runs[0].blocks, 32 * 36);
  EXPECT_LE(runs[1].blocks, 40);
  EXPECT_GE(runs[1].blocks, 30);
  int64_t full = 40 * cost.resources.blocksPerSM;
  EXPECT_LE(runs[2].blocks, full);
  EXPECT_GT(runs[2].blocks, full * 3 / 4);
}

TEST(OperatorTuner, GridsAreCutWhereNoShapeIsSmallEnough) {
  OperatorTuner tuner = makeTuner();
  // 2304 / 8 = 288 blocks for the smallest m.
  MicroKernelCost cost = AnalyticalModel(t4()).cost(Schedule{8, 8, 16, 1, 2});
  std::vector<PlannedRun> runs = planRuns(
      cost, tuner.getInstances(), tuner.getPoints(), Adaption(t4()), t4());
  EXPECT_TRUE(std::any_of(runs.begin(), runs.end(),
                          [](auto &run) { return run.blocks == 40; }));
}

TEST(OperatorTuner, GridsOfASplitHaveWholeTiles) {
  OperatorTuner tuner = makeTuner();
  Schedule schedule = *parseSchedule("128x128x8_8x8_k3");
  MicroKernelCost cost = AnalyticalModel(t4()).cost(schedule);
  for (const PlannedRun &run :
       planRuns(cost, tuner.getInstances(), tuner.getPoints(), Adaption(t4()),
                t4())) {
    EXPECT_GT(run.blocks, 0);
    EXPECT_EQ(run.blocks % 3, 0);
    EXPECT_LE(run.blocks, blocksOf(schedule, run.shape));
  }
}

/// What is measured of a split is its rounds and the rest.
TEST(OperatorTuner, SplitsAreMeasuredWithoutTheirReduction) {
  CostModel model(t4());
  MeasuredKernel kernel;
  kernel.schedule = *parseSchedule("64x64x16_8x4_k2");
  ContractionShape shape{320, 256, 1024}; // 40 blocks of 32 k tiles.
  double other = Adaption(t4()).otherSeconds(kernel.schedule, shape, 40);
  kernel.runs = {{shape, 40, other + 50e-6}};
  MicroKernelCost cost = model.measured(kernel, shape);
  EXPECT_EQ(cost.source, CostSource::Measured);
  EXPECT_NEAR(cost.lone.seconds(32), 50e-6, 1e-9);
  EXPECT_NEAR(model.getAdaption().estimate(cost, shape).seconds, other + 50e-6,
              1e-6);
  // A run that is shorter than what is not its rounds is no reason to fail.
  kernel.runs[0].seconds = other / 2;
  cost = model.measured(kernel, shape);
  EXPECT_GT(cost.lone.perTile, 0);
}

TEST(OperatorTuner, AMeasuredSplitPredictsTheOthers) {
  OperatorTuner tuner = makeTuner();
  tuner.add({makeRecord("128x128x8_8x8")});
  tuner.update(CostModel(t4()));
  auto costOf = [&](const char *name) {
    const CandidatePool &pool = tuner.getPool();
    auto at = std::find_if(pool.costs.begin(), pool.costs.end(),
                           [&](const MicroKernelCost &cost) {
                             return cost.schedule.name() == name;
                           });
    return at == pool.costs.end() ? MicroKernelCost() : *at;
  };
  MicroKernelCost known = costOf("128x128x8_8x8");
  MicroKernelCost sibling = costOf("128x128x8_8x8_k2");
  EXPECT_EQ(known.source, CostSource::Measured);
  EXPECT_EQ(sibling.source, CostSource::Predicted);
  EXPECT_EQ(sibling.full.perTile, known.full.perTile);
  EXPECT_EQ(sibling.lone.perTile, known.lone.perTile);
  EXPECT_EQ(costOf("128x128x16_8x8_k2").source, CostSource::Analytical);
}

TEST(OperatorTuner, ForeignRecordsAreErrors) {
  Record record = makeRecord("128x128x8_8x8");
  EXPECT_EQ(measuredKernelOf(record)->runs.size(), 3u);
  record.runs.push_back(makeRun(0, 1, 1));
  record.runs.back().shape = {{"rows", 3}};
  EXPECT_EQ(measuredKernelOf(record)->runs.size(), 3u);
  record.op = "softmax";
  EXPECT_FALSE(measuredKernelOf(record));
  record.op = "matmul f32 nt";
  record.schedule = "large";
  EXPECT_FALSE(measuredKernelOf(record));
}

TEST(OperatorTuner, SmallProblemsCountAsMeasured) {
  // Not even the smallest tiles make a block for half of the SMs.
  OperatorTuner tuner(t4(), {}, {{{16, 16, 16}, 1}}, {{16, 16, 16}}, "1b");
  Record record = makeRecord("32x32x16_4x4");
  record.op = "matmul f32 nn";
  record.runs.resize(1);
  record.runs[0].shape = {{"m", 16}, {"n", 16}, {"k", 16}};
  record.runs[0].blocks = 1;
  record.runs[0].seconds = 4.8e-6;
  tuner.add({record});
  tuner.update(CostModel(t4()));
  std::vector<MicroKernelCost> costs = tuner.getUsableCosts();
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].source, CostSource::Measured);
  EXPECT_NEAR(Adaption(t4()).estimate(costs[0], {16, 16, 16}).seconds, 4.8e-6,
              1e-8);
}

TEST(OperatorTuner, AddsRecordsOneByOneOrMerged) {
  Record first = makeRecord("128x128x8_8x8"), second = first;
  // A part of the grid, and later all of it.
  first.runs = {makeRun(2048, 40, 2e-4), makeRun(2048, 80, 3e-4)};
  second.runs = {makeRun(2048, 288, 1e-3)};
  OperatorTuner one = makeTuner(), other = makeTuner();
  one.add({first});
  one.add({second});
  other.add({mergeRecords(first, second)});
  ASSERT_EQ(one.getMeasurements().size(), 1u);
  ASSERT_EQ(other.getMeasurements().size(), 1u);
  const MeasuredKernel a = one.getMeasurements()[0];
  const MeasuredKernel b = other.getMeasurements()[0];
  ASSERT_EQ(a.runs.size(), 3u);
  ASSERT_EQ(b.runs.size(), 3u);
  for (size_t i = 0; i < a.runs.size(); ++i) {
    EXPECT_EQ(a.runs[i].blocks, b.runs[i].blocks);
    EXPECT_EQ(a.runs[i].seconds, b.runs[i].seconds);
  }
}

TEST(OperatorTuner, NothingIsUsableIfAllFailed) {
  OperatorTuner tuner = makeTuner();
  std::vector<Record> records;
  for (const Schedule &schedule : tuner.getPool().space) {
    records.push_back(makeRecord(schedule.name()));
    records.back().status = RecordStatus::Crash;
  }
  tuner.add(records);
  EXPECT_TRUE(tuner.getUsableCosts().empty());
  EXPECT_TRUE(tuner.propose(1, {}).empty());
}
