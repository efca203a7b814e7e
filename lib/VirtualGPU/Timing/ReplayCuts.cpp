//===- ReplayCuts.cpp - What was cut out of loops -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplaySM.h"
#include <algorithm>

namespace dietcode::vgpu {

void SM::enterStep(ReplayedWarp &warp, double now) {
  const ReplayStep &step = warp.plan->steps[warp.step];
  if (step.cut == noCut || step.iteration == noCut)
    return;
  if (step.iteration >= plan.cuts[step.cut].head && !touched[step.cut].done)
    touchSkipped(step.cut);
  warp.progress += !hasBarriers;
  Crossing &crossing = crossings[step.cut][step.iteration];
  crossing.sum += now;
  ++crossing.count;
  if (!crossing.seen) {
    crossing.seen = true;
    crossing.counters = counters;
    crossing.counters.memory = memory.counters;
  }
}

void SM::touchSkipped(uint16_t cut) {
  touched[cut].done = true;
  double l2 = memory.touchedL2, dram = memory.touchedDram;
  std::vector<const std::vector<TracedBlock> *> lists;
  size_t longest = 0;
  for (const ReplayedWarp &warp : warps) {
    static const std::vector<TracedBlock> none;
    const auto &skipped = warp.plan->skipped;
    lists.push_back(cut < skipped.size() ? &skipped[cut] : &none);
    longest = std::max(longest, lists.back()->size());
  }
  for (size_t i = 0; i < longest; ++i)
    for (size_t w = 0; w < warps.size(); ++w) {
      if (i >= lists[w]->size())
        continue;
      const TracedBlock &traced = (*lists[w])[i];
      for (const ScheduledInst &inst : schedule[traced.block].insts) {
        if (inst.access == noAccess || inst.cost.unit != Unit::Global)
          continue;
        const TracedAccess &access =
            warps[w].warpTrace->accesses[traced.firstAccess + inst.access];
        memory.touch(access,
                     warps[w].trace->sectors.data() + access.firstSector,
                     inst.isLoad, inst.cost.bypassesL1);
      }
    }
  touched[cut].l2 = memory.touchedL2 - l2;
  touched[cut].dram = memory.touchedDram - dram;
}

SkippedWork SM::countSkipped(size_t cut) const {
  SkippedWork work;
  for (const SubCore &core : cores) {
    std::array<double, unitCount> units = {};
    double issued = 0;
    for (uint32_t w : core.warps) {
      const auto &skipped = warps[w].plan->skipped;
      if (cut >= skipped.size())
        continue;
      for (const TracedBlock &traced : skipped[cut])
        for (const ScheduledInst &inst : schedule[traced.block].insts) {
          issued += std::max<double>(1, inst.cost.issues);
          work.flop +=
              inst.cost.flopPerLane * double(__builtin_popcount(traced.mask));
          if (!isMemory(inst.cost.unit))
            units[static_cast<unsigned>(inst.cost.unit)] +=
                inst.cost.pipeCycles;
        }
    }
    work.issued += issued;
    work.busiest = std::max(work.busiest, issued);
    for (unsigned u = 0; u < unitCount; ++u) {
      work.units[u] += units[u];
      work.busiest = std::max(work.busiest, units[u]);
    }
  }
  return work;
}

/// The skipped iterations take a time between those of the head, when caches
/// are cold, and of the tail; where, their misses say:
///   t = t_tail + (t_head - t_tail) * clamp((m - m_tail) / (m_head - m_tail))
/// with misses m weighted by the latencies beyond L1, and no less than the
/// busiest pipe or DRAM needs for them. How much they issue is known; what else
/// was counted of the head and the tail belongs to as much as was issued
/// meanwhile, since warps of some schedulers are ahead of others.
void SM::extrapolate(ReplayResult &result) const {
  for (size_t c = 0; c < plan.cuts.size(); ++c) {
    const LoopCut &cut = plan.cuts[c];
    const auto &at = crossings[c];
    // The first iterations of each part fill the pipeline.
    unsigned headBegin = cut.head / 3, headEnd = cut.head - 1u;
    unsigned tailBegin = cut.head + cut.tail / 3;
    unsigned tailEnd = cut.head + cut.tail - 1u;
    auto slope = [&](unsigned a, unsigned b) {
      return (at[b].mean() - at[a].mean()) / (b - a);
    };
    auto misses = [&](unsigned a, unsigned b) {
      const MemoryCounters &x = at[a].counters.memory;
      const MemoryCounters &y = at[b].counters.memory;
      double l2 = (y.loadSectors - y.l1Hits) - (x.loadSectors - x.l1Hits);
      return (l2 * spec.l2Latency + (y.dramSectors - x.dramSectors) *
                                        (spec.globalLatency - spec.l2Latency)) /
             (b - a);
    };
    double head = slope(headBegin, headEnd), tail = slope(tailBegin, tailEnd);
    double headMisses = misses(headBegin, headEnd);
    double tailMisses = misses(tailBegin, tailEnd);
    auto n = static_cast<double>(cut.skipped);
    double skipped = (touched[c].l2 * spec.l2Latency +
                      touched[c].dram * (spec.globalLatency - spec.l2Latency)) /
                     n;
    double weight = 0;
    if (headMisses != tailMisses)
      weight = (skipped - tailMisses) / (headMisses - tailMisses);
    weight = std::min(1.0, std::max(0.0, weight));
    double cycles = n * (tail + (head - tail) * weight);
    SkippedWork work = countSkipped(c);
    cycles =
        std::max({cycles, work.busiest, memory.dramCycles(touched[c].dram)});
    double dram =
        result.counters.memory.dram + memory.dramCycles(touched[c].dram);
    double sectors = result.counters.memory.dramSectors + touched[c].dram;
    result.extrapolated += cycles;
    ReplayCounters counted;
    counted.addScaled(at[tailEnd].counters, at[tailBegin].counters,
                      n * (1 - weight) / (tailEnd - tailBegin));
    counted.addScaled(at[headEnd].counters, at[headBegin].counters,
                      n * weight / (headEnd - headBegin));
    double scale = counted.issued > 0 ? work.issued / counted.issued : 1;
    counted.issued = work.issued / scale;
    counted.flop = work.flop / scale;
    for (unsigned u = 0; u < unitCount; ++u)
      if (!isMemory(static_cast<Unit>(u)))
        counted.units[u] = work.units[u] / scale;
    result.counters.addScaled(counted, ReplayCounters(), scale);
    result.counters.memory.dram = dram;
    result.counters.memory.dramSectors = sectors;
    result.counters.warpCycles += cycles * double(warps.size());
  }
}

} // namespace dietcode::vgpu
