//===- BoosterDocument.cpp - Checks of XGBoost's JSON models --------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoosterDocument.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

using namespace dietcode;

/// XGBoost keeps the index of the feature of a node in 31 bits; all ones are a
/// node that pruning has removed.
static constexpr int64_t kDeleted = std::numeric_limits<int32_t>::max();

/// More than a tree of any depth that is accepted has.
static constexpr size_t kMaxNodes = 1 << 24;

/// Parameters are numbers in strings.
template <typename T>
static std::optional<T> parameter(const Document *object, const char *name) {
  std::string text = stringMember(object, name);
  T value;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

//===----------------------------------------------------------------------===//
// One tree
//===----------------------------------------------------------------------===//

namespace {

/// The nodes of a tree, as XGBoost lays them out: an array a property.
struct Nodes {
  std::vector<int64_t> left, right, parents, features;

  bool isLeaf(size_t node) const { return left[node] == -1; }
};

} // namespace

/// An array of `size` integers in [low, high].
static bool readIntegers(const Document *array, size_t size, int64_t low,
                         int64_t high, std::vector<int64_t> &values) {
  if (!array || !array->is_array() || array->size() != size)
    return false;
  for (const Document &element : *array) {
    if (!element.is_number_integer())
      return false;
    values.push_back(element.get<int64_t>());
  }
  return std::all_of(values.begin(), values.end(), [&](int64_t value) {
    return value >= low && value <= high;
  });
}

static bool areFinite(const Document *array, size_t size) {
  return array && array->is_array() && array->size() == size &&
         std::all_of(array->begin(), array->end(), [](const Document &element) {
           return element.is_number_float() &&
                  std::isfinite(element.get<float>());
         });
}

/// The properties that only explain a tree are XGBoost's, too.
static const char *const kReals[] = {"split_conditions", "base_weights",
                                     "loss_changes", "sum_hessian"};

/// The sizes and ranges of all properties; null if they are right.
static const char *readNodes(const Document &tree, size_t count, Nodes &nodes) {
  int64_t last = static_cast<int64_t>(count) - 1;
  std::vector<int64_t> defaults;
  for (const char *name : kReals)
    if (!areFinite(findMember(&tree, name), count))
      return "has values that are missing or not finite";
  if (!readIntegers(findMember(&tree, "left_children"), count, -1, last,
                    nodes.left) ||
      !readIntegers(findMember(&tree, "right_children"), count, -1, last,
                    nodes.right) ||
      !readIntegers(findMember(&tree, "parents"), count, 0, kDeleted,
                    nodes.parents))
    return "has a child that is not in it";
  if (!readIntegers(findMember(&tree, "split_indices"), count, 0, kDeleted,
                    nodes.features) ||
      !readIntegers(findMember(&tree, "default_left"), count, 0, 1, defaults))
    return "has a split without a feature";
  // The root's parent is not read.
  for (size_t node = 1; node < count; ++node)
    if (nodes.parents[node] > last)
      return "has a child that is not in it";
  return nullptr;
}

/// Walks the tree from its root as an evaluation does; null if each walk ends.
static const char *walk(const Nodes &nodes, size_t columns) {
  std::vector<bool> seen(nodes.left.size());
  std::vector<int64_t> pending = {0};
  while (!pending.empty()) {
    size_t node = static_cast<size_t>(pending.back());
    pending.pop_back();
    if (seen[node])
      return "has a cycle";
    seen[node] = true;
    if (nodes.isLeaf(node))
      continue;
    if (nodes.right[node] == -1)
      return "has a node with one child";
    if (nodes.features[node] >= static_cast<int64_t>(columns))
      return "splits on a feature that does not exist";
    for (int64_t child : {nodes.left[node], nodes.right[node]}) {
      if (nodes.parents[static_cast<size_t>(child)] !=
          static_cast<int64_t>(node))
        return "has a child with another parent";
      pending.push_back(child);
    }
  }
  return nullptr;
}

/// A copy of a tree that has been checked.
static Expected<Document> checkTree(const Document &tree, size_t columns) {
  const Document *param = findMember(&tree, "tree_param");
  auto count = parameter<size_t>(param, "num_nodes");
  auto deleted = parameter<size_t>(param, "num_deleted");
  if (!count || *count == 0 || *count > kMaxNodes || !deleted)
    return fail("has no nodes");
  Nodes nodes;
  if (const char *reason = readNodes(tree, *count, nodes))
    return fail(reason);
  if (const char *reason = walk(nodes, columns))
    return fail(reason);

  Document copy = {{"categories", Document::array()},
                   {"categories_nodes", Document::array()},
                   {"categories_segments", Document::array()},
                   {"categories_sizes", Document::array()},
                   {"split_type", std::vector<int>(*count, 0)},
                   {"tree_param",
                    {{"num_deleted", std::to_string(*deleted)},
                     {"num_feature", std::to_string(columns)},
                     {"num_nodes", std::to_string(*count)},
                     {"size_leaf_vector", "0"}}}};
  for (const char *name : {"default_left", "left_children", "parents",
                           "right_children", "split_indices"})
    copy[name] = tree[name];
  for (const char *name : kReals)
    copy[name] = tree[name];
  return copy;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// Copies of all trees.
static Expected<Document> checkTrees(const Document &trees, size_t columns) {
  Document copies = Document::array();
  for (const Document &tree : trees) {
    auto isCategory = [](const Document &type) { return type != 0; };
    const Document *types = findMember(&tree, "split_type");
    Expected<Document> copy = checkTree(tree, columns);
    if (copy && types && std::any_of(types->begin(), types->end(), isCategory))
      copy = fail("splits on categories");
    if (!copy)
      return fail("tree " + std::to_string(copies.size()) + " " +
                  copy.error().message);
    (*copy)["id"] = copies.size();
    copies.push_back(std::move(*copy));
  }
  return copies;
}

/// The notes, or null if one of them is no string.
static Document checkAttributes(const Document *attributes) {
  Document copy = Document::object();
  if (!attributes)
    return copy;
  if (!attributes->is_object())
    return nullptr;
  for (const auto &[name, value] : attributes->items()) {
    if (!value.is_string())
      return nullptr;
    copy[name] = value;
  }
  return copy;
}

/// The members around the trees, in the form of XGBoost 1.7, which later
/// versions read as well.
static Document modelOf(Document trees, Document attributes, size_t columns,
                        const std::string &baseScore) {
  size_t count = trees.size();
  Document model = {{"gbtree_model_param",
                     {{"num_parallel_tree", "1"},
                      {"num_trees", std::to_string(count)},
                      {"size_leaf_vector", "0"}}},
                    {"tree_info", std::vector<int>(count, 0)},
                    {"trees", std::move(trees)}};
  Document learner = {
      {"attributes", std::move(attributes)},
      {"feature_names", Document::array()},
      {"feature_types", Document::array()},
      {"gradient_booster", {{"model", std::move(model)}, {"name", "gbtree"}}},
      {"learner_model_param",
       {{"base_score", baseScore},
        {"boost_from_average", "0"},
        {"num_class", "0"},
        {"num_feature", std::to_string(columns)},
        {"num_target", "1"}}},
      {"objective",
       {{"name", "reg:squarederror"},
        {"reg_loss_param", {{"scale_pos_weight", "1"}}}}}};
  return {{"learner", std::move(learner)}, {"version", {1, 7, 4}}};
}

Expected<BoosterDocument> dietcode::checkBooster(const Document &model) {
  const Document *learner = findMember(&model, "learner");
  const Document *booster = findMember(learner, "gradient_booster");
  const Document *param = findMember(learner, "learner_model_param");
  const Document *trees = findMember(findMember(booster, "model"), "trees");
  if (!param || !trees || !trees->is_array())
    return fail("there are no trees");
  if (stringMember(findMember(learner, "objective"), "name") !=
          "reg:squarederror" ||
      stringMember(booster, "name") != "gbtree" ||
      parameter<int>(param, "num_target").value_or(1) != 1)
    return fail("the trees are not those of a least-squares regression");

  auto columns = parameter<size_t>(param, "num_feature");
  if (!columns || *columns == 0 || *columns > kMaxColumns)
    return fail("the number of features is not in [1, " +
                std::to_string(kMaxColumns) + "]");
  auto baseScore = parameter<float>(param, "base_score");
  if (!baseScore || !std::isfinite(*baseScore))
    return fail("the base score is not a number");

  Document attributes = checkAttributes(findMember(learner, "attributes"));
  if (!attributes.is_object())
    return fail("an attribute is not a string");
  Expected<Document> copies = checkTrees(*trees, *columns);
  if (!copies)
    return tl::unexpected(copies.error());
  return BoosterDocument{*columns,
                         modelOf(std::move(*copies), std::move(attributes),
                                 *columns, stringMember(param, "base_score"))};
}
