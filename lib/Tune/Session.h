//===- Session.h - One run of the tuner -------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `tuneModule` consists of. Each part is a file: the session as a whole in
// Tune.cpp, the search in Search.cpp, and what becomes of its results in
// Choice.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_TUNE_SESSION_H
#define DIETCODE_LIB_TUNE_SESSION_H

#include "dietcode/Record/RecordFile.h"
#include "dietcode/Tune/Tune.h"

#include <chrono>

namespace mlir::dietcode {

/// Seconds of the wall clock since `start`.
double secondsSince(std::chrono::steady_clock::time_point start);

/// One run of the tuner.
class Session {
public:
  Session(ModuleOp module, const TuneOptions &options,
          const ::dietcode::DeviceSpec &device, std::string recordName)
      : module(module), options(options), device(device),
        recordName(std::move(recordName)), adaption(device), model(device) {}

  FailureOr<::dietcode::TuneReport> run();

private:
  InFlightDiagnostic error() { return emitError(module.getLoc()); }
  /// Silent once interrupted: whoever did that knows, and what fails is a
  /// consequence.
  LogicalResult fail(const ::dietcode::Error &why) {
    if (isInterrupted())
      return failure();
    return error() << why.message;
  }
  LogicalResult load();
  LogicalResult search();
  /// False if there was nothing left to propose.
  FailureOr<bool> measureBatch(size_t task);
  std::vector<::dietcode::PlannedRun> findMissingRuns(size_t task,
                                                      size_t candidate);
  std::vector<size_t> drawCandidates(size_t task) const;
  LogicalResult enumerate(size_t task);
  LogicalResult refine(size_t task);
  size_t getShare(size_t task) const;
  CandidateEvaluator::Deadline getDeadline(size_t task) const;
  int getPriority(size_t task) const;
  const ::dietcode::MicroKernelCost &
  findServing(size_t task, const ::dietcode::DispatchResult &result,
              ArrayRef<::dietcode::MicroKernelCost> costs,
              const ::dietcode::ContractionShape &shape);
  LogicalResult checkMeasured(size_t task);
  LogicalResult select();
  LogicalResult save();
  size_t chooseTask(ArrayRef<bool> exhausted);
  /// Fails, too, once interrupted.
  LogicalResult append(const std::vector<::dietcode::Record> &records);
  LogicalResult learn();
  CandidateEvaluator::Plan makePlan(size_t task);
  void reportTask(size_t task, const ::dietcode::DispatchResult &result,
                  ArrayRef<::dietcode::MicroKernelCost> costs);
  bool isInterrupted() const {
    return options.interrupted && options.interrupted();
  }
  bool isOver() const {
    return report.trials >= options.trials ||
           (options.seconds > 0 && secondsSince(start) >= options.seconds);
  }

  ModuleOp module;
  const TuneOptions &options;
  const ::dietcode::DeviceSpec &device;
  std::string recordName; ///< Of the device.
  ::dietcode::Adaption adaption;
  ::dietcode::CostModel model;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  std::vector<TuningTask> tasks;
  std::vector<::dietcode::OperatorTuner> tuners;
  /// Of earlier runs and of this one, any operator: what the model learns from.
  /// In the order of the file, so that whoever reads that learns the same.
  std::vector<::dietcode::Record> known;
  std::optional<::dietcode::RecordWriter> writer;
  std::unique_ptr<CandidateEvaluator> evaluator;
  std::vector<::dietcode::DispatchResult> results;
  std::vector<std::vector<::dietcode::MicroKernelCost>> usable;
  ::dietcode::TuneReport report;
  std::vector<unsigned> batches; ///< That each task had.
  unsigned round = 0;
};

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_TUNE_SESSION_H
