//===- RegionTree.h - A decision tree over sample points --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_SEARCH_REGIONTREE_H
#define DIETCODE_LIB_SEARCH_REGIONTREE_H

#include "dietcode/Search/Dispatch.h"

namespace dietcode::detail {

/// What a partition is fitted to.
struct RegionProblem {
  const std::vector<Interval> &domain;
  const std::vector<SamplePoint> &points;
  /// Loss of each kernel at each point.
  std::vector<const double *> loss;
  double totalWeight;
  unsigned maxLeaves;
  double mergeTolerance;
};

/// Boxes that partition the domain; a leaf's kernel is an index into `loss`.
/// Grows a tree as CART does (Breiman et al. 1984), with the weighted loss of
/// the best single kernel as the loss of a node, then collapses subtrees,
/// weakest link first, until it fits `maxLeaves` and further collapsing would
/// give up more than `mergeTolerance`.
std::vector<DispatchLeaf> partition(const RegionProblem &problem);

} // namespace dietcode::detail

#endif // DIETCODE_LIB_SEARCH_REGIONTREE_H
