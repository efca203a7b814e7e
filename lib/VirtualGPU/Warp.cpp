//===- Warp.cpp - The instruction loop ------------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include <algorithm>
#include <cstring>

namespace dietcode::vgpu {
namespace {

/// Instructions after which another warp gets its turn, lest one that polls
/// shared memory keep out the warp it waits for.
constexpr uint64_t instructionsPerTurn = 1u << 15;

} // namespace

void Executor::writeRow(const Inst &inst, Ref dst, const void *values,
                        uint32_t mask) {
  lanes.blend[inst.blend](row(dst), values, mask);
}

void Executor::writePredicate(Ref dst, uint32_t value, uint32_t mask) {
  auto *p = reinterpret_cast<uint32_t *>(row(dst));
  *p = (*p & ~mask) | (value & mask);
}

/// Lanes outside of the mask keep their values: compute aside and blend.
void Executor::runLanes(Warp &, const Inst &inst, uint32_t mask) {
  inst.fn(scratch, row(inst.src[0]), row(inst.src[1]), row(inst.src[2]),
          row(inst.src[3]), inst.imm);
  if (inst.blend != blendPredicate)
    return writeRow(inst, inst.dst[0], scratch, mask);
  uint32_t value;
  std::memcpy(&value, scratch, sizeof(value));
  writePredicate(inst.dst[0], value, mask);
}

void Executor::compare(const Inst &inst, uint32_t mask) {
  uint32_t result = 0, other = 0;
  inst.fn(&result, row(inst.src[0]), row(inst.src[1]), nullptr, nullptr,
          inst.imm);
  other = ~result;
  if (inst.src[2] != noRef) {
    uint32_t p;
    std::memcpy(&p, row(inst.src[2]), sizeof(p));
    p = inst.negatedSource ? ~p : p;
    auto combine = [&](uint32_t c) {
      switch (static_cast<BoolOp>(inst.mode)) {
      case BoolOp::And:
        return c & p;
      case BoolOp::Or:
        return c | p;
      default:
        return c ^ p;
      }
    };
    result = combine(result);
    other = combine(other);
  }
  if (inst.kind == Kind::Setp) {
    writePredicate(inst.dst[0], result, mask);
    if (inst.dst[1] != noRef)
      writePredicate(inst.dst[1], other, mask);
    return;
  }
  uint32_t yes = inst.type == Type::F32 ? 0x3f800000u : 0xffffffffu;
  auto *values = reinterpret_cast<uint32_t *>(scratch);
  for (unsigned i = 0; i < 32; ++i)
    values[i] = (result >> i) & 1 ? yes : 0;
  writeRow(inst, inst.dst[0], values, mask);
}

void Executor::loadParam(const Inst &inst, uint32_t mask) {
  unsigned bytes = 1u << inst.blend;
  const uint8_t *from = launch.params.data() + inst.offset;
  for (unsigned i = 0; i < 32; ++i)
    std::memcpy(scratch + size_t(i) * bytes, from, bytes);
  writeRow(inst, inst.dst[0], scratch, mask);
}

void Executor::readClock(uint64_t now, const Inst &inst, uint32_t mask) {
  now >>= inst.imm;
  unsigned bytes = 1u << inst.blend;
  for (unsigned i = 0; i < 32; ++i)
    std::memcpy(scratch + size_t(i) * bytes, &now, bytes);
  writeRow(inst, inst.dst[0], scratch, mask);
}

/// The NUL-terminated text at an address, as much of it as is accessible.
std::string Executor::textAt(uint64_t address) const {
  const MemoryRange *range = launch.memory.find(address, 1);
  if (!range)
    return "?";
  auto *text = reinterpret_cast<const char *>(address);
  uint64_t limit = std::min<uint64_t>(range->base + range->size - address, 500);
  return std::string(text, strnlen(text, limit));
}

bool Executor::trap(Warp &warp, const Inst &inst, uint32_t mask) {
  auto lane = static_cast<unsigned>(__builtin_ctz(mask));
  if (!inst.mode)
    return fault(warp, inst, lane, FindingKind::Trap,
                 "the kernel executed trap");
  uint64_t text, file;
  uint32_t line;
  std::memcpy(&text, row(inst.src[0]) + 8 * size_t(lane), sizeof(text));
  std::memcpy(&file, row(inst.src[1]) + 8 * size_t(lane), sizeof(file));
  std::memcpy(&line, row(inst.src[2]) + 4 * size_t(lane), sizeof(line));
  return fault(warp, inst, lane, FindingKind::Assertion,
               "assertion failed at " + textAt(file) + ":" +
                   std::to_string(line) + ": " + textAt(text));
}

//===----------------------------------------------------------------------===//
// Exchanges between lanes
//===----------------------------------------------------------------------===//

/// The executing lanes must be named in the member mask, and the members must
/// be here: lanes that went another way would be waited for in vain.
bool Executor::checkMembers(Warp &warp, const Inst &inst, Ref membersRef,
                            uint32_t mask) {
  auto *members = reinterpret_cast<const uint32_t *>(row(membersRef));
  for (unsigned i = 0; i < 32; ++i) {
    if (!((mask >> i) & 1))
      continue;
    if (!((members[i] >> i) & 1))
      return fault(warp, inst, i, FindingKind::InvalidMembers,
                   "the executing thread is not in its own member mask");
    if (members[i] & warp.alive & ~mask)
      return fault(warp, inst, i, FindingKind::InvalidMembers,
                   "a thread in the member mask does not take part, because "
                   "the warp has diverged");
  }
  return true;
}

bool Executor::shuffle(Warp &warp, const Inst &inst, uint32_t mask) {
  if (!checkMembers(warp, inst, inst.src[3], mask))
    return false;
  auto *a = reinterpret_cast<const uint32_t *>(row(inst.src[0]));
  auto *b = reinterpret_cast<const uint32_t *>(row(inst.src[1]));
  auto *c = reinterpret_cast<const uint32_t *>(row(inst.src[2]));
  auto *out = reinterpret_cast<uint32_t *>(scratch);
  uint32_t inRange = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    int delta = b[lane] & 31, clamp = c[lane] & 31;
    int segment = (c[lane] >> 8) & 31, self = static_cast<int>(lane);
    int maxLane = (self & segment) | (clamp & ~segment);
    int minLane = self & segment;
    int from = 0;
    bool ok = false;
    switch (static_cast<ShuffleMode>(inst.mode)) {
    case ShuffleMode::Up:
      from = self - delta;
      ok = from >= maxLane;
      break;
    case ShuffleMode::Down:
      from = self + delta;
      ok = from <= maxLane;
      break;
    case ShuffleMode::Bfly:
      from = self ^ delta;
      ok = from <= maxLane;
      break;
    case ShuffleMode::Idx:
      from = minLane | (delta & ~segment);
      ok = from <= maxLane;
      break;
    }
    if (!ok)
      from = self;
    inRange |= uint32_t(ok) << lane;
    // Reading from a lane that does not execute is undefined; its last value
    // is as good as any and the same in every run.
    out[lane] = a[from & 31];
  }
  writeRow(inst, inst.dst[0], out, mask);
  if (inst.dst[1] != noRef)
    writePredicate(inst.dst[1], inRange, mask);
  return true;
}

