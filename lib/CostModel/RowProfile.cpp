//===- RowProfile.cpp - Cycles of kernels on rows -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowProfile.h"

#include <algorithm>
#include <cmath>

using namespace dietcode;

/// Instructions of a thread for a tile besides accesses and arithmetic: which
/// rows and columns it has, and where they are.
static constexpr double kTileInstructions = 40;

/// Instructions of each access: the address, and whether it is in the row.
static constexpr double kAccessInstructions = 3;

static double real(int64_t value) { return static_cast<double>(value); }

/// Wavefronts of an access of a warp. Lanes that follow each other along memory
/// are served line by line; where neighbours are rows, each lane of a row has
/// lines of its own.
static double wavefrontsOf(const RowSchedule &schedule, const RowTraits &traits,
                           const DeviceSpec &device) {
  double bytes =
      real(traits.elementBytes) / real(std::max<int64_t>(1, traits.accesses));
  double along = std::max(1.0, device.warpSize * real(schedule.vector) * bytes /
                                   device.lineBytes);
  double across =
      real(schedule.vector * lanesOfWarp(schedule, traits, device.warpSize));
  switch (traits.access) {
  case RowAccess::Columns:
    return along;
  case RowAccess::Rows:
    return across;
  case RowAccess::Mixed:
    return (along + across) / 2;
  }
  return along;
}

/// What the passes of a tile wait for: shuffles within a warp, and the barrier
/// where several warps share a row.
static double reductionCycles(const RowSchedule &schedule,
                              const RowTraits &traits,
                              const DeviceSpec &device) {
  int64_t lanes = lanesOfWarp(schedule, traits, device.warpSize);
  double cycles = std::log2(real(lanes)) *
                  (device.sharedLatency + device.arithmeticLatency);
  if (schedule.lanes > lanes)
    cycles = 2 * cycles + device.barrierLatency + 2 * device.sharedLatency;
  return real(traits.passes) * cycles;
}

void dietcode::profileRows(KernelProfile &profile, std::optional<int> registers,
                           const DeviceSpec &device) {
  const RowTraits &traits = *profile.rows;
  if (checkSchedule(profile.schedule, traits, device))
    return;
  RowSchedule schedule = rowScheduleOf(profile.schedule, traits);
  profile.resources = resourcesOf(schedule, traits, device, registers);
  if (profile.resources.blocksPerSM < 1)
    return;
  profile.valid = true;
  double warps = real(schedule.threads) / device.warpSize;
  double columns = real(schedule.vectors * schedule.vector);
  double accesses = real(traits.accesses * schedule.vectors);
  double shuffles = 2 * real(traits.reductions) *
                    std::log2(real(std::max<int64_t>(schedule.lanes, 1)));
  double arithmetic = columns * real(traits.operations);
  profile.load.fma =
      warps * arithmetic * device.warpSize / device.fp32LanesPerSM;
  profile.load.shared =
      warps * (accesses * wavefrontsOf(schedule, traits, device) *
                   (device.lineBytes / device.sharedBytesPerCycle) +
               shuffles * device.warpSize / device.lsuLanesPerSM);
  double instructions = arithmetic + accesses * (1 + kAccessInstructions) +
                        shuffles + kTileInstructions;
  profile.load.issue = warps * instructions / device.schedulersPerSM;
  // The loads of a tile are all under way before the first is needed.
  double ownInstructions =
      instructions * std::ceil(warps / device.schedulersPerSM);
  profile.chainCycles = device.globalLatency + ownInstructions +
                        reductionCycles(schedule, traits, device);
}
