//===- Estimate.cpp - From traces to a timing report ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With B = ceil(grid / SMs) blocks on the busiest SM, R of them resident at
// once, and T(n) the replayed cycles of n blocks together:
//
//   cycles = floor(B / R) T(R) + T(B mod R)
//   seconds = launch overhead + cycles / clock
//
// L2 and DRAM serve all resident blocks alike, so where the last round leaves
// other SMs with fewer blocks, the busiest one gets more than an SM's part of
// their bandwidth: T of that round is that of n blocks among all of the round.
// The busiest SM's part of what DRAM delivers (see Traffic.cpp) is that of its
// blocks among all blocks: over the bytes that it loads, each counted once,
// that is the probability that its first access to a sector goes to DRAM. No
// launch takes less than DRAM needs for all of its bytes.
//
//===----------------------------------------------------------------------===//

#include "Estimate.h"
#include "Limiter.h"
#include "Replay.h"
#include <algorithm>
#include <cmath>

namespace dietcode::vgpu {
namespace {

/// Warp instructions to replay for one estimate, which bounds its cost.
constexpr uint64_t replayBudget = 250000;
/// More than that even after cutting loops is not replayed at all.
constexpr uint64_t mostReplayed = 30000000;
/// Registers by which ptxas may exceed the order of the PTX when it hoists
/// loads: two fragments of a 128-bit load per operand.
constexpr unsigned scheduleSlack = 16;

int64_t roundUp(int64_t value, int64_t unit) {
  return unit > 0 ? (value + unit - 1) / unit * unit : value;
}

/// What a block takes of an SM's shared memory.
int64_t sharedPerBlock(const LaunchState &launch) {
  int64_t bytes = launch.sharedBytes + launch.spec.reservedSharedPerBlock;
  return roundUp(bytes, launch.spec.sharedAllocationUnit);
}

class Estimator {
public:
  Estimator(const LaunchState &launch, const BlockMap &map,
            const TracedLaunch &traced)
      : launch(launch), spec(launch.spec), map(map), traces(traced.blocks),
        neighbours(traced.neighbours), sample(traced.sample),
        sampled(std::max<double>(1, double(traced.sampledBlocks))) {}

  TimingReport run();

private:
  MemoryShare memoryShare(const std::vector<const BlockTrace *> &together,
                          double shares);
  double loadedBytes(const std::vector<const BlockTrace *> &together);
  ReplayResult replayTogether(uint64_t blocks, double shares);
  void addRounds(double rounds, uint64_t blocks, double resident);
  void fill(TimingReport &report) const;
  void fillRates(TimingReport &report) const;
  void fillLosses(TimingReport &report) const;

