//===- DispatchBoxesTest.cpp - Tests of coverage and decision trees -------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxTesting.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace dietcode;
using namespace dietcode::test;

static constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
static constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();

TEST(Contains, EndsAreInside) {
  Box box = {{1, 4}, {kLowest, kHuge}};
  EXPECT_TRUE(contains(box, {1, kLowest}));
  EXPECT_TRUE(contains(box, {4, kHuge}));
  EXPECT_FALSE(contains(box, {0, 0}));
  EXPECT_FALSE(contains(box, {5, 0}));
  EXPECT_FALSE(contains({{2, 1}}, {1}));
}

TEST(Contains, NoDims) {
  EXPECT_TRUE(contains({}, {}));
  EXPECT_FALSE(contains({}, {1}));
}

TEST(Gaps, OneDim) {
  std::vector<Interval> domain = {{1, 100}};
  EXPECT_EQ(*findGap(domain, {}), Box({{1, 100}}));
  EXPECT_EQ(findGap(domain, {{{{1, 100}}, 0}}), std::nullopt);
  EXPECT_EQ(findGap(domain, {{{{50, 100}}, 0}, {{{1, 49}}, 1}}), std::nullopt);
  EXPECT_EQ(*findGap(domain, {{{{1, 48}}, 0}, {{{50, 100}}, 1}}),
            Box({{49, 49}}));
  EXPECT_EQ(*findGap(domain, {{{{1, 99}}, 0}}), Box({{100, 100}}));
  EXPECT_EQ(*findGap(domain, {{{{2, 100}}, 0}}), Box({{1, 1}}));
}

TEST(Gaps, LeavesMayReachBeyondAndOverlap) {
  EXPECT_EQ(findGap({{1, 10}}, {{{{-5, 7}}, 0}, {{{3, 50}}, 1}}), std::nullopt);
}

TEST(Gaps, HoleInTheMiddle) {
  std::vector<Interval> domain = {{0, 9}, {0, 9}};
  std::vector<DispatchLeaf> ring = {{{{0, 9}, {0, 3}}, 0},
                                    {{{0, 9}, {6, 9}}, 0},
                                    {{{0, 4}, {4, 5}}, 0},
                                    {{{6, 9}, {4, 5}}, 0}};
  EXPECT_EQ(*findGap(domain, ring), Box({{5, 5}, {4, 5}}));
}

TEST(Gaps, EmptyDomainAndNoDims) {
  EXPECT_EQ(findGap({{5, 4}}, {}), std::nullopt);
  EXPECT_EQ(*findGap({}, {}), Box());
  EXPECT_EQ(findGap({}, {{{}, 0}}), std::nullopt);
}

TEST(Gaps, ExtremeBounds) {
  std::vector<Interval> domain = {{kLowest, kHuge}};
  EXPECT_EQ(findGap(domain, {{{{kLowest, kHuge}}, 0}}), std::nullopt);
  EXPECT_EQ(findGap(domain, {{{{kLowest, 0}}, 0}, {{{1, kHuge}}, 0}}),
            std::nullopt);
  EXPECT_EQ(*findGap(domain, {{{{kLowest, kHuge - 1}}, 0}}),
            Box({{kHuge, kHuge}}));
}

TEST(Gaps, EmptyAndForeignLeavesCoverNothing) {
  EXPECT_EQ(*findGap({{1, 9}}, {{{{9, 1}}, 0}}), Box({{1, 9}}));
  EXPECT_EQ(*findGap({{1, 9}}, {{{{1, 9}, {1, 9}}, 0}}), Box({{1, 9}}));
}

TEST(Overlaps, AreFound) {
  EXPECT_EQ(findOverlap({{{{1, 5}}, 0}, {{{6, 9}}, 0}}), std::nullopt);
  EXPECT_EQ(*findOverlap({{{{6, 9}}, 0}, {{{1, 5}}, 0}, {{{5, 6}}, 0}}),
            std::make_pair(size_t(0), size_t(2)));
  // Both dims have to overlap.
  EXPECT_EQ(findOverlap({{{{1, 5}, {1, 5}}, 0}, {{{5, 9}, {6, 9}}, 0}}),
            std::nullopt);
  EXPECT_EQ(*findOverlap({{{}, 0}, {{}, 1}}),
            std::make_pair(size_t(0), size_t(1)));
}

