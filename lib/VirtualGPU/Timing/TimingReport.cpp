//===- TimingReport.cpp - Reports as text and JSON ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/VirtualGPU/TimingReport.h"
#include <cstdio>
#include <nlohmann/json.hpp>

namespace dietcode::vgpu {

const char *stallName(Stall stall) {
  static const char *const names[] = {
      "wait",   "short scoreboard", "long scoreboard", "barrier",
      "branch", "math throttle",    "memory throttle", "not selected"};
  static_assert(std::size(names) == stallCount);
  return names[static_cast<unsigned>(stall)];
}

const char *lossName(Loss loss) {
  static const char *const names[] = {"arithmetic latency",
                                      "shared-memory latency",
                                      "shared-memory bandwidth",
                                      "shared-memory bank conflicts",
                                      "global-memory latency",
                                      "L1 bandwidth",
                                      "L2 bandwidth",
                                      "DRAM bandwidth",
                                      "uncoalesced global accesses",
                                      "barriers",
                                      "branches"};
  static_assert(std::size(names) == lossCount);
  return names[static_cast<unsigned>(loss)];
}

const char *boundName(Bound bound) {
  static const char *const names[] = {"instruction issue",
                                      "FMA pipe",
                                      "integer pipe",
                                      "FP64 pipe",
                                      "special functions",
                                      "tensor cores",
                                      "shared-memory bandwidth",
                                      "L1 bandwidth",
                                      "L2 bandwidth",
                                      "DRAM bandwidth"};
  static_assert(std::size(names) == boundCount);
  return names[static_cast<unsigned>(bound)];
}

namespace {

class Text {
public:
  template <typename... Args>
  void line(const char *format, Args... args) {
    char buffer[256];
    std::snprintf(buffer, sizeof(buffer), format, args...);
    text += buffer;
    text += '\n';
  }
  std::string text;
};

} // namespace

std::string TimingReport::toText() const {
  if (!valid)
    return "no estimate: the trace was too long\n";
  Text out;
  out.line("estimate of a model, not a measurement [%s]", device.c_str());
  out.line("  time          %.2f us: %.0f cycles, and %.2f us of launch [%s]",
           microseconds, cycles, launchMicroseconds, device.c_str());
  out.line("  arithmetic    %.1f FLOP/clk/SM, %.1f %% of FP32 peak",
           flopPerCyclePerSM, 100 * fp32PeakFraction);
  out.line("  limited by    %s (%s)", limiter.c_str(), explanation.c_str());
  if (!runnerUp.empty())
    out.line("  then by       %s", runnerUp.c_str());
  if (!largestLoss.empty())
    out.line("  largest loss  %s (nothing to issue for it in %.1f %% of the "
             "cycles)",
             largestLoss.c_str(), 100 * largestLossFraction);
  std::string spills;
  if (spillBytes)
    spills = "; " + std::to_string(spillBytes) +
             " bytes spilled, which the model leaves out";
  out.line(
      "  occupancy     %.0f %%: %u blocks, %u warps per SM, limited by %s; "
      "%.2f waves",
      100 * occupancy, residentBlocks, residentWarps, occupancyLimiter.c_str(),
      waves);
  out.line("  registers     %u (%s)%s", registersPerThread,
           registerSource.c_str(), spills.c_str());
  out.line("  caches        L1 hits %.0f %%, L2 hits %.0f %%", 100 * l1HitRate,
           100 * l2HitRate);
  out.line("  accesses      %.1f sectors per request, %.1f needed; shared "
           "wavefronts %.2f of the ideal",
           sectorsPerRequest, idealSectorsPerRequest, sharedConflictRatio);
  for (unsigned i = 0; i < boundCount; ++i)
    if (busy[i] >= 0.005)
      out.line("  busy          %5.1f %%  %s", 100 * busy[i],
               boundName(static_cast<Bound>(i)));
  for (unsigned i = 0; i < lossCount; ++i)
    if (losses[i] >= 0.005)
      out.line("  loss          %5.1f %%  %s", 100 * losses[i],
               lossName(static_cast<Loss>(i)));
  for (unsigned i = 0; i < stallCount; ++i)
    if (stalls[i] >= 0.005)
      out.line("  stall         %5.1f %%  %s", 100 * stalls[i],
               stallName(static_cast<Stall>(i)));
  return out.text;
}

std::string TimingReport::toJson() const {
  nlohmann::ordered_json json;
  json["kind"] = "estimate";
  json["device"] = device;
  json["calibrated"] = calibrated;
  json["valid"] = valid;
  json["cycles"] = cycles;
  json["microseconds"] = microseconds;
  json["launch_microseconds"] = launchMicroseconds;
  json["flop"] = flop;
  json["flop_per_cycle_per_sm"] = flopPerCyclePerSM;
  json["fp32_peak_fraction"] = fp32PeakFraction;
  json["limiter"] = limiter;
  json["explanation"] = explanation;
  json["runner_up"] = runnerUp;
  for (unsigned i = 0; i < boundCount; ++i)
    json["busy"][boundName(static_cast<Bound>(i))] = busy[i];
  for (unsigned i = 0; i < stallCount; ++i)
    json["stalls"][stallName(static_cast<Stall>(i))] = stalls[i];
  json["largest_loss"] = {{"name", largestLoss},
                          {"fraction", largestLossFraction}};
  for (unsigned i = 0; i < lossCount; ++i)
    json["losses"][lossName(static_cast<Loss>(i))] = losses[i];
  json["occupancy"] = {{"fraction", occupancy},
                       {"limiter", occupancyLimiter},
                       {"blocks_per_sm", residentBlocks},
                       {"warps_per_sm", residentWarps},
                       {"registers_per_thread", registersPerThread},
                       {"register_source", registerSource},
                       {"spill_bytes", spillBytes},
                       {"waves", waves}};
  json["memory"] = {{"l1_hit_rate", l1HitRate},
                    {"l2_hit_rate", l2HitRate},
                    {"sectors_per_request", sectorsPerRequest},
                    {"ideal_sectors_per_request", idealSectorsPerRequest},
                    {"shared_conflict_ratio", sharedConflictRatio}};
  json["replayed_instructions"] = replayedInstructions;
  json["extrapolated_fraction"] = extrapolatedFraction;
  return json.dump(2);
}

} // namespace dietcode::vgpu
