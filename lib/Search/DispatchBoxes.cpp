//===- DispatchBoxes.cpp - Coverage of a domain by boxes ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact for boxes of any origin: bounds are compared, never enumerated, and no
// bound is stepped past the end of its type.
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/Dispatch.h"

#include <algorithm>

using namespace dietcode;

static bool isEmpty(const Box &box) {
  return std::any_of(box.begin(), box.end(), [](const Interval &interval) {
    return interval.lower > interval.upper;
  });
}

bool dietcode::contains(const Box &box, const std::vector<int64_t> &point) {
  return std::equal(box.begin(), box.end(), point.begin(), point.end(),
                    [](const Interval &interval, int64_t value) {
                      return interval.lower <= value && value <= interval.upper;
                    });
}

/// Whether two boxes have a point in common.
static bool intersects(const Box &a, const Box &b) {
  if (a.size() != b.size() || isEmpty(a) || isEmpty(b))
    return false;
  for (size_t dim = 0; dim < a.size(); ++dim)
    if (a[dim].upper < b[dim].lower || b[dim].upper < a[dim].lower)
      return false;
  return true;
}

/// Looks for a part of `region` that the leaves from `first` on leave open:
/// what a leaf does not cover of a region are at most two slabs per dim, which
/// the remaining leaves must cover.
static std::optional<Box>
findGapIn(Box region, const std::vector<DispatchLeaf> &leaves, size_t first) {
  while (first < leaves.size() && !intersects(region, leaves[first].box))
    ++first;
  if (first == leaves.size())
    return region;
  const Box &cover = leaves[first].box;
  for (size_t dim = 0; dim < region.size(); ++dim) {
    if (region[dim].lower < cover[dim].lower) {
      Box below = region;
      below[dim].upper = cover[dim].lower - 1;
      if (std::optional<Box> gap = findGapIn(below, leaves, first + 1))
        return gap;
      region[dim].lower = cover[dim].lower;
    }
    if (region[dim].upper > cover[dim].upper) {
      Box above = region;
      above[dim].lower = cover[dim].upper + 1;
      if (std::optional<Box> gap = findGapIn(above, leaves, first + 1))
        return gap;
      region[dim].upper = cover[dim].upper;
    }
  }
  return std::nullopt;
}

std::optional<Box> dietcode::findGap(const std::vector<Interval> &domain,
                                     const std::vector<DispatchLeaf> &leaves) {
  if (isEmpty(domain))
    return std::nullopt;
  return findGapIn(domain, leaves, 0);
}

std::optional<std::pair<size_t, size_t>>
dietcode::findOverlap(const std::vector<DispatchLeaf> &leaves) {
  for (size_t first = 0; first < leaves.size(); ++first)
    for (size_t second = first + 1; second < leaves.size(); ++second)
      if (intersects(leaves[first].box, leaves[second].box))
        return std::make_pair(first, second);
  return std::nullopt;
}

std::optional<size_t>
dietcode::findOutside(const std::vector<Interval> &domain,
                      const std::vector<DispatchLeaf> &leaves) {
  for (size_t index = 0; index < leaves.size(); ++index) {
    const Box &box = leaves[index].box;
    if (box.size() != domain.size() || isEmpty(box))
      return index;
    for (size_t dim = 0; dim < box.size(); ++dim)
      if (box[dim].lower < domain[dim].lower ||
          box[dim].upper > domain[dim].upper)
        return index;
  }
  return std::nullopt;
}
