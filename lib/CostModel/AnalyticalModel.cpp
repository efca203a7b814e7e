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
#include <cstdio>
#include <limits>
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
// f_MK: one block
//===----------------------------------------------------------------------===//

/// Wavefronts of a fragment load: lanes that read the same address are served
/// together, so what counts are the distinct bytes, which are contiguous
/// (`lanes` groups of `group` floats), per row of banks.
static double fragmentWavefronts(int64_t lanes, int64_t group,
                                 const DeviceSpec &device) {
  return ceilDiv(real(lanes * group) * kBytesPerElement,
                 device.sharedBanks * kBytesPerElement);
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
      loadsA * fragmentWavefronts(layout.lanesM, layout.groupM, device) +
      loadsB * fragmentWavefronts(layout.lanesN, layout.groupN, device) +
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
  profile.tileCycles =
      overlap(profile.fmaCycles, profile.sharedCycles, profile.issueCycles);
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
  profile.epilogueCycles = real(schedule.blockM * schedule.blockN) *
                           kBytesPerElement / device.sharedBytesPerCycle;
}

KernelProfile AnalyticalModel::profile(const Schedule &schedule) const {
  KernelProfile profile;
  profile.schedule = schedule;
  std::optional<ScheduleLayout> layout = layoutOf(schedule, device.warpSize);
  if (!layout)
    return profile;
  profile.resources = resourcesOf(schedule, *layout, device);
  if (profile.resources.blocksPerSM < 1)
    return profile;
  profile.valid = true;
  countInstructions(profile, *layout, device);
  measureChains(profile, *layout, device);
  return profile;
}

//===----------------------------------------------------------------------===//
// f_adapt: a shape
//===----------------------------------------------------------------------===//

namespace {
/// A shape in terms of the tiles that cover it.
struct Tiling {
  double m, n, k;
  double blocksM, blocksN, blocks, tilesK;

  Tiling(const Schedule &schedule, const ContractionShape &shape)
      : m(real(shape.m)), n(real(shape.n)), k(real(shape.k)),
        blocksM(ceilDiv(m, real(schedule.blockM))),
        blocksN(ceilDiv(n, real(schedule.blockN))), blocks(blocksM * blocksN),
        tilesK(ceilDiv(k, real(schedule.blockK))) {}
};

struct Traffic {
  double l2Bytes;
  double dramBytes;
};
} // namespace

/// Every block reads its rows of A and columns of B through L2; clamped ones
/// repeat a line that L1 holds. DRAM serves each element at least once. Blocks
/// run in rows of C (n fastest), `resident` at a time and in step along k, so
/// operands are shared within a wave; across waves only what L2 holds.
static Traffic trafficOf(const Tiling &tiling, const Schedule &schedule,
                         double resident, double l2Capacity) {
  double bytesA = tiling.m * tiling.k * kBytesPerElement;
  double bytesB = tiling.n * tiling.k * kBytesPerElement;
  double bytesC = tiling.m * tiling.n * kBytesPerElement;
  Traffic traffic;
  traffic.l2Bytes = bytesA * tiling.blocksN + bytesB * tiling.blocksM + bytesC;

  double waveRows = std::min(tiling.blocksM, ceilDiv(resident, tiling.blocksN));
  double stripA = std::min(tiling.m, waveRows * real(schedule.blockM)) *
                  tiling.k * kBytesPerElement;
  double readsA = 1, readsB = 1;
  if (tiling.blocksN > resident && stripA > l2Capacity / 2)
    readsA = ceilDiv(tiling.blocksN, resident);
  if (bytesB + stripA > l2Capacity)
    readsB = ceilDiv(tiling.blocksM, waveRows);
  traffic.dramBytes = bytesA * readsA + bytesB * readsB + bytesC;
  return traffic;
}

/// The name of the pipe that is busiest in the steady state.
static std::string_view busiestPipe(const KernelProfile &profile) {
  if (profile.fmaCycles >= profile.sharedCycles &&
      profile.fmaCycles >= profile.issueCycles)
    return "fma";
  return profile.sharedCycles >= profile.issueCycles ? "shared" : "issue";
}

