//===- Limiter.cpp - What limits a kernel ---------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part that is busy nearly all of the time is the limit. Where none is,
// schedulers have nothing to issue: then the limit is what they wait for, and
// what warps wait for while others go on is none. Waste comes first: a path
// that serves bank conflicts or unused bytes is named after these.
//
//===----------------------------------------------------------------------===//

#include "Limiter.h"
#include <algorithm>
#include <cstdio>

namespace dietcode::vgpu {
namespace {

/// From here on a part is a limit whatever else there is: the best SGEMMs of
/// Turing reach 93 to 96 % of FP32 peak (research/t4.md).
constexpr double saturated = 0.93;
/// Below, a path is not short of bandwidth: its queue fills in bursts.
constexpr double burstsOnly = 0.5;
/// Wavefronts or sectors over the ideal from which on they are the cause.
constexpr double wasteful = 1.25;
/// The least fraction of the time that is worth a mention: of cycles without
/// anything to issue, or of warps that wait.
constexpr double noticeable = 0.05;
constexpr double mentioned = 0.02;

std::string percent(double fraction) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.0f %%", 100 * fraction);
  return text;
}

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

class Judge {
public:
  explicit Judge(TimingReport &report) : report(report) {}

  void run() {
    unsigned most = largest(report.busy.data(), boundCount);
    double lost = lostCycles();
    unsigned first = largestWait(report.idle);
    std::string idle =
        lost >= mentioned ? cause(static_cast<Stall>(first)) : "";
    if (report.microseconds < 2 * report.launchMicroseconds) {
      conclude("launch overhead", decimal(report.launchMicroseconds) + " of " +
                                      decimal(report.microseconds) + " us");
      report.runnerUp = idle;
    } else if (report.idle[first] < noticeable ||
               report.busy[most] >= saturated) {
      throughput(static_cast<Bound>(most));
      report.runnerUp = idle;
    } else {
      conclude(idle, "nothing to issue for it in " +
                         percent(report.idle[first]) + " of the cycles, with " +
                         std::to_string(report.residentWarps) +
                         " warps per SM");
      if (report.busy[most] >= 0.5)
        report.runnerUp = throughputName(static_cast<Bound>(most));
    }
    if (report.runnerUp == report.limiter)
      report.runnerUp.clear();
  }

private:
  bool hasConflicts() const { return report.sharedConflictRatio > wasteful; }
  bool isUncoalesced() const {
    return report.sectorsPerRequest > wasteful * report.idealSectorsPerRequest;
  }
  void conclude(const std::string &limiter, const std::string &why) {
    report.limiter = limiter;
    report.explanation = why;
  }
  void conflicts() {
    conclude("shared-memory bank conflicts",
             decimal(report.sharedConflictRatio) +
                 " times the wavefronts that the accesses need");
  }
  void uncoalesced() {
    conclude("uncoalesced global accesses",
             decimal(report.sectorsPerRequest) + " sectors per request where " +
                 decimal(report.idealSectorsPerRequest) + " hold its bytes");
  }
  void throughput(Bound bound) {
    if (bound == Bound::Shared && hasConflicts())
      return conflicts();
    if ((bound == Bound::L1 || bound == Bound::L2 || bound == Bound::Dram) &&
        isUncoalesced())
      return uncoalesced();
    conclude(boundName(bound),
             "busy " + percent(report.busy[static_cast<unsigned>(bound)]) +
                 " of the time");
  }
  std::string throughputName(Bound bound) const {
    TimingReport copy = report;
    Judge(copy).throughput(bound);
    return copy.limiter;
  }
  static unsigned largest(const double *values, unsigned n) {
    return static_cast<unsigned>(std::max_element(values, values + n) - values);
  }
  /// Cycles without anything to issue, but for those of busy arithmetic pipes.
  double lostCycles() const {
    double sum = 0;
    for (unsigned i = 0; i < static_cast<unsigned>(Stall::NotSelected); ++i)
      if (static_cast<Stall>(i) != Stall::MathThrottle)
        sum += report.idle[i];
    return sum;
  }
  /// Of what is waited for, busy arithmetic pipes aside. At a barrier warps
  /// wait for what others wait for, so that comes last.
  unsigned largestWait(const std::array<double, stallCount> &waits) const {
    unsigned most = 0;
    for (unsigned i = 1; i < static_cast<unsigned>(Stall::NotSelected); ++i)
      if (waits[i] > waits[most] && static_cast<Stall>(i) != Stall::Barrier &&
          static_cast<Stall>(i) != Stall::MathThrottle)
        most = i;
    auto barrier = static_cast<unsigned>(Stall::Barrier);
    return waits[most] >= waits[barrier] / 4 ? most : barrier;
  }
  std::string cause(Stall stall) const {
    double shared = report.busy[static_cast<unsigned>(Bound::Shared)];
    double global = report.busy[static_cast<unsigned>(Bound::L1)];
    bool isThrottle = stall == Stall::MemoryThrottle;
    bool isBurst = std::max(shared, global) < burstsOnly;
    if (stall == Stall::ShortScoreboard || (isThrottle && shared >= global))
      return hasConflicts() ? "shared-memory bank conflicts"
             : isThrottle   ? isBurst ? "bursts of shared-memory accesses"
                                      : "shared-memory bandwidth"
                            : "shared-memory latency";
    if (stall == Stall::LongScoreboard || isThrottle)
      return isUncoalesced() ? "uncoalesced global accesses"
             : isThrottle
                 ? isBurst ? "bursts of global accesses" : "L1 bandwidth"
                 : "global-memory latency";
    return stall == Stall::Barrier  ? "barriers"
           : stall == Stall::Branch ? "branches"
                                    : "arithmetic latency";
  }

  TimingReport &report;
};

} // namespace

void findLimiter(TimingReport &report) { Judge(report).run(); }

} // namespace dietcode::vgpu
