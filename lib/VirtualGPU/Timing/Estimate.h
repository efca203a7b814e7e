//===- Estimate.h - From traces to a timing report --------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_TIMING_ESTIMATE_H
#define DIETCODE_LIB_VIRTUALGPU_TIMING_ESTIMATE_H

#include "Traffic.h"
#include "dietcode/VirtualGPU/TimingReport.h"

namespace dietcode::vgpu {

/// How many blocks of a launch an SM holds at once, and what forbids one more.
struct Occupancy {
  uint32_t blocks = 1;
  const char *limiter = "";
};
Occupancy occupancyOf(const LaunchState &launch);

/// The blocks whose traces are replayed: those that the first SM holds at
/// first, dealing blocks to SMs in turn.
std::vector<uint64_t> blocksToTrace(const LaunchState &launch);

/// Most records that the trace of one block may have.
constexpr size_t mostTraceRecords = size_t(1) << 25;

/// Traces of a launch, and what was counted of its sampled blocks.
struct TracedLaunch {
  std::vector<const BlockTrace *> blocks; ///< Of blocksToTrace.
  std::vector<Neighbour> neighbours; ///< Of neighboursToTrace, as far as they
                                     ///< could be traced.
  const Sample &sample;
  uint64_t sampledBlocks;
};

/// Estimates the time of a launch. Not valid if a trace is missing or too long.
TimingReport estimateTime(const LaunchState &launch, const BlockMap &map,
                          const TracedLaunch &traced);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_TIMING_ESTIMATE_H
