//===- Replay.cpp - An SM that replays traces -----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warps are dealt to the schedulers in turn. Each cycle a scheduler issues one
// instruction of one of its warps, in the order of the warp's trace: one whose
// operands are ready and whose pipe is free. The warp that issued last goes
// first, then the youngest (Huerta et al., Analyzing Modern NVIDIA GPU cores,
// 2025, for Ampere; unverified for Turing). Strict ages would let one block run
// ahead until it ends and another takes its place; so that a short replay
// stands for a long run, a block that has passed fewer barriers goes before all
// that have passed more. All schedulers then favour the same block, and the
// others fill its gaps, as with strict ages. Results become ready a latency
// after issue, or when the memory system says so.
//
//===----------------------------------------------------------------------===//

#include "ReplaySM.h"
#include <algorithm>
#include <limits>

namespace dietcode::vgpu {

void ReplayCounters::addScaled(const ReplayCounters &to,
                               const ReplayCounters &from, double factor) {
  // All members are doubles, so the struct is an array of them.
  constexpr size_t n = sizeof(ReplayCounters) / sizeof(double);
  static_assert(sizeof(ReplayCounters) % sizeof(double) == 0);
  auto *sum = reinterpret_cast<double *>(this);
  auto *a = reinterpret_cast<const double *>(&to);
  auto *b = reinterpret_cast<const double *>(&from);
  for (size_t i = 0; i < n; ++i)
    sum[i] += factor * (a[i] - b[i]);
}

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

} // namespace

SM::SM(const DeviceSpec &spec, const MemoryShare &share, const ReplayPlan &plan,
       const std::vector<const BlockTrace *> &traces,
       const std::vector<ScheduledBlock> &schedule, unsigned slots)
    : spec(spec), plan(plan), schedule(schedule), memory(spec, share),
      touched(plan.cuts.size()) {
  cores.resize(static_cast<size_t>(spec.schedulersPerSM));
  for (const ScheduledBlock &block : schedule)
    for (const ScheduledInst &inst : block.insts)
      hasBarriers |= inst.cost.unit == Unit::Barrier;
  for (const LoopCut &cut : plan.cuts)
    crossings.emplace_back(size_t(cut.head) + cut.tail);
  for (uint32_t b = 0; b < plan.blocks.size(); ++b) {
    firstOf.push_back(static_cast<uint32_t>(warps.size()));
    for (size_t w = 0; w < plan.blocks[b].size(); ++w) {
      ReplayedWarp warp;
      warp.plan = &plan.blocks[b][w];
      warp.trace = traces[b];
      warp.warpTrace = &traces[b]->warps[w];
      warp.block = b;
      warp.ready.assign(slots, 0);
      warp.producer.assign(slots, 0);
      warp.arrivals.resize(slots);
      cores[warps.size() % cores.size()].warps.push_back(
          static_cast<uint32_t>(warps.size()));
      warps.push_back(std::move(warp));
    }
    waiting.push_back(0);
    running.push_back(static_cast<uint32_t>(plan.blocks[b].size()));
  }
}

double SM::pipeFree(const SubCore &core, const ReplayedWarp &warp) const {
  Unit unit = nextInst(warp).cost.unit;
  return isMemory(unit) ? memory.acceptsAt(indexOf(core), unit == Unit::Global)
                        : core.free[static_cast<unsigned>(unit)];
}

