//===- AnalyticalModel.cpp - Kernel times from the device table -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every machine constant comes from the DeviceSpec. What is left here are forms
// and instruction counts of the kernel that Schedule.h describes.
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/AnalyticalModel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace dietcode;

static constexpr double kBytesPerElement = 4;

/// Warp instructions per k tile besides FMAs and memory accesses: counter,
/// compare, branch, barrier, and the switch between the shared buffers.
static constexpr double kLoopInstructions = 10;

/// A 64-bit pointer takes two 32-bit additions per staged copy.
static constexpr double kAddressInstructions = 2;

/// Registers into which the unrolled k loop hoists shared loads ahead of their
/// use. With t fragment registers per k step the loads run 32 / t steps ahead.
static constexpr double kHoistedRegisters = 32;

/// A smooth maximum, the 4-norm: units that overlap imperfectly take about the
/// time of the slowest, and 19 % more when two of them are equally busy.
static double overlap(double a, double b, double c) {
  double a2 = a * a, b2 = b * b, c2 = c * c;
  return std::sqrt(std::sqrt(a2 * a2 + b2 * b2 + c2 * c2));
}

static double ceilDiv(double a, double b) { return std::ceil(a / b); }

static double real(int64_t value) { return static_cast<double>(value); }

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

/// Wavefronts of a fragment load. Lanes that read the same address are served
/// together, so what counts are the distinct bytes, which are contiguous
/// (`lanes` groups of `group` floats), per row of banks. A warp's load of 64 or
/// 128 bits takes two or four requests however few bytes these are, and half as
/// many where pairs of lanes, of `others` across, read the same.
static double fragmentWavefronts(int64_t lanes, int64_t others, int64_t group,
                                 const DeviceSpec &device) {
  double requests = ceilDiv(real(group), others >= 2 ? 2 : 1);
  return std::max(requests, ceilDiv(real(lanes * group), device.sharedBanks));
}

/// Wavefronts of one scalar store of the transposed A tile. Lane l of a warp
/// holds `vector` k values of row l / c in chunk l % c, c = blockK / vector, so
/// chunk starts are vector * (blockM + padding) words apart. Of these starts
/// banks / g differ, g = gcd(distance, banks); rows of a chunk spread over
/// further banks and collide with the next start once there are more than g.
static double transposeConflicts(const Schedule &schedule,
                                 const ScheduleLayout &layout,
                                 const DeviceSpec &device) {
  int64_t banks = device.sharedBanks;
  int64_t chunks =
      std::min<int64_t>(schedule.blockK / layout.vectorA, device.warpSize);
  int64_t rows = device.warpSize / chunks;
  int64_t distance = layout.vectorA * (schedule.blockM + kSharedRowPadding);
  int64_t gcd = std::gcd(distance, banks);
  int64_t starts = std::min(chunks, banks / gcd);
  double sameStart = ceilDiv(real(chunks), real(starts));
  double spill = starts == banks / gcd ? ceilDiv(real(rows), real(gcd)) : 1;
  return sameStart * spill;
}

static void countInstructions(KernelProfile &profile,
                              const ScheduleLayout &layout,
                              const DeviceSpec &device) {
  const Schedule &schedule = profile.schedule;
  double warps = real(layout.threads) / device.warpSize;
  double fmas = real(schedule.threadM * schedule.threadN * schedule.blockK);
  double loadsA = real(schedule.blockK * schedule.threadM / layout.groupM);
  double loadsB = real(schedule.blockK * schedule.threadN / layout.groupN);
  double storesA = real(layout.copiesA * layout.vectorA);
  double storesB = real(layout.copiesB);
  double globals = real(layout.copiesA + layout.copiesB);

  profile.fmaCycles = warps * fmas * device.warpSize / device.fp32LanesPerSM;

  double wavefronts =
      loadsA * fragmentWavefronts(layout.lanesM, layout.lanesN, layout.groupM,
                                  device) +
      loadsB * fragmentWavefronts(layout.lanesN, layout.lanesM, layout.groupN,
                                  device) +
      storesA * transposeConflicts(schedule, layout, device) +
      storesB * real(layout.vectorB) +
      // L1 and shared memory are one unit, which the global loads pass too.
      real(layout.copiesA * layout.vectorA + layout.copiesB * layout.vectorB);
  double wavefrontCycles = std::max(device.sharedBanks * kBytesPerElement /
                                        device.sharedBytesPerCycle,
                                    device.warpSize / device.lsuLanesPerSM);
  profile.sharedCycles = warps * wavefronts * wavefrontCycles;

  double instructions = fmas + loadsA + loadsB + storesA + storesB +
                        globals * (1 + kAddressInstructions) +
                        kLoopInstructions;
  profile.issueCycles = warps * instructions / device.schedulersPerSM;
}

