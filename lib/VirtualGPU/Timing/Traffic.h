//===- Traffic.h - What DRAM does for a launch ------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_TIMING_TRAFFIC_H
#define DIETCODE_LIB_VIRTUALGPU_TIMING_TRAFFIC_H

#include "../Execution.h"
#include "Trace.h"

namespace dietcode::vgpu {

/// Blocks that are traced, too, to see what the first one shares with those
/// that follow; ascending. At powers of two: up to the largest split, and where
/// DRAM may be read more than once up to a wave on as many SMs.
std::vector<uint64_t> neighboursToTrace(const LaunchState &launch);

struct Neighbour {
  uint64_t distance; ///< From the first block.
  const BlockTrace *trace;
};

/// Bytes of a whole launch.
struct Traffic {
  double footprint = 0; ///< Of the ranges of memory that are read.
  double read = 0;      ///< From DRAM.
  double written = 0;   ///< To DRAM.
};

/// `resident` blocks are on an SM at once. `sample` is of `sampledBlocks`
/// blocks, `first` the trace of block 0.
Traffic countTraffic(const LaunchState &launch, const BlockTrace &first,
                     const std::vector<Neighbour> &neighbours,
                     const Sample &sample, double sampledBlocks,
                     uint32_t resident);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_TIMING_TRAFFIC_H
