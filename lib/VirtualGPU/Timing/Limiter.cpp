//===- Limiter.cpp - What limits a kernel ---------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part that is busy most of the time is the limit; where none is, the warps
// are too few for the latency that most of them wait for. Waste comes first:
// a path that serves bank conflicts or unused bytes is named after these.
//
//===----------------------------------------------------------------------===//

#include "Limiter.h"
#include <algorithm>
#include <cstdio>

namespace dietcode::vgpu {
namespace {

/// From here on a part is a limit: queues before it are seldom empty.
constexpr double saturated = 0.8;
/// Wavefronts or sectors over the ideal from which on they are the cause.
constexpr double wasteful = 1.25;
/// The least fraction of warps' time that is worth a mention.
constexpr double noticeable = 0.05;

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
    unsigned stall = largestStall();
    auto most = static_cast<unsigned>(
        std::max_element(report.busy.begin(), report.busy.end()) -
        report.busy.begin());
    if (report.stalls[stall] >= noticeable)
      report.runnerUp = cause(static_cast<Stall>(stall));
    if (report.microseconds < 2 * report.launchMicroseconds)
      conclude("launch overhead", decimal(report.launchMicroseconds) + " of " +
                                      decimal(report.microseconds) + " us");
    else if (report.busy[most] >= saturated || report.runnerUp.empty())
      throughput(static_cast<Bound>(most));
    else
      conclude(report.runnerUp,
               "warps wait for it " + percent(report.stalls[stall]) +
                   " of the time, with " +
                   std::to_string(report.residentWarps) + " warps per SM");
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
  /// Of what warps wait for, their turn and busy arithmetic pipes aside. At a
  /// barrier they wait for what others wait for, so that comes last.
  unsigned largestStall() const {
    unsigned most = 0;
    for (unsigned i = 1; i < static_cast<unsigned>(Stall::NotSelected); ++i)
      if (report.stalls[i] > report.stalls[most] &&
          static_cast<Stall>(i) != Stall::Barrier &&
          static_cast<Stall>(i) != Stall::MathThrottle)
        most = i;
    auto barrier = static_cast<unsigned>(Stall::Barrier);
    return report.stalls[most] >= noticeable ? most : barrier;
  }
  std::string cause(Stall stall) const {
    double shared = report.busy[static_cast<unsigned>(Bound::Shared)];
    double global = report.busy[static_cast<unsigned>(Bound::L1)];
    bool isThrottle = stall == Stall::MemoryThrottle;
    if (stall == Stall::ShortScoreboard || (isThrottle && shared >= global))
      return hasConflicts() ? "shared-memory bank conflicts"
             : isThrottle   ? "shared-memory bandwidth"
                            : "shared-memory latency";
    if (stall == Stall::LongScoreboard || isThrottle)
      return isUncoalesced() ? "uncoalesced global accesses"
             : isThrottle    ? "L1 bandwidth"
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
