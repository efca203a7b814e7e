//===- BoosterInput.cpp - Checks of what boosters are given ---------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoosterInput.h"

#include "BoosterDocument.h"

#include <cmath>
#include <limits>

using namespace dietcode;

Expected<void> dietcode::checkMatrix(const FeatureMatrix &matrix) {
  if (matrix.columns == 0 || matrix.columns > kMaxColumns)
    return fail("a feature matrix has " + std::to_string(matrix.columns) +
                " columns, which is not in [1, " + std::to_string(kMaxColumns) +
                "]");
  if (matrix.values.size() % matrix.columns != 0)
    return fail("a feature matrix of " + std::to_string(matrix.columns) +
                " columns has " + std::to_string(matrix.values.size()) +
                " values, which is not a number of whole rows");
  for (size_t i = 0; i < matrix.values.size(); ++i)
    if (std::isinf(matrix.values[i]))
      return fail("feature " + std::to_string(i % matrix.columns) + " of row " +
                  std::to_string(i / matrix.columns) + " is infinite");
  return {};
}

Expected<void> dietcode::checkOptions(const BoosterOptions &options) {
  struct Limit {
    const char *name;
    double value, low, high;
  };
  constexpr double kLarge = 1e6;
  for (const Limit &limit :
       {Limit{"rounds", double(options.rounds), 1, 1e5},
        Limit{"maxDepth", double(options.maxDepth), 1, 16},
        Limit{"learningRate", options.learningRate, 1e-6, 1},
        Limit{"minChildWeight", options.minChildWeight, 0, kLarge},
        Limit{"subsample", options.subsample, 1e-6, 1},
        Limit{"lambda", options.lambda, 0, kLarge}})
    if (!(limit.value >= limit.low && limit.value <= limit.high))
      return fail("the option " + std::string(limit.name) +
                  " of a booster is " + numberText(limit.value) +
                  ", which is not in [" + numberText(limit.low) + ", " +
                  numberText(limit.high) + "]");
  return {};
}

/// One number a row, each finite and at least `low`.
static Expected<void> checkColumn(const std::vector<double> &values,
                                  size_t rows, double low, const char *name) {
  if (values.size() != rows)
    return fail(std::to_string(rows) + " rows cannot have " +
                std::to_string(values.size()) + " " + name + "s");
  for (size_t row = 0; row < rows; ++row)
    if (!std::isfinite(values[row]) || values[row] < low)
      return fail("the " + std::string(name) + " of row " +
                  std::to_string(row) + " is " + numberText(values[row]));
  return {};
}

static Expected<Samples> standardise(const std::vector<double> &labels,
                                     const std::vector<double> &weights) {
  auto weight = [&](size_t row) { return weights.empty() ? 1 : weights[row]; };
  size_t rows = labels.size();
  double total = 0, sum = 0, squares = 0;
  for (size_t row = 0; row < rows; ++row) {
    total += weight(row);
    sum += weight(row) * labels[row];
  }
  if (total == 0)
    return fail("the weights of all rows are zero");
  Samples samples;
  samples.offset = sum / total;
  for (size_t row = 0; row < rows; ++row) {
    double difference = labels[row] - samples.offset;
    squares += weight(row) * difference * difference;
  }
  if (double deviation = std::sqrt(squares / total); deviation != 0)
    samples.scale = deviation;
  if (!std::isfinite(total) || !std::isfinite(samples.offset) ||
      !std::isfinite(samples.scale))
    return fail("the labels or weights are too large to add up");
  for (size_t row = 0; row < rows; ++row) {
    samples.labels.push_back(
        static_cast<float>((labels[row] - samples.offset) / samples.scale));
    samples.weights.push_back(
        static_cast<float>(weight(row) / total * static_cast<double>(rows)));
  }
  return samples;
}

Expected<Samples> dietcode::makeSamples(const FeatureMatrix &matrix,
                                        const std::vector<double> &labels,
                                        const std::vector<double> &weights) {
  size_t rows = matrix.rows();
  double any = std::numeric_limits<double>::lowest();
  auto checked = checkMatrix(matrix);
  if (checked && rows == 0)
    checked = fail("there are no rows to train on");
  if (checked)
    checked = checkColumn(labels, rows, any, "label");
  if (checked && !weights.empty())
    checked = checkColumn(weights, rows, 0, "weight");
  if (!checked)
    return tl::unexpected(checked.error());
  return standardise(labels, weights);
}
