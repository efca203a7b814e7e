//===- BoosterTest.cpp - Tests of training and predicting -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoosterTesting.h"

#include <functional>
#include <thread>

using namespace dietcode;
using namespace dietcode::test;

using Format = Booster::Format;

/// The fraction of the variance of the labels that the predictions explain.
static double explained(const std::vector<double> &predictions,
                        const std::vector<double> &labels) {
  double mean = 0, residual = 0, total = 0;
  for (double label : labels)
    mean += label / static_cast<double>(labels.size());
  for (size_t i = 0; i < labels.size(); ++i) {
    residual += std::pow(predictions[i] - labels[i], 2);
    total += std::pow(labels[i] - mean, 2);
  }
  return 1 - residual / total;
}

TEST(Booster, LearnsFromAFewHundredRows) {
  DataSet train = makeDataSet(500, 24), test = makeDataSet(500, 24, 2);
  auto booster = Booster::train(train.matrix, train.labels);
  ASSERT_TRUE(booster) << booster.error().message;
  EXPECT_EQ(booster->columns(), 24u);
  EXPECT_GT(explained(*booster->predict(test.matrix), test.labels), 0.95);
}

// XGBoost alone would not split labels this small, and drown large ones.
TEST(Booster, LearnsLabelsOfAnyScale) {
  DataSet data = makeDataSet(300, 8);
  for (double scale : {1e-9, 1e-3, 1e12}) {
    std::vector<double> labels;
    labels.reserve(data.labels.size());
    for (double label : data.labels)
      labels.push_back(scale * (label + 1000));
    auto booster = Booster::train(data.matrix, labels);
    ASSERT_TRUE(booster) << booster.error().message;
    EXPECT_GT(explained(*booster->predict(data.matrix), labels), 0.99) << scale;
  }
}

TEST(Booster, LearnsFromOneRow) {
  auto booster = Booster::train({2, {1, 2}}, {42});
  ASSERT_TRUE(booster) << booster.error().message;
  EXPECT_EQ(*booster->predict({2, {7, NAN, 1, 1}}),
            std::vector<double>({42, 42}));
}

TEST(Booster, FollowsTheWeights) {
  FeatureMatrix same = {1, {0, 0}};
  auto heavy = Booster::train(same, {1, 2}, {3, 1});
  ASSERT_TRUE(heavy) << heavy.error().message;
  EXPECT_NEAR((*heavy->predict(same))[0], 1.25, 1e-6);
  // Only ratios matter.
  auto heavier = Booster::train(same, {1, 2}, {3072, 1024});
  EXPECT_EQ(heavy->serialize(Format::Ubj), heavier->serialize(Format::Ubj));
}

TEST(Booster, TrainsTheSameBytesInAnyThread) {
  DataSet data = makeDataSet(200, 20);
  std::string expected = trainedBooster(data).serialize(Format::Ubj);
  std::vector<std::string> bytes(6);
  std::vector<std::thread> threads;
  threads.reserve(bytes.size());
  for (std::string &mine : bytes)
    threads.emplace_back([&] {
      // Another booster in between must not move the generator of this one.
      trainedBooster(makeDataSet(50, 3), 5);
      mine = trainedBooster(data).serialize(Format::Ubj);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &mine : bytes)
    EXPECT_TRUE(mine == expected);
}

TEST(Booster, DependsOnTheSeed) {
  DataSet data = makeDataSet(200, 20);
  BoosterOptions options = fewRounds(20);
  options.seed = ~uint64_t(0) << 40;
  auto booster = Booster::train(data.matrix, data.labels, {}, options);
  ASSERT_TRUE(booster) << booster.error().message;
  EXPECT_NE(booster->serialize(Format::Json),
            trainedBooster(data).serialize(Format::Json));
}

TEST(Booster, PredictsFromManyThreadsAtOnce) {
  DataSet data = makeDataSet(300, 20);
  const Booster trained = trainedBooster(data, 50);
  const Booster loaded =
      std::move(*Booster::deserialize(trained.serialize(Format::Ubj)));
  std::vector<double> expected = *trained.predict(data.matrix);
  std::vector<size_t> wrong(8);
  std::vector<std::thread> threads;
  threads.reserve(wrong.size());
  for (size_t i = 0; i < wrong.size(); ++i)
    threads.emplace_back([&, i] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        const Booster &booster = (i + repeat) % 2 == 0 ? trained : loaded;
        auto predicted = booster.predict(data.matrix);
        wrong[i] += !predicted || *predicted != expected;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<size_t>(wrong.size()));
}

TEST(Booster, PredictsARowAsItPredictsAll) {
  DataSet data = makeDataSet(100, 5);
  Booster booster = trainedBooster(data);
  std::vector<double> all = *booster.predict(data.matrix);
  for (size_t row = 0; row < 100; ++row) {
    auto begin = data.matrix.values.begin() + static_cast<ptrdiff_t>(row * 5);
    EXPECT_EQ(*booster.predict({5, {begin, begin + 5}}),
              std::vector<double>({all[row]}));
  }
  EXPECT_TRUE(booster.predict({5, {}})->empty());
}

TEST(Booster, SurvivesBothFormats) {
  DataSet data = makeDataSet(300, 20);
  Booster booster = trainedBooster(data, 100);
  ASSERT_TRUE(booster.setAttribute("note", "caf\u00e9 \"\n\x01"));
  for (Format format : {Format::Ubj, Format::Json}) {
    std::string bytes = booster.serialize(format);
    auto again = Booster::deserialize(bytes);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again->predict(data.matrix), *booster.predict(data.matrix));
    EXPECT_EQ(again->attribute("note"), "caf\u00e9 \"\n\x01");
    EXPECT_TRUE(again->serialize(Format::Ubj) ==
                booster.serialize(Format::Ubj));
    EXPECT_TRUE(again->serialize(Format::Json) ==
                booster.serialize(Format::Json));
  }
  EXPECT_LT(booster.serialize(Format::Ubj).size(),
            booster.serialize(Format::Json).size());
}

