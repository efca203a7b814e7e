//===- SharedChecks.cpp - Races and uninitialised shared memory -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedChecks.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace dietcode::vgpu {
namespace {

unsigned lowest(uint32_t mask) {
  return static_cast<unsigned>(__builtin_ctz(mask));
}

/// The distinct addresses of a warp, each with its lanes.
struct DistinctAddresses {
  uint64_t offset[32];
  uint32_t lanes[32];
  unsigned count = 0;

  DistinctAddresses(const uint64_t *offsets, uint32_t mask) {
    uint8_t slots[64] = {};
    for (; mask; mask &= mask - 1) {
      unsigned lane = lowest(mask);
      uint64_t at = offsets[lane];
      uint8_t &slot = slots[(at >> 2 ^ at >> 8) & 63];
      if (slot && offset[slot - 1] == at) {
        lanes[slot - 1] |= 1u << lane;
        continue;
      }
      offset[count] = at;
      lanes[count] = 1u << lane;
      slot = static_cast<uint8_t>(++count);
    }
  }
};

} // namespace

SharedChecks::SharedChecks(uint32_t sharedBytes, uint32_t warps,
                           unsigned log2Granule, bool races, bool uninitialized)
    : warps(warps), log2Granule(log2Granule), races(races),
      uninitialized(uninitialized), clock(warps), seen(warps), seenOfAll(warps),
      syncStep(warps) {
  // An access may be 16 granules long.
  size_t granules = (sharedBytes >> log2Granule) + 17;
  writeClock.resize(granules);
  if (!races)
    return;
  writeInfo.resize(granules);
  writeStep.resize(granules);
  writeFlags.resize(granules);
  readClock.resize(granules);
  readWarps.resize(granules);
  readInfo.resize(granules);
  readLanes.resize(granules);
  readStep.resize(granules);
}