/// What one block alone takes per k tile however wide the machine is: the FMAs
/// of the warps that share a scheduler, the dependence of an accumulator on its
/// last value, and shared loads that can only be hoisted so far.
static void measureChains(KernelProfile &profile, const ScheduleLayout &layout,
                          const DeviceSpec &device) {
  const Schedule &schedule = profile.schedule;
  double warps = real(layout.threads) / device.warpSize;
  double fmaInterval =
      device.warpSize * device.schedulersPerSM / device.fp32LanesPerSM;
  double fmaStep = real(schedule.threadM * schedule.threadN) * fmaInterval *
                   ceilDiv(warps, device.schedulersPerSM);
  double stepsAhead = std::max(
      1.0, kHoistedRegisters / real(schedule.threadM + schedule.threadN));
  double step = std::max({fmaStep, double(device.arithmeticLatency),
                          device.sharedLatency / stepsAhead});
  profile.chainCycles = real(schedule.blockK) * step;
  // Store the staged copies, meet at the barrier, load the first fragments.
  profile.syncCycles = 2 * device.sharedLatency;
  // With one buffer, nobody may store before all have multiplied.
  if (schedule.stages == 1)
    profile.syncCycles += device.barrierLatency;
  profile.epilogueCycles = real(schedule.blockM * schedule.blockN) *
                           kBytesPerElement / device.sharedBytesPerCycle;
}

KernelProfile AnalyticalModel::profile(const Schedule &schedule,
                                       std::optional<int> registers) const {
  KernelProfile profile;
  profile.schedule = schedule;
  std::optional<ScheduleLayout> layout = layoutOf(schedule, device.warpSize);
  if (!layout)
    return profile;
  profile.resources = resourcesOf(schedule, *layout, device, registers);
  if (profile.resources.blocksPerSM < 1)
    return profile;
  profile.valid = true;
  countInstructions(profile, *layout, device);
  measureChains(profile, *layout, device);
  return profile;
}

//===----------------------------------------------------------------------===//
// f_MK: blocks that share an SM
//===----------------------------------------------------------------------===//

/// `blocks` blocks take turns on the pipes of an SM; each of them needs at
/// least the latency of what it waits for, which is that of DRAM: one miss
/// among the loads of a tile is enough. Of n blocks, n - 1 hide each other's
/// waits at the barrier.
RoundCost AnalyticalModel::round(const KernelProfile &profile,
                                 int blocks) const {
  // Warps stay with their scheduler: five on four take as long as eight.
  double warps = double(blocks) * profile.resources.threads /
                 (double(device.warpSize) * device.schedulersPerSM);
  double imbalance = std::ceil(warps) / warps;
  double work = overlap(profile.fmaCycles * imbalance, profile.sharedCycles,
                        profile.issueCycles * imbalance);
  double throughput = blocks * work + profile.syncCycles;
  double latency =
      std::max({work, profile.chainCycles, double(device.globalLatency)}) +
      profile.syncCycles;
  RoundCost round;
  round.perTile = std::max(throughput, latency) / device.clockHz;
  round.overhead = (device.globalLatency + profile.syncCycles +
                    blocks * profile.epilogueCycles + device.l2Latency) /
                   device.clockHz;
  return round;
}

/// The name of the pipe that is busiest in the steady state.
static std::string_view busiestPipe(const KernelProfile &profile) {
  if (profile.fmaCycles >= profile.sharedCycles &&
      profile.fmaCycles >= profile.issueCycles)
    return "fma";
  return profile.sharedCycles >= profile.issueCycles ? "shared" : "issue";
}

MicroKernelCost AnalyticalModel::cost(const KernelProfile &profile) const {
  MicroKernelCost cost;
  cost.schedule = profile.schedule;
  cost.resources = profile.resources;
  cost.valid = profile.valid;
  if (!profile.valid)
    return cost;
  cost.lone = round(profile, 1);
  cost.full = round(profile, profile.resources.blocksPerSM);
  cost.pipe = busiestPipe(profile);
  return cost;
}
