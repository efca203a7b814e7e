//===- MemorySystem.cpp - L1, L2 and DRAM as one SM sees them -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemorySystem.h"
#include <algorithm>

namespace dietcode::vgpu {
namespace {

constexpr unsigned ways = 4; // Unverified; hashed, so that strides do not show.

uint64_t hashed(uint64_t x) {
  x ^= x >> 32;
  x *= 0x9e3779b97f4a7c15u;
  return x >> 40;
}

} // namespace

MemorySystem::MemorySystem(const DeviceSpec &spec, const MemoryShare &share)
    : spec(spec), share(share),
      sectorsPerLine(static_cast<unsigned>(
          std::min(8, std::max(1, spec.lineBytes / spec.sectorBytes)))),
      sets(static_cast<unsigned>(
          std::max<int64_t>(1, share.l1Bytes / spec.lineBytes / ways))),
      lines(size_t(sets) * ways),
      queues(static_cast<size_t>(spec.schedulersPerSM)) {
  for (Queue &queue : queues)
    queue.starts.assign(static_cast<size_t>(std::max(1, spec.memoryQueueDepth)),
                        0);
  double clockHz = spec.clockHz;
  l2Rate = std::min(spec.l2BytesPerSecond / clockHz / share.activeSMs,
                    spec.l2BytesPerCyclePerSM);
  dramRate = std::min(spec.dramBytesPerSecond / clockHz / share.activeSMs,
                      spec.l2BytesPerCyclePerSM);
}

double MemorySystem::acceptsAt(unsigned core, bool isGlobal) const {
  const Queue &queue = queues[core];
  double leaves = queue.starts[queue.next];
  if (!isGlobal)
    return leaves;
  return std::max(leaves,
                  std::max(l2Free, dramFree) - 2.0 * spec.globalLatency);
}

double MemorySystem::drained() const {
  return std::max(pathFree, std::max(l2Free, dramFree));
}

/// Takes the path for `busy` cycles, which are `slowdown` as many in the long
/// run; returns when it starts, and so leaves its sub-core's queue.
double MemorySystem::occupyPath(unsigned core, double now, double busy,
                                double slowdown) {
  double start = std::max(now, pathOpens());
  Queue &queue = queues[core];
  queue.starts[queue.next] = start;
  queue.next = (queue.next + 1) % queue.starts.size();
  pathFree = start + busy;
  sustainedFree = std::max(start, sustainedFree) + busy * slowdown;
  return start;
}

/// A wavefront is a word of each bank: 128 bytes, 2 cycles of 64 bytes on T4.
double MemorySystem::shared(unsigned core, double now,
                            const TracedAccess &access, bool isShuffle) {
  double perWavefront = 4.0 * spec.sharedBanks / spec.sharedBytesPerCycle;
  double n = isShuffle ? 1 : access.wavefronts;
  // Addresses come in at the load/store unit's lanes per cycle.
  double busy = std::max(n * perWavefront, 32 / spec.lsuLanesPerSM);
  double slowdown = spec.sharedBytesPerCycle / spec.sharedSustained;
  double start = occupyPath(core, now, busy, slowdown);
  counters.pathShared += busy * slowdown;
  counters.wavefronts += n;
  counters.idealWavefronts += isShuffle ? 1 : access.idealWavefronts;
  double wide = std::max(0, access.idealWavefronts - 1);
  double conflicts = std::max(0.0, n - 1 - wide);
  return start + spec.sharedLatency +
         std::min(wide, n - 1) * spec.sharedWidthLatency +
         conflicts * perWavefront;
}

MemorySystem::Line &MemorySystem::lineOf(uint64_t sector) {
  uint64_t tag = sector / sectorsPerLine;
  Line *set = &lines[hashed(tag) % sets * ways];
  Line *victim = set;
  for (unsigned w = 0; w < ways; ++w) {
    if (set[w].tag == tag) {
      set[w].used = ++clock;
      return set[w];
    }
    if (set[w].used < victim->used)
      victim = &set[w];
  }
  victim->tag = tag;
  victim->used = ++clock;
  std::fill(std::begin(victim->ready), std::end(victim->ready), -1.0);
  return *victim;
}

/// Least recently used, by the bytes that have come in since the last use. A
/// first use hits if another SM's came before.
bool MemorySystem::inL2(uint64_t sector, bool isLoad) {
  auto [it, isNew] = l2.try_emplace(sector, l2Filled);
  bool hit;
  if (isNew) {
    // What is written goes out to DRAM sooner or later.
    missDebt += isLoad ? share.firstTouchMisses : 1;
    hit = missDebt < 1;
    if (!hit)
      missDebt -= 1;
  } else {
    hit = l2Filled - it->second < share.l2Bytes;
  }
  if (isNew || !hit)
    l2Filled += spec.sectorBytes;
  it->second = l2Filled;
  return hit;
}

MemorySystem::Level MemorySystem::lookup(uint64_t sector, bool isLoad,
                                         bool bypassesL1, Line *&line) {
  line = &lineOf(sector);
  double &ready = line->ready[sector % sectorsPerLine];
  if (isLoad && !bypassesL1) {
    if (ready >= 0)
      return Level::L1;
    ready = 0;
  }
  return inL2(sector, isLoad) ? Level::L2 : Level::Dram;
}

double MemorySystem::global(unsigned core, double now,
                            const TracedAccess &access, const uint64_t *sectors,
                            bool isLoad, bool bypassesL1) {
  double sectorBytes = spec.sectorBytes;
  double n = std::max<double>(access.sectors, 1);
  double busy = std::max(n * sectorBytes / spec.sharedBytesPerCycle,
                         32 / spec.lsuLanesPerSM);
  double slowdown = spec.sharedBytesPerCycle / spec.l1Sustained;
  double start = occupyPath(core, now, busy, slowdown);
  counters.pathL1 += busy * slowdown;
  counters.requests += 1;
  counters.sectors += access.sectors;
  counters.idealSectors += access.idealSectors;
  double done = start + spec.l1Latency + busy - 32 / spec.lsuLanesPerSM;
  for (unsigned i = 0; i < access.sectors; ++i) {
    Line *line;
    Level level = lookup(sectors[i], isLoad, bypassesL1, line);
    counters.loadSectors += isLoad;
    double &ready = line->ready[sectors[i] % sectorsPerLine];
    if (level == Level::L1) {
      counters.l1Hits += 1;
      done = std::max(done, ready);
      continue;
    }
    l2Free = std::max(l2Free, start) + sectorBytes / l2Rate;
    counters.l2 += sectorBytes / l2Rate;
    double arrives = l2Free + spec.l2Latency - sectorBytes / l2Rate;
    counters.l2Loads += isLoad;
    if (level == Level::Dram) {
      dramFree = std::max(dramFree, start) + sectorBytes / dramRate;
      counters.dram += sectorBytes / dramRate;
      counters.dramSectors += 1;
      arrives = std::max(arrives, dramFree + spec.globalLatency -
                                      sectorBytes / dramRate);
    } else {
      counters.l2Hits += isLoad;
    }
    if (isLoad && !bypassesL1)
      ready = arrives;
    done = std::max(done, arrives);
  }
  return done;
}

void MemorySystem::touch(const TracedAccess &access, const uint64_t *sectors,
                         bool isLoad, bool bypassesL1) {
  for (unsigned i = 0; i < access.sectors; ++i) {
    Line *line;
    Level level = lookup(sectors[i], isLoad, bypassesL1, line);
    touchedL2 += level != Level::L1;
    touchedDram += level == Level::Dram;
  }
}

} // namespace dietcode::vgpu
