//===- Divergence.cpp - Lanes of a warp that go different ways ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes that execute are those of one path; the others are on a stack:
// those that have another path to go first, and, below, all lanes of a
// divergence, to go on where the paths meet. Lanes that wait for others of
// their warp stay on the stack, in the middle of a path, while paths below them
// run:
//
//   @p bra ELSE                stack, top last       executes
//   bar.warp.sync -1           [meet: all][ELSE]     lanes of !p
//   ...                        [meet: all][wait: !p] lanes of p, from ELSE on
//   bra MEET
//   ELSE: bar.warp.sync -1     [meet: all][go: !p]   lanes of p
//   MEET:
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include <algorithm>
#include <cstring>

namespace dietcode::vgpu {

/// Lanes at a bar.warp.sync go on once all members that have not exited have
/// come to one with the same members.
void Executor::releaseLanes(Warp &warp) {
  for (Divergence &entry : warp.stack) {
    if (entry.wait != Divergence::ForLanes)
      continue;
    uint32_t arrived = 0;
    for (const Divergence &other : warp.stack)
      if (other.wait == Divergence::ForLanes && other.members == entry.members)
        arrived |= other.mask;
    if (entry.members & warp.alive & ~arrived)
      continue;
    uint32_t members = entry.members;
    for (Divergence &other : warp.stack)
      if (other.wait == Divergence::ForLanes && other.members == members)
        other.wait = Divergence::No;
  }
  warp.lanesWait =
      std::any_of(warp.stack.begin(), warp.stack.end(),
                  [](auto &entry) { return entry.wait != Divergence::No; });
}

bool Executor::popDivergence(Warp &warp, uint32_t &pc, uint32_t &active) {
  if (warp.lanesWait)
    releaseLanes(warp);
  // Where paths meet, lanes are waited for as long as they are above.
  uint32_t above = 0;
  for (size_t i = warp.stack.size(); i-- > 0;) {
    Divergence next = warp.stack[i];
    next.mask &= warp.alive;
    if (next.mask && (next.wait != Divergence::No || (next.mask & above))) {
      above |= next.mask;
      continue;
    }
    warp.stack.erase(warp.stack.begin() + static_cast<std::ptrdiff_t>(i));
    if (!next.mask)
      continue;
    pc = next.pc;
    active = next.mask;
    warp.reconverge = next.reconverge;
    return true;
  }
  return false;
}

/// Gives other lanes a turn, those first that had none for longest: the active
/// ones may wait in a loop for what the others do, say for a lock. So lanes
/// that wait where paths meet may have to leave without the active ones. Done
/// only where these poll memory, since a warp that has split stays so for long.
void Executor::yieldLanes(Warp &warp) {
  if (warp.stack.empty())
    return;
  warp.stack.push_back({warp.pc, warp.reconverge, warp.active});
  uint32_t above = 0, free = 0;
  size_t oldest = 0;
  for (size_t i = warp.stack.size(); i-- > 0;) {
    Divergence &entry = warp.stack[i];
    uint32_t mask = entry.mask & warp.alive & ~above;
    if (mask && entry.wait == Divergence::No) {
      oldest = i;
      free = mask;
    }
    above |= entry.mask;
  }
  Divergence &entry = warp.stack[oldest];
  warp.pc = entry.pc;
  warp.active = free;
  warp.reconverge = entry.reconverge;
  entry.mask &= ~free;
}

/// Splits the active lanes. The side that exits at once goes first, so that no
/// barrier on the other side misses its lanes.
void Executor::diverge(Warp &warp, const Inst &inst, uint32_t taken,
                       uint32_t &pc, uint32_t &active) {
  // All lanes continue from the meeting point. In a loop that lanes leave one
  // by one, it is where this path ends anyway, and an entry for it exists
  // already. Without one, both sides run to the enclosing meeting point or to
  // the exit.
  if (inst.reconverge != noTarget && inst.reconverge != warp.reconverge)
    warp.stack.push_back({inst.reconverge, warp.reconverge, active});
  uint32_t meet =
      inst.reconverge != noTarget ? inst.reconverge : warp.reconverge;
  Divergence first = {inst.target, meet, taken};
  Divergence second = {pc + 1, meet, active & ~taken};
  if (program.code[pc + 1].kind == Kind::Exit)
    std::swap(first, second);
  warp.stack.push_back(second);
  pc = first.pc;
  active = first.mask;
  warp.reconverge = meet;
}

namespace {

/// barrier.sync without .aligned, which each lane may execute on its own.
bool maySplit(const Inst &inst) {
  return !inst.aligned && inst.mode == 0 &&
         inst.imm == static_cast<uint32_t>(Reduction::None);
}

} // namespace

Executor::Arrival Executor::arrive(Warp &warp, const Inst &inst, uint32_t mask,
                                   uint32_t pc) {
  auto failed = [](bool) { return Arrival::Failed; };
  unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
  bool isPart = mask != warp.alive && maySplit(inst);
  if (mask != warp.alive && !isPart && launch.checks.barriers)
    return failed(fault(
        warp, inst, static_cast<unsigned>(__builtin_ctz(warp.alive & ~mask)),
        FindingKind::DivergentBarrier,
        "divergent barrier: this thread has not reached the barrier "
        "that thread " +
            std::to_string(warp.index * 32 + lane) + " of its warp waits at"));
  uint32_t id, threads = 0;
  std::memcpy(&id, row(inst.src[0]) + 4 * size_t(lane), sizeof(id));
  if (inst.src[1] != noRef)
    std::memcpy(&threads, row(inst.src[1]) + 4 * size_t(lane), sizeof(threads));
  if (id > 15)
    return failed(fault(warp, inst, lane, FindingKind::InvalidBarrier,
                        "barrier " + std::to_string(id) +
                            " does not exist; there are "
                            "16"));
  if (inst.src[1] != noRef && (threads == 0 || threads % 32 != 0))
    return failed(
        fault(warp, inst, lane, FindingKind::InvalidBarrier,
              "a barrier for " + std::to_string(threads) +
                  " threads; it must be a multiple of the warp size"));
  if (inst.mode) { // bar.arrive does not wait.
    arrivals[id] += 32;
    if (shared)
      shared->arrive(id, warp.index);
    return Arrival::GoesOn;
  }
  if (isPart) {
    warp.stack.push_back(
        {pc + 1, warp.reconverge, mask, Divergence::ForBlock, id, threads});
    warp.lanesWait = true;
    return Arrival::LanesWait;
  }
  warp.barrier = id;
  warp.barrierThreads = threads;
  return Arrival::WarpWaits;
}

/// bar.warp.sync: the lanes wait for those of their members that run elsewhere.
Executor::Arrival Executor::meet(Warp &warp, const Inst &inst, uint32_t mask,
                                 uint32_t pc) {
  auto *members = reinterpret_cast<const uint32_t *>(row(inst.src[0]));
  if (shared)
    shared->warpSync(warp.index);
  bool isComplete = true;
  for (unsigned i = 0; i < 32; ++i) {
    if (!((mask >> i) & 1))
      continue;
    if (!((members[i] >> i) & 1)) {
      fault(warp, inst, i, FindingKind::InvalidMembers,
            "the executing thread is not in its own member mask");
      return Arrival::Failed;
    }
    isComplete &= !(members[i] & warp.alive & ~mask);
  }
  if (isComplete)
    return Arrival::GoesOn;
  // An entry for the lanes of each mask.
  for (uint32_t rest = mask; rest;) {
    uint32_t same = 0, first = members[__builtin_ctz(rest)];
    for (unsigned i = 0; i < 32; ++i)
      same |= uint32_t(((rest >> i) & 1) && members[i] == first) << i;
    warp.stack.push_back(
        {pc + 1, warp.reconverge, same, Divergence::ForLanes, first, 0});
    rest &= ~same;
  }
  warp.lanesWait = true;
  return Arrival::LanesWait;
}

/// What becomes of a warp none of whose lanes can go on.
Warp::Status Executor::waitForLanes(Warp &warp, uint32_t &pc) {
  auto isStuck = [&](const Divergence &entry) {
    return entry.wait == Divergence::ForLanes;
  };
  auto stuck = std::find_if(warp.stack.begin(), warp.stack.end(), isStuck);
  const Divergence *first = nullptr;
  for (const Divergence &entry : warp.stack) {
    if (entry.wait != Divergence::ForBlock)
      continue;
    first = first ? first : &entry;
    if (entry.members != first->members || entry.threads != first->threads)
      stuck = warp.stack.begin() + (&entry - warp.stack.data());
  }
  if (stuck != warp.stack.end()) {
    auto lane = static_cast<unsigned>(__builtin_ctz(stuck->mask));
    pc = stuck->pc - 1;
    fault(warp, program.code[pc], lane, FindingKind::Deadlock,
          "deadlock: this thread waits for others of its warp, which have not "
          "come to such a barrier and cannot go on");
    return Warp::Failed;
  }
  if (!first)
    return Warp::Done;
  pc = first->pc; // As if the warp had come there as a whole.
  warp.barrier = first->members;
  warp.barrierThreads = first->threads;
  return Warp::Waiting;
}

/// Lets lanes go on that came to a barrier of the block one after the other.
void Executor::resumeLanes(Warp &warp) {
  if (!warp.lanesWait)
    return;
  bool any = false;
  for (Divergence &entry : warp.stack)
    if (entry.wait == Divergence::ForBlock) {
      entry.wait = Divergence::No;
      any = true;
    }
  if (any)
    popDivergence(warp, warp.pc, warp.active);
}

} // namespace dietcode::vgpu
