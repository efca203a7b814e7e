//===- BrokenBoosterTest.cpp - Tests of boosters that are not to be used --===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XGBoost crashes on, or walks for ever, some of these.
//
//===----------------------------------------------------------------------===//

#include "BoosterTesting.h"

#include <functional>
#include <nlohmann/json.hpp>

using namespace dietcode;
using namespace dietcode::test;

using Format = Booster::Format;
using nlohmann::json;

/// Evaluates whatever was loaded: that is where bad trees would be felt.
static void exercise(const std::string &bytes) {
  auto booster = Booster::deserialize(bytes);
  if (!booster) {
    EXPECT_EQ(booster.error().message.find('\n'), std::string::npos);
    return;
  }
  FeatureMatrix rows = {booster->columns(), {}};
  rows.values.resize(4 * rows.columns, 0.5f);
  auto predicted = booster->predict(rows);
  EXPECT_TRUE(predicted) << predicted.error().message;
}

static Booster smallBooster() { return trainedBooster(makeDataSet(30, 3), 3); }

TEST(BrokenBooster, CutAnywhereIsAnError) {
  for (Format format : {Format::Ubj, Format::Json}) {
    std::string bytes = smallBooster().serialize(format);
    EXPECT_EQ(messageOf(Booster::deserialize("")), "a booster is empty");
    for (size_t size = 1; size < bytes.size(); ++size)
      EXPECT_EQ(messageOf(Booster::deserialize(bytes.substr(0, size))),
                "a booster is cut off after " + std::to_string(size) +
                    " bytes");
  }
}

TEST(BrokenBooster, OneChangedByteIsNoCrash) {
  std::mt19937 random(7);
  for (Format format : {Format::Ubj, Format::Json}) {
    const std::string valid = smallBooster().serialize(format);
    for (size_t at = 0; at < valid.size(); ++at) {
      std::string bytes = valid;
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
      exercise(bytes);
    }
  }
}

TEST(BrokenBooster, ManyChangedBytesAreNoCrash) {
  std::mt19937 random(8);
  for (Format format : {Format::Ubj, Format::Json}) {
    const std::string valid = smallBooster().serialize(format);
    for (int repeat = 0; repeat < 1000; ++repeat) {
      std::string bytes = valid;
      for (unsigned i = 0; i < 1 + random() % 8; ++i)
        bytes[random() % bytes.size()] = static_cast<char>(random());
      size_t from = random() % bytes.size(), to = random() % bytes.size();
      if (repeat % 4 == 0)
        bytes.insert(to, bytes.substr(from, random() % 64));
      exercise(bytes);
    }
  }
}

TEST(BrokenBooster, ForeignBytesAreAnError) {
  EXPECT_EQ(messageOf(Booster::deserialize("binf\x01\x02")),
            "a booster is neither JSON nor UBJSON");
  EXPECT_EQ(messageOf(Booster::deserialize("{}")),
            "a booster cannot be used: there are no trees");
  EXPECT_EQ(messageOf(Booster::deserialize("{\"a\": 1} x")),
            "a booster is damaged at byte 10");
  std::string zeros(1000, '\0');
  EXPECT_FALSE(Booster::deserialize(zeros));
  EXPECT_FALSE(Booster::deserialize("{" + zeros));
}

TEST(BrokenBooster, CannotExhaustTheMachine) {
  // A million levels of arrays, a billion nulls, a string of 2^62 bytes.
  std::string deep(1 << 20, '[');
  EXPECT_EQ(messageOf(Booster::deserialize("{\"a\":" + deep)),
            "a booster is damaged");
  EXPECT_EQ(messageOf(Booster::deserialize("{i\1a" + deep)),
            "a booster is damaged");
  EXPECT_EQ(messageOf(Booster::deserialize("{i\1a[$Z#l\x40" +
                                           std::string(3, '\0') + "}")),
            "a booster is damaged");
  EXPECT_FALSE(Booster::deserialize("{i\1aSL\x40" + std::string(7, '\0')));
}

/// The error after a change to the JSON of a booster of one small tree.
static std::string afterChange(const std::function<void(json &)> &change) {
  DataSet data = makeDataSet(30, 3);
  json model = json::parse(trainedBooster(data, 1).serialize(Format::Json));
  change(model);
  std::string message = messageOf(Booster::deserialize(model.dump()));
  const std::string prefix = "a booster cannot be used: ";
  return message.compare(0, prefix.size(), prefix) == 0
             ? message.substr(prefix.size())
             : message;
}