bool Executor::vote(Warp &warp, const Inst &inst, uint32_t mask) {
  if (!checkMembers(warp, inst, inst.src[1], mask))
    return false;
  auto *members = reinterpret_cast<const uint32_t *>(row(inst.src[1]));
  uint32_t p;
  std::memcpy(&p, row(inst.src[0]), sizeof(p));
  p = inst.negatedSource ? ~p : p;
  auto *ballots = reinterpret_cast<uint32_t *>(scratch);
  uint32_t result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t voters = members[lane] & mask, yes = p & voters;
    ballots[lane] = yes;
    bool verdict = false;
    switch (static_cast<VoteMode>(inst.mode)) {
    case VoteMode::All:
      verdict = yes == voters;
      break;
    case VoteMode::Any:
      verdict = yes != 0;
      break;
    default:
      verdict = yes == voters || yes == 0;
      break;
    }
    result |= uint32_t(verdict) << lane;
  }
  if (static_cast<VoteMode>(inst.mode) == VoteMode::Ballot)
    writeRow(inst, inst.dst[0], ballots, mask);
  else
    writePredicate(inst.dst[0], result, mask);
  return true;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Advances a warp's critical path: in-order issue, each result after its
/// latency.
void Executor::observe(Warp &warp, const Inst &inst, uint32_t active) {
  if (tracer)
    tracer->step(warp.index, static_cast<uint32_t>(&inst - program.code.data()),
                 inst, active);
  if (inst.pipe == Pipe::None)
    return;
  const DeviceSpec &spec = launch.spec;
  size_t base = size_t(warp.index) * (program.registerFileBytes / 64 + 1);
  double start = warp.clock + 1;
  auto waitFor = [&](Ref ref) {
    if (ref != noRef && !(ref & constantBit))
      start = std::max<double>(start, readyAt[base + ref / 64]);
  };
  for (Ref ref : inst.src)
    waitFor(ref);
  waitFor(inst.guard);
  const MatrixOp *op =
      usesMatrixOp(inst.kind) ? &program.matrixOps[inst.imm] : nullptr;
  if (op)
    for (Ref ref : op->src)
      waitFor(ref);
  double latency = spec.arithmeticLatency;
  if (inst.pipe == Pipe::Shared)
    latency = spec.sharedLatency;
  else if (inst.pipe == Pipe::Global)
    latency = spec.l2Latency;
  else if (inst.pipe == Pipe::Sfu)
    latency = 4.0 * spec.arithmeticLatency;
  else if (inst.pipe == Pipe::Fp64)
    latency = 10.0 * spec.arithmeticLatency;
  else if (inst.pipe == Pipe::Tensor)
    latency = 4.5 * spec.arithmeticLatency; // 18 cycles: Jia et al., Turing.
  warp.clock = start;
  auto readyAfter = [&](Ref ref) {
    if (ref != noRef)
      readyAt[base + ref / 64] = static_cast<float>(start + latency);
  };
  for (Ref ref : inst.dst)
    readyAfter(ref);
  if (op)
    for (Ref ref : op->dst)
      readyAfter(ref);
}

