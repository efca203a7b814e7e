//===- Measure.h - From jobs to records -------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measuring in this process, and in children that may crash, hang or eat all
// memory at the cost of their own job only.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_MEASURE_MEASURE_H
#define DIETCODE_MEASURE_MEASURE_H

#include "dietcode/Device/Device.h"
#include "dietcode/Measure/Job.h"
#include <functional>
#include <optional>
#include <string>

namespace dietcode {

/// Verifies a candidate and, if its results are right, times it. Whatever is
/// wrong with it is the status of the record. `folder` is where the files of
/// the job are.
Record measureJob(const Job &job, const std::string &folder, Device &device);

/// Device::recordName of the device called `name`, or why it cannot be used. A
/// child asks: the CUDA driver is of no use to processes that are forked from
/// one that has initialised it, as those are that measure.
Expected<std::string> askRecordName(const std::string &name);

struct MeasureOptions {
  std::string device; ///< Overrides the jobs' own; empty: does not.
  std::string folder = ".";
  unsigned workers = 1;       ///< Jobs at a time.
  double timeoutSeconds = 60; ///< For one job.
  /// What the child of a job may allocate besides its buffers.
  uint64_t memoryBytes = uint64_t(4) << 30;
};

/// Where jobs come from and where records go. All of it is called by the thread
/// that called measureJobs.
class JobQueue {
public:
  virtual ~JobQueue() = default;
  /// The next job to start; nothing: there is none now.
  virtual Expected<std::optional<Job>> next() = 0;
  /// Once for each job that `next` gave.
  virtual Expected<bool> done(const Job &job, const Record &record) = 0;
  /// Whether to go on while nothing is running and there is no job.
  virtual bool mayHaveMore() { return false; }
  /// Called every now and then.
  virtual Expected<bool> tick() { return true; }
};

/// Measures the jobs of a queue, each in a child process. Must be called by a
/// process with one thread. Ends when the queue is empty, at the first error of
/// the queue, or when `interrupted` says so; then all children are killed and
/// reaped, and the result is false.
Expected<bool> measureJobs(JobQueue &queue, const MeasureOptions &options,
                           const std::function<bool()> &interrupted = nullptr);

} // namespace dietcode

#endif // DIETCODE_MEASURE_MEASURE_H