  const LaunchState &launch;
  const DeviceSpec &spec;
  const BlockMap &map;
  const std::vector<const BlockTrace *> &traces;
  const std::vector<Neighbour> &neighbours;
  const Sample &sample;
  double sampled;
  std::vector<ScheduledBlock> schedule;
  unsigned slots = 0;
  double blocks = 1, busiest = 1;
  Occupancy occupancy;
  Traffic dram;
  uint64_t replayed = 0;
  bool tooLong = false;
  ReplayResult total; ///< Of the busiest SM.
};

/// The bytes that blocks load, those that several of them load once.
double Estimator::loadedBytes(const std::vector<const BlockTrace *> &together) {
  std::vector<std::vector<uint16_t>> loads(schedule.size());
  for (size_t b = 0; b < schedule.size(); ++b)
    for (const ScheduledInst &inst : schedule[b].insts)
      if (inst.isLoad && inst.access != noAccess &&
          inst.cost.unit == Unit::Global)
        loads[b].push_back(inst.access);
  SectorSet sectors;
  for (const BlockTrace *trace : together)
    for (const WarpTrace &warp : trace->warps)
      for (const TracedBlock &block : warp.blocks)
        for (uint16_t load : loads[block.block]) {
          const TracedAccess &access = warp.accesses[block.firstAccess + load];
          for (unsigned i = 0; i < access.sectors; ++i)
            sectors.insert(trace->sectors[access.firstSector + i]);
        }
  return double(spec.sectorBytes) * double(sectors.size());
}

MemoryShare
Estimator::memoryShare(const std::vector<const BlockTrace *> &together,
                       double shares) {
  MemoryShare share;
  share.shares = shares;
  // What the smallest part that holds the shared memory leaves.
  int64_t shared = sharedPerBlock(launch) * occupancy.blocks;
  int64_t carved = spec.sharedPerSM;
  for (int size : spec.sharedCarveouts)
    if (size >= shared) {
      carved = size;
      break;
    }
  share.l1Bytes = spec.unifiedL1Bytes - carved;
  double loaded = loadedBytes(together);
  double delivered = dram.read * double(together.size()) / blocks;
  share.firstTouchMisses = loaded > 0 ? std::min(1.0, delivered / loaded) : 1;
  double sharing = 1;
  if (dram.footprint > 0)
    sharing = loaded * shares / dram.footprint;
  sharing = std::min(shares, std::max(1.0, sharing));
  share.l2Bytes = double(spec.l2Bytes) * sharing / shares;
  return share;
}

ReplayResult Estimator::replayTogether(uint64_t n, double shares) {
  std::vector<const BlockTrace *> together;
  for (uint64_t i = 0; i < n; ++i)
    together.push_back(traces[i % traces.size()]);
  ReplayPlan plan = planReplay(together, schedule, replayBudget);
  tooLong |= plan.instructions > mostReplayed;
  if (tooLong)
    return {};
  replayed += plan.instructions;
  return replay(spec, memoryShare(together, shares), plan, together, schedule,
                slots);
}

/// Adds rounds of `n` blocks on the busiest SM and `resident` on the device.
void Estimator::addRounds(double rounds, uint64_t n, double resident) {
  if (n == 0 || rounds == 0 || tooLong)
    return;
  ReplayCounters zero;
  ReplayResult part = replayTogether(n, resident / double(n));
  total.cycles += rounds * part.cycles;
  total.extrapolated += rounds * part.extrapolated;
  total.counters.addScaled(part.counters, zero, rounds);
}

TimingReport Estimator::run() {
  TimingReport report;
  for (const BlockTrace *trace : traces)
    if (trace->overflow)
      return report;
  if (traces.empty())
    return report;
  schedule = scheduleBlocks(launch.program, map, spec, scheduleSlack, slots);
  if (schedule.empty())
    return report;
  blocks = double(launch.gridBlocks());
  busiest = std::ceil(blocks / spec.smCount);
  occupancy = occupancyOf(launch);
  dram = countTraffic(launch, *traces.front(), neighbours, sample, sampled,
                      occupancy.blocks);
  auto count = static_cast<uint64_t>(busiest);
  auto perRound = static_cast<uint64_t>(occupancy.blocks);
  double full = double(perRound) * spec.smCount;
  uint64_t last = (count - 1) % perRound + 1; // Blocks of the last round.
  auto rounds = double((count - last) / perRound);
  double left = blocks - rounds * full;
  if (left == full) // As full as the others.
    addRounds(rounds + 1, perRound, full);
  else {
    addRounds(rounds, perRound, full);
    addRounds(1, last, left);
  }
  if (tooLong)
    return report;
  total.cycles =
      std::max(total.cycles, (dram.read + dram.written) /
                                 spec.dramBytesPerSecond * spec.clockHz);
  fill(report);
  return report;
}

void Estimator::fill(TimingReport &report) const {
  report.valid = true;
  report.device = virtualName(spec);
  report.calibrated = spec.calibrated;
  report.cycles = total.cycles;
  report.dramBytes = dram.read + dram.written;
  report.launchMicroseconds = spec.launchSeconds * 1e6;
  report.microseconds =
      report.launchMicroseconds + total.cycles / spec.clockHz * 1e6;
  double perBlock = total.counters.flop / busiest;
  report.flop = perBlock * blocks;
  double cycles = std::max(1.0, total.cycles);
  report.flopPerCyclePerSM = report.flop / cycles / spec.smCount;
  report.fp32PeakFraction =
      report.flopPerCyclePerSM / (2 * spec.fp32LanesPerSM);
  auto warps = (launch.threads + 31) / 32;
  report.registersPerThread = launch.registers.perThread;
  report.registerSource = launch.registers.source;
  report.spillBytes = launch.registers.spillBytes;
  report.residentBlocks = occupancy.blocks;
  report.residentWarps = occupancy.blocks * warps;
  report.occupancy = double(report.residentWarps) / spec.maxWarpsPerSM;
  report.occupancyLimiter = occupancy.limiter;
  report.waves = busiest / occupancy.blocks;
  report.replayedInstructions = replayed;
  report.extrapolatedFraction = total.extrapolated / cycles;
  fillRates(report);
  findLimiter(report);
}

void Estimator::fillRates(TimingReport &report) const {
  const ReplayCounters &c = total.counters;
  double cycles = std::max(1.0, total.cycles);
  double slots = cycles * spec.schedulersPerSM;
  auto set = [&](Bound bound, double value) {
    report.busy[static_cast<unsigned>(bound)] = value;
  };
  auto unit = [&](Bound bound, Unit which) {
    set(bound, c.units[static_cast<unsigned>(which)] / slots);
  };
  set(Bound::Issue, c.issued / slots);
  unit(Bound::Fma, Unit::Fma);
  unit(Bound::Integer, Unit::Alu);
  unit(Bound::Fp64, Unit::Fp64);
  unit(Bound::Sfu, Unit::Sfu);
  unit(Bound::Tensor, Unit::Tensor);
  const MemoryCounters &m = c.memory;
  set(Bound::Shared, m.pathShared / cycles);
  set(Bound::L1, m.pathL1 / cycles);
  set(Bound::L2, m.l2 / cycles);
  set(Bound::Dram, m.dram / cycles);
  for (unsigned i = 0; i < stallCount; ++i)
    report.stalls[i] = c.stalls[i] / std::max(1.0, c.warpCycles);
  fillLosses(report);
  auto ratio = [](double a, double b) { return b > 0 ? a / b : 0; };
  report.l1HitRate = ratio(m.l1Hits, m.loadSectors);
  report.l2HitRate = ratio(m.l2Hits, m.l2Loads);
  report.sharedConflictRatio = ratio(m.wavefronts, m.idealWavefronts);
  report.sectorsPerRequest = ratio(m.sectors, m.requests);
  report.idealSectorsPerRequest = ratio(m.idealSectors, m.requests);
}

/// Accesses wait for others at a part that is idle half of the time only when
/// they come in bursts: that is latency, more bandwidth would not be missed.
void Estimator::fillLosses(TimingReport &report) const {
  constexpr double burstsOnly = 0.5;
  double slots = std::max(1.0, total.cycles) * spec.schedulersPerSM;
  auto busy = [&](Bound bound) {
    return report.busy[static_cast<unsigned>(bound)];
  };
  auto loss = [&](Loss which) -> double & {
    return report.losses[static_cast<unsigned>(which)];
  };
  for (unsigned i = 0; i < lossCount; ++i)
    report.losses[i] = total.counters.losses[i] / slots;
  auto join = [&](double use, Loss queue, Loss latency) {
    if (use >= burstsOnly)
      return;
    loss(latency) += loss(queue);
    loss(queue) = 0;
  };
  double path = busy(Bound::Shared) + busy(Bound::L1);
  join(path, Loss::SharedBandwidth, Loss::SharedLatency);
  join(path, Loss::L1Bandwidth, Loss::GlobalLatency);
  join(busy(Bound::L2), Loss::L2Bandwidth, Loss::GlobalLatency);
  join(busy(Bound::Dram), Loss::DramBandwidth, Loss::GlobalLatency);
}

} // namespace

Occupancy occupancyOf(const LaunchState &launch) {
  const DeviceSpec &spec = launch.spec;
  int64_t warps = (launch.threads + 31) / 32;
  int64_t registers =
      roundUp(32 * std::max<int64_t>(launch.registers.perThread, 16),
              spec.registerAllocationUnit) *
      warps;
  int64_t shared = std::max<int64_t>(sharedPerBlock(launch), 1);
  const std::pair<int64_t, const char *> limits[] = {
      {spec.maxBlocksPerSM, "blocks"},
      {spec.maxWarpsPerSM / warps, "warps"},
      {spec.maxThreadsPerSM / (warps * 32), "threads"},
      {spec.registersPerSM / registers, "registers"},
      {spec.sharedPerSM / shared, "shared memory"},
  };
  Occupancy result;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (auto &[limit, name] : limits)
    if (limit < least) {
      least = limit;
      result.limiter = name;
    }
  // An assembler spills rather than fail, so one block always fits.
  result.blocks = static_cast<uint32_t>(std::max<int64_t>(least, 1));
  return result;
}

std::vector<uint64_t> blocksToTrace(const LaunchState &launch) {
  uint64_t blocks = launch.gridBlocks();
  auto sms = static_cast<uint64_t>(launch.spec.smCount);
  uint64_t resident = occupancyOf(launch).blocks;
  std::vector<uint64_t> result;
  for (uint64_t i = 0; i < resident && i * sms < blocks; ++i)
    result.push_back(i * sms);
  return result;
}

TimingReport estimateTime(const LaunchState &launch, const BlockMap &map,
                          const TracedLaunch &traced) {
  return Estimator(launch, map, traced).run();
}

} // namespace dietcode::vgpu
