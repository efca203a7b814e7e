//===- LoopCut.cpp - Leaving out iterations of steady loops ---------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCut.h"
#include <algorithm>
#include <set>

namespace dietcode::vgpu {
namespace {

constexpr unsigned mostCuts = 16;
constexpr uint64_t fewestIterations = 3; ///< Of head and of tail.
constexpr uint64_t mostIterations = 16;

using Steps = std::vector<ReplayStep>;

/// Successive iterations of a loop that take the same way.
struct Run {
  uint32_t header = 0;
  size_t begin = 0;  ///< Step that starts the first iteration.
  size_t period = 0; ///< Steps of an iteration.
  size_t iterations = 0;
};

bool sameWay(const Steps &steps, size_t a, size_t b, size_t length) {
  for (size_t i = 0; i < length; ++i)
    if (steps[a + i].traced.block != steps[b + i].traced.block ||
        steps[a + i].traced.mask != steps[b + i].traced.mask)
      return false;
  return true;
}

/// The runs of a loop, by its header. What follows the last entry is not known
/// to be an iteration, and runs do not reach into loops that were cut already.
std::vector<Run> findRuns(const Steps &steps, uint32_t header) {
  std::vector<size_t> entries;
  for (size_t i = 0; i < steps.size(); ++i)
    if (steps[i].traced.block == header)
      entries.push_back(i);
  std::vector<Run> runs;
  auto isCut = [&](size_t from, size_t to) {
    for (size_t i = from; i < to; ++i)
      if (steps[i].cut != noCut)
        return true;
    return false;
  };
  bool continues = false;
  for (size_t k = 0; k + 1 < entries.size(); ++k) {
    size_t begin = entries[k], length = entries[k + 1] - begin;
    if (isCut(begin, begin + length)) {
      continues = false;
      continue;
    }
    if (continues && runs.back().period == length &&
        sameWay(steps, runs.back().begin, begin, length))
      ++runs.back().iterations;
    else
      runs.push_back({header, begin, length, 1});
    continues = true;
  }
  return runs;
}

class Planner {
public:
  Planner(const std::vector<ScheduledBlock> &schedule, ReplayPlan &plan)
      : schedule(schedule), plan(plan) {}

  /// Makes the cut that saves most; false if there is none.
  bool cutOnce(uint64_t budget);
  uint64_t instructions() const;

private:
  struct Candidate {
    Run run;
    size_t ordinal = 0; ///< Among the runs of its header.
    uint64_t saved = 0;
    uint64_t kept = 0; ///< Iterations of head and tail each.
  };
  uint64_t cost(const Steps &steps, size_t begin, size_t end) const {
    uint64_t sum = 0;
    for (size_t i = begin; i < end; ++i)
      sum += schedule[steps[i].traced.block].insts.size();
    return sum;
  }
  std::vector<Candidate> candidates(uint64_t budget) const;
  bool apply(const Candidate &candidate, bool ofAllWarps);
  static void cut(ReplayWarp &warp, const Run &run, uint64_t kept,
                  uint16_t index);

