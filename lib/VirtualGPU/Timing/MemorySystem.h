//===- MemorySystem.h - L1, L2 and DRAM as one SM sees them -----*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_TIMING_MEMORYSYSTEM_H
#define DIETCODE_LIB_VIRTUALGPU_TIMING_MEMORYSYSTEM_H

#include "Trace.h"
#include "dietcode/Target/DeviceSpec.h"
#include "dietcode/VirtualGPU/TimingReport.h"
#include <algorithm>
#include <unordered_map>

namespace dietcode::vgpu {

/// What other SMs mean for the one that is replayed.
struct MemoryShare {
  /// Of L2 and DRAM this SM has one of so many equal shares.
  double shares = 1;
  int64_t l1Bytes = 0;
  /// How much of L2 this SM's data can use: all of it times the number of SMs
  /// that share a sector over the number of shares.
  double l2Bytes = 0;
  /// Of the sectors that this SM loads for the first time, how many no other SM
  /// has brought into L2 before.
  double firstTouchMisses = 1;
};

struct MemoryCounters {
  double pathShared = 0; ///< Cycles of the path at the sustained rate.
  double pathL1 = 0;
  double l2 = 0; ///< Cycles of this SM's share of L2.
  double dram = 0;
  double wavefronts = 0, idealWavefronts = 0;
  double loadSectors = 0, l1Hits = 0, l2Hits = 0, l2Loads = 0, dramSectors = 0;
  double requests = 0, sectors = 0, idealSectors = 0;
};

/// When a result is there, and when it would be if less stood in its way. A
/// warp that has nothing else to do until `unqueued` loses these cycles to the
/// latency of what it waits for, the next until `clean` to accesses before its
/// own, and the rest to waste: wavefronts of bank conflicts, sectors of no use.
struct Arrival {
  double at = 0;
  double clean = 0;    ///< Had there been no waste so far.
  double unqueued = 0; ///< Had every server been free as well.
  Loss latency = Loss::ArithmeticLatency;
  Loss queue = Loss::ArithmeticLatency;
  Loss waste = Loss::ArithmeticLatency;

  static Arrival after(double at, Loss latency) {
    return {at, at, at, latency, latency, latency};
  }
};

/// Each level is a server with a rate and a latency:
///   done = max(now, when the server is free) + bytes / rate + latency
/// Shared memory and L1 hits share one path [whitepaper: unified]. It serves
/// bursts at its full rate and long runs at the one that was measured: a second
/// server with the sustained rate may lag behind it by burstCycles.
///
/// Beside each server runs one that gets the same accesses at the same times
/// without their waste. It says what waiting is due to that.
class MemorySystem {
public:
  MemorySystem(const DeviceSpec &spec, const MemoryShare &share);

  /// Until when a sub-core can issue no access: its queue to the load/store
  /// unit is full, or for those that go beyond L1 what they wait for is.
  double acceptsAt(unsigned core, bool isGlobal) const;
  /// The same, and what it is due to.
  Arrival acceptance(unsigned core, bool isGlobal) const;
  /// When the result is there.
  Arrival shared(unsigned core, double now, const TracedAccess &access,
                 bool isShuffle);
  Arrival global(unsigned core, double now, const TracedAccess &access,
                 const uint64_t *sectors, bool isLoad, bool bypassesL1);
  /// Tells the caches of an access that is not replayed; returns the misses.
  void touch(const TracedAccess &access, const uint64_t *sectors, bool isLoad,
             bool bypassesL1);
  /// When everything has been written.
  double drained() const;
  /// Cycles of this SM's share of DRAM for a number of sectors.
  double dramCycles(double sectors) const {
    return sectors * spec.sectorBytes / dramRate;
  }

  MemoryCounters counters;
  /// Sectors that touch() took from L2 and DRAM.
  double touchedL2 = 0, touchedDram = 0;

private:
  struct Line {
    uint64_t tag = ~uint64_t(0);
    uint64_t used = 0;
    double ready[8] = {}; ///< When each sector arrives; < 0: not there.
    double clean[8] = {}, unqueued[8] = {}; ///< As in Arrival.
  };
  /// When the path took each of the last accesses of a sub-core.
  struct Queue {
    std::vector<double> starts, cleanStarts;
    size_t next = 0;
  };
  struct Path {
    double free = 0, sustainedFree = 0;
    double opens(double burst) const {
      return std::max(free, sustainedFree - burst);
    }
    double occupy(double now, double busy, double slowdown, double burst);
  };
  /// Cycles of the path since it was last free, by what they were spent on.
  struct PathUse {
    double shared = 0, l1 = 0, conflicts = 0, scattered = 0;
  };
  struct Start {
    double at, clean;
  };
  /// What is left of an access at a level.
  struct Reach {
    Arrival arrival;
    double queues[3] = {}; ///< Waiting for the path, L2 and DRAM.
  };
  enum class Level : uint8_t { L1, L2, Dram };
  struct L2Sector {
    double used;          ///< Bytes filled when it was last used.
    bool isDirty = false; ///< It has to be written to DRAM.
  };
  Start occupyPath(unsigned core, double now, double busy, double cleanBusy,
                   double slowdown);
  void fetch(Level level, double now, Start start, double useful, Reach &reach);
  void writeBack(Start start, double useful);
  static void join(Reach &all, const Reach &one);
  Loss pathQueue() const {
    return use.shared >= use.l1 ? Loss::SharedBandwidth : Loss::L1Bandwidth;
  }
  Loss pathWaste() const {
    return use.conflicts >= use.scattered ? Loss::BankConflicts
                                          : Loss::Uncoalesced;
  }
  Line &lineOf(uint64_t sector);
  /// Looks a sector up and brings it in.
  Level lookup(uint64_t sector, bool isLoad, bool bypassesL1, Line *&line);
  bool inL2(uint64_t sector, bool isLoad);
  /// Whether a store is the first to a sector that was loaded.
  bool isOverwritten = false;

  const DeviceSpec &spec;
  MemoryShare share;
  unsigned sectorsPerLine;
  unsigned sets;
  std::vector<Line> lines;
  std::vector<Queue> queues;
  uint64_t clock = 0;
  std::unordered_map<uint64_t, L2Sector> l2;
  double l2Filled = 0;
  double missDebt = 0;
  double l2Rate, dramRate;
  Path path, cleanPath;
  PathUse use;
  double l2Free = 0, dramFree = 0, cleanL2Free = 0, cleanDramFree = 0;
};

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_TIMING_MEMORYSYSTEM_H
