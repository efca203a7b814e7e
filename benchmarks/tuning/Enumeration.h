//===- Enumeration.h - A space of which everything was measured -*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `dietcode-tune --exhaustive` leaves: a record of each candidate of one
// operator, with a run on every instance. Benchmarks of the model and of the
// search take it for the truth.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_BENCHMARKS_TUNING_ENUMERATION_H
#define DIETCODE_BENCHMARKS_TUNING_ENUMERATION_H

#include "dietcode/Tune/OperatorTuner.h"

#include <map>
#include <string>
#include <vector>

namespace dietcode {

/// The measurements of one operator.
struct Enumeration {
  const DeviceSpec *device = nullptr;
  OperatorTraits traits;
  std::string source;                  ///< Of all records.
  std::vector<TuneInstance> instances; ///< Of equal weight.
  std::vector<Schedule> schedules;     ///< Those without a fault.
  std::vector<Record> records;         ///< In the same order.
  /// What a search would have measured of each: the runs that planRuns plans.
  std::vector<MeasuredKernel> measured;
  /// seconds[candidate][instance].
  std::vector<std::vector<double>> seconds;

  double best(size_t instance) const;
};

/// Reads the records of `path` that were measured on all of the same shapes.
/// Those of one operator count: the first one, or the first with static
/// dimensions n and k if these are positive.
Expected<Enumeration> loadEnumeration(const std::string &path, int64_t n,
                                      int64_t k);

/// The static extents (n, k) of the operators that a file has records of.
Expected<std::vector<std::pair<int64_t, int64_t>>>
listProblems(const std::string &path);

/// Spearman's rank correlation, with ranks in the middle of ties.
double rankCorrelation(const std::vector<double> &a,
                       const std::vector<double> &b);

/// 1 - (sum of squared errors) / (sum of squared deviations from the mean).
double determination(const std::vector<double> &predicted,
                     const std::vector<double> &actual);

} // namespace dietcode

#endif // DIETCODE_BENCHMARKS_TUNING_ENUMERATION_H