void SharedChecks::startBlock() {
  tick = 1;
  step = 0;
  std::fill(clock.begin(), clock.end(), tick);
  std::fill(seen.begin(), seen.end(), Clocks{});
  std::fill(seenOfAll.begin(), seenOfAll.end(), 0);
  std::fill(syncStep.begin(), syncStep.end(), 0);
  published = {};
  arrivals.fill(Clocks{});
  std::fill(writeClock.begin(), writeClock.end(), 0);
  std::fill(writeFlags.begin(), writeFlags.end(), 0);
  std::fill(readClock.begin(), readClock.end(), 0);
  std::fill(readWarps.begin(), readWarps.end(), 0);
  std::fill(readStep.begin(), readStep.end(), 0);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Accesses of intervals up to this one, whoever made them, come before what
/// the warp does now.
void SharedChecks::updateSeen(uint32_t warp) {
  Clock least = clock[warp] - 1;
  for (uint32_t u = 0; u < warps; ++u)
    if (u != warp)
      least = std::min(least, seen[warp][u]);
  seenOfAll[warp] = least;
}

void SharedChecks::warpSync(uint32_t warp) {
  syncStep[warp] = step;
  if (warps == 1) {
    clock[warp] = ++tick;
    updateSeen(warp);
  }
}

void SharedChecks::arrive(uint32_t barrier, uint32_t warp) {
  Clocks &to = arrivals[barrier];
  for (uint32_t u = 0; u < warps; ++u)
    to[u] = std::max(to[u], seen[warp][u]);
  to[warp] = std::max(to[warp], clock[warp]);
  // What it does from here on is not ordered by this barrier.
  clock[warp] = ++tick;
  syncStep[warp] = step;
  updateSeen(warp);
}

void SharedChecks::release(uint32_t barrier, uint32_t waiting, uint32_t gone) {
  Clocks joined = arrivals[barrier];
  arrivals[barrier] = {};
  for (uint32_t rest = waiting; rest; rest &= rest - 1) {
    uint32_t w = lowest(rest);
    for (uint32_t u = 0; u < warps; ++u)
      joined[u] = std::max(joined[u], seen[w][u]);
    joined[w] = std::max(joined[w], clock[w]);
  }
  for (uint32_t rest = gone; rest; rest &= rest - 1)
    joined[lowest(rest)] = std::numeric_limits<Clock>::max();
  ++tick;
  for (uint32_t rest = waiting; rest; rest &= rest - 1) {
    uint32_t w = lowest(rest);
    seen[w] = joined;
    clock[w] = tick;
    syncStep[w] = step;
    updateSeen(w);
  }
}

void SharedChecks::synchronize(uint32_t warp) {
  for (uint32_t u = 0; u < warps; ++u)
    published[u] = std::max(published[u], seen[warp][u]);
  published[warp] = clock[warp];
  seen[warp] = published;
  clock[warp] = ++tick;
  syncStep[warp] = step;
  updateSeen(warp);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void SharedChecks::nameWriter(size_t granule, SharedFault &fault) const {
  uint32_t info = writeInfo[granule];
  fault.otherInst = info >> instShift;
  fault.otherWarp = (info >> 5) & 31;
  bool many = writeFlags[granule] & (ManyLanes | ManyWarps);
  fault.otherLane = many ? 32 : info & 31;
}

/// Whether the last write of a granule comes before what `lanes` do now.
bool SharedChecks::writerOrdered(const SharedAccess &access, size_t granule,
                                 uint32_t lanes) const {
  uint32_t v = access.warp, info = writeInfo[granule];
  uint32_t w = (info >> 5) & 31;
  Clock at = writeClock[granule];
  uint8_t flags = writeFlags[granule];
  if (at <= seenOfAll[v])
    return true;
  // Atomics and strong accesses do not race with each other.
  if ((flags & AtomicWrite) &&
      (access.strong || access.kind == SharedAccess::Atomic))
    return true;
  if (flags & ManyWarps)
    return false;
  if (w != v)
    return seen[v][w] >= at;
  if (at < clock[v] || writeStep[granule] <= syncStep[v])
    return true;
  // Lanes that stored the same value at once have each stored it themselves.
  if (flags & ManyLanes)
    return !(flags & AtomicWrite);
  return lanes == 1u << (info & 31);
}

bool SharedChecks::readSlow(const SharedAccess &access, size_t granule,
                            uint32_t lanes, SharedFault &fault) {
  if (writeClock[granule] == 0) {
    if (uninitialized) {
      fault.kind = SharedFault::Uninitialized;
      return false;
    }
  } else if (races && !writerOrdered(access, granule, lanes)) {
    fault.kind = SharedFault::ReadAfterWrite;
    nameWriter(granule, fault);
    // Another than the writing lane, if that one reads too.
    if (fault.otherWarp == access.warp && fault.otherLane < 32)
      fault.lane = lowest(lanes & ~(1u << fault.otherLane));
    return false;
  }
  if (!races || access.strong)
    return true;
  uint32_t v = access.warp;
  bool sameWarp = (readInfo[granule] & 31) == v &&
                  readStep[granule] > syncStep[v] &&
                  readClock[granule] == clock[v];
  readLanes[granule] = (sameWarp ? readLanes[granule] : 0) | lanes;
  readWarps[granule] =
      (readClock[granule] == clock[v] ? readWarps[granule] : 0) | 1u << v;
  readClock[granule] = clock[v];
  readInfo[granule] = access.inst << 5 | v;
  readStep[granule] = step;
  return true;
}

template <unsigned N>
SharedFault SharedChecks::read(const SharedAccess &access) {
  uint32_t v = access.warp, info = access.inst << 5 | v, bit = 1u << v;
  Clock before = seenOfAll[v], now = clock[v];
  uint32_t synced = syncStep[v];
  DistinctAddresses distinct(access.offsets, access.mask);
  SharedFault fault;
  for (unsigned i = 0; i < distinct.count; ++i) {
    size_t g = distinct.offset[i] >> log2Granule;
    uint32_t lanes = distinct.lanes[i];
    bool ok = true;
    for (unsigned k = 0; k < N; ++k)
      ok &= writeClock[g + k] > 0 && (!races || writeClock[g + k] <= before);
    if (ok && !races)
      continue;
    if (ok && !access.strong) {
      for (unsigned k = 0; k < N; ++k) {
        bool again = readClock[g + k] == now;
        bool sameWarp =
            again && (readInfo[g + k] & 31) == v && readStep[g + k] > synced;
        readLanes[g + k] = (sameWarp ? readLanes[g + k] : 0) | lanes;
        readWarps[g + k] = (again ? readWarps[g + k] : 0) | bit;
        readClock[g + k] = now;
        readInfo[g + k] = info;
        readStep[g + k] = step;
      }
      continue;
    }
    fault.lane = lowest(lanes);
    for (unsigned k = 0; k < N; ++k)
      if (!readSlow(access, g + k, lanes, fault)) {
        fault.offset = (g + k) << log2Granule;
        return fault;
      }
  }
  return fault;
}

/// Whether two lanes of a store write the same where they overlap.
bool SharedChecks::sameValue(const SharedAccess &access, unsigned a,
                             unsigned b) const {
  if (!access.elementBytes) // Of matrices, whose elements do not overlap.
    return true;
  auto valueOf = [&](unsigned lane, uint8_t *out) {
    for (unsigned k = 0; k * access.elementBytes < access.bytes; ++k)
      std::memcpy(out + size_t(k) * access.elementBytes,
                  access.rows[k] + size_t(lane) * access.elementBytes,
                  access.elementBytes);
  };
  uint8_t ofA[32], ofB[32];
  valueOf(a, ofA);
  valueOf(b, ofB);
  uint64_t atA = access.offsets[a], atB = access.offsets[b];
  uint64_t from = std::max(atA, atB), to = std::min(atA, atB) + access.bytes;
  return from >= to ||
         std::memcmp(ofA + (from - atA), ofB + (from - atB), to - from) == 0;
}

/// Whether all that read a granule come before a write by the lane.
bool SharedChecks::checkReaders(const SharedAccess &access, size_t granule,
                                unsigned lane, SharedFault &fault) const {
  uint32_t v = access.warp, info = readInfo[granule];
  Clock at = readClock[granule];
  if (at == 0 || at <= seenOfAll[v])
    return true;
  fault.kind = SharedFault::WriteAfterRead;
  fault.otherInst = info >> 5;
  for (uint32_t rest = readWarps[granule] & ~(1u << v); rest;
       rest &= rest - 1) {
    uint32_t u = lowest(rest);
    if (seen[v][u] >= at)
      continue;
    fault.otherWarp = u;
    uint32_t lanes = readLanes[granule];
    bool one = (info & 31) == u && (lanes & (lanes - 1)) == 0;
    fault.otherLane = one ? lowest(lanes) : 32;
    return false;
  }
  uint32_t others = readLanes[granule] & ~(1u << lane);
  if ((info & 31) == v && at == clock[v] && readStep[granule] > syncStep[v] &&
      others) {
    fault.otherWarp = v;
    fault.otherLane = others & (others - 1) ? 32 : lowest(others);
    return false;
  }
  fault.kind = SharedFault::None;
  return true;
}

bool SharedChecks::writeSlow(const SharedAccess &access, size_t granule,
                             unsigned lane, SharedFault &fault) {
  uint32_t v = access.warp, own = 1u << lane;
  bool isAtomic = access.kind == SharedAccess::Atomic;
  Clock at = writeClock[granule];
  if (isAtomic && at == 0 && uninitialized && access.readsOld) {
    fault.kind = SharedFault::Uninitialized;
    return false;
  }
  uint8_t flags = isAtomic || access.strong ? AtomicWrite : 0;
  if (races) {
    uint32_t w = (writeInfo[granule] >> 5) & 31;
    bool isRecent = at != 0 && at > seenOfAll[v];
    bool sameStep = isRecent && w == v && writeStep[granule] == step;
    if (sameStep && !isAtomic) {
      unsigned other = writeInfo[granule] & 31;
      if (!sameValue(access, lane, other)) {
        fault.kind = SharedFault::SameInstruction;
        nameWriter(granule, fault);
        return false;
      }
      flags |= ManyLanes;
    } else if (at != 0 && !writerOrdered(access, granule, own)) {
      fault.kind = SharedFault::WriteAfterWrite;
      nameWriter(granule, fault);
      return false;
    } else if (flags && isRecent && (writeFlags[granule] & AtomicWrite)) {
      flags |= writeFlags[granule] & (ManyLanes | ManyWarps);
      flags |= w != v ? ManyWarps : 0;
      flags |= (writeInfo[granule] & 31) != lane ? ManyLanes : 0;
    }
    if (!checkReaders(access, granule, lane, fault))
      return false;
    // A plain write stays one for the others, whatever its thread does next.
    if (isAtomic && isRecent && !(writeFlags[granule] & AtomicWrite))
      return true;
    writeInfo[granule] = access.inst << instShift | v << 5 | lane;
    writeStep[granule] = step;
    writeFlags[granule] = flags;
  }
  writeClock[granule] = clock[v];
  return true;
}

template <unsigned N>
SharedFault SharedChecks::write(const SharedAccess &access) {
  uint32_t v = access.warp;
  Clock before = seenOfAll[v], now = clock[v];
  bool isPlain = access.kind == SharedAccess::Store && !access.strong;
  SharedFault fault;
  for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
    unsigned lane = lowest(rest);
    size_t g = access.offsets[lane] >> log2Granule;
    bool ok = isPlain && races;
    for (unsigned k = 0; ok && k < N; ++k)
      ok = writeClock[g + k] <= before && readClock[g + k] <= before;
    fault.lane = lane;
    for (unsigned k = 0; k < N; ++k) {
      if (ok) {
        writeClock[g + k] = now;
        writeInfo[g + k] = access.inst << instShift | v << 5 | lane;
        writeStep[g + k] = step;
        writeFlags[g + k] = 0;
      } else if (!writeSlow(access, g + k, lane, fault)) {
        fault.offset = (g + k) << log2Granule;
        return fault;
      }
    }
  }
  return fault;
}

SharedFault SharedChecks::access(const SharedAccess &access) {
  ++step;
  bool isLoad = access.kind == SharedAccess::Load;
  switch (std::max(1u, access.bytes >> log2Granule)) {
  case 1:
    return isLoad ? read<1>(access) : write<1>(access);
  case 2:
    return isLoad ? read<2>(access) : write<2>(access);
  case 4:
    return isLoad ? read<4>(access) : write<4>(access);
  case 8:
    return isLoad ? read<8>(access) : write<8>(access);
  default:
    return isLoad ? read<16>(access) : write<16>(access);
  }
}

} // namespace dietcode::vgpu
