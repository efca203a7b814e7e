//===- ReplaySM.h - The state of a replayed SM ------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_TIMING_REPLAYSM_H
#define DIETCODE_LIB_VIRTUALGPU_TIMING_REPLAYSM_H

#include "Replay.h"

namespace dietcode::vgpu {

constexpr uint32_t noSlot = ~0u;

struct ReplayedWarp {
  const ReplayWarp *plan = nullptr;
  const BlockTrace *trace = nullptr;
  const WarpTrace *warpTrace = nullptr;
  uint32_t block = 0;
  uint32_t step = 0;
  uint32_t inst = 0;
  double lastIssue = -1;
  double readyAt = 0; ///< When the next instruction's operands are there.
  Stall waitsFor = Stall::Wait;
  uint32_t progress = 0; ///< Barriers or, without any, iterations passed.
  bool atBarrier = false;
  bool done = false;
  std::vector<double> ready; ///< Of each slot.
  std::vector<uint8_t> producer;
  std::vector<Arrival> arrivals; ///< Of the slots that memory sets.
  uint32_t waitsForSlot = noSlot;
};

struct SubCore {
  std::vector<uint32_t> warps;
  std::array<double, unitCount> free = {};
  uint32_t last = 0; ///< Index into warps.
  double nextEvent = 0;
  double idleFrom = 0;
  bool isIdle = false;
};

/// When an iteration of a cut loop began, over all warps.
struct Crossing {
  double sum = 0;
  unsigned count = 0;
  bool seen = false;
  ReplayCounters counters;
  double mean() const { return count ? sum / count : 0; }
};

/// What the iterations that a cut leaves out issue.
struct SkippedWork {
  double issued = 0, flop = 0;
  std::array<double, unitCount> units = {}; ///< As in ReplayCounters.
  double busiest = 0; ///< Cycles of the busiest pipe of any scheduler.
};

class SM {
public:
  SM(const DeviceSpec &spec, const MemoryShare &share, const ReplayPlan &plan,
     const std::vector<const BlockTrace *> &traces,
     const std::vector<ScheduledBlock> &schedule, unsigned slots);
  ReplayResult run();

private:
  bool isMemory(Unit unit) const {
    return unit == Unit::Shared || unit == Unit::Global;
  }
  Stall throttleOf(Unit unit) const {
    return isMemory(unit) ? Stall::MemoryThrottle : Stall::MathThrottle;
  }
  const ScheduledInst &nextInst(const ReplayedWarp &warp) const {
    return schedule[warp.plan->steps[warp.step].traced.block].insts[warp.inst];
  }
  double pipeFree(const SubCore &core, const ReplayedWarp &warp) const;
  /// Whether a scheduler prefers `a` to `b`, which is older.
  bool goesBefore(const SubCore &core, const ReplayedWarp &a,
                  const ReplayedWarp &b) const {
    if (a.progress != b.progress)
      return a.progress < b.progress;
    return &b != &warps[core.warps[core.last]];
  }
  double issueFrom(SubCore &core, double now);
  void issue(SubCore &core, ReplayedWarp &warp, double now);
  Arrival access(unsigned core, const ReplayedWarp &warp,
                 const ScheduledInst &inst, double now);
  unsigned indexOf(const SubCore &core) const {
    return static_cast<unsigned>(&core - cores.data());
  }
  void account(const ReplayedWarp &warp, double now, double pipeAt);
  Arrival waitOf(unsigned core, const ReplayedWarp &warp, double from) const;
  void lose(const SubCore &core, double from, double to);
  void lose(const Arrival &wait, double from, double to, double weight);
  const ReplayedWarp *lastToArrive(uint32_t block) const;
  void advance(ReplayedWarp &warp, double now);
  void enterStep(ReplayedWarp &warp, double now);
  void findReady(ReplayedWarp &warp, double earliest, Stall otherwise);
  void arrive(ReplayedWarp &warp, double now);
  void finish(ReplayedWarp &warp, double now);
  void releaseBarrier(uint32_t block, double now);
  void touchSkipped(uint16_t cut);
  SkippedWork countSkipped(size_t cut) const;
  void extrapolate(ReplayResult &result) const;

  const DeviceSpec &spec;
  const ReplayPlan &plan;
  const std::vector<ScheduledBlock> &schedule;
  MemorySystem memory;
  std::vector<ReplayedWarp> warps;
  std::vector<SubCore> cores;
  std::vector<uint32_t> waiting, running; ///< Warps of each block.
  std::vector<uint32_t> firstOf;          ///< The first warp of each block.
  std::vector<std::vector<Crossing>> crossings;
  struct Touched {
    bool done = false;
    double l2 = 0, dram = 0;
  };
  std::vector<Touched> touched;
  ReplayCounters counters;
  double end = 0;
  bool hasBarriers = false;
};

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_TIMING_REPLAYSM_H
