//===- SampleDomain.cpp - Shapes that represent a range -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/Dispatch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace dietcode;

/// a / b rounded down, for positive b.
static int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

static int64_t ceilDiv(int64_t a, int64_t b) {
  return a / b + (a % b > 0 ? 1 : 0);
}

static double sizeOf(const Interval &range) {
  return static_cast<double>(range.upper) - static_cast<double>(range.lower) +
         1;
}

/// Walks through `range` in steps of max(1, rate * |value|), its upper end
/// included, and gives up beyond `limit` values.
static std::vector<int64_t> walk(const Interval &range, double rate,
                                 size_t limit) {
  std::vector<int64_t> values;
  int64_t value = range.lower;
  while (value < range.upper && values.size() <= limit) {
    values.push_back(value);
    // The difference of two int64_t fits uint64_t; steps are kept below 2^62.
    uint64_t left =
        static_cast<uint64_t>(range.upper) - static_cast<uint64_t>(value);
    double wanted = std::floor(rate * std::fabs(static_cast<double>(value)));
    uint64_t step =
        static_cast<uint64_t>(std::clamp(wanted, 1.0, std::ldexp(1, 62)));
    value = step >= left ? range.upper : value + static_cast<int64_t>(step);
  }
  values.push_back(range.upper);
  return values;
}

/// At most `limit` >= 2 values of `range`: with the smallest growth rate that
/// is sparse enough, steps are 1 below 1 / rate and geometric above.
static std::vector<int64_t> valuesOf(const Interval &range, size_t limit) {
  if (sizeOf(range) <= static_cast<double>(limit))
    return walk(range, 0, limit);
  double dense = 0, sparse = 1;
  while (walk(range, sparse, limit).size() > limit && sparse < 1e19)
    sparse *= 2;
  for (int iteration = 0; iteration < 40; ++iteration) {
    double middle = (dense + sparse) / 2;
    if (walk(range, middle, limit).size() > limit)
      dense = middle;
    else
      sparse = middle;
  }
  std::vector<int64_t> values = walk(range, sparse, limit);
  // Around zero steps are 1 at any rate; keep the ends and every nth value.
  if (values.size() > limit) {
    size_t stride = (values.size() + limit - 2) / (limit - 1);
    std::vector<int64_t> kept;
    for (size_t index = 0; index + 1 < values.size(); index += stride)
      kept.push_back(values[index]);
    kept.push_back(values.back());
    return kept;
  }
  return values;
}

/// Shares `maxPoints` out over the dims: short dims take what they have, and
/// leave more to the long ones.
static std::vector<std::vector<int64_t>>
valuesPerDim(const std::vector<Interval> &ranges, size_t maxPoints) {
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    double sizeA = sizeOf(ranges[a]), sizeB = sizeOf(ranges[b]);
    return sizeA != sizeB ? sizeA < sizeB : a < b;
  });
  std::vector<std::vector<int64_t>> values(ranges.size());
  double remaining = static_cast<double>(maxPoints);
  size_t dimsLeft = ranges.size();
  for (size_t dim : order) {
    // The allowance is for roots such as 27 ^ (1 / 3) = 2.9999999999999996.
    double share = std::floor(
        std::pow(remaining, 1.0 / static_cast<double>(dimsLeft)) + 1e-9);
    values[dim] =
        valuesOf(ranges[dim], static_cast<size_t>(std::max(2.0, share)));
    remaining /= static_cast<double>(values[dim].size());
    --dimsLeft;
  }
  return values;
}

std::vector<SamplePoint>
dietcode::sampleDomain(const std::vector<Interval> &domain, size_t maxPoints,
                       const std::vector<int64_t> &multiples) {
  // Sample the quotients by the multiple of each dim.
  std::vector<Interval> ranges = domain;
  auto multipleOf = [&](size_t dim) {
    return dim < multiples.size() && multiples[dim] > 0 ? multiples[dim] : 1;
  };
  for (size_t dim = 0; dim < domain.size(); ++dim) {
    ranges[dim].lower = ceilDiv(domain[dim].lower, multipleOf(dim));
    ranges[dim].upper = floorDiv(domain[dim].upper, multipleOf(dim));
    if (ranges[dim].lower > ranges[dim].upper)
      return {};
  }

  std::vector<std::vector<int64_t>> values = valuesPerDim(ranges, maxPoints);
  std::vector<SamplePoint> points(1);
  for (size_t dim = 0; dim < domain.size(); ++dim) {
    std::vector<SamplePoint> extended;
    extended.reserve(points.size() * values[dim].size());
    for (const SamplePoint &point : points)
      for (int64_t value : values[dim]) {
        extended.push_back(point);
        extended.back().dims.push_back(value * multipleOf(dim));
      }
    points = std::move(extended);
  }
  return points;
}