/// Everything but rows and control flow; false after a finding. `sinceBranch`
/// instructions are not in the warp's count yet.
bool Executor::execute(Warp &warp, const Inst &inst, uint32_t mask,
                       uint32_t active, uint32_t sinceBranch) {
  if (!mask)
    return true;
  if (inst.warpSync && shared)
    shared->warpSync(warp.index);
  warp.polls |= inst.strong || inst.kind == Kind::Atomic;
  switch (inst.kind) {
  case Kind::Load:
    return load(warp, inst, mask);
  case Kind::Store:
    return store(warp, inst, mask);
  case Kind::Setp:
  case Kind::Set:
    compare(inst, mask);
    return true;
  case Kind::Param:
    loadParam(inst, mask);
    return true;
  case Kind::Atomic:
    return atomic(warp, inst, mask);
  case Kind::Shuffle:
    return shuffle(warp, inst, mask);
  case Kind::Vote:
    return vote(warp, inst, mask);
  case Kind::Match:
    return match(warp, inst, mask);
  case Kind::Carry:
    carry(inst, mask);
    return true;
  case Kind::ActiveMask: {
    auto *values = reinterpret_cast<uint32_t *>(scratch);
    std::fill_n(values, 32, active);
    writeRow(inst, inst.dst[0], values, mask);
    return true;
  }
  case Kind::Clock:
    readClock(warp.issued + sinceBranch, inst, mask);
    return true;
  case Kind::Trap:
    return trap(warp, inst, mask);
  case Kind::Print:
    return print(warp, inst, mask);
  case Kind::Mma:
  case Kind::LoadFragment:
  case Kind::StoreFragment:
  case Kind::LoadMatrix:
  case Kind::MoveMatrix:
    return matrix(warp, inst, mask);
  default:
    return true;
  }
}

/// Where a warp is while it has its turn.
struct Executor::Turn {
  Warp &warp;
  int64_t *marks;
  uint32_t pc, active;
  uint32_t segment; ///< Where this straight run of instructions began.

  /// Ends a straight run that included the instruction at pc.
  void endSegment() {
    ++marks[segment];
    --marks[pc + 1];
    warp.issued += pc + 1 - segment;
  }
  void stop(Warp::Status status) {
    warp.status = status;
    warp.pc = pc;
    warp.active = active;
  }
};

