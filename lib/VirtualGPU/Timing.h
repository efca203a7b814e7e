//===- Timing.h - From counts to virtual seconds ----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_TIMING_H
#define DIETCODE_LIB_VIRTUALGPU_TIMING_H

#include "Execution.h"

namespace dietcode::vgpu {

/// Fills in a report from the number of executions of each instruction and what
/// was seen of the sampled blocks.
LaunchReport makeReport(const LaunchState &launch,
                        const std::vector<uint64_t> &executions,
                        const Sample &sample, uint64_t sampledBlocks);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_TIMING_H