/// Issues at most one instruction; returns when the next one may be issued.
double SM::issueFrom(SubCore &core, double now) {
  if (core.isIdle)
    lose(core, core.idleFrom, now);
  uint32_t n = static_cast<uint32_t>(core.warps.size());
  ReplayedWarp *chosen = nullptr;
  double next = never;
  core.idleFrom = now;
  core.isIdle = false;
  bool isPipeBusy = false;
  for (uint32_t k = 0; k < n; ++k) {
    ReplayedWarp &warp = warps[core.warps[k]];
    if (warp.done || warp.atBarrier)
      continue;
    if (warp.readyAt > now) {
      next = std::min(next, warp.readyAt);
      continue;
    }
    double at = pipeFree(core, warp);
    if (at > now) {
      next = std::min(next, at);
      isPipeBusy |= !isMemory(nextInst(warp).cost.unit);
      continue;
    }
    next = std::min(next, now + 1); // Or the one after, if it is chosen.
    if (!chosen || goesBefore(core, warp, *chosen))
      chosen = &warp;
  }
  if (!chosen) {
    core.isIdle = !isPipeBusy;
    return next;
  }
  core.last = static_cast<uint32_t>(
      std::find(core.warps.begin(), core.warps.end(),
                static_cast<uint32_t>(chosen - warps.data())) -
      core.warps.begin());
  double busy = std::max<double>(1, nextInst(*chosen).cost.issues);
  issue(core, *chosen, now);
  return now + busy;
}

Arrival SM::access(unsigned core, const ReplayedWarp &warp,
                   const ScheduledInst &inst, double now) {
  static const TracedAccess nothing;
  const TracedBlock &traced = warp.plan->steps[warp.step].traced;
  if (inst.access == noAccess)
    return memory.shared(core, now, nothing, /*isShuffle=*/true);
  const TracedAccess &access =
      warp.warpTrace->accesses[traced.firstAccess + inst.access];
  if (inst.cost.unit == Unit::Shared)
    return access.wavefronts ? memory.shared(core, now, access, false)
                             : Arrival::after(now + spec.arithmeticLatency,
                                              Loss::ArithmeticLatency);
  return memory.global(core, now, access,
                       warp.trace->sectors.data() + access.firstSector,
                       inst.isLoad, inst.cost.bypassesL1);
}

void SM::issue(SubCore &core, ReplayedWarp &warp, double now) {
  const ScheduledInst &inst = nextInst(warp);
  const InstCost &cost = inst.cost;
  auto unit = static_cast<unsigned>(cost.unit);
  account(warp, now, isMemory(cost.unit) ? now : core.free[unit]);
  double issues = std::max<double>(1, cost.issues);
  counters.issued += issues;
  double readyAt = now + cost.latency;
  if (isMemory(cost.unit)) {
    Arrival arrival = access(indexOf(core), warp, inst, now);
    readyAt = arrival.at;
    if (inst.hasResult)
      warp.arrivals[inst.result] = arrival;
  } else {
    core.free[unit] = std::max(core.free[unit], now) + cost.pipeCycles;
    counters.units[unit] += cost.pipeCycles;
  }
  counters.flop +=
      cost.flopPerLane *
      double(__builtin_popcount(warp.plan->steps[warp.step].traced.mask));
  if (inst.hasResult) {
    warp.ready[inst.result] = readyAt;
    Stall stall = cost.unit == Unit::Global ? Stall::LongScoreboard
                  : cost.unit == Unit::Shared || cost.unit == Unit::Sfu
                      ? Stall::ShortScoreboard
                      : Stall::Wait;
    warp.producer[inst.result] = static_cast<uint8_t>(stall);
  }
  warp.lastIssue = now + issues - 1;
  Unit which = cost.unit;
  bool leaves =
      which == Unit::Branch &&
      warp.inst + 1 ==
          schedule[warp.plan->steps[warp.step].traced.block].insts.size();
  ++warp.inst;
  if (which == Unit::Barrier)
    return arrive(warp, now);
  advance(warp, now);
  if (!warp.done)
    findReady(warp, leaves ? now + cost.latency : warp.lastIssue + 1,
              leaves ? Stall::Branch : Stall::Wait);
}

namespace {

struct Committed {
  double ready;
  uint8_t producer;
  Arrival arrival;
};

} // namespace

