//===- Findings.cpp - Saying what is wrong with a kernel ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include <cstdio>

namespace dietcode::vgpu {
namespace {

template <typename Fn>
void forEachLane(uint32_t mask, Fn fn) {
  for (; mask; mask &= mask - 1)
    fn(static_cast<unsigned>(__builtin_ctz(mask)));
}

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

std::string count(uint64_t n, const char *unit) {
  return std::to_string(n) + " " + unit + (n == 1 ? "" : "s");
}

const char *spaceName(Space space) {
  switch (space) {
  case Space::Shared:
    return "shared";
  case Space::Local:
    return "local";
  case Space::Param:
    return "parameter";
  case Space::Const:
    return "constant";
  default:
    return "global";
  }
}

const char *accessName(const Inst &inst) {
  return readsMemory(inst.kind) && writesMemory(inst.kind) ? "atomic access"
         : writesMemory(inst.kind)                         ? "store"
                                                           : "load";
}

/// Where an address lies with respect to a range it is not in.
std::string relation(uint64_t address, uint64_t bytes, uint64_t base,
                     uint64_t size) {
  uint64_t end = base + size;
  if (address >= end)
    return count(address - end, "byte") + " past the end of ";
  if (address < base)
    return count(base - address, "byte") + " before the start of ";
  return "it runs " + count(address + bytes - end, "byte") +
         " past the end of ";
}

/// "allocation 'a' of 16 bytes" and the like.
std::string describe(const MemoryRange &range) {
  return (range.kind == RangeKind::ModuleGlobal ? "variable '"
          : range.kind == RangeKind::Registered ? "host memory '"
                                                : "allocation '") +
         range.label + "' of " + count(range.size, "byte");
}

} // namespace

std::array<uint32_t, 3> unflatten(uint64_t index,
                                  const std::array<uint32_t, 3> &box) {
  return {static_cast<uint32_t>(index % box[0]),
          static_cast<uint32_t>(index / box[0] % box[1]),
          static_cast<uint32_t>(index / box[0] / box[1])};
}

bool Executor::fault(Warp &warp, const Inst &inst, unsigned lane,
                     FindingKind kind, const std::string &what) {
  const SourceLine &source = program.sources[inst.source];
  finding = Finding();
  finding.kind = kind;
  finding.kernel = program.name;
  finding.file = launch.moduleName;
  finding.site.line = source.line;
  finding.site.source = source.text;
  finding.site.block = blockId;
  finding.site.thread = unflatten(warp.index * 32 + lane, launch.block);
  finding.message = what;
  return false;
}

/// Says which memory a finding is about.
bool Executor::faultAt(uint64_t address, unsigned bytes,
                       const MemoryRange *range) {
  finding.address = address;
  finding.accessBytes = bytes;
  if (range) {
    finding.allocation = range->label;
    finding.allocationOffset = static_cast<int64_t>(address - range->base);
  }
  return false;
}

bool Executor::failAlignment(Warp &warp, const Inst &inst, uint32_t mask,
                             unsigned bytes) {
  unsigned bad = 0;
  forEachLane(mask, [&](unsigned i) {
    if (hostAddresses[i] & (bytes - 1) &&
        !((mask >> bad) & 1 && hostAddresses[bad] & (bytes - 1)))
      bad = i;
  });
  uint64_t address = hostAddresses[bad];
  fault(warp, inst, bad, FindingKind::Misaligned,
        std::string("misaligned ") + accessName(inst) + " of " +
            count(bytes, "byte") + " at address " + hex(address) +
            ", which is not a multiple of " + std::to_string(bytes));
  return faultAt(address, bytes, launch.memory.find(address, 1));
}

bool Executor::failWindow(Warp &warp, const Inst &inst, unsigned lane,
                          unsigned bytes, Space space) {
  uint64_t address = hostAddresses[lane];
  uint64_t size = space == Space::Shared  ? launch.sharedBytes
                  : space == Space::Local ? program.localBytes
                                          : launch.params.size();
  std::string owner = space == Space::Shared  ? "the block's "
                      : space == Space::Local ? "the thread's "
                                              : "the kernel's ";
  // Offsets below the start have wrapped around.
  std::string where =
      static_cast<int64_t>(address) < 0
          ? count(uint64_t(0) - address, "byte") + " before the start of "
          : relation(address, bytes, 0, size);
  fault(warp, inst, lane, FindingKind::OutOfBounds,
        std::string("out-of-bounds ") + spaceName(space) + " " +
            accessName(inst) + " of " + count(bytes, "byte") + " at address " +
            hex(address) + ", " + where + owner + count(size, "byte") + " of " +
            spaceName(space) + " memory");
  faultAt(address, bytes, nullptr);
  finding.allocation = std::string(spaceName(space)) + " memory";
  finding.allocationOffset = static_cast<int64_t>(address);
  return false;
}

bool Executor::failAccess(Warp &warp, const Inst &inst, unsigned lane,
                          unsigned bytes) {
  uint64_t address = hostAddresses[lane];
  std::string access = std::string("global ") + accessName(inst) + " of " +
                       count(bytes, "byte") + " at address " + hex(address);
  if (const MemoryRange *old = launch.memory.findFreed(address, bytes)) {
    fault(warp, inst, lane, FindingKind::UseAfterFree,
          "use after free: " + access + ", " +
              count(address - old->base, "byte") + " into " + describe(*old) +
              ", which was freed before");
    return faultAt(address, bytes, old);
  }
  const MemoryRange *near = launch.memory.nearest(address);
  fault(warp, inst, lane, FindingKind::OutOfBounds,
        "out-of-bounds " + access +
            (near ? ", " + relation(address, bytes, near->base, near->size) +
                        describe(*near)
                  : "; no memory is allocated or registered"));
  return faultAt(address, bytes, near);
}

bool Executor::failRegister(Warp &warp, const Inst &inst, unsigned lane,
                            const char *what) {
  return fault(warp, inst, lane, FindingKind::UninitializedRegister,
               std::string("uninitialised register: ") + what +
                   " comes from a register that this thread has not written");
}

bool Executor::failUnwritten(Warp &warp, const Inst &inst, unsigned lane,
                             unsigned bytes, const MemoryRange &range) {
  uint64_t address = hostAddresses[lane];
  fault(warp, inst, lane, FindingKind::UninitializedGlobal,
        std::string("uninitialised memory: global ") + accessName(inst) +
            " of " + count(bytes, "byte") + " at address " + hex(address) +
            ", " + count(address - range.base, "byte") + " into " +
            describe(range) + ", which nothing has written there");
  return faultAt(address, bytes, &range);
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

static FindingSite siteOf(const LaunchState &launch, uint64_t block,
                          uint32_t inst, uint32_t thread) {
  const Program &program = launch.program;
  const SourceLine &source = program.sources[program.code[inst].source];
  FindingSite site;
  site.line = source.line;
  site.source = source.text;
  site.block = unflatten(block, launch.grid);
  site.thread = unflatten(thread, launch.block);
  return site;
}

static std::string triple(const std::array<uint32_t, 3> &v) {
  return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " +
         std::to_string(v[2]) + ")";
}

bool Executor::failShared(Warp &warp, const Inst &inst, unsigned bytes,
                          const SharedFault &found) {
  uint64_t address = hostAddresses[found.lane];
  std::string access = std::string("shared ") + accessName(inst) + " of " +
                       count(bytes, "byte") + " at address " + hex(address);
  if (found.kind == SharedFault::Uninitialized) {
    fault(warp, inst, found.lane, FindingKind::UninitializedShared,
          "uninitialised memory: " + access +
              ", but no thread of the block has written address " +
              hex(found.offset));
  } else {
    FindingSite other = siteOf(launch, blockIndex, found.otherInst,
                               found.otherWarp * 32 + (found.otherLane & 31));
    other.hasThread = found.otherLane < 32;
    const char *what =
        found.kind == SharedFault::ReadAfterWrite   ? "read after write"
        : found.kind == SharedFault::WriteAfterRead ? "write after read"
                                                    : "write after write";
    std::string who =
        other.hasThread ? "thread " + triple(other.thread)
                        : "threads of warp " + std::to_string(found.otherWarp);
    std::string why =
        found.kind == SharedFault::SameInstruction
            ? "whose value another thread overwrites in the same instruction"
        : found.otherWarp == warp.index ? "with no bar.warp.sync between them"
                                        : "with no barrier between them";
    fault(warp, inst, found.lane, FindingKind::SharedRace,
          std::string("race in shared memory (") + what + "): " + access +
              " conflicts with " + who + " at line " +
              std::to_string(other.line) + ", '" + other.source + "', " + why);
    finding.other = std::move(other);
  }
  faultAt(address, bytes, nullptr);
  finding.allocation = "shared memory";
  finding.allocationOffset = static_cast<int64_t>(address);
  return false;
}

Finding raceFinding(const LaunchState &launch, const GlobalRace &race) {
  Finding finding;
  finding.kind = FindingKind::GlobalRace;
  finding.kernel = launch.program.name;
  finding.file = launch.moduleName;
  finding.site =
      siteOf(launch, race.later.block, race.later.inst, race.later.thread);
  finding.other = siteOf(launch, race.earlier.block, race.earlier.inst,
                         race.earlier.thread);
  finding.address = race.address;
  const Inst &inst = launch.program.code[race.later.inst];
  finding.accessBytes = 1u << (inst.blend + inst.log2Elements);
  std::string where;
  if (const MemoryRange *range = launch.memory.find(race.address, 1)) {
    finding.allocation = range->label;
    finding.allocationOffset = static_cast<int64_t>(race.address - range->base);
    where = ", " + count(race.address - range->base, "byte") + " into " +
            describe(*range) + ",";
  }
  const FindingSite &other = *finding.other;
  finding.message = std::string("race in global memory between blocks: ") +
                    (race.laterWrites ? "a store to" : "a load from") +
                    " address " + hex(race.address) + where + " which block " +
                    triple(other.block) + ", thread " + triple(other.thread) +
                    (race.earlierWrites ? " stores to" : " loads from") +
                    " at line " + std::to_string(other.line) + ", '" +
                    other.source + "'";
  return finding;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Which warps wait where, and which have exited.
bool Executor::reportDeadlock() {
  Warp *first = nullptr;
  size_t waiting = 0, exited = 0;
  std::vector<std::pair<uint32_t, std::string>> places; // By instruction.
  for (Warp &warp : warps) {
    exited += warp.status == Warp::Done;
    if (warp.status != Warp::Waiting)
      continue;
    first = first ? first : &warp;
    ++waiting;
    uint32_t at = warp.pc - 1;
    size_t i = 0;
    while (i < places.size() && places[i].first != at)
      ++i;
    if (i == places.size())
      places.emplace_back(at, "");
    places[i].second += " " + std::to_string(warp.index);
  }
  std::string what = "deadlock: barrier " + std::to_string(first->barrier) +
                     " never completes; of the block's " +
                     std::to_string(warps.size()) + " warps " +
                     std::to_string(waiting) + " wait at barriers and " +
                     std::to_string(exited) + " have exited";
  for (auto &[at, who] : places) {
    const SourceLine &source = program.sources[program.code[at].source];
    what += "; at line " + std::to_string(source.line) + ", '" + source.text +
            "', wait warps" + who;
  }
  return fault(*first, program.code[first->pc - 1],
               static_cast<unsigned>(__builtin_ctz(first->alive)),
               FindingKind::Deadlock, what);
}

} // namespace dietcode::vgpu
