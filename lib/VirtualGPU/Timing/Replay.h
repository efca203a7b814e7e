//===- Replay.h - An SM that replays traces ---------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_TIMING_REPLAY_H
#define DIETCODE_LIB_VIRTUALGPU_TIMING_REPLAY_H

#include "LoopCut.h"
#include "MemorySystem.h"
#include "dietcode/VirtualGPU/TimingReport.h"

namespace dietcode::vgpu {

/// What adds up over a replay.
struct ReplayCounters {
  std::array<double, unitCount> units = {}; ///< Busy cycles, all sub-cores.
  std::array<double, stallCount> stalls = {};
  std::array<double, lossCount> losses = {}; ///< Cycles of all schedulers.
  double issued = 0;                         ///< Machine instructions.
  double flop = 0;
  double warpCycles = 0; ///< From each warp's start to its end.
  MemoryCounters memory;

  /// this += factor * (to - from).
  void addScaled(const ReplayCounters &to, const ReplayCounters &from,
                 double factor);
};

struct ReplayResult {
  double cycles = 0; ///< With what was extrapolated.
  double extrapolated = 0;
  ReplayCounters counters;
};

/// Replays blocks that are resident on one SM together. `sectors` are those of
/// each block's trace.
ReplayResult replay(const DeviceSpec &spec, const MemoryShare &share,
                    const ReplayPlan &plan,
                    const std::vector<const BlockTrace *> &traces,
                    const std::vector<ScheduledBlock> &schedule,
                    unsigned slots);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_TIMING_REPLAY_H
