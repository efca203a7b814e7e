//===- SampleDomainTest.cpp - Tests of sampling a range -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/Dispatch.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <set>

using namespace dietcode;

static std::vector<int64_t> firstDims(const std::vector<SamplePoint> &points) {
  std::vector<int64_t> dims;
  for (const SamplePoint &point : points)
    dims.push_back(point.dims.front());
  return dims;
}

TEST(SampleDomain, TakesAllOfASmallRange) {
  std::vector<int64_t> dims = firstDims(sampleDomain({{1, 128}}));
  ASSERT_EQ(dims.size(), 128u);
  for (int64_t index = 0; index < 128; ++index)
    EXPECT_EQ(dims[index], index + 1);
}

TEST(SampleDomain, IsDenseBelowAndGeometricAbove) {
  std::vector<int64_t> dims = firstDims(sampleDomain({{1, 65536}}));
  EXPECT_LE(dims.size(), 400u);
  EXPECT_GE(dims.size(), 300u);
  EXPECT_EQ(dims.front(), 1);
  EXPECT_EQ(dims.back(), 65536);
  for (int64_t value = 1; value <= 32; ++value)
    EXPECT_TRUE(std::count(dims.begin(), dims.end(), value)) << value;
  for (size_t index = 1; index < dims.size(); ++index) {
    EXPECT_LT(dims[index - 1], dims[index]);
    EXPECT_LE(dims[index], 1 + 1.1 * dims[index - 1]);
  }
}

TEST(SampleDomain, BoundsTheCountInSeveralDims) {
  std::vector<Interval> domain = {{1, 4096}, {7, 7}, {64, 100000}};
  std::vector<SamplePoint> points = sampleDomain(domain, 300);
  EXPECT_LE(points.size(), 300u);
  EXPECT_GE(points.size(), 200u);
  std::set<std::vector<int64_t>> unique;
  for (const SamplePoint &point : points) {
    EXPECT_TRUE(unique.insert(point.dims).second);
    EXPECT_EQ(point.weight, 1);
    for (size_t dim = 0; dim < domain.size(); ++dim) {
      EXPECT_GE(point.dims[dim], domain[dim].lower);
      EXPECT_LE(point.dims[dim], domain[dim].upper);
    }
  }
  EXPECT_TRUE(unique.count({1, 7, 64}));
  EXPECT_TRUE(unique.count({4096, 7, 100000}));
}

TEST(SampleDomain, RespectsMultiples) {
  std::vector<SamplePoint> points = sampleDomain({{1, 100}}, 400, {16});
  EXPECT_EQ(firstDims(points), (std::vector<int64_t>{16, 32, 48, 64, 80, 96}));
  EXPECT_TRUE(sampleDomain({{1, 15}}, 400, {16}).empty());
}

TEST(SampleDomain, HandlesDegenerateRanges) {
  EXPECT_EQ(sampleDomain({}).size(), 1u);
  EXPECT_TRUE(sampleDomain({}).front().dims.empty());
  EXPECT_TRUE(sampleDomain({{5, 4}}).empty());
  EXPECT_EQ(firstDims(sampleDomain({{0, 3}})),
            (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(firstDims(sampleDomain({{0, 1000000}}, 2)),
            (std::vector<int64_t>{0, 1000000}));
  EXPECT_EQ(sampleDomain({{1, 1000}}, 0).size(), 2u);
}

TEST(SampleDomain, HandlesExtremeBounds) {
  constexpr int64_t huge = std::numeric_limits<int64_t>::max();
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  for (const Interval &range :
       {Interval{1, huge}, Interval{lowest, huge}, Interval{lowest, 0}}) {
    std::vector<int64_t> dims = firstDims(sampleDomain({range}, 50));
    EXPECT_LE(dims.size(), 50u);
    EXPECT_EQ(dims.front(), range.lower);
    EXPECT_EQ(dims.back(), range.upper);
    EXPECT_TRUE(std::is_sorted(dims.begin(), dims.end()));
  }
}
