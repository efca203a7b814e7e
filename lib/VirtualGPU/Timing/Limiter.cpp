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
constexpr double wasteful = 1.5;

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
    if (report.microseconds < 2 * report.launchMicroseconds)
      return conclude("launch overhead",
                      decimal(report.launchMicroseconds) + " of " +
                          decimal(report.microseconds) + " us");
    unsigned most = 0;
    for (unsigned i = 1; i < boundCount; ++i)
      if (report.busy[i] > report.busy[most])
        most = i;
    if (report.busy[most] >= saturated)
      return throughput(static_cast<Bound>(most));
    latency();
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
  /// The largest part of the warps' waiting, their turn aside.
  void latency() {
    unsigned most = 0;
    for (unsigned i = 1; i < static_cast<unsigned>(Stall::NotSelected); ++i)
      if (report.stalls[i] > report.stalls[most])
        most = i;
    auto stall = static_cast<Stall>(most);
    std::string why = "warps wait for it " + percent(report.stalls[most]) +
                      " of the time, with " +
                      std::to_string(report.residentWarps) + " warps per SM";
    double shared = report.busy[static_cast<unsigned>(Bound::Shared)];
    double global = report.busy[static_cast<unsigned>(Bound::L1)];
    bool isShared = stall == Stall::ShortScoreboard ||
                    (stall == Stall::MemoryThrottle && shared >= global);
    bool isGlobal = stall == Stall::LongScoreboard ||
                    (stall == Stall::MemoryThrottle && shared < global);
    if (isShared && hasConflicts())
      return conflicts();
    if (isGlobal && isUncoalesced())
      return uncoalesced();
    if (isShared)
      return conclude("shared-memory latency", why);
    if (isGlobal)
      return conclude("global-memory latency", why);
    conclude(stall == Stall::Barrier        ? "barriers"
             : stall == Stall::Branch       ? "branches"
             : stall == Stall::MathThrottle ? "arithmetic throughput"
                                            : "arithmetic latency",
             why);
  }

  TimingReport &report;
};

} // namespace

void findLimiter(TimingReport &report) { Judge(report).run(); }

} // namespace dietcode::vgpu
