//===- ReplayLosses.cpp - What the cycles of an SM are lost to ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplaySM.h"

namespace dietcode::vgpu {

/// Divides the time since the warp's last instruction: waiting for operands,
/// for the pipe, and for its turn.
void SM::account(const ReplayedWarp &warp, double now, double pipeAt) {
  double from = warp.lastIssue + 1;
  double operands = std::min(std::max(warp.readyAt, from), now);
  counters.stalls[static_cast<unsigned>(warp.waitsFor)] += operands - from;
  double pipe = std::min(std::max(pipeAt, operands), now);
  Stall throttle = throttleOf(nextInst(warp).cost.unit);
  counters.stalls[static_cast<unsigned>(throttle)] += pipe - operands;
  counters.stalls[static_cast<unsigned>(Stall::NotSelected)] += now - pipe;
}

} // namespace dietcode::vgpu
