//===- RegionTree.cpp - A decision tree over sample points ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionTree.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace dietcode;
using namespace dietcode::detail;

/// Leaves grown per leaf wanted, so that pruning has a choice.
static constexpr size_t kOvergrowth = 8;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {
struct Split {
  unsigned dim = 0;
  int64_t threshold = 0;
  double loss = kInfinity; ///< Of both sides together.
  double spread = -1;      ///< How far the kernels' means differ by side.
  bool exists() const { return loss < kInfinity; }
};

struct Node {
  Box box;
  std::vector<size_t> points;
  unsigned kernel = 0;
  double loss = 0; ///< Weighted loss with `kernel` at all points.
  Split split;     ///< The best one, done or not.
  int left = -1;   ///< -1 for a leaf.
  int right = -1;
};

class RegionTree {
public:
  explicit RegionTree(const RegionProblem &problem) : problem(problem) {}

  std::vector<DispatchLeaf> build();

private:
  void addNode(Box box, std::vector<size_t> points);
  void findSplit(Node &node) const;
  void findSplitAlong(unsigned dim, Node &node) const;
  void grow();
  void prune();
  bool splitNode(size_t index);
  std::pair<double, size_t> subtree(int index) const;
  void collectLeaves(int index, std::vector<DispatchLeaf> &leaves) const;

  /// Losses closer than this are equal.
  double resolution() const { return 1e-9 * problem.totalWeight; }

  const RegionProblem &problem;
  std::vector<Node> nodes;
};
} // namespace

/// The value in [low, high) with the most trailing zero bits. Costs jump at
/// multiples of tile sizes, so between two samples that is the likeliest place.
static int64_t roundest(int64_t low, int64_t high) {
  for (int bit = 62; bit > 0; --bit) {
    int64_t unit = int64_t(1) << bit;
    int64_t candidate = (high - 1) & ~(unit - 1);
    if (candidate >= low)
      return candidate;
  }
  return high - 1;
}

void RegionTree::addNode(Box box, std::vector<size_t> points) {
  Node node;
  node.box = std::move(box);
  node.points = std::move(points);
  node.loss = kInfinity;
  for (unsigned kernel = 0; kernel < problem.loss.size(); ++kernel) {
    double loss = 0;
    for (size_t point : node.points)
      loss += problem.points[point].weight * problem.loss[kernel][point];
    if (loss < node.loss) {
      node.loss = loss;
      node.kernel = kernel;
    }
  }
  findSplit(node);
  nodes.push_back(std::move(node));
}

void RegionTree::findSplit(Node &node) const {
  if (node.loss <= resolution())
    return;
  for (unsigned dim = 0; dim < node.box.size(); ++dim)
    findSplitAlong(dim, node);
}

/// Sweeps a threshold along `dim`. Where no split lowers the loss at once (a
/// kernel that is best between two regions of another) the one whose sides
/// differ most in the kernels' mean losses is the way to one that does.
void RegionTree::findSplitAlong(unsigned dim, Node &node) const {
  auto coordinate = [&](size_t point) {
    return problem.points[point].dims[dim];
  };
  std::vector<size_t> order = node.points;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return coordinate(a) != coordinate(b) ? coordinate(a) < coordinate(b)
                                          : a < b;
  });
  size_t numKernels = problem.loss.size();
  std::vector<double> left(numKernels, 0), right(numKernels, 0);
  double leftWeight = 0, rightWeight = 0;
  for (size_t point : order) {
    rightWeight += problem.points[point].weight;
    for (size_t kernel = 0; kernel < numKernels; ++kernel)
      right[kernel] +=
          problem.points[point].weight * problem.loss[kernel][point];
  }
  for (size_t index = 0; index + 1 < order.size(); ++index) {
    double weight = problem.points[order[index]].weight;
    leftWeight += weight;
    rightWeight -= weight;
    double leftLoss = kInfinity, rightLoss = kInfinity, spread = 0;
    for (size_t kernel = 0; kernel < numKernels; ++kernel) {
      double part = weight * problem.loss[kernel][order[index]];
      left[kernel] += part;
      right[kernel] -= part;
      leftLoss = std::min(leftLoss, left[kernel]);
      rightLoss = std::min(rightLoss, right[kernel]);
      double difference =
          left[kernel] / leftWeight - right[kernel] / rightWeight;
      spread += difference * difference;
    }
    spread *= leftWeight * rightWeight;
    int64_t low = coordinate(order[index]);
    int64_t high = coordinate(order[index + 1]);
    double loss = leftLoss + rightLoss;
    bool better =
        loss < node.split.loss - resolution() ||
        (loss <= node.split.loss + resolution() && spread > node.split.spread);
    if (low < high && better)
      node.split = {dim, roundest(low, high), loss, spread};
  }
}

