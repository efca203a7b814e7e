//===- Limiter.cpp - What limits a kernel ---------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part that is busy nearly all of the time is the limit. Where none is,
// schedulers have nothing to issue: then the limit is what most of these cycles
// are lost to, and what warps wait for while others go on is none. A busy path
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
/// Wavefronts or sectors over the ideal from which on they are the cause.
constexpr double wasteful = 1.25;
/// The least fraction of the cycles that makes a loss the limiter, and that
/// makes it worth a mention.
constexpr double noticeable = 0.05;
constexpr double mentioned = 0.005;

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
    unsigned worst = largest(report.losses.data(), lossCount);
    double lost = report.losses[worst];
    if (lost >= mentioned) {
      report.largestLoss = lossName(static_cast<Loss>(worst));
      report.largestLossFraction = lost;
    }
    if (report.microseconds < 2 * report.launchMicroseconds) {
      conclude("launch overhead", decimal(report.launchMicroseconds) + " of " +
                                      decimal(report.microseconds) + " us");
    } else if (lost < noticeable || report.busy[most] >= saturated) {
      throughput(static_cast<Bound>(most));
    } else {
      conclude(report.largestLoss, "nothing to issue for it in " +
                                       percent(lost) + " of the cycles, with " +
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
  TimingReport &report;
};

} // namespace

void findLimiter(TimingReport &report) { Judge(report).run(); }

} // namespace dietcode::vgpu