/// Goes on with other lanes than those that were active; false if there are
/// none that can.
bool Executor::nextLanes(Turn &turn) {
  turn.endSegment();
  if (popDivergence(turn.warp, turn.pc, turn.active)) {
    turn.segment = turn.pc;
    return true;
  }
  turn.stop(waitForLanes(turn.warp, turn.pc));
  return false;
}

/// Exit, barriers and branches that lanes execute. False if the turn is over.
bool Executor::control(Turn &turn, const Inst &inst, uint32_t mask) {
  Warp &warp = turn.warp;
  switch (inst.kind) {
  case Kind::Exit:
    warp.alive &= ~mask;
    turn.active &= ~mask;
    break;
  case Kind::Branch:
    turn.endSegment();
    if (mask == turn.active)
      turn.pc = inst.target;
    else
      diverge(warp, inst, mask, turn.pc, turn.active);
    turn.segment = turn.pc;
    return true;
  default:
    switch (inst.kind == Kind::Barrier ? arrive(warp, inst, mask, turn.pc)
                                       : meet(warp, inst, mask, turn.pc)) {
    case Arrival::GoesOn:
      break;
    case Arrival::LanesWait:
      turn.active &= ~mask;
      break;
    case Arrival::WarpWaits:
      turn.endSegment();
      ++turn.pc;
      turn.stop(Warp::Waiting);
      return false;
    case Arrival::Failed:
      turn.endSegment();
      turn.stop(Warp::Failed);
      return false;
    }
  }
  if (!turn.active)
    return nextLanes(turn);
  ++turn.pc;
  return true;
}

template <bool Sampled, bool Watched>
void Executor::runWarp(Warp &warp) {
  const Inst *code = program.code.data();
  bases[0] = warp.registers;
  Turn turn = {warp, countMarks.data(), warp.pc, warp.active, warp.pc};
  warp.polls = false;
  // With a limit of instructions, it is not exceeded by much.
  uint64_t turnEnd = warp.issued + instructionsPerTurn;
  if (launch.instructionLimit < instructionsPerTurn && launch.instructionLimit)
    turnEnd = warp.issued + launch.instructionLimit;
  while (true) {
    const Inst &inst = code[turn.pc];
    uint32_t mask = turn.active;
    if (inst.guard != noRef) {
      uint32_t p;
      std::memcpy(&p, warp.registers + inst.guard, sizeof(p));
      mask &= inst.guardNegated ? ~p : p;
    }
    if constexpr (Sampled)
      observe(warp, inst, turn.active);
    bool ok = true;
    if constexpr (Watched)
      ok = !inst.watch || checkRegisters(warp, inst, mask, turn.active);
    if (ok && inst.kind == Kind::Lane) {
      if (mask == fullMask)
        inst.fn(row(inst.dst[0]), row(inst.src[0]), row(inst.src[1]),
                row(inst.src[2]), row(inst.src[3]), inst.imm);
      else if (mask)
        runLanes(warp, inst, mask);
    } else if (ok && isControl(inst.kind)) {
      if (mask) {
        if (!control(turn, inst, mask))
          return;
        if (inst.kind != Kind::Branch || warp.issued < turnEnd)
          continue;
        turn.stop(Warp::Ready);
        if (warp.polls)
          yieldLanes(warp);
        return;
      }
    } else if (ok && inst.kind == Kind::Join) {
      // Lanes that wait here go on, perhaps to this join again, for an outer
      // divergence.
      if (turn.pc == warp.reconverge) {
        if (!nextLanes(turn))
          return;
        continue;
      }
    } else if (!ok || !execute(warp, inst, mask, turn.active,
                               turn.pc + 1 - turn.segment)) {
      turn.endSegment();
      return turn.stop(Warp::Failed);
    }
    ++turn.pc;
  }
}

void Executor::runWarp(Warp &warp) {
  bool watched = !defined.empty();
  if (isSampled)
    watched ? runWarp<true, true>(warp) : runWarp<true, false>(warp);
  else
    watched ? runWarp<false, true>(warp) : runWarp<false, false>(warp);
}

} // namespace dietcode::vgpu
