//===- Pressure.h - Registers that are live at once -------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_TIMING_PRESSURE_H
#define DIETCODE_LIB_VIRTUALGPU_TIMING_PRESSURE_H

#include "RowLiveness.h"

namespace dietcode::vgpu {

/// The most 32-bit registers of a thread that are live at once in each basic
/// block, in the order of the PTX. Uniform values, integers that are computed
/// from parameters, constants and the position of the block alone, count half:
/// ptxas keeps about as many of them in registers of the warp, or reads them
/// from constant memory.
std::vector<uint32_t> blockPressure(const Program &program,
                                    const BlockMap &map);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_TIMING_PRESSURE_H
