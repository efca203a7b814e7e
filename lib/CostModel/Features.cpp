//===- Features.cpp - What the trained model sees of a micro-kernel -------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table: a feature is a name and how it is computed. Sizes are logarithms
// to the base 2, since trees split at thresholds and ratios matter.
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/Features.h"

#include <cmath>

using namespace dietcode;

namespace {
/// What features are computed from.
struct Subject {
  const Schedule &schedule;
  const KernelProfile &profile;
  const MicroKernelCost &analytical;
  const OperatorTraits &traits;
  const DeviceSpec &device;
  const InstructionInfo &info;
  ScheduleLayout layout;
};

/// What features of an operator on rows are computed from.
struct RowSubject {
  const Schedule &schedule;
  const KernelProfile &profile;
  const MicroKernelCost &analytical;
  const RowTraits &traits;
  const DeviceSpec &device;
  RowSchedule threads;
};

template <typename SubjectT>
struct Feature {
  std::string_view name;
  double (*compute)(const SubjectT &);
};
} // namespace

static double log2Of(double value) { return std::log2(value); }

/// Cycles of a pipe relative to the multiply-adds, the useful work.
static double relative(double cycles, const Subject &subject) {
  return cycles / subject.profile.load.fma;
}

#define FEATURE(name, expression)                                              \
  {name, [](const auto &s) -> double { return expression; }}

static const Feature<Subject> kProductFeatures[] = {
    FEATURE("log2_block_m", log2Of(s.schedule.blockM)),
    FEATURE("log2_block_n", log2Of(s.schedule.blockN)),
    FEATURE("log2_block_k", log2Of(s.schedule.blockK)),
    FEATURE("log2_thread_m", log2Of(s.schedule.threadM)),
    FEATURE("log2_thread_n", log2Of(s.schedule.threadN)),
    FEATURE("stages", s.schedule.stages),
    FEATURE("log2_split", log2Of(s.schedule.split)),
    FEATURE("n_first", s.schedule.order == TileOrder::NFirst),
    FEATURE("bands", s.schedule.order == TileOrder::Bands),
    FEATURE("warp_wide", s.info.isWarpWide),
    FEATURE("element_bytes", s.info.elementBytes),
    FEATURE("sum_bytes", s.info.sumBytes),
    FEATURE("log2_threads", log2Of(s.layout.threads)),
    FEATURE("log2_accumulators", log2Of(s.layout.sums)),
    FEATURE("log2_block_area", log2Of(s.schedule.blockM *s.schedule.blockN)),
    FEATURE("flop_per_staged_element",
            double(s.schedule.blockM *s.schedule.blockN) /
                double(s.schedule.blockM + s.schedule.blockN)),
    FEATURE("flop_per_fragment_element",
            double(s.schedule.threadM *s.schedule.threadN) /
                double(s.schedule.threadM + s.schedule.threadN)),
    FEATURE("log2_lanes_m", log2Of(s.layout.lanesM)),
    FEATURE("vector_a", s.layout.vectorA),
    FEATURE("vector_b", s.layout.vectorB),
    FEATURE("copies_a", s.layout.copiesA),
    FEATURE("copies_b", s.layout.copiesB),
    FEATURE("registers", s.profile.resources.registers),
    FEATURE("shared_bytes", s.profile.resources.sharedBytes),
    FEATURE("blocks_per_sm", s.profile.resources.blocksPerSM),
    FEATURE("occupancy", s.profile.resources.occupancy),
    FEATURE("warps_per_scheduler",
            double(s.profile.resources.blocksPerSM) * s.layout.threads /
                (s.device.warpSize * s.device.schedulersPerSM)),
    FEATURE("shared_per_fma", relative(s.profile.load.shared, s)),
    FEATURE("issue_per_fma", relative(s.profile.load.issue, s)),
    FEATURE("chain_per_fma", relative(s.profile.chainCycles, s)),
    FEATURE("sync_per_fma", relative(s.profile.syncCycles, s)),
    FEATURE("epilogue_per_fma", relative(s.profile.epilogueCycles, s)),
    FEATURE(
        "log2_full_flops",
        log2Of(double(s.schedule.blockM *s.schedule.blockN *s.schedule.blockK) *
               s.profile.resources.blocksPerSM / s.analytical.full.perTile)),
    FEATURE(
        "log2_lone_flops",
        log2Of(double(s.schedule.blockM *s.schedule.blockN *s.schedule.blockK) /
               s.analytical.lone.perTile)),
    FEATURE("transpose_a", s.traits.transposeA),
    FEATURE("transpose_b", s.traits.transposeB),
    FEATURE("accumulate", s.traits.accumulate),
    FEATURE("epilogue_operands", s.traits.epilogueOperands),
    FEATURE("factor_bytes", s.traits.factorBytes()),
    FEATURE("out_bytes", s.traits.outBytes()),
};