/// Goes on to the next step that has instructions.
void SM::advance(ReplayedWarp &warp, double now) {
  while (true) {
    const auto &steps = warp.plan->steps;
    const ScheduledBlock &block = schedule[steps[warp.step].traced.block];
    if (warp.inst < block.insts.size())
      return;
    // All commits read before any writes.
    static thread_local std::vector<Committed> values;
    values.clear();
    for (auto &[row, slot] : block.commits)
      values.push_back(
          {warp.ready[slot], warp.producer[slot], warp.arrivals[slot]});
    for (size_t i = 0; i < block.commits.size(); ++i) {
      uint16_t row = block.commits[i].first;
      warp.ready[row] = values[i].ready;
      warp.producer[row] = values[i].producer;
      warp.arrivals[row] = values[i].arrival;
    }
    warp.inst = 0;
    if (++warp.step == steps.size())
      return finish(warp, now);
    enterStep(warp, now);
  }
}

void SM::findReady(ReplayedWarp &warp, double earliest, Stall otherwise) {
  const ScheduledInst &inst = nextInst(warp);
  const uint16_t *sources =
      schedule[warp.plan->steps[warp.step].traced.block].sources.data() +
      inst.firstSource;
  warp.readyAt = earliest;
  warp.waitsFor = otherwise;
  warp.waitsForSlot = noSlot;
  for (unsigned i = 0; i < inst.sourceCount; ++i) {
    uint16_t slot = sources[i];
    if (warp.ready[slot] > warp.readyAt) {
      warp.readyAt = warp.ready[slot];
      warp.waitsForSlot = slot;
      warp.waitsFor = static_cast<Stall>(warp.producer[slot]);
    }
  }
}

void SM::arrive(ReplayedWarp &warp, double now) {
  warp.atBarrier = true;
  if (++waiting[warp.block] >= running[warp.block])
    releaseBarrier(warp.block, now);
}

void SM::releaseBarrier(uint32_t block, double now) {
  waiting[block] = 0;
  for (ReplayedWarp &warp : warps) {
    if (warp.block != block || !warp.atBarrier)
      continue;
    warp.atBarrier = false;
    ++warp.progress;
    advance(warp, now);
    if (!warp.done)
      findReady(warp, now + spec.barrierLatency, Stall::Barrier);
  }
  for (SubCore &core : cores)
    core.nextEvent = std::min(core.nextEvent, now + 1);
}

void SM::finish(ReplayedWarp &warp, double now) {
  warp.done = true;
  end = std::max(end, now + 1);
  counters.warpCycles += now + 1;
  if (--running[warp.block] > 0 && waiting[warp.block] >= running[warp.block])
    releaseBarrier(warp.block, now);
}

ReplayResult SM::run() {
  for (ReplayedWarp &warp : warps) {
    if (warp.plan->steps.empty()) {
      finish(warp, 0);
      continue;
    }
    enterStep(warp, 0);
    advance(warp, 0);
    if (!warp.done)
      findReady(warp, 0, Stall::Wait);
  }
  while (true) {
    double now = never;
    for (const SubCore &core : cores)
      now = std::min(now, core.nextEvent);
    if (now == never)
      break;
    for (SubCore &core : cores)
      if (core.nextEvent <= now) {
        core.nextEvent = never; // A barrier may lower it.
        double next = issueFrom(core, now);
        core.nextEvent = std::min(core.nextEvent, next);
      }
  }
  ReplayResult result;
  counters.memory = memory.counters;
  result.counters = counters;
  result.cycles = std::max(end, memory.drained());
  extrapolate(result);
  result.cycles += result.extrapolated;
  return result;
}

ReplayResult replay(const DeviceSpec &spec, const MemoryShare &share,
                    const ReplayPlan &plan,
                    const std::vector<const BlockTrace *> &traces,
                    const std::vector<ScheduledBlock> &schedule,
                    unsigned slots) {
  return SM(spec, share, plan, traces, schedule, slots).run();
}

} // namespace dietcode::vgpu
