//===- ProposerTest.cpp - Tests of what is measured next ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/Proposer.h"
#include "dietcode/Search/ScheduleSpace.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace dietcode;

static const DeviceSpec &t4() { return *lookupDevice("t4"); }

static CandidatePool makePool() {
  CandidatePool pool;
  pool.space = enumerateSchedules(t4());
  pool.costs = CostModel(t4()).predict(pool.space, {});
  pool.excluded.resize(pool.space.size());
  return pool;
}

static const std::vector<TuneInstance> &instances() {
  static const std::vector<TuneInstance> instances = {{{80, 2304, 768}, 0.5},
                                                      {{2048, 2304, 768}, 0.5}};
  return instances;
}

static double seconds(const CandidatePool &pool, size_t candidate,
                      const ContractionShape &shape) {
  return Adaption(t4()).estimate(pool.costs[candidate], shape).seconds;
}

/// The index of the fastest of some candidates.
static size_t fastest(const CandidatePool &pool, std::vector<size_t> among,
                      const ContractionShape &shape) {
  return *std::min_element(among.begin(), among.end(), [&](size_t a, size_t b) {
    return seconds(pool, a, shape) < seconds(pool, b, shape);
  });
}

static std::vector<size_t> all(const CandidatePool &pool) {
  std::vector<size_t> indices(pool.space.size());
  for (size_t i = 0; i < indices.size(); ++i)
    indices[i] = i;
  return indices;
}

TEST(Proposer, ProposesTheBestOfEachInstance) {
  CandidatePool pool = makePool();
  std::vector<size_t> batch =
      proposeCandidates(pool, instances(), Adaption(t4()), 1);
  EXPECT_EQ(batch.size(), 32u);
  for (const TuneInstance &instance : instances()) {
    double best =
        seconds(pool, fastest(pool, all(pool), instance.shape), instance.shape);
    double proposed =
        seconds(pool, fastest(pool, batch, instance.shape), instance.shape);
    EXPECT_LT(proposed, 1.02 * best) << instance.shape.m;
  }
}

TEST(Proposer, ProposesOnlyWhatIsOpen) {
  CandidatePool pool = makePool();
  for (size_t i = 0; i < pool.space.size(); ++i) {
    if (i % 3 == 0)
      pool.costs[i].source = CostSource::Measured;
    pool.excluded[i] = i % 3 == 1;
  }
  std::set<size_t> seen;
  for (size_t i :
       proposeCandidates(pool, instances(), Adaption(t4()), 1, {200})) {
    EXPECT_EQ(i % 3, 2u);
    EXPECT_TRUE(seen.insert(i).second);
  }
  EXPECT_EQ(seen.size(), 200u);
}

TEST(Proposer, EndsWithTheSpace) {
  CandidatePool pool = makePool();
  for (size_t i = 5; i < pool.space.size(); ++i)
    pool.excluded[i] = true;
  EXPECT_EQ(proposeCandidates(pool, instances(), Adaption(t4()), 1).size(), 5u);
  pool.excluded.assign(pool.space.size(), true);
  EXPECT_TRUE(proposeCandidates(pool, instances(), Adaption(t4()), 1).empty());
}

TEST(Proposer, DependsOnTheSeedAlone) {
  CandidatePool pool = makePool();
  Adaption adaption(t4());
  EXPECT_EQ(proposeCandidates(pool, instances(), adaption, 7),
            proposeCandidates(pool, instances(), adaption, 7));
  EXPECT_NE(proposeCandidates(pool, instances(), adaption, 7),
            proposeCandidates(pool, instances(), adaption, 8));
}

/// Before anything was measured there is nothing to mutate, so that what is not
/// random is by the model, whatever the seed.
TEST(Proposer, TheFirstBatchIsHalfByTheModel) {
  CandidatePool pool = makePool();
  ProposerOptions options;
  options.batch = 16;
  auto propose = [&](uint64_t seed) {
    return proposeCandidates(pool, instances(), Adaption(t4()), seed, options);
  };
  std::vector<size_t> a = propose(7), b = propose(8);
  EXPECT_TRUE(std::equal(a.begin(), a.begin() + 8, b.begin()));
  EXPECT_FALSE(std::equal(a.begin() + 8, a.end(), b.begin() + 8));
}

TEST(Proposer, MutatesTheBestMeasured) {
  CandidatePool pool = makePool();
  size_t best = fastest(pool, all(pool), instances()[1].shape);
  pool.costs[best].source = CostSource::Measured;
  ProposerOptions options;
  options.batch = 2;
  options.mutationFraction = 1;
  options.randomFraction = 0;
  for (size_t i :
       proposeCandidates(pool, {instances()[1]}, Adaption(t4()), 3, options))
    EXPECT_TRUE(areNeighbours(pool.space[best], pool.space[i]))
        << pool.space[i].name();
}

TEST(Proposer, WeightsDecideWhatIsWorthMeasuring) {
  CandidatePool pool = makePool();
  auto first = [&](double weight) {
    std::vector<TuneInstance> weighted = instances();
    weighted[0].weight = weight;
    weighted[1].weight = 1 - weight;
    // Something was measured that is poor at both.
    size_t slow = 0;
    pool.costs[slow].source = CostSource::Measured;
    return proposeCandidates(pool, weighted, Adaption(t4()), 1)[0];
  };
  size_t forSmall = first(0.999), forLarge = first(0.001);
  EXPECT_LT(seconds(pool, forSmall, instances()[0].shape),
            seconds(pool, forLarge, instances()[0].shape));
  EXPECT_GT(seconds(pool, forSmall, instances()[1].shape),
            seconds(pool, forLarge, instances()[1].shape));
}

TEST(Proposer, ExpectsLessWhenMoreIsMeasured) {
  CandidatePool pool = makePool();
  Adaption adaption(t4());
  EXPECT_TRUE(std::isinf(weightedSeconds(pool, instances(), adaption)));
  EXPECT_TRUE(std::isinf(expectedGain(pool, instances(), adaption)));
  pool.costs[0].source = CostSource::Measured;
  double before = weightedSeconds(pool, instances(), adaption);
  double gain = expectedGain(pool, instances(), adaption);
  EXPECT_GT(gain, 0.5 * before);
  for (const TuneInstance &instance : instances())
    pool.costs[fastest(pool, all(pool), instance.shape)].source =
        CostSource::Measured;
  EXPECT_LT(weightedSeconds(pool, instances(), adaption), before);
  EXPECT_LT(expectedGain(pool, instances(), adaption), 0.2 * gain);
}
