//===- Traffic.cpp - What DRAM does for a launch --------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch finds L2 empty, except for what the launch right before has left of
// its results. DRAM delivers each byte that is read at least once, and again
// what a later wave of blocks reads after others have pushed it out of L2; it
// takes each byte that is written. What blocks have in common is told by the
// first block and some of those that follow.
//
//===----------------------------------------------------------------------===//

#include "Traffic.h"
#include <algorithm>
#include <cmath>

namespace dietcode::vgpu {
namespace {

/// What one block reads of a range of memory.
struct RangeUse {
  uint32_t range;
  double perBlock; ///< Distinct bytes.
  double fresh;    ///< Of these, the bytes that an earlier one does not read.
  /// Steps after which the walk begins again, 1 if there is none.
  double period = 1;

  bool isWalked() const { return fresh > perBlock / 2; }
};

double freshBytes(const std::vector<RangeUse> &uses) {
  double sum = 0;
  for (const RangeUse &use : uses)
    sum += use.fresh;
  return sum;
}

/// A sector of a trace in terms of the ranges of the launch.
uint64_t sectorOf(const BlockTrace &trace, uint64_t traced) {
  constexpr uint64_t withinRange = (uint64_t(1) << rangeShift) - 1;
  return trace.ranges[traced >> rangeShift] << rangeShift |
         (traced & withinRange);
}

class TrafficCounter {
public:
  TrafficCounter(const LaunchState &launch, const BlockTrace &first,
                 const std::vector<Neighbour> &neighbours, const Sample &sample,
                 double sampledBlocks)
      : launch(launch), spec(launch.spec), neighbours(neighbours),
        sample(sample), sampledBlocks(sampledBlocks),
        blocks(double(launch.gridBlocks())) {
    for (uint64_t traced : first.sectors)
      ofFirst.insert(sectorOf(first, traced));
  }

  Traffic count(uint32_t resident);

private:
  double fetchedBytes(double perBlock, double resident) const;
  double distinctBytes(double n) const;
  void groupBlocks();
  void findPeriods();
  std::vector<RangeUse> compareWithFirst(const BlockTrace &second) const;

