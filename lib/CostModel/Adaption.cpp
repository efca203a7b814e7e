//===- Adaption.cpp - From the cost of a micro-kernel to a shape ----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/Adaption.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

using namespace dietcode;

static constexpr double kBytesPerElement = 4;

/// k tiles over which the throughput of a micro-kernel is quoted.
static constexpr double kThroughputDepth = 4096;

/// A block that takes this much longer than its share of a full SM waits more
/// than it works.
static constexpr double kLatencyBoundRatio = 1.25;

static double ceilDiv(double a, double b) { return std::ceil(a / b); }

static double real(int64_t value) { return static_cast<double>(value); }

static double fourth(double value) { return value * value * value * value; }

static double eighth(double value) { return fourth(value) * fourth(value); }

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

/// How the busiest SM spends its time.
struct Rounds {
  double full = 0;    ///< Of blocksPerSM blocks.
  int rest = 0;       ///< Blocks of the last, partial round.
  double seconds = 0; ///< Of all of them.
  double work = 0;    ///< Seconds if every block took its share of a full SM.
};
} // namespace

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Every block reads its rows of A and columns of B through L2; clamped ones
/// repeat a line that L1 holds. DRAM serves each element at least once. Blocks
/// run in columns of C (m fastest), `resident` at a time and in step along k,
/// so operands are shared within a wave; across waves only what L2 holds.
static Traffic trafficOf(const Tiling &tiling, const Schedule &schedule,
                         double resident, double l2Capacity) {
  double bytesA = tiling.m * tiling.k * kBytesPerElement;
  double bytesB = tiling.n * tiling.k * kBytesPerElement;
  double bytesC = tiling.m * tiling.n * kBytesPerElement;
  Traffic traffic;
  traffic.l2Bytes = bytesA * tiling.blocksN + bytesB * tiling.blocksM + bytesC;

  double columns = std::min(tiling.blocksN, ceilDiv(resident, tiling.blocksM));
  double stripB = std::min(tiling.n, columns * real(schedule.blockN)) *
                  tiling.k * kBytesPerElement;
  double readsA = 1, readsB = 1;
  if (tiling.blocksM > resident && stripB > l2Capacity / 2)
    readsB = ceilDiv(tiling.blocksM, resident);
  if (bytesA + stripB > l2Capacity)
    readsA = ceilDiv(tiling.blocksN, columns);
  traffic.dramBytes = bytesA * readsA + bytesB * readsB + bytesC;
  return traffic;
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

/// Between one block and a full SM, time follows the larger of a constant, the
/// latency of a block, and a term proportional to the blocks, their work. The
/// larger is the 8-norm, rounded where they meet, and the two terms are such
/// that both ends are exact.
double Adaption::roundSeconds(const MicroKernelCost &cost, int blocks,
                              double tiles) const {
  double lone = cost.lone.seconds(tiles), full = cost.full.seconds(tiles);
  int most = cost.resources.blocksPerSM;
  if (blocks >= most)
    return full;
  if (blocks <= 1)
    return lone;
  double position = (eighth(blocks) - 1) / (eighth(most) - 1);
  double ratio = eighth(full / lone);
  return lone * std::pow(1 + (ratio - 1) * position, 0.125);
}

static Rounds roundsOf(const Adaption &adaption, const MicroKernelCost &cost,
                       double blocksOnBusiest, double tiles) {
  int perRound = cost.resources.blocksPerSM;
  Rounds rounds;
  rounds.full = std::floor(blocksOnBusiest / perRound);
  rounds.rest = static_cast<int>(blocksOnBusiest - rounds.full * perRound);
  double full = adaption.roundSeconds(cost, perRound, tiles);
  rounds.seconds = rounds.full * full;
  if (rounds.rest > 0)
    rounds.seconds += adaption.roundSeconds(cost, rounds.rest, tiles);
  rounds.work = blocksOnBusiest * full / perRound;
  return rounds;
}

//===----------------------------------------------------------------------===//
// Calibration
//===----------------------------------------------------------------------===//

/// Doublings of the work over which a calibration fades to 1/e.
static constexpr double kCalibrationReach = 0.5;

/// What the model itself weighs against calibrations, so that they fade to 1
/// far from any.
static constexpr double kModelWeight = 0.02;

/// Squared distance below which two shapes are the same.
static constexpr double kSameShape = 1e-9;

/// Squared distance of two shapes in doublings of their extents.
static double squaredDistance(const ContractionShape &a,
                              const ContractionShape &b) {
  double sum = 0;
  for (auto [x, y] :
       {std::pair(a.m, b.m), std::pair(a.n, b.n), std::pair(a.k, b.k)}) {
    double doublings = std::log2(real(x) / real(y));
    sum += doublings * doublings;
  }
  return sum;
}

/// A mean of the calibrations, in which near ones count most: Shepard's inverse
/// squared distance, so that a measured shape costs what was measured, fading
/// like a Gaussian.
static double calibrate(const MicroKernelCost &cost,
                        const ContractionShape &shape) {
  double weights = kModelWeight, sum = 0;
  for (const Calibration &calibration : cost.calibrations) {
    double distance = squaredDistance(calibration.shape, shape);
    double weight =
        std::exp(-distance / (kCalibrationReach * kCalibrationReach)) /
        std::max(distance, kSameShape);
    weights += weight;
    sum += weight * std::log(calibration.ratio);
  }
  return std::exp(sum / weights);
}

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

/// A smooth maximum, the 4-norm: units that overlap imperfectly take about the
/// time of the slowest, and 19 % more when two of them are equally busy. What
/// was measured has its share of memory accesses in it already.
static double combine(CostSource source, double compute, double l2,
                      double dram) {
  if (source != CostSource::Analytical)
    return std::max({compute, l2, dram});
  return std::sqrt(std::sqrt(fourth(compute) + fourth(l2) + fourth(dram)));
}

CostEstimate Adaption::estimate(const MicroKernelCost &cost,
                                const ContractionShape &shape) const {
  CostEstimate result;
  if (shape.m <= 0 || shape.n <= 0 || shape.k <= 0)
    return result;
  const Schedule &schedule = cost.schedule;
  result.seconds = std::numeric_limits<double>::infinity();
  result.bound = "latency";
  if (!cost.valid)
    return result;

  Tiling tiling(schedule, shape);
  double resident = double(device.smCount) * cost.resources.blocksPerSM;
  // The grid is linear, since its y and z extents are limited to 65535.
  if (tiling.blocks > double(device.maxGridX))
    return result;
  Rounds rounds = roundsOf(*this, cost, ceilDiv(tiling.blocks, device.smCount),
                           tiling.tilesK);
  Traffic traffic =
      trafficOf(tiling, schedule, resident, double(device.l2Bytes));
  double l2 = traffic.l2Bytes / device.l2BytesPerSecond;
  double dram = traffic.dramBytes / device.dramBytesPerSecond;
  double kernel =
      combine(cost.source, rounds.seconds, l2, dram) * calibrate(cost, shape);

  double useful = tiling.m * tiling.n * tiling.k;
  double computed = tiling.blocks * tiling.tilesK *
                    real(schedule.blockM * schedule.blockN * schedule.blockK);
  result.seconds = device.launchSeconds + kernel;
  result.flopsPerSecond = 2 * useful / result.seconds;
  result.blocks = static_cast<int64_t>(tiling.blocks);
  result.blocksPerSM = cost.resources.blocksPerSM;
  result.waves = tiling.blocks / resident;
  result.paddingWaste = 1 - useful / computed;
  result.occupancy = cost.resources.occupancy;
  if (device.launchSeconds > kernel)
    result.bound = "launch";
  else if (dram >= rounds.seconds && dram >= l2)
    result.bound = "dram";
  else if (l2 >= rounds.seconds)
    result.bound = "l2";
  else if (rounds.seconds < kLatencyBoundRatio * rounds.work)
    result.bound = cost.pipe;
  return result;
}

double Adaption::throughput(const MicroKernelCost &cost) const {
  if (!cost.valid)
    return 0;
  const Schedule &schedule = cost.schedule;
  double tiles = kThroughputDepth / real(schedule.blockK);
  double flop = 2 * real(schedule.blockM * schedule.blockN) * kThroughputDepth *
                cost.resources.blocksPerSM * device.smCount;
  return flop / cost.full.seconds(tiles);
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
