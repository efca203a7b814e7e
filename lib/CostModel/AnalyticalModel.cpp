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
#include "RowProfile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace dietcode;

static constexpr double kWordBytes = 4;

/// Bytes per lane of an element that is multiplied at the tensor pipe's rate in
/// the device table; half as many go twice as fast.
static constexpr double kTensorElementBytes = 2;

/// Rows of the matrices that ldmatrix loads, and how many it loads at most.
static constexpr double kMatrixRows = 8;
static constexpr double kMostMatrices = 4;

/// Warp instructions per k tile besides FMAs and memory accesses: counter,
/// compare, branch, barrier, and the switch between the shared buffers.
static constexpr double kLoopInstructions = 10;

/// A 64-bit pointer takes two 32-bit additions per staged copy.
static constexpr double kAddressInstructions = 2;

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

/// Bytes that a wavefront of shared memory serves.
static double bytesPerWavefront(const DeviceSpec &device) {
  return device.sharedBanks * kWordBytes;
}

static double wavefrontCycles(const DeviceSpec &device) {
  return std::max(bytesPerWavefront(device) / device.sharedBytesPerCycle,
                  device.warpSize / device.lsuLanesPerSM);
}

/// What copying takes per thread of a warp and k tile, whatever multiplies.
struct CopyCounts {
  double stores, storeWavefronts, loads, loadWavefronts, conversions;
};

static CopyCounts countCopies(const KernelProfile &profile,
                              const ScheduleLayout &layout,
                              const DeviceSpec &device) {
  const Schedule &schedule = profile.schedule;
  const InstructionInfo &info = infoOf(schedule.instruction);
  double elementsA = real(layout.copiesA * layout.vectorA);
  double elementsB = real(layout.copiesB * layout.vectorB);
  double words = (elementsA + elementsB) * real(info.elementBytes) / kWordBytes;
  CopyCounts counts{};
  counts.loads = real(layout.copiesA + layout.copiesB);
  counts.loadWavefronts =
      (elementsA + elementsB) * profile.factorBytes / kWordBytes;
  if (info.isWarpWide) {
    // Chunks are stored as they are.
    counts.stores = counts.loads;
    counts.storeWavefronts = words;
    return counts;
  }
  counts.stores = elementsA + real(layout.copiesB);
  counts.storeWavefronts =
      elementsA * transposeConflicts(schedule, layout, device) + elementsB;
  if (profile.factorBytes != info.elementBytes)
    counts.conversions = elementsA + elementsB;
  return counts;
}

/// What multiplying takes per warp and k tile.
struct ProductCounts {
  double pipeCycles; ///< Of the SM.
  double products, loads, loadWavefronts;
};

static ProductCounts countThreadProducts(const KernelProfile &profile,
                                         const ScheduleLayout &layout,
                                         const DeviceSpec &device) {
  const Schedule &schedule = profile.schedule;
  double loadsA = real(schedule.blockK * schedule.threadM / layout.groupM);
  double loadsB = real(schedule.blockK * schedule.threadN / layout.groupN);
  ProductCounts counts{};
  counts.products = real(layout.sums * schedule.blockK);
  counts.pipeCycles = counts.products * device.warpSize / device.fp32LanesPerSM;
  counts.loads = loadsA + loadsB;
  counts.loadWavefronts =
      loadsA * fragmentWavefronts(layout.lanesM, layout.lanesN, layout.groupM,
                                  device) +
      loadsB * fragmentWavefronts(layout.lanesN, layout.lanesM, layout.groupN,
                                  device);
  return counts;
}

/// Matrices of eight rows by 16 bytes are one wavefront each, without conflict.
static ProductCounts countWarpProducts(const KernelProfile &profile,
                                       const DeviceSpec &device) {
  const Schedule &schedule = profile.schedule;
  const InstructionInfo &info = infoOf(schedule.instruction);
  double macs =
      real(schedule.threadM * schedule.threadN) * real(schedule.blockK);
  double steps = real(schedule.blockK) / real(info.k);
  double matricesA = real(schedule.threadM) / kMatrixRows;
  double matricesB = real(schedule.threadN) / kMatrixRows;
  ProductCounts counts{};
  counts.products = macs / real(info.m * info.n * info.k);
  counts.pipeCycles = macs / device.tensorMacsPerSM * real(info.elementBytes) /
                      kTensorElementBytes;
  counts.loads = steps * (ceilDiv(matricesA, kMostMatrices) +
                          ceilDiv(matricesB, kMostMatrices));
  counts.loadWavefronts = steps * (matricesA + matricesB);
  return counts;
}

