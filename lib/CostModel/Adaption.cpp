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

/// Of a sum in the workspace.
static constexpr double kBytesPerSum = 4;

/// k tiles over which the throughput of a micro-kernel is quoted.
static constexpr double kThroughputDepth = 4096;

/// A block that takes this much longer than its share of a full SM waits more
/// than it works.
static constexpr double kLatencyBoundRatio = 1.25;

static double ceilDiv(double a, double b) { return std::ceil(a / b); }

static double real(int64_t value) { return static_cast<double>(value); }

static double fourth(double value) { return value * value * value * value; }

static double sixth(double value) { return value * value * fourth(value); }

namespace {
/// A shape in terms of the tiles that cover it.
struct Tiling {
  double m, n, k;
  double tilesM, tilesN, blocks;
  double tilesK; ///< Of one block: along k, or of its rows.

  Tiling(const Schedule &schedule, const ContractionShape &shape)
      : m(real(shape.m)), n(real(shape.n)), k(real(shape.k)),
        tilesM(ceilDiv(m, real(schedule.blockM))),
        tilesN(ceilDiv(n, real(schedule.blockN))),
        blocks(real(schedule.split) * real(shape.batch) *
               (schedule.instruction == Instruction::Rows ? tilesM
                                                          : tilesM * tilesN)),
        tilesK(real(tilesPerBlock(schedule, shape))) {}
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

namespace {
/// The operand that is indexed by a dimension of C.
struct Operand {
  double bytes;     ///< Of its elements in memory.
  double readBytes; ///< Of those that are multiplied.
  double tiles;     ///< Along the dimension.
  double tileBytes; ///< Of one of them in memory, over all of k.
};
} // namespace

/// Every block reads its rows of A and columns of B through L2; clamped ones
/// repeat a line that L1 holds. DRAM serves each element at least once. Tiles
/// run along the first dimension of the order, `resident` of them at a time and
/// in step along k, so operands are shared within a wave; across waves only
/// what L2 holds. Bands are shorter strips, for which the other operand comes
/// again unless L2 holds it. What is written, the sums of all parts after a
/// split, goes out once.
static Traffic productTraffic(const Tiling &tiling,
                              const ContractionShape &shape,
                              const MicroKernelCost &cost,
                              double residentBlocks, double l2Capacity) {
  const Schedule &schedule = cost.schedule;
  double resident = std::max(1.0, residentBlocks / real(schedule.split));
  double bytesPerElement =
      schedule.split == 1 ? cost.outBytes : kBytesPerSum * real(schedule.split);
  double written = tiling.m * tiling.n * bytesPerElement;
  auto operandOf = [&](double extent, double tiles, int64_t block,
                       double reuse) {
    double bytesPerLine = tiling.k * cost.factorBytes;
    return Operand{extent * bytesPerLine / reuse, extent * bytesPerLine, tiles,
                   real(block) * bytesPerLine / reuse};
  };
  Operand a = operandOf(tiling.m, tiling.tilesM, schedule.blockM, shape.reuseA);
  Operand b = operandOf(tiling.n, tiling.tilesN, schedule.blockN, shape.reuseB);
  Traffic traffic;
  traffic.l2Bytes = a.readBytes * b.tiles + b.readBytes * a.tiles + written;

  bool isMFirst = schedule.order != TileOrder::NFirst;
  const Operand &inner = isMFirst ? a : b, &outer = isMFirst ? b : a;
  // Bands are walked one after the other as if there was no other.
  double height = inner.tiles, bands = 1;
  if (schedule.order == TileOrder::Bands) {
    height = std::min(height, real(bandTiles(schedule)));
    bands = ceilDiv(inner.tiles, height);
  }
  double strips = std::min(outer.tiles, ceilDiv(resident, height));
  double strip = std::min(outer.bytes, strips * outer.tileBytes);
  double innerReads = 1, outerReads = outer.bytes > l2Capacity / 2 ? bands : 1;
  if (height > resident && strip > l2Capacity / 2)
    outerReads *= ceilDiv(height, resident);
  if (std::min(inner.bytes, height * inner.tileBytes) + strip > l2Capacity)
    innerReads = ceilDiv(outer.tiles, strips);
  traffic.dramBytes =
      inner.bytes * innerReads + outer.bytes * outerReads + written;
  return traffic;
}

/// Rows that take several tiles are read again by each pass, from L2 if it
/// holds those that are being computed. Where neighbours in memory are rows, a
/// block of few of them asks for sectors of which it uses a part; other blocks
/// use the rest while L2 has it.
static Traffic rowTraffic(const Tiling &tiling, double tiles,
                          const MicroKernelCost &cost, double residentBlocks,
                          double l2Capacity, double sectorBytes) {
  const RowTraits &rows = *cost.rows;
  double bytes = tiling.m * tiling.n * real(rows.elementBytes);
  double sweeps = tiles / tiling.tilesK;
  double current = residentBlocks * real(cost.schedule.blockM) * tiling.n *
                   real(rows.elementBytes);
  double column = real(cost.schedule.blockM * rows.elementBytes) /
                  real(std::max<int64_t>(1, rows.accesses));
  double unused = std::max(1.0, sectorBytes / column);
  if (rows.access == RowAccess::Columns)
    unused = 1;
  else if (rows.access == RowAccess::Mixed)
    unused = (1 + unused) / 2;
  return {bytes * sweeps * unused,
          bytes * (current > l2Capacity / 2 ? sweeps : 1)};
}

/// The reduction waits for its loads once, and then takes what it needs to read
/// the sums from L2, if they fit into it, or to write their total; or else what
/// DRAM needs for both.
double Adaption::otherSeconds(const Schedule &schedule,
                              const ContractionShape &shape,
                              double blocks) const {
  if (schedule.split == 1)
    return device.launchSeconds;
  double tiles = blocks / real(schedule.split);
  double elements =
      std::min(real(shape.m) * real(shape.n) * real(shape.batch),
               tiles * real(schedule.blockM) * real(schedule.blockN));
  double written = elements * kBytesPerSum;
  double read = written * real(schedule.split);
  double seconds = (read + written) / device.dramBytesPerSecond;
  if (read <= real(device.l2Bytes))
    seconds = std::max(read / device.l2BytesPerSecond,
                       written / device.dramBytesPerSecond);
  return 2 * device.launchSeconds + device.globalLatency / device.clockHz +
         seconds;
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

double Adaption::tilesOf(const MicroKernelCost &cost,
                         const ContractionShape &shape) const {
  double tiles = real(tilesPerBlock(cost.schedule, shape));
  return cost.rows && tiles > 1 ? tiles * real(cost.rows->passes + 1) : tiles;
}

/// A smooth maximum, the 4-norm: units that overlap imperfectly take about the
/// time of the slowest, and 19 % more when two of them are equally busy. Warps
/// stay with their scheduler, so that five on four take as long as eight;
/// shared memory is for all of them.
double PipeLoad::cycles(int blocks, int64_t threads,
                        const DeviceSpec &device) const {
  double warps = double(blocks) * double(threads) /
                 (double(device.warpSize) * device.schedulersPerSM);
  double imbalance = warps > 0 ? std::ceil(warps) / warps : 1;
  return blocks * std::sqrt(std::sqrt(fourth(fma * imbalance) + fourth(shared) +
                                      fourth(issue * imbalance)));
}

/// Between one block and a full SM, time follows the larger of a constant, the
/// latency of a block, and a term proportional to the work of the blocks. The
/// larger is the 6-norm, rounded where they meet, and the two terms are such
/// that both ends are exact.
double Adaption::roundSeconds(const MicroKernelCost &cost, int blocks,
                              double tiles) const {
  double lone = cost.lone.seconds(tiles), full = cost.full.seconds(tiles);
  int most = cost.resources.blocksPerSM;
  if (blocks >= most)
    return full;
  if (blocks <= 1)
    return lone;
  double first = sixth(busyCycles(cost, 1));
  double last = sixth(busyCycles(cost, most));
  // A full SM may have no more warps on its busiest scheduler than one block.
  if (last <= first)
    return std::max(lone, full);
  double position = (sixth(busyCycles(cost, blocks)) - first) / (last - first);
  double ratio = sixth(full / lone);
  return lone * std::pow(1 + (ratio - 1) * position, 1.0 / 6);
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
  for (auto [x, y] : {std::pair(a.m, b.m), std::pair(a.n, b.n),
                      std::pair(a.k, b.k), std::pair(a.batch, b.batch)}) {
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
  if (isEmpty(shape))
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
  double tiles = tilesOf(cost, shape);
  Rounds rounds =
      roundsOf(*this, cost, ceilDiv(tiling.blocks, device.smCount), tiles);
  // Of one product; those of a batch have nothing in common.
  Traffic traffic = cost.rows
                        ? rowTraffic(tiling, tiles, cost, resident,
                                     double(device.l2Bytes), device.sectorBytes)
                        : productTraffic(tiling, shape, cost, resident,
                                         double(device.l2Bytes));
  traffic.l2Bytes *= real(shape.batch);
  traffic.dramBytes *= real(shape.batch);
  double l2 = traffic.l2Bytes / device.l2BytesPerSecond;
  double dram = traffic.dramBytes / device.dramBytesPerSecond;
  double kernel =
      combine(cost.source, rounds.seconds, l2, dram) * calibrate(cost, shape);
  double other = otherSeconds(schedule, shape, tiling.blocks);

  double useful = tiling.m * tiling.n * tiling.k * real(shape.batch);
  double computed = tiling.blocks * tiling.tilesK *
                    real(schedule.blockM * schedule.blockN * schedule.blockK);
  result.seconds = other + kernel;
  result.flopsPerSecond = (cost.rows ? 1 : 2) * useful / result.seconds;
  result.blocks = static_cast<int64_t>(tiling.blocks);
  result.blocksPerSM = cost.resources.blocksPerSM;
  result.waves = tiling.blocks / resident;
  result.paddingWaste = 1 - useful / computed;
  result.occupancy = cost.resources.occupancy;
  if (other > kernel)
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
  if (cost.rows)
    return real(schedule.blockM * schedule.blockN) *
           cost.resources.blocksPerSM * device.smCount / cost.full.seconds(1);
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
