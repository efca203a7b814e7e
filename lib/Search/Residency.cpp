//===- Residency.cpp - How many blocks an SM holds ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Residency.h"
#include "ScheduleImpl.h"

#include <algorithm>

using namespace dietcode;

int64_t dietcode::allocatedRegisters(int64_t threads, int64_t registers,
                                     const DeviceSpec &device) {
  int64_t warps = (threads + device.warpSize - 1) / device.warpSize;
  return warps *
         roundUp(registers * device.warpSize, device.registerAllocationUnit);
}

void dietcode::setResidency(Resources &use, const DeviceSpec &device) {
  int64_t warps = use.threads / device.warpSize;
  int64_t resident = std::min<int64_t>(
      {device.maxBlocksPerSM, device.maxThreadsPerSM / use.threads,
       device.maxWarpsPerSM / warps,
       device.registersPerSM /
           allocatedRegisters(use.threads, use.registers, device)});
  int64_t shared = roundUp(use.sharedBytes, device.sharedAllocationUnit);
  if (shared > 0)
    resident = std::min<int64_t>(resident, device.sharedPerSM / shared);
  use.blocksPerSM = static_cast<int>(resident);
  use.occupancy = static_cast<double>(resident * warps) / device.maxWarpsPerSM;
}