  const std::vector<ScheduledBlock> &schedule;
  ReplayPlan &plan;
};

uint64_t Planner::instructions() const {
  uint64_t sum = 0;
  for (const auto &block : plan.blocks)
    for (const ReplayWarp &warp : block)
      sum += cost(warp.steps, 0, warp.steps.size());
  return sum;
}

/// Loops of the first warp. Their headers are where control goes backwards, of
/// any warp of the block, since those that take another way may enter at other
/// blocks.
std::vector<Planner::Candidate> Planner::candidates(uint64_t budget) const {
  const Steps &steps = plan.blocks[0][0].steps;
  std::set<uint32_t> headers;
  for (const ReplayWarp &warp : plan.blocks[0])
    for (size_t i = 1; i < warp.steps.size(); ++i)
      if (warp.steps[i].traced.block <= warp.steps[i - 1].traced.block)
        headers.insert(warp.steps[i].traced.block);
  uint64_t warps = plan.blocks.size() * plan.blocks[0].size();
  std::vector<Candidate> result;
  for (uint32_t header : headers) {
    std::vector<Run> runs = findRuns(steps, header);
    for (size_t k = 0; k < runs.size(); ++k) {
      const Run &run = runs[k];
      uint64_t each = cost(steps, run.begin, run.begin + run.period);
      uint64_t kept = budget / (2 * warps * std::max<uint64_t>(each, 1));
      kept = std::min(std::max(kept, fewestIterations), mostIterations);
      if (run.iterations < 2 * kept + 2)
        continue;
      result.push_back({run, k, each * (run.iterations - 2 * kept), kept});
    }
  }
  std::sort(
      result.begin(), result.end(),
      [](const Candidate &a, const Candidate &b) { return a.saved > b.saved; });
  return result;
}

void Planner::cut(ReplayWarp &warp, const Run &run, uint64_t kept,
                  uint16_t index) {
  Steps &steps = warp.steps;
  uint64_t first = run.begin + kept * run.period;
  uint64_t last = run.begin + (run.iterations - kept) * run.period;
  for (uint64_t i = 0; i < 2 * kept; ++i) {
    uint64_t at =
        i < kept ? run.begin + i * run.period : last + (i - kept) * run.period;
    for (uint64_t s = at; s < at + run.period; ++s)
      steps[s].cut = index;
    for (uint64_t s = at; s < at + run.period; ++s)
      steps[s].iteration = noCut;
    steps[at].iteration = static_cast<uint16_t>(i);
  }
  warp.skipped.resize(index + 1u);
  for (uint64_t s = first; s < last; ++s)
    warp.skipped[index].push_back(steps[s].traced);
  auto begin = steps.begin();
  steps.erase(begin + static_cast<int64_t>(first),
              begin + static_cast<int64_t>(last));
}

bool Planner::apply(const Candidate &candidate, bool ofAllWarps) {
  std::vector<std::pair<ReplayWarp *, Run>> matches;
  for (auto &block : plan.blocks)
    for (ReplayWarp &warp : block) {
      std::vector<Run> runs = findRuns(warp.steps, candidate.run.header);
      if (runs.empty() && !ofAllWarps)
        continue;
      if (candidate.ordinal >= runs.size() ||
          runs[candidate.ordinal].iterations != candidate.run.iterations)
        return false;
      matches.emplace_back(&warp, runs[candidate.ordinal]);
    }
  auto index = static_cast<uint16_t>(plan.cuts.size());
  for (auto &[warp, run] : matches)
    cut(*warp, run, candidate.kept, index);
  auto kept = static_cast<uint16_t>(candidate.kept);
  plan.cuts.push_back(
      {kept, kept, candidate.run.iterations - 2 * candidate.kept});
  return true;
}

/// A block of a loop that one warp enters and others do not may look like a
/// header, too. To cut at it would leave the others as they are, so a header
/// that all warps enter goes first.
bool Planner::cutOnce(uint64_t budget) {
  std::vector<Candidate> found = candidates(budget);
  for (bool ofAllWarps : {true, false})
    for (const Candidate &candidate : found)
      if (apply(candidate, ofAllWarps))
        return true;
  return false;
}

} // namespace

ReplayPlan planReplay(const std::vector<const BlockTrace *> &traces,
                      const std::vector<ScheduledBlock> &schedule,
                      uint64_t budget) {
  ReplayPlan plan;
  for (const BlockTrace *trace : traces) {
    plan.blocks.emplace_back();
    for (const WarpTrace &from : trace->warps) {
      plan.blocks.back().emplace_back();
      Steps &steps = plan.blocks.back().back().steps;
      steps.reserve(from.blocks.size());
      for (const TracedBlock &block : from.blocks)
        steps.push_back({block, noCut, 0});
    }
  }
  Planner planner(schedule, plan);
  plan.instructions = planner.instructions();
  while (plan.instructions > budget && plan.cuts.size() < mostCuts &&
         planner.cutOnce(budget))
    plan.instructions = planner.instructions();
  return plan;
}

} // namespace dietcode::vgpu
