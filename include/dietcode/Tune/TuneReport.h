//===- TuneReport.h - What tuning did ---------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TUNE_TUNEREPORT_H
#define DIETCODE_TUNE_TUNEREPORT_H

#include "dietcode/CostModel/Adaption.h"
#include "dietcode/CostModel/OperatorTraits.h"

#include <map>
#include <string>
#include <vector>

namespace dietcode {

/// One instance of an operator and the kernel that serves it.
struct TuneRow {
  ContractionShape shape;
  double weight = 0;    ///< Of the operator's instances.
  std::string kernel;   ///< The schedule's name.
  double predicted = 0; ///< Seconds before the instance itself was timed.
  double measured = 0;  ///< Seconds; 0: not timed.
  double bound = 0;     ///< Seconds that the device needs at least.
  double regret = 0;    ///< Over the best candidate known for the instance.
};

/// One operator.
struct TaskReport {
  std::string name;
  std::string op; ///< As records call it.
  size_t space = 0;
  size_t measured = 0;   ///< Candidates, those of the records included.
  size_t kernels = 0;    ///< In use.
  double meanRegret = 0; ///< Predicted, over the whole range.
  double maxRegret = 0;
  std::map<std::string, std::string> failures; ///< Schedule to reason.
  std::vector<TuneRow> rows;
};

struct TuneReport {
  std::string device;
  size_t trials = 0; ///< Candidates measured by this run.
  double seconds = 0;
  double buildSeconds = 0, ptxasSeconds = 0, measureSeconds = 0,
         modelSeconds = 0;
  std::vector<TaskReport> tasks;
  std::vector<std::string> notes;
};

struct TuneProgress {
  std::string task;
  size_t trials = 0;    ///< Done.
  size_t maxTrials = 0; ///< To do.
  double seconds = 0;
  double best = 0; ///< Weighted seconds of a call of the task.
};

/// Seconds below which no kernel of an operator can take a shape: multiply-adds
/// at the peak rate of the fastest instruction that serves its types, or every
/// element in memory moved once.
double boundSeconds(const ContractionShape &shape, const OperatorTraits &traits,
                    const DeviceSpec &device);

/// For a terminal, and for machines.
std::string printTable(const TuneReport &report);
std::string printJson(const TuneReport &report);

} // namespace dietcode

#endif // DIETCODE_TUNE_TUNEREPORT_H