/// Cycles until the last SM is done: the busiest one has ceil(blocks / SMs)
/// blocks to push through its pipes, in ceil(blocks / resident) rounds none of
/// which is shorter than one block on its own.
static double smCycles(const KernelProfile &profile, const Tiling &tiling,
                       const Traffic &traffic, const DeviceSpec &device,
                       bool &latencyBound) {
  double missRate = std::min(1.0, traffic.dramBytes / traffic.l2Bytes);
  double loadLatency =
      device.l2Latency + missRate * (device.globalLatency - device.l2Latency);
  double tileLatency =
      std::max({profile.tileCycles, profile.chainCycles, loadLatency}) +
      profile.syncCycles;
  double prologue = device.globalLatency + profile.syncCycles;
  double blockLatency = prologue + tiling.tilesK * tileLatency +
                        profile.epilogueCycles + device.l2Latency;
  double perSM = ceilDiv(tiling.blocks, device.smCount);
  double rounds = ceilDiv(tiling.blocks, double(device.smCount) *
                                             profile.resources.blocksPerSM);
  // Warps stay with their scheduler: five on four take as long as eight.
  double warps = perSM * profile.resources.threads /
                 (double(device.warpSize) * device.schedulersPerSM);
  double imbalance = std::ceil(warps) / warps;
  double tileCycles =
      overlap(profile.fmaCycles * imbalance, profile.sharedCycles,
              profile.issueCycles * imbalance);
  // Of r blocks taking turns, r - 1 hide each other's waits at the barrier.
  double turns = std::min<double>(perSM, profile.resources.blocksPerSM);
  double blockCycles =
      tiling.tilesK * (tileCycles + profile.syncCycles / turns) +
      profile.epilogueCycles;
  double throughput = prologue + perSM * blockCycles + device.l2Latency;
  double latency = rounds * blockLatency;
  // A lone block is latency-bound only if it waits for more than its pipes.
  latencyBound =
      latency > throughput && tileLatency > 1.25 * profile.tileCycles;
  return std::max(throughput, latency);
}

CostEstimate AnalyticalModel::estimate(const KernelProfile &profile,
                                       const ContractionShape &shape) const {
  CostEstimate result;
  if (shape.m <= 0 || shape.n <= 0 || shape.k <= 0)
    return result;
  const Schedule &schedule = profile.schedule;
  result.seconds = std::numeric_limits<double>::infinity();
  result.bound = "latency";
  if (!profile.valid)
    return result;

  Tiling tiling(schedule, shape);
  double resident = double(device.smCount) * profile.resources.blocksPerSM;
  // The grid is linear, since its y and z extents are limited to 65535.
  if (tiling.blocks > double(device.maxGridX))
    return result;
  Traffic traffic =
      trafficOf(tiling, schedule, resident, double(device.l2Bytes));

  bool latencyBound = false;
  double compute =
      smCycles(profile, tiling, traffic, device, latencyBound) / device.clockHz;
  double l2 = traffic.l2Bytes / device.l2BytesPerSecond;
  double dram = traffic.dramBytes / device.dramBytesPerSecond;
  double kernel = overlap(compute, l2, dram);

  double useful = tiling.m * tiling.n * tiling.k;
  double computed = tiling.blocks * tiling.tilesK *
                    real(schedule.blockM * schedule.blockN * schedule.blockK);
  result.seconds = device.launchSeconds + kernel;
  result.flopsPerSecond = 2 * useful / result.seconds;
  result.blocks = static_cast<int64_t>(tiling.blocks);
  result.blocksPerSM = profile.resources.blocksPerSM;
  result.waves = tiling.blocks / resident;
  result.paddingWaste = 1 - useful / computed;
  result.occupancy = profile.resources.occupancy;
  if (device.launchSeconds > kernel)
    result.bound = "launch";
  else if (dram >= compute && dram >= l2)
    result.bound = "dram";
  else if (l2 >= compute)
    result.bound = "l2";
  else
    result.bound = latencyBound ? "latency" : busiestPipe(profile);
  return result;
}

CostEstimate AnalyticalModel::estimate(const Schedule &schedule,
                                       const ContractionShape &shape) const {
  return estimate(profile(schedule), shape);
}

std::string dietcode::explain(const CostEstimate &estimate) {
  if (estimate.seconds == 0)
    return "nothing to compute";
  if (!std::isfinite(estimate.seconds))
    return "cannot run";
  // Some of what is computed is wanted, so it is never all padding.
  double padding = 100 * estimate.paddingWaste;
  char text[160];
  std::snprintf(text, sizeof(text),
                "%lld block%s, %d per SM, %.1f waves, %s%.0f %% padding, %.*s-"
                "bound",
                static_cast<long long>(estimate.blocks),
                estimate.blocks == 1 ? "" : "s", estimate.blocksPerSM,
                estimate.waves, padding > 99 ? "over " : "",
                std::min(padding, 99.0),
                static_cast<int>(estimate.bound.size()), estimate.bound.data());
  return text;
}
