//===- CandidateEvaluator.h - Compile, verify and time candidates *- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builder and measurer are separate programs: candidates are compiled here, by
// several threads, and measured by dietcode-measure, several at once, from a
// folder of jobs.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TUNE_CANDIDATEEVALUATOR_H
#define DIETCODE_TUNE_CANDIDATEEVALUATOR_H

#include "dietcode/Measure/JobFolder.h"
#include "dietcode/Support/TemporaryFolder.h"
#include "dietcode/Tune/TuningTask.h"
#include "dietcode/Tune/Verification.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace mlir::dietcode {

struct EvaluatorOptions {
  std::string device = "virtual:t4";
  std::string recordName = "virtual:t4"; ///< Of the device.
  unsigned workers = 1;       ///< Compiling threads, and jobs at a time.
  double timeoutSeconds = 60; ///< For measuring one candidate.
  bool verify = true;
  std::string jobFolder; ///< Keeps jobs and results; empty: a temporary one.
  std::string measureProgram; ///< dietcode-measure; empty: found.
  /// Once it is true, `evaluate` returns soon. Any thread may ask.
  std::function<bool()> interrupted;
};

/// Processor seconds by what they went to; complete after `finish`.
struct EvaluationTimes {
  double build = 0; ///< Our passes and LLVM.
  double ptxas = 0;
  double measure = 0; ///< Verifying and timing.
};

/// The kernels of a candidate, assembled.
struct PreparedCandidate {
  ::dietcode::Schedule schedule;
  CompiledCandidate code;
  std::vector<::dietcode::JobKernel> kernels; ///< Of the twin to measure.
  ::dietcode::Record record; ///< What is known before it is measured.
  bool isDone = false;       ///< False: there was no time for it.
  bool usable = false;       ///< False: the record says why.
};

class CandidateEvaluator {
public:
  /// The launches to time, for the cost of a candidate with its registers.
  using Plan = std::function<std::vector<::dietcode::PlannedRun>(
      const ::dietcode::Schedule &, int registers)>;

  /// Makes a folder for jobs and starts measuring processes.
  static ::dietcode::Expected<std::unique_ptr<CandidateEvaluator>>
  create(const EvaluatorOptions &options);
  ~CandidateEvaluator();

  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  /// One record for each schedule, in their order, whatever the number of
  /// workers; none for those that are not done at the deadline, but one at
  /// least, or when somebody interrupts. Candidates that fail have a record
  /// that says why. An error if measuring itself is impossible.
  ::dietcode::Expected<std::vector<::dietcode::Record>>
  evaluate(const TuningTask &task, ArrayRef<::dietcode::Schedule> schedules,
           const Plan &plan, Deadline deadline = std::nullopt);

  /// Ends the measuring processes.
  ::dietcode::Expected<bool> finish();

  const EvaluationTimes &getTimes() const { return times; }
  /// What makes the code, as records name it.
  const std::string &getToolchain() const { return toolchain; }

private:
  explicit CandidateEvaluator(const EvaluatorOptions &options)
      : options(options) {}

  bool isInterrupted() const {
    return options.interrupted && options.interrupted();
  }

  PreparedCandidate prepare(const TuningTask &task,
                            const ::dietcode::Schedule &schedule);
  ::dietcode::Expected<bool> submit(const TuningTask &task,
                                    const PreparedCandidate &candidate,
                                    const Plan &plan, const std::string &id);
  ::dietcode::Expected<bool> awaitResults(
      std::map<std::string, std::optional<::dietcode::Record>> &results,
      Deadline deadline);
  ::dietcode::Expected<Verification *> getVerification(const TuningTask &task);
  ::dietcode::Expected<bool> startWorkers();

  EvaluatorOptions options;
  std::string toolchain;
  std::optional<::dietcode::TemporaryFolder> root; ///< If it is temporary.
  std::optional<::dietcode::JobFolder> folder;
  std::optional<::dietcode::MeasureProcess> workers;
  std::map<const TuningTask *, std::unique_ptr<Verification>> verifications;
  unsigned nextJob = 0;
  EvaluationTimes times;
  std::mutex timesMutex;
  double childrenBefore = 0; ///< Processor seconds when this was made.
};

} // namespace mlir::dietcode

#endif // DIETCODE_TUNE_CANDIDATEEVALUATOR_H
