//===- Checks.cpp - Watching a block for the checkers ---------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include <algorithm>

namespace dietcode::vgpu {
namespace {

template <typename Fn>
bool allLanes(uint32_t mask, Fn fn) {
  for (; mask; mask &= mask - 1)
    if (!fn(static_cast<unsigned>(__builtin_ctz(mask))))
      return false;
  return true;
}

unsigned lowest(uint32_t mask) {
  return static_cast<unsigned>(__builtin_ctz(mask));
}

bool readsOld(const Inst &inst) {
  return static_cast<AtomicOp>(inst.mode) != AtomicOp::Exch;
}

} // namespace

void Executor::createChecks() {
  const CheckOptions &options = launch.checks;
  auto count = static_cast<uint32_t>(warps.size());
  if (launch.sharedBytes &&
      (options.sharedRaces || options.uninitializedShared))
    shared = std::make_unique<SharedChecks>(
        launch.sharedBytes, count, program.log2Granule, options.sharedRaces,
        options.uninitializedShared);
  if (options.uninitializedRegisters && program.watchedRegisters)
    defined.resize(size_t(count) * program.watchedRegisters);
}

void Executor::startChecks() {
  if (shared)
    shared->startBlock();
  hasSynchronized = false;
  std::fill(defined.begin(), defined.end(), 0);
  // Number 0 stands for registers that are always defined.
  for (size_t i = 0; i < defined.size(); i += program.watchedRegisters)
    defined[i] = fullMask;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Whether everything that the instruction acts on has been written; and what
/// its results then are. Values that were merely computed from undefined ones
/// are no mistake until something depends on them.
bool Executor::checkRegisters(Warp &warp, const Inst &inst, uint32_t mask,
                              uint32_t active) {
  const RegisterWatch &watch = program.watches[inst.watch];
  uint32_t *state =
      defined.data() + size_t(warp.index) * program.watchedRegisters;
  if (uint32_t bad = active & ~state[watch.guard])
    return failRegister(warp, inst, lowest(bad), "its guard");
  uint32_t ok = fullMask;
  for (unsigned i = 0; i < 5; ++i) {
    uint32_t undefined = ~state[watch.src[i]];
    if ((watch.consumed >> i) & 1 && undefined & mask) {
      const char *what = "an operand";
      bool isAccess = readsMemory(inst.kind) || writesMemory(inst.kind);
      if (isAccess)
        what = i == 0 ? "its address" : "the value it stores";
      return failRegister(warp, inst, lowest(undefined & mask), what);
    }
    ok &= ~undefined;
  }
  if (watch.isSelect) {
    uint32_t p;
    std::copy_n(row(inst.src[2]), sizeof(p), reinterpret_cast<uint8_t *>(&p));
    ok = state[watch.src[2]] &
         ((p & state[watch.src[0]]) | (~p & state[watch.src[1]]));
  }
  if (watch.defines || watch.consumed)
    ok = fullMask;
  for (unsigned i = 0; i < 4; ++i)
    if (watch.dst[i])
      state[watch.dst[i]] = (state[watch.dst[i]] & ~mask) | (ok & mask);
  return true;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

bool Executor::checkShared(Warp &warp, const Inst &inst, uint32_t mask,
                           unsigned bytes) {
  SharedAccess access;
  access.kind = inst.kind == Kind::Atomic ? SharedAccess::Atomic
                : writesMemory(inst.kind) ? SharedAccess::Store
                                          : SharedAccess::Load;
  // Of an ldmatrix's addresses, the first eight per matrix are read.
  if (inst.kind == Kind::LoadMatrix && inst.dst[3] == noRef)
    mask &= inst.dst[1] == noRef ? 0xff : 0xffff;
  access.strong = inst.strong;
  access.readsOld = readsOld(inst);
  access.warp = warp.index;
  access.inst = static_cast<uint32_t>(&inst - program.code.data());
  access.mask = mask;
  access.bytes = bytes;
  access.offsets = hostAddresses;
  if (inst.kind == Kind::Store) {
    access.elementBytes = 1u << inst.blend;
    for (unsigned k = 0; k < 1u << inst.log2Elements; ++k)
      access.rows[k] = row(inst.src[k + 1]);
  }
  SharedFault fault = shared->access(access);
  if (fault.kind != SharedFault::None)
    return failShared(warp, inst, bytes, fault);
  bool synchronizes = inst.strong || inst.kind == Kind::Atomic;
  if (synchronizes && program.hasFences && launch.checks.sharedRaces)
    shared->synchronize(warp.index);
  return true;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// Whether loads from the range are of interest.
bool Executor::needsShadow(const HitRange &hit) const {
  const MemoryRange &range = launch.memory.ranges()[hit.index];
  return launch.global->tracksReads() ||
         (range.written && !range.written->complete());
}

bool Executor::checkWritten(Warp &warp, const Inst &inst, unsigned lane,
                            unsigned bytes) {
  uint64_t address = hostAddresses[lane];
  HitRange hit = hits[static_cast<size_t>(&inst - program.code.data())];
  if (address < hit.base || address > hit.end - bytes)
    hit = hitRange(address, bytes);
  const MemoryRange &range = launch.memory.ranges()[hit.index];
  uint64_t at = launch.global->firstUnwritten(
      *lastSpan, range, address, bytes, static_cast<uint32_t>(blockIndex));
  return at == ~uint64_t(0) || failUnwritten(warp, inst, lane, bytes, range);
}

void Executor::markWritten(uint64_t address, unsigned bytes) const {
  const MemoryRange *range = launch.memory.find(address, bytes);
  if (range && range->written)
    range->written->mark(address - range->base, bytes);
}

bool Executor::checkGlobal(Warp &warp, const Inst &inst, uint32_t mask,
                           unsigned bytes) {
  GlobalChecks &global = *launch.global;
  bool isAtomic = inst.kind == Kind::Atomic;
  bool isStore = writesMemory(inst.kind) && !isAtomic;
  bool isSynchronizing = isAtomic || inst.strong;
  // Blocks that use fences and atomics order themselves by them.
  hasSynchronized |= isSynchronizing && program.hasDeviceFences;
  bool races = !isSynchronizing && !hasSynchronized;
  bool records = isStore || (races && global.tracksReads());
  GlobalAccess access;
  access.block = static_cast<uint32_t>(blockIndex);
  access.inst = static_cast<uint32_t>(&inst - program.code.data());
  uint64_t last = 0;
  return allLanes(mask, [&](unsigned lane) {
    uint64_t address = hostAddresses[lane];
    if (address == last) // The lane before did the same, and comes first.
      return true;
    last = address;
    if (!lastSpan || address < lastSpan->base || address >= lastSpan->end)
      lastSpan = global.spanOf(address);
    if (!lastSpan)
      return true;
    access.thread = warp.index * 32 + lane;
    if (records && !isStore)
      global.read(*lastSpan, address, bytes, access);
    if (isStore && races)
      global.write(*lastSpan, address, bytes, access);
    else if (isStore || (isAtomic && !readsOld(inst)))
      markWritten(address, bytes);
    return isStore || (isAtomic && !readsOld(inst)) ||
           !launch.checks.uninitializedGlobal ||
           checkWritten(warp, inst, lane, bytes);
  });
}

} // namespace dietcode::vgpu