static std::string afterTreeChange(const std::function<void(json &)> &change) {
  return afterChange([&](json &model) {
    change(model["learner"]["gradient_booster"]["model"]["trees"][0]);
  });
}

TEST(BrokenBooster, TreesMustBeTrees) {
  EXPECT_EQ(afterTreeChange([](json &) {}), "no error");
  auto change = [](const char *name, size_t node, const json &value) {
    return afterTreeChange([&](json &tree) { tree[name][node] = value; });
  };
  EXPECT_EQ(change("left_children", 0, 100000),
            "tree 0 has a child that is not in it");
  EXPECT_EQ(change("left_children", 0, -2),
            "tree 0 has a child that is not in it");
  EXPECT_EQ(change("left_children", 0, "1"),
            "tree 0 has a child that is not in it");
  EXPECT_EQ(change("right_children", 0, -1),
            "tree 0 has a node with one child");
  EXPECT_EQ(change("left_children", 1, 0),
            "tree 0 has a child with another parent");
  EXPECT_EQ(afterTreeChange([](json &tree) {
              tree["left_children"][0] = tree["right_children"][0];
            }),
            "tree 0 has a cycle");
  EXPECT_EQ(afterTreeChange([](json &tree) {
              tree["left_children"][0] = 0;
              tree["parents"][0] = 0;
            }),
            "tree 0 has a cycle");
  EXPECT_EQ(change("parents", 1, 100000),
            "tree 0 has a child that is not in it");
  EXPECT_EQ(change("split_indices", 0, 3),
            "tree 0 splits on a feature that does not exist");
  EXPECT_EQ(change("split_indices", 0, 1.5),
            "tree 0 has a split without a feature");
  EXPECT_EQ(change("split_conditions", 0, nullptr),
            "tree 0 has values that are missing or not finite");
  EXPECT_EQ(change("split_type", 0, 1), "tree 0 splits on categories");
  EXPECT_EQ(afterTreeChange([](json &tree) { tree.erase("sum_hessian"); }),
            "tree 0 has values that are missing or not finite");
  EXPECT_EQ(afterTreeChange(
                [](json &tree) { tree["tree_param"]["num_nodes"] = "2"; }),
            "tree 0 has values that are missing or not finite");
  EXPECT_EQ(afterTreeChange(
                [](json &tree) { tree["tree_param"]["num_nodes"] = "many"; }),
            "tree 0 has no nodes");
  EXPECT_EQ(afterTreeChange([](json &tree) { tree = 7; }),
            "tree 0 has no nodes");
}

TEST(BrokenBooster, OnlyPlainRegressionsAreUsed) {
  EXPECT_EQ(afterChange([](json &model) {
              model["learner"]["objective"]["name"] = "multi:softmax";
            }),
            "the trees are not those of a least-squares regression");
  EXPECT_EQ(afterChange([](json &model) {
              model["learner"]["gradient_booster"]["name"] = "dart";
            }),
            "the trees are not those of a least-squares regression");
  auto param = [](const char *name, const char *value) {
    return afterChange([&](json &model) {
      model["learner"]["learner_model_param"][name] = value;
    });
  };
  EXPECT_EQ(param("num_target", "2"),
            "the trees are not those of a least-squares regression");
  EXPECT_EQ(param("num_feature", "4000000000"),
            "the number of features is not in [1, 65536]");
  EXPECT_EQ(param("base_score", "1E99"), "the base score is not a number");
  EXPECT_EQ(afterChange([](json &model) {
              model["learner"]["attributes"]["note"] = 1;
            }),
            "an attribute is not a string");
  EXPECT_EQ(afterChange([](json &model) {
              model["learner"]["attributes"]["dietcode.label_scale"] = "nan";
            }),
            "the scale of its labels is not a number");
  // What is not known is left out.
  EXPECT_EQ(afterChange([](json &model) {
              model["learner"]["gradient_booster"]["model"]["new"] = {1, 2};
            }),
            "no error");
}

// What XGBoost itself has to say arrives as one sentence.
TEST(BrokenBooster, ErrorsOfXgboostAreOneSentence) {
  std::string message = afterTreeChange(
      [](json &tree) { tree["tree_param"]["num_deleted"] = "1"; });
  EXPECT_EQ(message.compare(0, 31, "XGBoost cannot load the trees: "), 0)
      << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_EQ(message.find("./src"), std::string::npos) << message;
}
