//===- LoopCut.h - Leaving out iterations of steady loops -------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop whose iterations all take the same way need not be replayed in full:
//
//   before | head iterations | skipped iterations | tail iterations | after
//
// Head and tail are replayed and their time per iteration measured; the caches
// are told of what the skipped ones would have accessed.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_TIMING_LOOPCUT_H
#define DIETCODE_LIB_VIRTUALGPU_TIMING_LOOPCUT_H

#include "BlockSchedule.h"
#include "Trace.h"

namespace dietcode::vgpu {

constexpr uint16_t noCut = 0xffff;

struct ReplayStep {
  TracedBlock traced;
  uint16_t cut = noCut;   ///< The step begins an iteration of this cut's loop,
  uint16_t iteration = 0; ///< of those that are replayed.
};

struct ReplayWarp {
  std::vector<ReplayStep> steps;
  /// What was cut out, for each cut.
  std::vector<std::vector<TracedBlock>> skipped;
};

struct LoopCut {
  uint16_t head = 0; ///< Iterations.
  uint16_t tail = 0;
  uint64_t skipped = 0;
};

/// The traces of the blocks that are replayed together.
struct ReplayPlan {
  std::vector<LoopCut> cuts;
  std::vector<std::vector<ReplayWarp>> blocks;
  uint64_t instructions = 0; ///< Of all warps, after the cuts.
};

/// Cuts loops, those that save most first, until about `budget` warp
/// instructions are left or no loop is to be found that all warps go round
/// equally often.
ReplayPlan planReplay(const std::vector<const BlockTrace *> &traces,
                      const std::vector<ScheduledBlock> &schedule,
                      uint64_t budget);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_TIMING_LOOPCUT_H
