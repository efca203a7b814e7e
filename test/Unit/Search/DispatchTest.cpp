//===- DispatchTest.cpp - Tests of kernel choice over ranges --------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxTesting.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>

using namespace dietcode;
using namespace dietcode::test;

namespace {
/// A problem over all points of a small domain with a table of costs.
struct TableProblem {
  std::map<std::vector<int64_t>, std::vector<double>> costs;
  DispatchProblem problem;

  TableProblem(std::vector<Interval> domain, unsigned numCandidates) {
    problem.domain = std::move(domain);
    problem.numCandidates = numCandidates;
    problem.mergeTolerance = 0;
    for (const auto &dims : allPoints(problem.domain)) {
      problem.points.push_back({dims, 1});
      costs[dims].assign(numCandidates, 1);
    }
    problem.cost = [this](unsigned candidate,
                          const std::vector<int64_t> &dims) {
      return costs.at(dims)[candidate];
    };
  }
  TableProblem(const TableProblem &) = delete;

  void randomize(std::mt19937 &random) {
    for (auto &entry : costs)
      for (double &cost : entry.second)
        cost = 1 + (random() % 1000) / 100.0;
    for (SamplePoint &point : problem.points)
      point.weight = 1 + random() % 5;
  }

  double regret(unsigned candidate, const std::vector<int64_t> &dims) const {
    const std::vector<double> &row = costs.at(dims);
    return row[candidate] / *std::min_element(row.begin(), row.end()) - 1;
  }

  /// Weighted regret if each point had the best of `kernels`.
  double bestLoss(const std::vector<unsigned> &kernels) const {
    double sum = 0, weight = 0;
    for (const SamplePoint &point : problem.points) {
      double least = std::numeric_limits<double>::infinity();
      for (unsigned kernel : kernels)
        least = std::min(least, regretLoss(regret(kernel, point.dims)));
      sum += point.weight * least;
      weight += point.weight;
    }
    return sum / weight;
  }
};
} // namespace

/// Leaves partition the domain and the numbers are what the leaves give.
static void checkResult(const TableProblem &table,
                        const DispatchResult &result) {
  const DispatchProblem &problem = table.problem;
  ASSERT_LE(result.kernels.size(), problem.maxKernels);
  ASSERT_LE(result.leaves.size(), problem.maxLeaves);
  ASSERT_LT(result.general, result.kernels.size());
  EXPECT_EQ(findGap(problem.domain, result.leaves), std::nullopt);
  EXPECT_EQ(findOverlap(result.leaves), std::nullopt);
  EXPECT_EQ(findOutside(problem.domain, result.leaves), std::nullopt);

  DecisionTree tree = buildDecisionTree(problem.domain, result.leaves);
  double sum = 0, worst = 0, weighted = 0, weight = 0;
  for (const SamplePoint &point : problem.points) {
    int holding = 0;
    for (const DispatchLeaf &leaf : result.leaves)
      holding += contains(leaf.box, point.dims);
    EXPECT_EQ(holding, 1);
    int leaf = firstLeafAt(result.leaves, point.dims);
    ASSERT_EQ(tree.evaluate(point.dims), leaf);
    double regret =
        table.regret(result.kernels[result.leaves[leaf].kernel], point.dims);
    sum += regret;
    worst = std::max(worst, regret);
    weighted += point.weight * regret;
    weight += point.weight;
  }
  EXPECT_NEAR(result.meanRegret, sum / problem.points.size(), 1e-9);
  EXPECT_NEAR(result.weightedRegret, weighted / weight, 1e-9);
  EXPECT_NEAR(result.maxRegret, worst, 1e-9);
  int leaf = firstLeafAt(result.leaves, result.worstPoint);
  ASSERT_GE(leaf, 0);
  EXPECT_NEAR(table.regret(result.kernels[result.leaves[leaf].kernel],
                           result.worstPoint),
              worst, 1e-9);
}

static const std::vector<std::vector<Interval>> &smallDomains() {
  static const std::vector<std::vector<Interval>> domains = {
      {{1, 20}}, {{-3, 2}, {0, 4}}, {{1, 3}, {5, 7}, {0, 2}}};
  return domains;
}

TEST(Dispatch, PartitionsRandomTables) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 60; ++trial) {
    TableProblem table(smallDomains()[trial % 3], 1 + random() % 12);
    table.randomize(random);
    table.problem.maxKernels = 1 + random() % 5;
    table.problem.maxLeaves = 1 + random() % 9;
    table.problem.mergeTolerance = (trial % 2) * 0.05;
    Expected<DispatchResult> result = selectDispatch(table.problem);
    ASSERT_TRUE(result.has_value()) << result.error().message;
    checkResult(table, *result);
  }
}

TEST(Dispatch, HasNoRegretWithoutLimits) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 30; ++trial) {
    TableProblem table(smallDomains()[trial % 3], 6);
    table.randomize(random);
    table.problem.maxKernels = 6;
    table.problem.maxLeaves = 1000;
    Expected<DispatchResult> result = selectDispatch(table.problem);
    ASSERT_TRUE(result.has_value());
    checkResult(table, *result);
    EXPECT_EQ(result->maxRegret, 0);
  }
}

