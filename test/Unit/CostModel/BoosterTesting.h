//===- BoosterTesting.h - Small data sets and boosters ----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_COSTMODEL_BOOSTERTESTING_H
#define DIETCODE_TEST_UNIT_COSTMODEL_BOOSTERTESTING_H

#include "dietcode/CostModel/Booster.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace dietcode::test {

struct DataSet {
  FeatureMatrix matrix;
  std::vector<double> labels;
};

/// Rows of random features, some of them missing, and labels that three of the
/// features determine.
inline DataSet makeDataSet(size_t rows, size_t columns, unsigned seed = 1) {
  DataSet data;
  data.matrix.columns = columns;
  std::mt19937 random(seed);
  for (size_t i = 0; i < rows * columns; ++i) {
    float value = static_cast<float>(random() % 1024) / 1024;
    data.matrix.values.push_back(
        random() % 50 == 0 ? std::numeric_limits<float>::quiet_NaN() : value);
  }
  for (size_t row = 0; row < rows; ++row) {
    const float *features = &data.matrix.values[row * columns];
    auto feature = [&](size_t i) {
      return std::isnan(features[i]) ? 0.5 : features[i];
    };
    data.labels.push_back(3 + feature(0) * feature(1) +
                          std::sin(5 * feature(2)));
  }
  return data;
}

inline BoosterOptions fewRounds(unsigned rounds) {
  BoosterOptions options;
  options.rounds = rounds;
  return options;
}

inline Booster trainedBooster(const DataSet &data, unsigned rounds = 20) {
  auto booster =
      Booster::train(data.matrix, data.labels, {}, fewRounds(rounds));
  EXPECT_TRUE(booster) << booster.error().message;
  return std::move(*booster);
}

/// The message of an error, or what says that there is none.
template <typename T>
std::string messageOf(const Expected<T> &result) {
  return result ? "no error" : result.error().message;
}

} // namespace dietcode::test

#endif // DIETCODE_TEST_UNIT_COSTMODEL_BOOSTERTESTING_H
