//===- RunMeasurement.h - How a time was measured ---------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RECORD_RUNMEASUREMENT_H
#define DIETCODE_RECORD_RUNMEASUREMENT_H

#include <cstdint>

namespace dietcode {

/// What L2 holds when a repetition starts.
enum class L2State : uint8_t {
  Flushed, ///< Nothing of the operands: twice its size was written before.
  Warm,    ///< What the repetition before has left.
};

/// What a GPU says of itself at a moment. Zero where it does not.
struct DeviceConditions {
  int64_t smMegahertz = 0;
  int64_t memoryMegahertz = 0;
  double watts = 0;
  int64_t celsius = 0;
};

/// How the time of a run was measured. Of a model's there is nothing to say.
struct RunMeasurement {
  int64_t repetitions = 0; ///< Of all rounds.
  int64_t rounds = 1; ///< Between two of which other candidates were timed.
  double leastSeconds = 0; ///< Of a repetition.
  double mostSeconds = 0;
  L2State l2 = L2State::Flushed;
  DeviceConditions conditions; ///< Right after the last repetition.
};

} // namespace dietcode

#endif // DIETCODE_RECORD_RUNMEASUREMENT_H