  const LaunchState &launch;
  const DeviceSpec &spec;
  SectorSet ofFirst; ///< Of the first block.
  const std::vector<Neighbour> &neighbours;
  const Sample &sample;
  double sampledBlocks, blocks;
  uint64_t group = 1; ///< Consecutive blocks that differ less from the next.
  std::vector<RangeUse> groupUses; ///< Of a group and the one before.
  std::vector<RangeUse> blockUses; ///< Of a block and the one before.
  Traffic traffic;
};

/// What DRAM has to deliver: everything once, and again what a later wave of
/// blocks reads after the waves between have pushed it out of L2. Of what a
/// wave reads, that is the part that does not fit.
double TrafficCounter::fetchedBytes(double perBlock, double resident) const {
  double waves = std::ceil(std::ceil(blocks / spec.smCount) / resident);
  double atOnce = std::min(blocks, resident * double(spec.smCount));
  auto distinct = [&](double n) {
    double bytes = neighbours.empty() ? perBlock * n : distinctBytes(n);
    return std::min(bytes, traffic.footprint);
  };
  double wave = distinct(atOnce), once = distinct(blocks);
  double again = std::max(0.0, wave * waves - once);
  double pushedOut =
      wave > 0 ? std::max(0.0, 1 - double(spec.l2Bytes) / wave) : 0;
  return once + again * pushedOut;
}

/// Blocks of a group read different parts of what the next group's blocks read,
/// such as those that split a sum. Groups are as large as the distance at which
/// a block has the fewest bytes to itself.
void TrafficCounter::groupBlocks() {
  for (const Neighbour &other : neighbours) {
    std::vector<RangeUse> uses = compareWithFirst(*other.trace);
    if (other.distance == 1)
      blockUses = uses;
    else if (freshBytes(uses) >= freshBytes(groupUses))
      continue;
    groupUses = std::move(uses);
    group = other.distance;
  }
  for (RangeUse &use : groupUses)
    for (const RangeUse &one : blockUses) {
      if (group == 1 || one.range != use.range)
        continue;
      double bytes = one.perBlock + double(group - 1) * one.fresh;
      use.fresh *= bytes / use.perBlock;
      use.perBlock = bytes;
    }
  findPeriods();
}

/// A walk begins again when it is through the range, or at the first group
/// traced that reads what the first one does, as where tiles lie in bands.
void TrafficCounter::findPeriods() {
  for (RangeUse &use : groupUses)
    if (use.isWalked())
      use.period = double(launch.memory.ranges()[use.range].size) / use.fresh;
  for (const Neighbour &other : neighbours) {
    if (other.distance <= group || other.distance % group)
      continue;
    double steps = double(other.distance / group);
    for (const RangeUse &later : compareWithFirst(*other.trace))
      for (RangeUse &use : groupUses)
        if (use.range == later.range && use.isWalked() && !later.isWalked())
          use.period = std::min(use.period, steps);
  }
}

/// The distinct bytes that `n` consecutive blocks read. Of each range of memory
/// a group of blocks reads some bytes that the group before it does not, so n
/// groups read n times as many: that is a walk, until it begins again. What it
/// reads moves on whenever a longer walk is over, as the columns of a matrix
/// product do when its rows, or those of a band, are through.
double TrafficCounter::distinctBytes(double n) const {
  bool isPart = n < double(group);
  const std::vector<RangeUse> &uses = isPart ? blockUses : groupUses;
  double steps = isPart ? n : n / double(group), distinct = 0;
  for (const RangeUse &use : uses) {
    double walks = 1;
    for (const RangeUse &other : uses)
      if (!isPart && other.period > use.period)
        walks = std::max(walks, steps / other.period);
    bool isOver = !isPart && use.isWalked();
    double moving = (isOver ? std::min(steps, use.period) : steps) * use.fresh;
    double shared = use.perBlock - use.fresh;
    double bytes = isOver ? (shared + moving) * std::ceil(walks)
                          : shared * std::ceil(walks) + moving;
    distinct += std::min(bytes, double(launch.memory.ranges()[use.range].size));
  }
  return distinct;
}

/// The bytes of each range that a block reads, and how many of them the first
/// one does not.
std::vector<RangeUse>
TrafficCounter::compareWithFirst(const BlockTrace &second) const {
  SectorSet seen;
  std::vector<RangeUse> uses;
  for (uint64_t traced : second.sectors) {
    uint64_t sector = sectorOf(second, traced);
    auto range = static_cast<uint32_t>(sector >> rangeShift);
    if (!seen.insert(sector) ||
        !std::binary_search(sample.rangesRead.begin(), sample.rangesRead.end(),
                            range))
      continue;
    auto use = std::find_if(uses.begin(), uses.end(), [&](const RangeUse &one) {
      return one.range == range;
    });
    if (use == uses.end())
      use = uses.insert(use, {range, 0, 0, 1});
    use->perBlock += spec.sectorBytes;
    if (!ofFirst.contains(sector))
      use->fresh += spec.sectorBytes;
  }
  return uses;
}

/// What DRAM does for the launch.
Traffic TrafficCounter::count(uint32_t resident) {
  double recent = 0, output = 0;
  auto rangeOf = [&](uint32_t index) -> const MemoryRange & {
    return launch.memory.ranges()[index];
  };
  for (uint32_t index : sample.rangesRead) {
    traffic.footprint += double(rangeOf(index).size);
    for (const WrittenRange &last : launch.recent)
      if (last.base == rangeOf(index).base)
        recent += last.kept * double(rangeOf(index).size);
  }
  for (uint32_t index : sample.rangesWritten)
    output += double(rangeOf(index).size);
  auto perBlock = [&](uint64_t sectors) {
    return double(spec.sectorBytes) * double(sectors) / sampledBlocks;
  };
  groupBlocks();
  double read = perBlock(sample.uniqueSectorsRead);
  traffic.read = std::min(fetchedBytes(read, resident), read * blocks);
  // What the launch before has left in L2 need not come from DRAM.
  if (traffic.footprint > 0 &&
      std::min(traffic.footprint, read * blocks) <= spec.l2Bytes)
    traffic.read *= 1 - recent / traffic.footprint;
  traffic.written =
      std::min(output, perBlock(sample.uniqueSectorsWritten) * blocks);
  return traffic;
}

} // namespace

std::vector<uint64_t> neighboursToTrace(const LaunchState &launch) {
  uint64_t blocks = launch.gridBlocks();
  auto sms = static_cast<uint64_t>(launch.spec.smCount);
  double bytes = 0;
  for (const MemoryRange &range : launch.memory.ranges())
    bytes += double(range.size);
  bool mayRepeat = blocks > sms && bytes > double(launch.spec.l2Bytes);
  uint64_t farthest = mayRepeat ? sms : 8;
  std::vector<uint64_t> result;
  for (uint64_t distance = 1; distance < blocks && distance <= farthest;
       distance *= 2)
    result.push_back(distance);
  return result;
}

Traffic countTraffic(const LaunchState &launch, const BlockTrace &first,
                     const std::vector<Neighbour> &neighbours,
                     const Sample &sample, double sampledBlocks,
                     uint32_t resident) {
  return TrafficCounter(launch, first, neighbours, sample, sampledBlocks)
      .count(resident);
}

} // namespace dietcode::vgpu