TEST(Dispatch, ChoosesTheBestSingleKernel) {
  std::mt19937 random(13);
  for (int trial = 0; trial < 30; ++trial) {
    TableProblem table(smallDomains()[trial % 3], 9);
    table.randomize(random);
    table.problem.maxKernels = 1;
    Expected<DispatchResult> result = selectDispatch(table.problem);
    ASSERT_TRUE(result.has_value());
    double least = table.bestLoss({0});
    for (unsigned kernel = 1; kernel < 9; ++kernel)
      least = std::min(least, table.bestLoss({kernel}));
    EXPECT_NEAR(result->weightedLoss, least, 1e-9);
    EXPECT_EQ(result->leaves.size(), 1u);
  }
}

TEST(Dispatch, ChoosesNearlyTheBestPair) {
  std::mt19937 random(17);
  for (int trial = 0; trial < 30; ++trial) {
    TableProblem table(smallDomains()[trial % 3], 8);
    table.randomize(random);
    table.problem.maxKernels = 2;
    table.problem.maxLeaves = 1000;
    Expected<DispatchResult> result = selectDispatch(table.problem);
    ASSERT_TRUE(result.has_value());
    double least = std::numeric_limits<double>::infinity();
    for (unsigned first = 0; first < 8; ++first)
      for (unsigned second = first; second < 8; ++second)
        least = std::min(least, table.bestLoss({first, second}));
    EXPECT_GE(result->weightedLoss, least - 1e-9);
    EXPECT_LE(result->weightedLoss, 1.25 * least);
    // With leaves enough the tree loses nothing against the kernels.
    EXPECT_NEAR(result->weightedLoss, table.bestLoss(result->kernels), 1e-9);
  }
}

TEST(Dispatch, SeparatesAKernelBetweenTwoRegionsOfAnother) {
  TableProblem table({{1, 30}}, 2);
  for (auto &[dims, costs] : table.costs) {
    bool middle = dims[0] > 10 && dims[0] <= 20;
    costs = {middle ? 2.0 : 1.0, middle ? 1.0 : 2.0};
  }
  Expected<DispatchResult> result = selectDispatch(table.problem);
  ASSERT_TRUE(result.has_value());
  ASSERT_EQ(result->leaves.size(), 3u);
  EXPECT_EQ(result->leaves[0].box, Box({{1, 10}}));
  EXPECT_EQ(result->leaves[1].box, Box({{11, 20}}));
  EXPECT_EQ(result->leaves[2].box, Box({{21, 30}}));
  EXPECT_EQ(result->leaves[0].kernel, result->leaves[2].kernel);
  EXPECT_EQ(result->maxRegret, 0);
}

TEST(Dispatch, SeparatesACheckerboard) {
  TableProblem table({{0, 3}, {0, 3}}, 2);
  for (auto &[dims, costs] : table.costs) {
    bool odd = (dims[0] / 2 + dims[1] / 2) % 2;
    costs = {odd ? 2.0 : 1.0, odd ? 1.0 : 2.0};
  }
  Expected<DispatchResult> result = selectDispatch(table.problem);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->maxRegret, 0);
  EXPECT_EQ(result->leaves.size(), 4u);
}

TEST(Dispatch, PutsBoundariesAtRoundNumbers) {
  TableProblem table({{1, 1000}}, 2);
  table.problem.points = {{{1}, 1}, {{120}, 1}, {{140}, 1}, {{1000}, 1}};
  for (auto &[dims, costs] : table.costs)
    costs = {dims[0] < 130 ? 1.0 : 2.0, dims[0] < 130 ? 2.0 : 1.0};
  Expected<DispatchResult> result = selectDispatch(table.problem);
  ASSERT_TRUE(result.has_value());
  ASSERT_EQ(result->leaves.size(), 2u);
  EXPECT_EQ(result->leaves[0].box, Box({{1, 128}}));
  EXPECT_EQ(result->leaves[1].box, Box({{129, 1000}}));
}

TEST(Dispatch, MergesWithinTheTolerance) {
  TableProblem table({{1, 100}}, 2);
  for (auto &[dims, costs] : table.costs)
    costs = {1.0, dims[0] <= 10 ? 0.99 : 2.0};
  // Without the second kernel ten of a hundred points lose 1 %: 0.1 % in all.
  table.problem.mergeTolerance = 0.002;
  Expected<DispatchResult> merged = selectDispatch(table.problem);
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(merged->leaves.size(), 1u);
  EXPECT_EQ(merged->kernels, (std::vector<unsigned>{0}));
  table.problem.mergeTolerance = 0.0005;
  Expected<DispatchResult> kept = selectDispatch(table.problem);
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->leaves.size(), 2u);
}

