//===- OperatorTuner.h - The joint search of one operator -------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One operator with all of its shapes: what is known of each micro-kernel, what
// to measure next, and on which launches. Knows nothing of IR; who compiles and
// measures gives it records.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TUNE_OPERATORTUNER_H
#define DIETCODE_TUNE_OPERATORTUNER_H

#include "dietcode/Record/Record.h"
#include "dietcode/Search/ScheduleSpace.h"
#include "dietcode/Tune/Proposer.h"

#include <map>
#include <string>
#include <vector>

namespace dietcode {

/// A launch to time: the whole grid of a shape, or its first blocks.
struct PlannedRun {
  ContractionShape shape;
  int64_t blocks;
};

/// Adds `run` unless it is there.
void addRun(std::vector<PlannedRun> &runs, const PlannedRun &run);

/// What a record says that was measured, or an error if it is of an operator
/// or a schedule of another kind. Failed records have no runs.
Expected<MeasuredKernel> measuredKernelOf(const Record &record);

/// What a cost model is trained on: the runs of all records, one kernel for
/// each micro-kernel and depth and width of the problem, since a record may
/// hold runs of several operators.
class TrainingSet {
public:
  void add(const std::vector<Record> &records);
  std::vector<MeasuredKernel> getKernels() const;

private:
  std::map<std::string, MeasuredKernel> kernels;
};

/// The launches that tell what the cost model learns of a micro-kernel: its
/// best-fit instance (the one that it loses least to), one block on each SM,
/// and as many as fit. `points` are shapes that may occur.
std::vector<PlannedRun> planRuns(const MicroKernelCost &cost,
                                 const std::vector<TuneInstance> &instances,
                                 const std::vector<ContractionShape> &points,
                                 const Adaption &adaption,
                                 const DeviceSpec &device);

/// The state of the search for one operator.
class OperatorTuner {
public:
  /// `points` are shapes all over the range, `instances` those that count.
  /// `source` is that of the records of this operator. `rangeShare`, from 0 to
  /// 1, is what the points count against the instances when candidates are
  /// proposed; dispatches are chosen for both alike (`selectMicroKernels`).
  OperatorTuner(const DeviceSpec &device, OperatorTraits traits,
                std::vector<TuneInstance> instances,
                std::vector<ContractionShape> points, std::string source = "",
                const ScheduleSpace &space = {}, double rangeShare = 0.5);

  const OperatorTraits &getTraits() const { return traits; }
  const std::vector<TuneInstance> &getInstances() const { return instances; }
  const std::vector<ContractionShape> &getPoints() const { return points; }
  const CandidatePool &getPool() const { return pool; }

  /// Takes note of the records of this operator.
  void add(const std::vector<Record> &records);
  /// Costs again: what the model predicts, and what was measured.
  void update(const CostModel &model);
  std::vector<size_t> propose(uint64_t seed,
                              const ProposerOptions &options) const;
  double expectedGain(const ProposerOptions &options) const;
  double weightedSeconds() const;

  /// The micro-kernels that were measured without a fault; all costs if there
  /// is none.
  std::vector<MicroKernelCost> getUsableCosts() const;
  size_t countMeasured() const;
  size_t countFailed() const { return failures.size(); }
  /// Of failed candidates, by schedule.
  const std::map<std::string, std::string> &getFailures() const {
    return failures;
  }
  std::vector<MeasuredKernel> getMeasurements() const;
  /// What was measured of a candidate; null if nothing was.
  const MeasuredKernel *findMeasurement(size_t candidate) const;
  /// The instances at which a candidate costs at most `1 + slack` of the best.
  std::vector<ContractionShape> findRivalries(size_t candidate,
                                              double slack) const;

private:
  DeviceSpec device;
  Adaption adaption;
  OperatorTraits traits;
  std::vector<TuneInstance> instances;
  std::vector<ContractionShape> points;
  std::vector<TuneInstance> targets; ///< What candidates are proposed for.
  void shareAmongSplits();

  std::string source;
  ContractionShape reference; ///< What measurements should be near to.
  CandidatePool pool;
  std::map<std::string, size_t> indices; ///< Of schedules in the pool.
  std::map<size_t, MeasuredKernel> measurements;
  std::vector<double> leastSeconds; ///< Of any candidate, by instance.
  std::map<std::string, std::string> failures;
};

} // namespace dietcode

#endif // DIETCODE_TUNE_OPERATORTUNER_H
