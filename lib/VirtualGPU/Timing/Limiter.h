//===- Limiter.h - What limits a kernel -------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_TIMING_LIMITER_H
#define DIETCODE_LIB_VIRTUALGPU_TIMING_LIMITER_H

#include "dietcode/VirtualGPU/TimingReport.h"

namespace dietcode::vgpu {

/// Fills in limiter and explanation from the rest of a report.
void findLimiter(TimingReport &report);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_TIMING_LIMITER_H