TEST(Booster, KeepsAttributes) {
  Booster booster = trainedBooster(makeDataSet(20, 2));
  EXPECT_EQ(booster.attribute("unit"), std::nullopt);
  ASSERT_TRUE(booster.setAttribute("unit", "log2 s"));
  ASSERT_TRUE(booster.setAttribute("", ""));
  EXPECT_EQ(booster.attribute("unit"), "log2 s");
  EXPECT_EQ(booster.attribute(""), "");
  EXPECT_EQ(messageOf(booster.setAttribute("dietcode.label_scale", "0")),
            "the attribute 'dietcode.label_scale' cannot be set");
  EXPECT_EQ(messageOf(booster.setAttribute("bytes", "\xff")),
            "an attribute is not UTF-8");
  EXPECT_EQ(booster.attribute("bytes"), std::nullopt);
}

TEST(Booster, PrintsNothing) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  std::thread([] {
    trainedBooster(makeDataSet(50, 3));
    EXPECT_FALSE(Booster::deserialize("{\"learner\":"));
  }).join();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Booster, RefusesWhatCannotBeTrainedOn) {
  auto message = [](const FeatureMatrix &matrix,
                    const std::vector<double> &labels,
                    const std::vector<double> &weights = {}) {
    return messageOf(Booster::train(matrix, labels, weights));
  };
  EXPECT_EQ(message({}, {}),
            "a feature matrix has 0 columns, which is not in [1, 65536]");
  EXPECT_EQ(message({2, {}}, {}), "there are no rows to train on");
  EXPECT_EQ(message({2, {1, 2, 3}}, {1}),
            "a feature matrix of 2 columns has 3 values, which is not a number "
            "of whole rows");
  EXPECT_EQ(message({1, {1, 2}}, {1}), "2 rows cannot have 1 labels");
  EXPECT_EQ(message({1, {1, 2}}, {1, 2}, {1}), "2 rows cannot have 1 weights");
  EXPECT_EQ(message({1, {1, 2}}, {1, NAN}), "the label of row 1 is nan");
  EXPECT_EQ(message({1, {1, 2}}, {-INFINITY, 1}), "the label of row 0 is -inf");
  EXPECT_EQ(message({1, {1, 2}}, {1, 2}, {1, -1}), "the weight of row 1 is -1");
  EXPECT_EQ(message({1, {1, 2}}, {1, 2}, {0, 0}),
            "the weights of all rows are zero");
  EXPECT_EQ(message({1, {1, 2}}, {1e308, 1e308}),
            "the labels or weights are too large to add up");
  EXPECT_EQ(message({2, {1, 2, 3, INFINITY}}, {1, 2}),
            "feature 1 of row 1 is infinite");
}

TEST(Booster, RefusesOptionsThatMeanNothing) {
  auto message = [](const std::function<void(BoosterOptions &)> &change) {
    BoosterOptions options;
    change(options);
    return messageOf(Booster::train({1, {1, 2}}, {1, 2}, {}, options));
  };
  EXPECT_EQ(message([](auto &options) { options.rounds = 0; }),
            "the option rounds of a booster is 0, which is not in [1, 1e+05]");
  EXPECT_EQ(message([](auto &options) { options.maxDepth = 100; }),
            "the option maxDepth of a booster is 100, which is not in [1, 16]");
  EXPECT_EQ(
      message([](auto &options) { options.lambda = NAN; }),
      "the option lambda of a booster is nan, which is not in [0, 1e+06]");
}

TEST(Booster, RefusesOtherFeatures) {
  Booster booster = trainedBooster(makeDataSet(20, 3));
  EXPECT_EQ(messageOf(booster.predict({2, {1, 2}})),
            "a booster of 3 features cannot predict from 2");
  EXPECT_EQ(messageOf(booster.predict({3, {1, 2, INFINITY}})),
            "feature 2 of row 0 is infinite");
  EXPECT_EQ(messageOf(booster.predict({})),
            "a feature matrix has 0 columns, which is not in [1, 65536]");
}
