//===- KernelSelection.cpp - A few kernels for many shapes ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSelection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace dietcode;
using namespace dietcode::detail;

/// A candidate within this of the best at some point is kept ...
static constexpr double kNearlyBest = 0.05;
/// ... and so are this many with the least regret over all points.
static constexpr size_t kBestOverall = 64;

/// Exchanges converge after two or three rounds; this bounds the odd case.
static constexpr int kMaxExchangeRounds = 10;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static std::string pointText(const std::vector<int64_t> &dims) {
  std::string text = "(";
  for (size_t dim = 0; dim < dims.size(); ++dim)
    text += (dim ? ", " : "") + std::to_string(dims[dim]);
  return text + ")";
}

static double regretOf(double cost, double best) {
  if (cost == kInfinity)
    return kUnserved;
  if (cost <= best)
    return 0;
  return best > 0 ? std::min(cost / best - 1, kUnserved) : 1;
}

/// Regret at which a shape counts twice.
static constexpr double kDoubleRegret = 0.1;

double dietcode::regretLoss(double regret) {
  return std::min(kUnserved, regret * (1 + regret / kDoubleRegret));
}

/// Keeps the rows in `rows`, in order.
static void keepRows(RegretTable &table, const std::vector<size_t> &rows) {
  std::vector<double> regret;
  std::vector<unsigned> candidates;
  regret.reserve(rows.size() * table.numPoints);
  for (size_t row : rows) {
    candidates.push_back(table.candidates[row]);
    regret.insert(regret.end(), table.row(row),
                  table.row(row) + table.numPoints);
  }
  table.regret = std::move(regret);
  table.candidates = std::move(candidates);
}

static void prefilter(RegretTable &table) {
  size_t count = table.candidates.size();
  std::vector<double> sum(count, 0);
  std::vector<char> keep(count, 0);
  for (size_t row = 0; row < count; ++row)
    for (size_t point = 0; point < table.numPoints; ++point) {
      double regret = table.row(row)[point];
      sum[row] += table.weight[point] * regret;
      if (regret <= kNearlyBest)
        keep[row] = 1;
    }
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return sum[a] != sum[b] ? sum[a] < sum[b] : a < b;
  });
  for (size_t rank = 0; rank < std::min(count, kBestOverall); ++rank)
    keep[order[rank]] = 1;

  std::vector<size_t> rows;
  for (size_t row = 0; row < count; ++row)
    if (keep[row])
      rows.push_back(row);
  keepRows(table, rows);
}

Expected<RegretTable>
dietcode::detail::buildRegretTable(const DispatchProblem &problem) {
  RegretTable table;
  table.numPoints = problem.points.size();
  table.candidates.resize(problem.numCandidates);
  std::iota(table.candidates.begin(), table.candidates.end(), 0);
  table.regret.resize(table.candidates.size() * table.numPoints);
  std::vector<double> best(table.numPoints, kInfinity);
  for (size_t row = 0; row < table.candidates.size(); ++row)
    for (size_t point = 0; point < table.numPoints; ++point) {
      double cost =
          problem.cost(table.candidates[row], problem.points[point].dims);
      if (!(cost >= 0))
        cost = kInfinity;
      table.regret[row * table.numPoints + point] = cost;
      best[point] = std::min(best[point], cost);
    }

  for (size_t point = 0; point < table.numPoints; ++point) {
    if (best[point] == kInfinity)
      return fail("no candidate can serve the shape " +
                  pointText(problem.points[point].dims));
    table.weight.push_back(problem.points[point].weight);
    table.totalWeight += problem.points[point].weight;
  }
  for (size_t row = 0; row < table.candidates.size(); ++row)
    for (size_t point = 0; point < table.numPoints; ++point) {
      double &entry = table.regret[row * table.numPoints + point];
      entry = regretOf(entry, best[point]);
    }
  prefilter(table);
  for (double regret : table.regret)
    table.loss.push_back(regretLoss(regret));
  return table;
}

/// Weighted loss if `row` joins kernels whose least loss is `current`.
static double sumWith(const RegretTable &table, size_t row,
                      const std::vector<double> &current) {
  const double *loss = table.lossRow(row);
  double sum = 0;
  for (size_t point = 0; point < table.numPoints; ++point)
    sum += table.weight[point] * std::min(current[point], loss[point]);
  return sum;
}

static void join(const RegretTable &table, size_t row,
                 std::vector<double> &current) {
  for (size_t point = 0; point < table.numPoints; ++point)
    current[point] = std::min(current[point], table.lossRow(row)[point]);
}

/// The row that lowers the weighted loss most, and the loss that it leaves. The
/// first of equals, so that the result does not depend on the machine.
static std::pair<size_t, double>
bestAddition(const RegretTable &table, const std::vector<double> &current) {
  std::pair<size_t, double> best(0, kInfinity);
  for (size_t row = 0; row < table.candidates.size(); ++row) {
    double sum = sumWith(table, row, current);
    if (sum < best.second)
      best = {row, sum};
  }
  return best;
}

/// One round of exchanging each chosen kernel for a better one.
static bool exchange(const RegretTable &table, std::vector<size_t> &chosen,
                     double &sum, double tolerance) {
  bool improved = false;
  for (size_t index = 0; index < chosen.size(); ++index) {
    std::vector<double> others(table.numPoints, kUnserved);
    for (size_t other = 0; other < chosen.size(); ++other)
      if (other != index)
        join(table, chosen[other], others);
    auto [row, newSum] = bestAddition(table, others);
    if (newSum < sum - tolerance) {
      chosen[index] = row;
      sum = newSum;
      improved = true;
    }
  }
  return improved;
}

std::vector<size_t> dietcode::detail::chooseKernels(const RegretTable &table,
                                                    unsigned maxKernels) {
  // Gains below this are rounding errors.
  double tolerance = 1e-12 * table.totalWeight;
  std::vector<size_t> chosen;
  std::vector<double> current(table.numPoints, kUnserved);
  double sum = kInfinity;
  while (chosen.size() < maxKernels) {
    auto [row, newSum] = bestAddition(table, current);
    if (newSum >= sum - tolerance)
      break;
    chosen.push_back(row);
    join(table, row, current);
    sum = newSum;
  }
  for (int round = 0; round < kMaxExchangeRounds; ++round)
    if (!exchange(table, chosen, sum, tolerance))
      break;
  return chosen;
}