bool RegionTree::splitNode(size_t index) {
  if (!nodes[index].split.exists())
    return false;
  Split split = nodes[index].split;
  Box left = nodes[index].box, right = left;
  left[split.dim].upper = split.threshold;
  right[split.dim].lower = split.threshold + 1;
  std::vector<size_t> leftPoints, rightPoints;
  for (size_t point : nodes[index].points)
    (problem.points[point].dims[split.dim] <= split.threshold ? leftPoints
                                                              : rightPoints)
        .push_back(point);
  nodes[index].left = static_cast<int>(nodes.size());
  nodes[index].right = nodes[index].left + 1;
  addNode(std::move(left), std::move(leftPoints));
  addNode(std::move(right), std::move(rightPoints));
  return true;
}

/// Splits the leaf with the largest loss until none has any.
void RegionTree::grow() {
  size_t limit = kOvergrowth * problem.maxLeaves;
  for (size_t leaves = 1; leaves < limit; ++leaves) {
    size_t worst = nodes.size();
    for (size_t index = 0; index < nodes.size(); ++index)
      if (nodes[index].left < 0 && nodes[index].split.exists() &&
          (worst == nodes.size() || nodes[index].loss > nodes[worst].loss))
        worst = index;
    if (worst == nodes.size() || !splitNode(worst))
      return;
  }
}

/// Loss and number of leaves below a node.
std::pair<double, size_t> RegionTree::subtree(int index) const {
  const Node &node = nodes[index];
  if (node.left < 0)
    return {node.loss, 1};
  auto [leftLoss, leftLeaves] = subtree(node.left);
  auto [rightLoss, rightLeaves] = subtree(node.right);
  return {leftLoss + rightLoss, leftLeaves + rightLeaves};
}

void RegionTree::prune() {
  double allowance =
      problem.mergeTolerance * problem.totalWeight + resolution();
  while (true) {
    // Children follow parents, so walking backwards sees leaves first, but
    // pruned ones stay in the vector: walk the tree itself.
    std::vector<int> inner, pending = {0};
    while (!pending.empty()) {
      int index = pending.back();
      pending.pop_back();
      if (nodes[index].left < 0)
        continue;
      inner.push_back(index);
      pending.push_back(nodes[index].right);
      pending.push_back(nodes[index].left);
    }
    int weakest = -1;
    double least = kInfinity, leastIncrease = 0;
    for (int index : inner) {
      auto [loss, leaves] = subtree(index);
      double increase = std::max(0.0, nodes[index].loss - loss);
      double perLeaf = increase / static_cast<double>(leaves - 1);
      if (perLeaf < least) {
        weakest = index;
        least = perLeaf;
        leastIncrease = increase;
      }
    }
    if (weakest < 0)
      return;
    bool tooMany = subtree(0).second > problem.maxLeaves;
    if (!tooMany && leastIncrease > allowance)
      return;
    allowance -= leastIncrease;
    nodes[weakest].left = nodes[weakest].right = -1;
  }
}

void RegionTree::collectLeaves(int index,
                               std::vector<DispatchLeaf> &leaves) const {
  const Node &node = nodes[index];
  if (node.left < 0) {
    leaves.push_back({node.box, node.kernel});
    return;
  }
  collectLeaves(node.left, leaves);
  collectLeaves(node.right, leaves);
}

/// The union of two boxes if it is a box: they agree but in one dim, in which
/// they touch.
static bool mergeBoxes(Box &a, const Box &b) {
  int differing = -1;
  for (size_t dim = 0; dim < a.size(); ++dim) {
    if (a[dim] == b[dim])
      continue;
    if (differing >= 0)
      return false;
    differing = static_cast<int>(dim);
  }
  if (differing < 0)
    return false;
  Interval &mine = a[differing];
  const Interval &other = b[differing];
  bool below = mine.upper < other.lower && mine.upper == other.lower - 1;
  bool above = other.upper < mine.lower && other.upper == mine.lower - 1;
  if (!below && !above)
    return false;
  mine = {std::min(mine.lower, other.lower), std::max(mine.upper, other.upper)};
  return true;
}

/// Joins leaves of one kernel that the tree keeps apart although their union is
/// a box.
static void mergeLeaves(std::vector<DispatchLeaf> &leaves) {
  for (size_t first = 0; first < leaves.size(); ++first)
    for (size_t second = first + 1; second < leaves.size(); ++second)
      if (leaves[first].kernel == leaves[second].kernel &&
          mergeBoxes(leaves[first].box, leaves[second].box)) {
        leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(second));
        first = static_cast<size_t>(-1); // Starts over: others may now fit.
        break;
      }
}

std::vector<DispatchLeaf> RegionTree::build() {
  std::vector<size_t> all(problem.points.size());
  std::iota(all.begin(), all.end(), 0);
  addNode(problem.domain, std::move(all));
  grow();
  prune();
  std::vector<DispatchLeaf> leaves;
  collectLeaves(0, leaves);
  mergeLeaves(leaves);
  return leaves;
}

std::vector<DispatchLeaf>
dietcode::detail::partition(const RegionProblem &problem) {
  return RegionTree(problem).build();
}
