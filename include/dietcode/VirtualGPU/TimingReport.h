//===- TimingReport.h - What the timing model says --------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_VIRTUALGPU_TIMINGREPORT_H
#define DIETCODE_VIRTUALGPU_TIMINGREPORT_H

#include <array>
#include <cstdint>
#include <string>

namespace dietcode::vgpu {

/// Why a warp that has an instruction left does not issue it.
enum class Stall : uint8_t {
  Wait,            ///< For a result of the arithmetic pipes.
  ShortScoreboard, ///< For shared memory, a shuffle or a special function.
  LongScoreboard,  ///< For global or local memory.
  Barrier,
  Branch,
  MathThrottle,   ///< The pipe is busy.
  MemoryThrottle, ///< The queue of the load/store unit is full.
  NotSelected,    ///< The scheduler issued from another warp.
  Count
};
constexpr unsigned stallCount = static_cast<unsigned>(Stall::Count);
const char *stallName(Stall stall);

/// Parts of the machine whose throughput may bound a kernel.
enum class Bound : uint8_t {
  Issue,
  Fma,     ///< FP32, half precision and integer multiplication.
  Integer, ///< Other integer operations, comparisons and logic.
  Fp64,
  Sfu,
  Tensor,
  Shared, ///< The 64-byte path when it serves shared memory.
  L1,     ///< The same path when it serves global memory.
  L2,
  Dram,
  Count
};
constexpr unsigned boundCount = static_cast<unsigned>(Bound::Count);
const char *boundName(Bound bound);

/// What a cycle is lost to in which a scheduler has nothing to issue.
enum class Loss : uint8_t {
  ArithmeticLatency, ///< Special functions and shuffles included.
  SharedLatency,   ///< Of bursts, too, on a path that is free half of the time.
  SharedBandwidth, ///< Waiting for accesses that need the path themselves.
  BankConflicts,   ///< Or for the wavefronts that conflicts add.
  GlobalLatency,   ///< The same, of all levels.
  L1Bandwidth,
  L2Bandwidth,
  DramBandwidth,
  Uncoalesced, ///< Or for the sectors that hold nothing of use.
  Barrier,     ///< For warps that have work, or for the barrier to open.
  Branch,
  Count
};
constexpr unsigned lossCount = static_cast<unsigned>(Loss::Count);
const char *lossName(Loss loss);

/// The replay model's estimate. All of it is virtual: a model's, never a
/// measurement of a device.
struct TimingReport {
  bool valid = false;      ///< False: there was no trace to replay.
  std::string device;      ///< With its prefix, e.g. "virtual:t4".
  bool calibrated = true;  ///< False: the device's figures are a data sheet's.
  double cycles = 0;       ///< Of the busiest SM, without the launch.
  double microseconds = 0; ///< With the launch.
  double launchMicroseconds = 0;
  double dramBytes = 0; ///< Read and written by the launch.
  double flop = 0;      ///< An FMA being two.
  double flopPerCyclePerSM = 0;
  double fp32PeakFraction = 0; ///< flop / (cycles x all SMs' FMA lanes x 2).
  /// Of the cycles, how many each part was busy on the busiest SM.
  std::array<double, boundCount> busy = {};
  /// Cycles of warps that wait, as fractions of all cycles of resident warps.
  std::array<double, stallCount> stalls = {};
  /// Of the cycles, those in which a scheduler has nothing to issue and no warp
  /// of it waits for a busy arithmetic pipe: the part of the stalls that other
  /// warps do not hide. Each is divided evenly among the scheduler's warps, by
  /// what they wait for.
  std::array<double, lossCount> losses = {};
  std::string limiter;     ///< What limits the kernel, in a phrase.
  std::string explanation; ///< The figures behind that, in a sentence.
  std::string runnerUp;    ///< The busiest part, if a loss is the limiter.
  std::string largestLoss; ///< Of `losses`, in a phrase; empty: there is none.
  double largestLossFraction = 0;

  uint32_t registersPerThread = 0;
  std::string registerSource; ///< "ptxas 13.0", "given" or "estimated".
  uint32_t spillBytes = 0;    ///< Loaded and stored per thread, by ptxas.
  uint32_t residentBlocks = 0;
  uint32_t residentWarps = 0;
  double occupancy = 0; ///< Resident warps of those that fit on an SM.
  std::string occupancyLimiter;
  double waves = 0;

  double l1HitRate = 0; ///< Of the sectors that loads ask for.
  double l2HitRate = 0;
  double sharedConflictRatio = 0; ///< Wavefronts over those without conflicts.
  double sectorsPerRequest = 0;
  double idealSectorsPerRequest = 0;
  uint64_t replayedInstructions = 0; ///< Warp instructions that were replayed.
  double extrapolatedFraction = 0;   ///< Of the cycles.

  std::string toText() const;
  std::string toJson() const;
};

} // namespace dietcode::vgpu

#endif // DIETCODE_VIRTUALGPU_TIMINGREPORT_H