static const Feature<RowSubject> kRowFeatures[] = {
    FEATURE("rows_log2_block_m", log2Of(s.schedule.blockM)),
    FEATURE("rows_log2_block_n", log2Of(s.schedule.blockN)),
    FEATURE("rows_log2_thread_n", log2Of(s.schedule.threadN)),
    FEATURE("rows_log2_lanes", log2Of(s.threads.lanes)),
    FEATURE("rows_log2_threads", log2Of(s.threads.threads)),
    FEATURE("rows_vector", s.threads.vector),
    FEATURE("rows_vectors", s.threads.vectors),
    FEATURE("rows_registers", s.profile.resources.registers),
    FEATURE("rows_blocks_per_sm", s.profile.resources.blocksPerSM),
    FEATURE("rows_occupancy", s.profile.resources.occupancy),
    FEATURE("rows_bytes_in_flight", double(s.profile.resources.blocksPerSM) *
                                        s.schedule.blockM * s.schedule.blockN *
                                        s.traits.elementBytes),
    FEATURE("rows_shared_cycles", s.profile.load.shared),
    FEATURE("rows_issue_cycles", s.profile.load.issue),
    FEATURE("rows_chain_cycles", s.profile.chainCycles),
    FEATURE("rows_log2_full_elements",
            log2Of(double(s.schedule.blockM *s.schedule.blockN) *
                   s.profile.resources.blocksPerSM /
                   s.analytical.full.perTile)),
    FEATURE("rows_log2_lone_elements",
            log2Of(double(s.schedule.blockM *s.schedule.blockN) /
                   s.analytical.lone.perTile)),
    FEATURE("rows_is_mixed", s.traits.access == RowAccess::Mixed),
    FEATURE("rows_is_along_rows", s.traits.access == RowAccess::Rows),
    FEATURE("rows_column_registers", s.traits.columnRegisters),
    FEATURE("rows_reductions", s.traits.reductions),
    FEATURE("rows_passes", s.traits.passes),
    FEATURE("rows_accesses", s.traits.accesses),
    FEATURE("rows_element_bytes", s.traits.elementBytes),
    FEATURE("rows_operations", s.traits.operations),
};
#undef FEATURE

KernelFamily dietcode::familyOf(const OperatorTraits &traits) {
  return traits.rows ? KernelFamily::Rows : KernelFamily::Products;
}

std::vector<std::string_view>
dietcode::kernelFeatureNames(KernelFamily family) {
  std::vector<std::string_view> names;
  auto add = [&](const auto &features) {
    for (const auto &feature : features)
      names.push_back(feature.name);
  };
  if (family == KernelFamily::Rows)
    add(kRowFeatures);
  else
    add(kProductFeatures);
  return names;
}

std::vector<std::string_view> dietcode::kernelFeatureNames() {
  std::vector<std::string_view> names;
  for (KernelFamily family : {KernelFamily::Products, KernelFamily::Rows})
    for (std::string_view name : kernelFeatureNames(family))
      names.push_back(name);
  return names;
}

template <typename SubjectT, size_t count>
static std::vector<float> compute(const Feature<SubjectT> (&features)[count],
                                  const SubjectT &subject) {
  std::vector<float> values;
  for (const Feature<SubjectT> &feature : features)
    values.push_back(static_cast<float>(feature.compute(subject)));
  return values;
}

std::vector<float> dietcode::kernelFeatures(const KernelProfile &profile,
                                            const MicroKernelCost &analytical,
                                            const OperatorTraits &traits,
                                            const DeviceSpec &device) {
  const Schedule &schedule = profile.schedule;
  if (traits.rows)
    return compute(kRowFeatures,
                   RowSubject{schedule, profile, analytical, *traits.rows,
                              device, rowScheduleOf(schedule, *traits.rows)});
  return compute(
      kProductFeatures,
      Subject{schedule, profile, analytical, traits, device,
              infoOf(schedule.instruction),
              layoutOf(schedule, device.warpSize).value_or(ScheduleLayout{})});
}
