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
  for (Queue &queue : queues) {
    queue.starts.assign(static_cast<size_t>(std::max(1, spec.memoryQueueDepth)),
                        0);
    queue.cleanStarts = queue.starts;
  }
  double clockHz = spec.clockHz;
  l2Rate = std::min(spec.l2BytesPerSecond / clockHz / share.shares,
                    spec.l2BytesPerCyclePerSM);
  dramRate = std::min(spec.dramBytesPerSecond / clockHz / share.shares,
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

Arrival MemorySystem::acceptance(unsigned core, bool isGlobal) const {
  const Queue &queue = queues[core];
  Arrival result;
  result.at = acceptsAt(core, isGlobal);
  result.clean = queue.cleanStarts[queue.next];
  result.queue = pathQueue();
  result.waste = pathWaste();
  if (result.at > queue.starts[queue.next]) { // L2 or DRAM.
    double ahead = 2.0 * spec.globalLatency;
    result.clean = std::max(cleanL2Free, cleanDramFree) - ahead;
    result.queue =
        cleanDramFree >= cleanL2Free ? Loss::DramBandwidth : Loss::L2Bandwidth;
    result.waste = Loss::Uncoalesced;
  }
  return result;
}

double MemorySystem::drained() const {
  return std::max(path.free, std::max(l2Free, dramFree));
}

double MemorySystem::Path::occupy(double now, double busy, double slowdown,
                                  double burst) {
  double start = std::max(now, opens(burst));
  free = start + busy;
  sustainedFree = std::max(start, sustainedFree) + busy * slowdown;
  return start;
}

/// Takes the path for `busy` cycles, which are `slowdown` as many in the long
/// run; returns when it starts, and so leaves its sub-core's queue.
MemorySystem::Start MemorySystem::occupyPath(unsigned core, double now,
                                             double busy, double cleanBusy,
                                             double slowdown) {
  if (now >= path.opens(spec.burstCycles))
    use = {};
  Start start;
  start.at = path.occupy(now, busy, slowdown, spec.burstCycles);
  start.clean = cleanPath.occupy(now, cleanBusy, slowdown, spec.burstCycles);
  Queue &queue = queues[core];
  queue.starts[queue.next] = start.at;
  queue.cleanStarts[queue.next] = start.clean;
  queue.next = (queue.next + 1) % queue.starts.size();
  return start;
}

/// A wavefront is a word of each bank: 128 bytes, 2 cycles of 64 bytes on T4.
Arrival MemorySystem::shared(unsigned core, double now,
                             const TracedAccess &access, bool isShuffle) {
  double perWavefront = 4.0 * spec.sharedBanks / spec.sharedBytesPerCycle;
  double n = isShuffle ? 1 : access.wavefronts;
  double ideal = isShuffle ? 1 : access.idealWavefronts;
  // Addresses come in at the load/store unit's lanes per cycle.
  double addresses = 32 / spec.lsuLanesPerSM;
  double busy = std::max(n * perWavefront, addresses);
  double cleanBusy = std::max(ideal * perWavefront, addresses);
  double slowdown = spec.sharedBytesPerCycle / spec.sharedSustained;
  Start start = occupyPath(core, now, busy, cleanBusy, slowdown);
  counters.pathShared += busy * slowdown;
  counters.wavefronts += n;
  counters.idealWavefronts += ideal;
  use.shared += cleanBusy;
  use.conflicts += busy - cleanBusy;
  double wide = std::max(0.0, ideal - 1);
  double conflicts = std::max(0.0, n - ideal);
  double latency = spec.sharedLatency + wide * spec.sharedWidthLatency;
  return {start.at + latency + conflicts * perWavefront,
          start.clean + latency,
          now + latency,
          isShuffle ? Loss::ArithmeticLatency : Loss::SharedLatency,
          pathQueue(),
          pathWaste()};
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
/// first load hits if another SM's came before. What is stored goes out to DRAM
/// sooner or later: a store that misses stands for that, one to a sector that
/// was loaded makes it dirty.
bool MemorySystem::inL2(uint64_t sector, bool isLoad) {
  auto [it, isNew] = l2.try_emplace(sector, L2Sector{l2Filled});
  L2Sector &entry = it->second;
  bool hit;
  if (isNew) {
    missDebt += isLoad ? share.firstTouchMisses : 1;
    hit = missDebt < 1;
    if (!hit)
      missDebt -= 1;
  } else {
    hit = l2Filled - entry.used < share.l2Bytes;
  }
  bool isFilled = isNew || !hit;
  if (isFilled) {
    l2Filled += spec.sectorBytes;
    entry.isDirty = false;
  }
  isOverwritten = !isLoad && !isFilled && !entry.isDirty;
  entry.isDirty |= !isLoad;
  entry.used = l2Filled;
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

/// Takes a sector from L2 or DRAM, of which `useful` bytes for the access.
void MemorySystem::fetch(Level level, double now, Start start, double useful,
                         Reach &reach) {
  Arrival &arrival = reach.arrival;
  double l2Cycles = spec.sectorBytes / l2Rate;
  l2Free = std::max(l2Free, start.at) + l2Cycles;
  cleanL2Free = std::max(cleanL2Free, start.clean) + useful / l2Rate;
  counters.l2 += l2Cycles;
  arrival.at = l2Free + spec.l2Latency - l2Cycles;
  arrival.clean = cleanL2Free + spec.l2Latency - useful / l2Rate;
  arrival.unqueued = now + spec.l2Latency;
  reach.queues[1] = cleanL2Free - useful / l2Rate - start.clean;
  if (level != Level::Dram)
    return;
  double cycles = dramCycles(1);
  dramFree = std::max(dramFree, start.at) + cycles;
  cleanDramFree = std::max(cleanDramFree, start.clean) + useful / dramRate;
  counters.dram += cycles;
  counters.dramSectors += 1;
  arrival.at = std::max(arrival.at, dramFree + spec.globalLatency - cycles);
  arrival.clean = std::max(arrival.clean, cleanDramFree + spec.globalLatency -
                                              useful / dramRate);
  arrival.unqueued = now + spec.globalLatency;
  reach.queues[2] = cleanDramFree - useful / dramRate - start.clean;
}

/// Nobody waits for it, but it takes its share of DRAM.
void MemorySystem::writeBack(Start start, double useful) {
  dramFree = std::max(dramFree, start.at) + dramCycles(1);
  cleanDramFree = std::max(cleanDramFree, start.clean) + useful / dramRate;
  counters.dram += dramCycles(1);
  counters.dramSectors += 1;
}

Arrival MemorySystem::global(unsigned core, double now,
                             const TracedAccess &access,
                             const uint64_t *sectors, bool isLoad,
                             bool bypassesL1) {
  double perSector = spec.sectorBytes / spec.sharedBytesPerCycle;
  double addresses = 32 / spec.lsuLanesPerSM;
  double busy = std::max(access.sectors * perSector, addresses);
  double cleanBusy = std::max(access.idealSectors * perSector, addresses);
  double slowdown = spec.sharedBytesPerCycle / spec.l1Sustained;
  Start start = occupyPath(core, now, busy, cleanBusy, slowdown);
  counters.pathL1 += busy * slowdown;
  counters.requests += 1;
  counters.sectors += access.sectors;
  counters.idealSectors += access.idealSectors;
  use.l1 += cleanBusy;
  use.scattered += busy - cleanBusy;
  double useful = spec.sectorBytes * double(access.idealSectors) /
                  std::max<double>(1, access.sectors);
  double latency = spec.l1Latency - addresses;
  Reach all;
  all.arrival = {start.at + latency + busy,
                 start.clean + latency + cleanBusy,
                 now + latency + cleanBusy,
                 Loss::GlobalLatency,
                 pathQueue(),
                 pathWaste()};
  all.queues[0] = start.clean - now;
  for (unsigned i = 0; i < access.sectors; ++i) {
    Line *line;
    Level level = lookup(sectors[i], isLoad, bypassesL1, line);
    counters.loadSectors += isLoad;
    unsigned place = sectors[i] % sectorsPerLine;
    Reach one;
    if (level == Level::L1) {
      counters.l1Hits += 1;
      one.arrival.at = line->ready[place];
      one.arrival.clean = line->clean[place];
      one.arrival.unqueued = line->unqueued[place];
    } else {
      fetch(level, now, start, useful, one);
      if (isOverwritten)
        writeBack(start, useful);
      counters.l2Loads += isLoad;
      counters.l2Hits += isLoad && level == Level::L2;
      if (isLoad && !bypassesL1) {
        line->ready[place] = one.arrival.at;
        line->clean[place] = one.arrival.clean;
        line->unqueued[place] = one.arrival.unqueued;
      }
    }
    join(all, one);
  }
  if (all.queues[2] > all.queues[1] && all.queues[2] > all.queues[0])
    all.arrival.queue = Loss::DramBandwidth;
  else if (all.queues[1] > all.queues[0])
    all.arrival.queue = Loss::L2Bandwidth;
  if (start.at - start.clean < (all.arrival.at - all.arrival.clean) / 2)
    all.arrival.waste = Loss::Uncoalesced;
  return all.arrival;
}

/// An access is through when all its sectors are there.
void MemorySystem::join(Reach &all, const Reach &one) {
  all.arrival.at = std::max(all.arrival.at, one.arrival.at);
  all.arrival.clean = std::max(all.arrival.clean, one.arrival.clean);
  all.arrival.unqueued = std::max(all.arrival.unqueued, one.arrival.unqueued);
  for (unsigned i = 0; i < 3; ++i)
    all.queues[i] = std::max(all.queues[i], one.queues[i]);
}

void MemorySystem::touch(const TracedAccess &access, const uint64_t *sectors,
                         bool isLoad, bool bypassesL1) {
  for (unsigned i = 0; i < access.sectors; ++i) {
    Line *line;
    Level level = lookup(sectors[i], isLoad, bypassesL1, line);
    touchedL2 += level != Level::L1;
    touchedDram += level == Level::Dram;
    touchedDram += level != Level::L1 && isOverwritten;
  }
}

} // namespace dietcode::vgpu
