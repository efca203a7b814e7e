//===- ReplayLosses.cpp - What the cycles of an SM are lost to ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scheduler loses the cycles in which none of its warps can issue, unless one
// waits for an arithmetic pipe that is busy: that pipe loses nothing. As in the
// "not issued" samples of stall reasons that Nsight Compute takes, each of the
// scheduler's warps gets an equal part of the loss, with what it waits for. A
// warp at a barrier waits for what the last of its block waits for.
//
//===----------------------------------------------------------------------===//

#include "ReplaySM.h"
#include <algorithm>

namespace dietcode::vgpu {

/// Divides the time since the warp's last instruction: waiting for operands,
/// for the pipe, and for its turn.
void SM::account(const ReplayedWarp &warp, double now, double pipeAt) {
  double from = warp.lastIssue + 1;
  double operands = std::min(std::max(warp.readyAt, from), now);
  counters.stalls[static_cast<unsigned>(warp.waitsFor)] += operands - from;
  double pipe = std::min(std::max(pipeAt, operands), now);
  Stall throttle = throttleOf(nextInst(warp).cost.unit);
  counters.stalls[static_cast<unsigned>(throttle)] += pipe - operands;
  counters.stalls[static_cast<unsigned>(Stall::NotSelected)] += now - pipe;
}

/// Of the warps that a barrier waits for, the one that can go on last.
const ReplayedWarp *SM::lastToArrive(uint32_t block) const {
  const ReplayedWarp *last = nullptr;
  size_t begin = firstOf[block];
  for (size_t w = begin; w < begin + plan.blocks[block].size(); ++w) {
    const ReplayedWarp &warp = warps[w];
    if (!warp.done && !warp.atBarrier &&
        (!last || warp.readyAt > last->readyAt))
      last = &warp;
  }
  return last;
}

/// What a warp waits for that could not issue at `from`.
Arrival SM::waitOf(unsigned core, const ReplayedWarp &warp, double from) const {
  if (warp.readyAt <= from) {
    Unit unit = nextInst(warp).cost.unit;
    if (isMemory(unit))
      return memory.acceptance(core, unit == Unit::Global);
    return Arrival::after(from, Loss::Barrier);
  }
  if (warp.waitsForSlot == noSlot)
    return Arrival::after(warp.readyAt, warp.waitsFor == Stall::Barrier
                                            ? Loss::Barrier
                                        : warp.waitsFor == Stall::Branch
                                            ? Loss::Branch
                                            : Loss::ArithmeticLatency);
  auto producer = static_cast<Stall>(warp.producer[warp.waitsForSlot]);
  const Arrival &arrival = warp.arrivals[warp.waitsForSlot];
  // Special functions share their stall with shared memory.
  if (producer == Stall::Wait || arrival.at != warp.readyAt)
    return Arrival::after(warp.readyAt, Loss::ArithmeticLatency);
  return arrival;
}

void SM::lose(const SubCore &core, double from, double to) {
  unsigned live = 0;
  for (uint32_t w : core.warps)
    live += !warps[w].done;
  if (live == 0)
    return;
  double weight = 1.0 / live;
  for (uint32_t w : core.warps) {
    const ReplayedWarp &warp = warps[w];
    if (warp.done)
      continue;
    if (!warp.atBarrier) {
      lose(waitOf(indexOf(core), warp, from), from, to, weight);
      continue;
    }
    const ReplayedWarp *last = lastToArrive(warp.block);
    // One that waits for its pipe or its turn is at work.
    bool isWaiting = last && last->readyAt > from;
    lose(isWaiting ? waitOf(indexOf(core), *last, from)
                   : Arrival::after(from, Loss::Barrier),
         from, to, weight);
  }
}

/// Divides the cycles between the parts of a wait. After its end, what holds
/// warps is that others of their block are not there yet.
void SM::lose(const Arrival &wait, double from, double to, double weight) {
  auto add = [&](double until, Loss loss) {
    double end = std::min(to, until);
    if (end <= from)
      return;
    counters.losses[static_cast<unsigned>(loss)] += weight * (end - from);
    from = end;
  };
  add(wait.unqueued, wait.latency);
  add(wait.clean, wait.queue);
  add(wait.at, wait.waste);
  add(to, Loss::Barrier);
}

} // namespace dietcode::vgpu
