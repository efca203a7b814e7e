//===- Residency.h - How many blocks an SM holds ----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_SEARCH_RESIDENCY_H
#define DIETCODE_LIB_SEARCH_RESIDENCY_H

#include "dietcode/Search/Schedule.h"

namespace dietcode {

/// Registers that a block occupies: they are handed to whole warps in units.
int64_t allocatedRegisters(int64_t threads, int64_t registers,
                           const DeviceSpec &device);

/// Sets how many blocks can be resident, and the occupancy, from the threads,
/// the shared memory and the registers of `use`.
void setResidency(Resources &use, const DeviceSpec &device);

} // namespace dietcode

#endif // DIETCODE_LIB_SEARCH_RESIDENCY_H
