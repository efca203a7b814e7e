//===- BoxTesting.h - Helpers for tests of boxes ----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_SEARCH_BOXTESTING_H
#define DIETCODE_TEST_UNIT_SEARCH_BOXTESTING_H

#include "dietcode/Search/Dispatch.h"

namespace dietcode::test {

/// Every point of a small box.
inline std::vector<std::vector<int64_t>> allPoints(const Box &box) {
  std::vector<std::vector<int64_t>> points = {{}};
  for (const Interval &interval : box) {
    std::vector<std::vector<int64_t>> extended;
    for (const std::vector<int64_t> &point : points)
      for (int64_t value = interval.lower; value <= interval.upper; ++value) {
        extended.push_back(point);
        extended.back().push_back(value);
      }
    points = std::move(extended);
  }
  return points;
}

inline int firstLeafAt(const std::vector<DispatchLeaf> &leaves,
                       const std::vector<int64_t> &point) {
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
    if (contains(leaves[leaf].box, point))
      return static_cast<int>(leaf);
  return kGeneralLeaf;
}

} // namespace dietcode::test

#endif // DIETCODE_TEST_UNIT_SEARCH_BOXTESTING_H
