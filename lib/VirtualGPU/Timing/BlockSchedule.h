//===- BlockSchedule.h - Order within basic blocks --------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas hoists loads and interleaves them with arithmetic: in the order of the
// PTX a kernel would seem up to a third slower than it is. So each basic block
// is list-scheduled first, within its dependences and a limit on registers.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_TIMING_BLOCKSCHEDULE_H
#define DIETCODE_LIB_VIRTUALGPU_TIMING_BLOCKSCHEDULE_H

#include "InstCost.h"
#include "Trace.h"
#include <utility>
#include <vector>

namespace dietcode::vgpu {

constexpr uint16_t noAccess = 0xffff;

/// An instruction in the order of issue. Slots stand for results: those below
/// the number of rows for what a row held when the block was entered, the
/// others for results within the block.
struct ScheduledInst {
  InstCost cost;
  uint32_t pc = 0;
  uint16_t access = noAccess; ///< Which of the block's memory instructions.
  uint16_t result = 0;        ///< The slot that it sets.
  bool hasResult = false;
  bool isLoad = false; ///< Or an atomic access.
  uint16_t sourceCount = 0;
  uint32_t firstSource = 0; ///< In ScheduledBlock::sources.
};

struct ScheduledBlock {
  std::vector<ScheduledInst> insts;
  std::vector<uint16_t> sources; ///< Slots.
  /// At the end, the row's slot takes over the result of another.
  std::vector<std::pair<uint16_t, uint16_t>> commits;
  uint32_t accesses = 0; ///< Memory instructions.
  uint64_t flop = 0;     ///< Of a full warp.
  uint32_t issues = 0;
};

/// Schedules all blocks of a program. `slack` is how many registers more may be
/// live than in the order of the PTX. `slots` becomes the number of slots.
/// Empty if a block is too long.
std::vector<ScheduledBlock> scheduleBlocks(const Program &program,
                                           const BlockMap &map,
                                           const DeviceSpec &spec,
                                           unsigned slack, unsigned &slots);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_TIMING_BLOCKSCHEDULE_H