TEST(Outside, IsFound) {
  std::vector<Interval> domain = {{1, 9}, {1, 9}};
  EXPECT_EQ(findOutside(domain, {{{{1, 9}, {1, 9}}, 0}}), std::nullopt);
  EXPECT_EQ(findOutside(domain, {{{{1, 9}, {0, 9}}, 0}}), size_t(0));
  EXPECT_EQ(findOutside(domain, {{{{1, 9}, {1, 10}}, 0}}), size_t(0));
  EXPECT_EQ(findOutside(domain, {{{{1, 9}}, 0}}), size_t(0));
  EXPECT_EQ(findOutside(domain, {{{{1, 9}, {1, 9}}, 0}, {{{3, 2}, {1, 1}}, 0}}),
            size_t(1));
}

/// Random boxes, disjoint or not, against counting in every point.
TEST(BoxesByBruteForce, AgreeInOneToThreeDims) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    size_t rank = 1 + trial % 3;
    std::vector<Interval> domain;
    for (size_t dim = 0; dim < rank; ++dim)
      domain.push_back({-2, 3});
    std::vector<DispatchLeaf> leaves;
    for (size_t count = random() % 6; count > 0; --count) {
      Box box;
      for (size_t dim = 0; dim < rank; ++dim) {
        int64_t lower = int64_t(random() % 6) - 2;
        box.push_back({lower, lower + int64_t(random() % 5)});
      }
      leaves.push_back({box, 0});
    }

    bool hasGap = false;
    DecisionTree tree = buildDecisionTree(domain, leaves);
    for (const auto &point : allPoints(domain)) {
      int expected = firstLeafAt(leaves, point);
      hasGap |= expected == kGeneralLeaf;
      EXPECT_EQ(tree.evaluate(point), expected);
    }
    std::optional<Box> gap = findGap(domain, leaves);
    EXPECT_EQ(gap.has_value(), hasGap);
    if (gap)
      for (const auto &point : allPoints(*gap))
        EXPECT_EQ(firstLeafAt(leaves, point), kGeneralLeaf);
  }
}

TEST(DecisionTrees, AnswerOutsideTheDomain) {
  std::vector<DispatchLeaf> leaves = {{{{-5, 50}}, 0}};
  DecisionTree tree = buildDecisionTree({{1, 9}}, leaves);
  EXPECT_EQ(tree.evaluate({1}), 0);
  EXPECT_EQ(tree.evaluate({9}), 0);
  for (int64_t value : {int64_t(0), int64_t(10), kLowest, kHuge})
    EXPECT_EQ(tree.evaluate({value}), kGeneralLeaf);
  EXPECT_EQ(tree.evaluate({}), kGeneralLeaf);
  EXPECT_EQ(tree.evaluate({1, 1}), kGeneralLeaf);
}

TEST(DecisionTrees, WithoutDims) {
  DecisionTree tree = buildDecisionTree({}, {{{}, 0}});
  EXPECT_EQ(tree.evaluate({}), 0);
  EXPECT_EQ(tree.depth(), 0u);
  EXPECT_EQ(buildDecisionTree({}, {}).evaluate({}), kGeneralLeaf);
}

TEST(DecisionTrees, AreBalanced) {
  std::vector<DispatchLeaf> leaves;
  for (int64_t index = 0; index < 64; ++index)
    leaves.push_back({{{10 * index, 10 * index + 9}}, 0});
  DecisionTree tree = buildDecisionTree({{0, 639}}, leaves);
  EXPECT_EQ(tree.depth(), 6u);
  EXPECT_EQ(tree.nodes.size(), 127u);
}

TEST(DecisionTrees, ExtremeBounds) {
  std::vector<DispatchLeaf> leaves = {{{{kLowest, -1}}, 0}, {{{0, kHuge}}, 0}};
  DecisionTree tree = buildDecisionTree({{kLowest, kHuge}}, leaves);
  EXPECT_EQ(tree.evaluate({kLowest}), 0);
  EXPECT_EQ(tree.evaluate({-1}), 0);
  EXPECT_EQ(tree.evaluate({0}), 1);
  EXPECT_EQ(tree.evaluate({kHuge}), 1);
}
