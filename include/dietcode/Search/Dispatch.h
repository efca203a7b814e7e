//===- Dispatch.h - Kernel choice over ranges of shapes ---------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses a few kernels for a whole range of shapes and the boxes of shapes in
// which each is used. Knows nothing of the operator: a shape is a vector of
// integers, and a cost function says what a candidate takes for it.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_SEARCH_DISPATCH_H
#define DIETCODE_SEARCH_DISPATCH_H

#include "dietcode/Support/Expected.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace dietcode {

/// The integers lower, ..., upper. Empty when lower > upper.
struct Interval {
  int64_t lower;
  int64_t upper; ///< Inclusive.

  friend bool operator==(const Interval &a, const Interval &b) {
    return a.lower == b.lower && a.upper == b.upper;
  }
};

/// A product of intervals, one per dynamic dimension. A box without dimensions
/// holds exactly one point.
using Box = std::vector<Interval>;

/// Whether `point`, which has as many dimensions, is in `box`.
bool contains(const Box &box, const std::vector<int64_t> &point);

/// The shapes in `box` are served by `kernel`.
struct DispatchLeaf {
  Box box;
  unsigned kernel;
};

/// A shape at which candidates are compared, and how much it counts.
struct SamplePoint {
  std::vector<int64_t> dims;
  double weight = 1.0;
};

/// The question that `selectDispatch` answers.
struct DispatchProblem {
  std::vector<Interval> domain;    ///< Empty when every dim is static.
  std::vector<SamplePoint> points; ///< Within the domain.
  unsigned numCandidates = 0;
  /// Time of a candidate for a shape. A negative value, infinity or NaN says
  /// that the candidate cannot serve it.
  std::function<double(unsigned candidate, const std::vector<int64_t> &dims)>
      cost;
  unsigned maxKernels = 8;
  unsigned maxLeaves = 64;
  /// Weighted mean loss that may be given up for a simpler dispatch. One shape
  /// of a hundred with a regret of 20 % is a loss of 0.6 %.
  double mergeTolerance = 0.0005;
};

/// Regret of a point: time of the kernel that serves it over the time of the
/// best candidate, minus one.
struct DispatchResult {
  std::vector<unsigned> kernels;    ///< Candidates in use.
  std::vector<DispatchLeaf> leaves; ///< Partition of the domain; `kernel`
                                    ///< is an index into `kernels`.
  unsigned general = 0; ///< Index into `kernels`: serves all other shapes.
  double meanRegret = 0;
  double maxRegret = 0;
  double weightedRegret = 0;
  double weightedLoss = 0;         ///< What was minimised, see regretLoss.
  std::vector<int64_t> worstPoint; ///< Where the regret is `maxRegret`.
};

/// What a regret counts in choices: r (1 + r / 10 %). A shape that is served
/// badly is worse than its share in the mean, since who calls the operator with
/// it does not care for other shapes.
double regretLoss(double regret);

/// Chooses at most `maxKernels` kernels that minimise the weighted loss over
/// the points, and an exact partition of the domain into at most `maxLeaves`
/// boxes. The loss of a point is regretLoss of its regret. The same problem
/// always has the same result.
Expected<DispatchResult> selectDispatch(const DispatchProblem &problem);

/// At most about `maxPoints` shapes of weight 1 that represent `domain`: both
/// ends of every dim, all small values, geometrically growing steps above. A
/// positive `multiples[i]` restricts dim i to its multiples.
std::vector<SamplePoint>
sampleDomain(const std::vector<Interval> &domain, size_t maxPoints = 400,
             const std::vector<int64_t> &multiples = {});

/// A box within the domain that no leaf covers, or nothing.
std::optional<Box> findGap(const std::vector<Interval> &domain,
                           const std::vector<DispatchLeaf> &leaves);

/// The first two leaves that have a shape in common, or nothing.
std::optional<std::pair<size_t, size_t>>
findOverlap(const std::vector<DispatchLeaf> &leaves);

/// The first leaf that is empty, has another number of dims than the domain or
/// reaches outside it, or nothing.
std::optional<size_t> findOutside(const std::vector<Interval> &domain,
                                  const std::vector<DispatchLeaf> &leaves);

/// Returned for shapes that no leaf serves.
inline constexpr int kGeneralLeaf = -1;

/// Either a leaf or a comparison.
struct DecisionNode {
  bool isLeaf = true;
  int leaf = kGeneralLeaf; ///< Index into the leaves, or kGeneralLeaf.
  unsigned dim = 0;
  int64_t threshold = 0; ///< dims[dim] <= threshold goes left.
  unsigned left = 0;     ///< Index into the nodes.
  unsigned right = 0;
};

/// The leaf of a shape by few comparisons.
struct DecisionTree {
  std::vector<Interval> domain;
  std::vector<DecisionNode> nodes; ///< nodes[0] is the root.

  /// Index of the leaf whose box holds `dims`; kGeneralLeaf outside the domain
  /// and in gaps.
  int evaluate(const std::vector<int64_t> &dims) const;

  /// Comparisons on the longest path, the domain check not counted.
  unsigned depth() const;
};

/// A balanced tree for disjoint `leaves`, which need not come from
/// `selectDispatch`. Where leaves overlap, the first wins.
DecisionTree buildDecisionTree(const std::vector<Interval> &domain,
                               const std::vector<DispatchLeaf> &leaves);

} // namespace dietcode

#endif // DIETCODE_SEARCH_DISPATCH_H
