//===- LaunchLog.h - What ran ------------------------------------*- C++-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_LAUNCHLOG_H
#define DIETCODE_LIB_RUNTIME_LAUNCHLOG_H

#include "dietcode/Runtime/Runtime.h"

#include <memory>

namespace dietcode::runtime {

/// A time that nobody knows before the kernel has come to its end.
class PendingTime {
public:
  virtual ~PendingTime() = default;
  /// Waits; nothing if the launch failed.
  virtual std::optional<double> seconds() = 0;
};

/// Whether the launch log was started.
bool isLoggingLaunches();

/// Appends to the launch log if it was started. The record gets the time of
/// `time`, if there is one, once the log is taken.
void logLaunch(LaunchRecord record,
               std::unique_ptr<PendingTime> time = nullptr);

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_LAUNCHLOG_H