static void countInstructions(KernelProfile &profile,
                              const ScheduleLayout &layout,
                              const DeviceSpec &device) {
  double warps = real(layout.threads) / device.warpSize;
  ProductCounts product = infoOf(profile.schedule.instruction).isWarpWide
                              ? countWarpProducts(profile, device)
                              : countThreadProducts(profile, layout, device);
  CopyCounts copies = countCopies(profile, layout, device);
  profile.load.fma = warps * product.pipeCycles;
  // L1 and shared memory are one unit, which the global loads pass too.
  double wavefronts =
      product.loadWavefronts + copies.storeWavefronts + copies.loadWavefronts;
  profile.load.shared = warps * wavefronts * wavefrontCycles(device);
  double instructions =
      product.products + product.loads + copies.stores + copies.conversions +
      copies.loads * (1 + kAddressInstructions) + kLoopInstructions;
  profile.load.issue = warps * instructions / device.schedulersPerSM;
}

/// What one block alone takes per k tile however wide the machine is: the FMAs
/// of the warps that share a scheduler, the dependence of an accumulator on its
/// last value, and shared loads.
static void measureChains(KernelProfile &profile, const ScheduleLayout &layout,
                          const DeviceSpec &device) {
  const Schedule &schedule = profile.schedule;
  const InstructionInfo &info = infoOf(schedule.instruction);
  double warps = real(layout.threads) / device.warpSize;
  double steps = real(schedule.blockK) / real(info.k);
  // The pipe of a sub-core works for those of its warps alone.
  double pipeStep = profile.load.fma / warps / steps * device.schedulersPerSM *
                    ceilDiv(warps, device.schedulersPerSM);
  double latency =
      info.isWarpWide ? device.tensorLatency : device.arithmeticLatency;
  // Fragments of the tensor cores are loaded a step ahead. Those of threads are
  // hoisted as far as registers allow, but in the enumerations of
  // benchmarks/tuning a block on its own still waits for one load in each step.
  double step = std::max(pipeStep, latency);
  step = info.isWarpWide ? std::max<double>(step, device.sharedLatency)
                         : step + device.sharedLatency;
  profile.chainCycles = steps * step;
  // The warps of a scheduler store their copies at the same time, and multiply
  // when the last has; those of the tensor cores do so little by little.
  if (!info.isWarpWide)
    profile.chainCycles +=
        warps / device.schedulersPerSM *
        countCopies(profile, layout, device).storeWavefronts *
        wavefrontCycles(device);
  // One miss among the loads of a tile is enough.
  profile.waitCycles = device.globalLatency;
  // Store the staged copies, meet at the barrier, load the first fragments.
  profile.syncCycles = 2 * device.sharedLatency;
  // With one buffer, nobody may store before all have multiplied.
  if (schedule.stages == 1)
    profile.syncCycles += device.barrierLatency;
  profile.startCycles =
      device.globalLatency + profile.syncCycles + device.l2Latency;
  profile.epilogueCycles = real(schedule.blockM * schedule.blockN) *
                           profile.outBytes / device.sharedBytesPerCycle;
}

KernelProfile AnalyticalModel::profile(const Schedule &schedule,
                                       std::optional<int> registers,
                                       const OperatorTraits &traits) const {
  KernelProfile profile;
  profile.schedule = schedule;
  profile.factorBytes = traits.factorBytes();
  profile.outBytes = traits.outBytes();
  profile.rows = traits.rows;
  if (traits.rows) {
    profileRows(profile, registers, device);
    return profile;
  }
  std::optional<ScheduleLayout> layout = layoutOf(schedule, device.warpSize);
  if (!layout)
    return profile;
  // What was assembled has had registers enough.
  if (!registers &&
      !hasRegistersFor(traits.addresses, schedule, *layout, device))
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
/// least the latency of what it waits for. Of n blocks, n - 1 hide each other's
/// waits at the barrier.
RoundCost AnalyticalModel::round(const KernelProfile &profile,
                                 int blocks) const {
  double work = profile.load.cycles(blocks, profile.resources.threads, device);
  double throughput = work + profile.syncCycles;
  double latency =
      std::max({work / blocks, profile.chainCycles, profile.waitCycles}) +
      profile.syncCycles;
  RoundCost round;
  round.perTile = std::max(throughput, latency) / device.clockHz;
  round.overhead =
      (profile.startCycles + blocks * profile.epilogueCycles) / device.clockHz;
  return round;
}

/// The name of the pipe that is busiest in the steady state.
static std::string_view busiestPipe(const KernelProfile &profile) {
  if (profile.load.fma >= profile.load.shared &&
      profile.load.fma >= profile.load.issue)
    return infoOf(profile.schedule.instruction).isWarpWide ? "tensor" : "fma";
  return profile.load.shared >= profile.load.issue ? "shared" : "issue";
}

MicroKernelCost AnalyticalModel::cost(const KernelProfile &profile) const {
  MicroKernelCost cost;
  cost.schedule = profile.schedule;
  cost.resources = profile.resources;
  cost.valid = profile.valid;
  cost.factorBytes = profile.factorBytes;
  cost.outBytes = profile.outBytes;
  cost.rows = profile.rows;
  if (!profile.valid)
    return cost;
  cost.lone = round(profile, 1);
  cost.full = round(profile, profile.resources.blocksPerSM);
  cost.load = profile.load;
  cost.pipe = busiestPipe(profile);
  return cost;
}
