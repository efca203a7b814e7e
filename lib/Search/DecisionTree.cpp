//===- DecisionTree.cpp - Comparisons that find a box ---------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/Dispatch.h"

#include <algorithm>
#include <tuple>

using namespace dietcode;

namespace {
class TreeBuilder {
public:
  TreeBuilder(const std::vector<DispatchLeaf> &leaves,
              std::vector<DecisionNode> &nodes)
      : leaves(leaves), nodes(nodes) {}

  /// Builds the subtree for `region`, which only the leaves in `present` touch.
  unsigned build(const Box &region, const std::vector<size_t> &present);

private:
  struct Split {
    unsigned dim;
    int64_t threshold;
  };

  Split chooseSplit(const Box &region,
                    const std::vector<size_t> &present) const;
  bool covers(const Box &box, const Box &region) const;

  const std::vector<DispatchLeaf> &leaves;
  std::vector<DecisionNode> &nodes;
};
} // namespace

static bool touches(const Box &box, const Box &region) {
  if (box.size() != region.size())
    return false;
  for (size_t dim = 0; dim < region.size(); ++dim)
    if (std::max(box[dim].lower, region[dim].lower) >
        std::min(box[dim].upper, region[dim].upper))
      return false;
  return true;
}

bool TreeBuilder::covers(const Box &box, const Box &region) const {
  for (size_t dim = 0; dim < region.size(); ++dim)
    if (box[dim].lower > region[dim].lower ||
        box[dim].upper < region[dim].upper)
      return false;
  return true;
}

/// Of all bounds of leaves inside the region the one that leaves the fewest
/// leaves on the fuller side, then the one that cuts the fewest in two. Exists
/// whenever some leaf covers the region in part.
TreeBuilder::Split
TreeBuilder::chooseSplit(const Box &region,
                         const std::vector<size_t> &present) const {
  Split best{0, 0};
  std::tuple<size_t, size_t> bestScore(SIZE_MAX, SIZE_MAX);
  auto consider = [&](unsigned dim, int64_t threshold) {
    size_t left = 0, right = 0;
    for (size_t leaf : present) {
      left += leaves[leaf].box[dim].lower <= threshold;
      right += leaves[leaf].box[dim].upper > threshold;
    }
    std::tuple<size_t, size_t> score(std::max(left, right), left + right);
    if (score < bestScore) {
      bestScore = score;
      best = {dim, threshold};
    }
  };
  for (unsigned dim = 0; dim < region.size(); ++dim)
    for (size_t leaf : present) {
      const Interval &interval = leaves[leaf].box[dim];
      if (interval.lower > region[dim].lower)
        consider(dim, interval.lower - 1);
      if (interval.upper < region[dim].upper)
        consider(dim, interval.upper);
    }
  return best;
}

unsigned TreeBuilder::build(const Box &region,
                            const std::vector<size_t> &present) {
  unsigned index = static_cast<unsigned>(nodes.size());
  nodes.emplace_back();
  if (present.empty())
    return index;
  if (covers(leaves[present.front()].box, region)) {
    nodes[index].leaf = static_cast<int>(present.front());
    return index;
  }

  Split split = chooseSplit(region, present);
  Box left = region, right = region;
  left[split.dim].upper = split.threshold;
  right[split.dim].lower = split.threshold + 1;
  auto within = [&](const Box &part) {
    std::vector<size_t> touching;
    for (size_t leaf : present)
      if (touches(leaves[leaf].box, part))
        touching.push_back(leaf);
    return touching;
  };
  // The vector may move while the children are built.
  unsigned leftIndex = build(left, within(left));
  unsigned rightIndex = build(right, within(right));
  DecisionNode &node = nodes[index];
  node.isLeaf = false;
  node.dim = split.dim;
  node.threshold = split.threshold;
  node.left = leftIndex;
  node.right = rightIndex;
  return index;
}

DecisionTree
dietcode::buildDecisionTree(const std::vector<Interval> &domain,
                            const std::vector<DispatchLeaf> &leaves) {
  DecisionTree tree;
  tree.domain = domain;
  std::vector<size_t> present;
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
    if (touches(leaves[leaf].box, domain))
      present.push_back(leaf);
  TreeBuilder(leaves, tree.nodes).build(domain, present);
  return tree;
}

int DecisionTree::evaluate(const std::vector<int64_t> &dims) const {
  if (dims.size() != domain.size() || nodes.empty())
    return kGeneralLeaf;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (dims[dim] < domain[dim].lower || dims[dim] > domain[dim].upper)
      return kGeneralLeaf;
  const DecisionNode *node = &nodes.front();
  while (!node->isLeaf)
    node =
        &nodes[dims[node->dim] <= node->threshold ? node->left : node->right];
  return node->leaf;
}

unsigned DecisionTree::depth() const {
  // Children follow their parent, so one backward sweep sees them first.
  std::vector<unsigned> below(nodes.size(), 0);
  for (size_t index = nodes.size(); index-- > 0;)
    if (!nodes[index].isLeaf)
      below[index] =
          1 + std::max(below[nodes[index].left], below[nodes[index].right]);
  return below.empty() ? 0 : below.front();
}