TEST(Dispatch, PrefersLargeShapesForTheGeneralKernel) {
  TableProblem table({{1, 100}}, 2);
  for (auto &[dims, costs] : table.costs)
    costs = {dims[0] <= 70 ? 1.0 : 2.0, dims[0] <= 70 ? 2.0 : 1.0};
  Expected<DispatchResult> result = selectDispatch(table.problem);
  ASSERT_TRUE(result.has_value());
  // More points prefer the first kernel; the larger ones the second.
  EXPECT_EQ(result->kernels[result->general], 1u);
}

TEST(Dispatch, WorksWithoutDynamicDims) {
  TableProblem table({}, 3);
  table.costs[{}] = {3, 1, 2};
  Expected<DispatchResult> result = selectDispatch(table.problem);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->kernels, (std::vector<unsigned>{1}));
  ASSERT_EQ(result->leaves.size(), 1u);
  EXPECT_TRUE(result->leaves[0].box.empty());
}

TEST(Dispatch, ToleratesZeroCostsAndUnfitCandidates) {
  TableProblem table({{0, 9}}, 3);
  double nan = std::nan("");
  double infinity = std::numeric_limits<double>::infinity();
  for (auto &[dims, costs] : table.costs)
    costs = {dims[0] == 0 ? 0 : 1.0, nan, infinity};
  Expected<DispatchResult> result = selectDispatch(table.problem);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->kernels, (std::vector<unsigned>{0}));
  EXPECT_EQ(result->maxRegret, 0);
}

TEST(Dispatch, KeepsBoxesThatOnlyOneKernelServes) {
  TableProblem table({{1, 40}}, 2);
  for (auto &[dims, costs] : table.costs)
    costs = {dims[0] == 17 ? -1.0 : 1.0, 5.0};
  table.problem.mergeTolerance = 1;
  Expected<DispatchResult> result = selectDispatch(table.problem);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(
      result->kernels[result->leaves[firstLeafAt(result->leaves, {17})].kernel],
      1u);
}

TEST(Dispatch, IsDeterministic) {
  std::mt19937 random(23);
  TableProblem table({{1, 20}, {1, 10}}, 30);
  table.randomize(random);
  DispatchResult first = *selectDispatch(table.problem);
  DispatchResult second = *selectDispatch(table.problem);
  EXPECT_EQ(first.kernels, second.kernels);
  ASSERT_EQ(first.leaves.size(), second.leaves.size());
  for (size_t leaf = 0; leaf < first.leaves.size(); ++leaf)
    EXPECT_EQ(first.leaves[leaf].box, second.leaves[leaf].box);
}

static std::string errorOf(const DispatchProblem &problem) {
  Expected<DispatchResult> result = selectDispatch(problem);
  return result ? "none" : result.error().message;
}

TEST(DispatchErrors, SayWhatIsWrong) {
  TableProblem table({{1, 4}}, 2);
  auto with = [&](auto change) {
    DispatchProblem problem = table.problem;
    change(problem);
    return errorOf(problem);
  };
  using Problem = DispatchProblem;
  EXPECT_EQ(with([](Problem &problem) { problem.numCandidates = 0; }),
            "there is no candidate kernel to dispatch to");
  EXPECT_EQ(with([](Problem &problem) { problem.cost = nullptr; }),
            "the dispatch problem has no cost function");
  EXPECT_EQ(with([](Problem &problem) { problem.points.clear(); }),
            "there is no shape at which kernels could be compared");
  EXPECT_EQ(with([](Problem &problem) { problem.maxKernels = 0; }),
            "a dispatch needs at least one kernel and one leaf");
  EXPECT_EQ(with([](Problem &problem) { problem.mergeTolerance = NAN; }),
            "the merge tolerance must not be negative");
  EXPECT_EQ(with([](Problem &problem) { problem.domain = {{4, 1}}; }),
            "the range of dim 0 is empty: [4, 1]");
  EXPECT_EQ(with([](Problem &problem) { problem.points[0].dims = {5}; }),
            "a shape has 5 in dim 0, outside the range [1, 4]");
  EXPECT_EQ(with([](Problem &problem) { problem.points[0].dims = {1, 2}; }),
            "a shape of 2 dims does not fit a domain of 1");
  EXPECT_EQ(with([](Problem &problem) { problem.points[0].weight = -1; }),
            "the weight of a shape must be positive and finite, not -1.000000");
  EXPECT_EQ(with([](Problem &problem) {
              problem.cost = [](unsigned, const std::vector<int64_t> &) {
                return -1.0;
              };
            }),
            "no candidate can serve the shape (1)");
}

TEST(DispatchErrors, TooFewKernelsToServeAll) {
  TableProblem table({{1, 2}}, 2);
  table.costs[{1}] = {1, -1};
  table.costs[{2}] = {-1, 1};
  table.problem.maxKernels = 1;
  EXPECT_EQ(errorOf(table.problem),
            "1 kernels and 64 leaves are too few to serve every shape; allow "
            "more of them or offer candidates that serve more shapes");
}
