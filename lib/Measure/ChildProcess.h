//===- ChildProcess.h - One job in a process of its own ---------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_MEASURE_CHILDPROCESS_H
#define DIETCODE_LIB_MEASURE_CHILDPROCESS_H

#include "dietcode/Measure/Measure.h"
#include <chrono>
#include <sys/types.h>

namespace dietcode {

/// A child that measures one job and sends the record through a pipe. It dies
/// with this object, and with the process that made it.
class ChildProcess {
public:
  using Clock = std::chrono::steady_clock;

  static Expected<ChildProcess> start(Job job, const MeasureOptions &options);

  ChildProcess(ChildProcess &&other) noexcept;
  ChildProcess &operator=(ChildProcess &&other) noexcept;
  ~ChildProcess(); ///< Kills and reaps it.

  const Job &job() const { return work; }
  /// To wait for with poll.
  int descriptor() const { return pipe; }
  Clock::time_point deadline() const { return end; }

  /// Reads what has come. The record once there is one, or once it is clear
  /// that there will be none.
  std::optional<Record> advance();

private:
  ChildProcess(Job job, double timeoutSeconds);
  Record takeRecord();
  void kill();

  Job work;
  double timeoutSeconds;
  Clock::time_point end;
  pid_t pid = -1;
  int pipe = -1;
  std::string device;
  std::string text; ///< What the child has sent.
};

/// The device that a job is measured on.
std::string deviceOf(const Job &job, const MeasureOptions &options);

} // namespace dietcode

#endif // DIETCODE_LIB_MEASURE_CHILDPROCESS_H
