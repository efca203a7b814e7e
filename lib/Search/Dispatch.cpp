//===- Dispatch.cpp - Kernel choice over ranges of shapes -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/Dispatch.h"

#include "KernelSelection.h"
#include "RegionTree.h"

#include <algorithm>
#include <cmath>

using namespace dietcode;
using namespace dietcode::detail;

/// Why the problem makes no sense, or nothing.
static std::string faultOf(const DispatchProblem &problem) {
  if (problem.numCandidates == 0)
    return "there is no candidate kernel to dispatch to";
  if (!problem.cost)
    return "the dispatch problem has no cost function";
  if (problem.points.empty())
    return "there is no shape at which kernels could be compared";
  if (problem.maxKernels == 0 || problem.maxLeaves == 0)
    return "a dispatch needs at least one kernel and one leaf";
  if (!(problem.mergeTolerance >= 0))
    return "the merge tolerance must not be negative";
  for (size_t dim = 0; dim < problem.domain.size(); ++dim)
    if (problem.domain[dim].lower > problem.domain[dim].upper)
      return "the range of dim " + std::to_string(dim) + " is empty: [" +
             std::to_string(problem.domain[dim].lower) + ", " +
             std::to_string(problem.domain[dim].upper) + "]";
  return "";
}

static std::string faultOf(const SamplePoint &point,
                           const std::vector<Interval> &domain) {
  if (point.dims.size() != domain.size())
    return "a shape of " + std::to_string(point.dims.size()) +
           " dims does not fit a domain of " + std::to_string(domain.size());
  for (size_t dim = 0; dim < domain.size(); ++dim)
    if (point.dims[dim] < domain[dim].lower ||
        point.dims[dim] > domain[dim].upper)
      return "a shape has " + std::to_string(point.dims[dim]) + " in dim " +
             std::to_string(dim) + ", outside the range [" +
             std::to_string(domain[dim].lower) + ", " +
             std::to_string(domain[dim].upper) + "]";
  if (!(point.weight > 0) || !std::isfinite(point.weight))
    return "the weight of a shape must be positive and finite, not " +
           std::to_string(point.weight);
  return "";
}

/// Orders leaves by their lower corners, small shapes first.
static void sortLeaves(std::vector<DispatchLeaf> &leaves) {
  std::sort(leaves.begin(), leaves.end(),
            [](const DispatchLeaf &a, const DispatchLeaf &b) {
              for (size_t dim = 0; dim < a.box.size(); ++dim)
                if (a.box[dim].lower != b.box[dim].lower)
                  return a.box[dim].lower < b.box[dim].lower;
              return false;
            });
}

/// Renumbers the kernels of `leaves` by first use. Returns the rows in use.
static std::vector<size_t> compactKernels(std::vector<DispatchLeaf> &leaves,
                                          const std::vector<size_t> &rows) {
  std::vector<size_t> used;
  for (DispatchLeaf &leaf : leaves) {
    size_t row = rows[leaf.kernel];
    auto found = std::find(used.begin(), used.end(), row);
    leaf.kernel = static_cast<unsigned>(found - used.begin());
    if (found == used.end())
      used.push_back(row);
  }
  return used;
}

/// The kernel for shapes outside the domain. Most of those are larger than
/// what was declared, so points count by their number of elements.
static unsigned chooseGeneral(const DispatchProblem &problem,
                              const RegretTable &table,
                              const std::vector<size_t> &rows) {
  unsigned best = 0;
  double bestSum = 0;
  for (unsigned kernel = 0; kernel < rows.size(); ++kernel) {
    double sum = 0;
    for (size_t point = 0; point < table.numPoints; ++point) {
      double size = 1;
      for (int64_t dim : problem.points[point].dims)
        size *= std::max<double>(1, static_cast<double>(dim));
      sum += size * table.weight[point] * table.row(rows[kernel])[point];
    }
    if (kernel == 0 || sum < bestSum) {
      best = kernel;
      bestSum = sum;
    }
  }
  return best;
}

/// Fills in what the leaves cost at the points. Returns false if a point is
/// left to a kernel that cannot serve it.
static bool computeRegret(const DispatchProblem &problem,
                          const RegretTable &table,
                          const std::vector<size_t> &rows,
                          DispatchResult &result) {
  double sum = 0, weighted = 0;
  result.worstPoint = problem.points.front().dims;
  for (size_t point = 0; point < table.numPoints; ++point) {
    const std::vector<int64_t> &dims = problem.points[point].dims;
    auto leaf = std::find_if(
        result.leaves.begin(), result.leaves.end(),
        [&](const DispatchLeaf &leaf) { return contains(leaf.box, dims); });
    double regret = table.row(rows[leaf->kernel])[point];
    if (regret >= kUnserved)
      return false;
    sum += regret;
    weighted += table.weight[point] * regret;
    if (regret > result.maxRegret) {
      result.maxRegret = regret;
      result.worstPoint = dims;
    }
  }
  result.meanRegret = sum / static_cast<double>(table.numPoints);
  result.weightedRegret = weighted / table.totalWeight;
  return true;
}

Expected<DispatchResult>
dietcode::selectDispatch(const DispatchProblem &problem) {
  std::string fault = faultOf(problem);
  for (const SamplePoint &point : problem.points)
    if (fault.empty())
      fault = faultOf(point, problem.domain);
  if (!fault.empty())
    return fail(fault);

  Expected<RegretTable> table = buildRegretTable(problem);
  if (!table)
    return tl::unexpected<Error>(table.error());
  std::vector<size_t> rows = chooseKernels(*table, problem.maxKernels);

  RegionProblem region{
      problem.domain,     problem.points,    {},
      table->totalWeight, problem.maxLeaves, problem.mergeTolerance};
  for (size_t row : rows)
    region.regret.push_back(table->row(row));

  DispatchResult result;
  result.leaves = partition(region);
  sortLeaves(result.leaves);
  rows = compactKernels(result.leaves, rows);
  for (size_t row : rows)
    result.kernels.push_back(table->candidates[row]);
  result.general = chooseGeneral(problem, *table, rows);
  if (!computeRegret(problem, *table, rows, result))
    return fail(std::to_string(problem.maxKernels) + " kernels and " +
                std::to_string(problem.maxLeaves) +
                " leaves are too few to serve every shape; allow more of them "
                "or offer candidates that serve more shapes");
  return result;
}
