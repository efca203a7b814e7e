//===- AnalyticalModel.h - Kernel times from the device table ---*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost of a micro-kernel from the device table and the layout of its
// schedule alone. It is what chooses before any measurement exists, and
// what a trained model corrects.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_COSTMODEL_ANALYTICALMODEL_H
#define DIETCODE_COSTMODEL_ANALYTICALMODEL_H

#include "dietcode/CostModel/Adaption.h"
#include "dietcode/CostModel/OperatorTraits.h"

#include <optional>

namespace dietcode {

/// What a block does on an SM, in core cycles.
struct KernelProfile {
  KernelProfile() {} // Not an aggregate: {128, 128, 8, 8, 8} is a Schedule.

  Schedule schedule;
  Resources resources;
  bool valid = false;
  int factorBytes = 4;           ///< Of an element in memory.
  int outBytes = 4;              ///< Of an element that is written.
  std::optional<RowTraits> rows; ///< Of an operator on rows: tiles are of them.
  PipeLoad load;
  double chainCycles = 0; ///< Arithmetic chain of one warp per k tile.
  double waitCycles = 0;  ///< What a k tile waits for at least.
  double syncCycles = 0;  ///< Exposed per k tile without another block.
  double startCycles = 0; ///< Before and after all tiles, however many blocks.
  double epilogueCycles = 0;
};

/// The analytical cost model of one device. Has no state; may be used from many
/// threads.
class AnalyticalModel {
public:
  explicit AnalyticalModel(const DeviceSpec &device)
      : device(device), adaption(device) {}

  /// `registers` per thread as an assembler reported them replace the estimate.
  KernelProfile profile(const Schedule &schedule,
                        std::optional<int> registers = std::nullopt,
                        const OperatorTraits &traits = {}) const;

  /// f_MK of a profile.
  MicroKernelCost cost(const KernelProfile &profile) const;
  MicroKernelCost cost(const Schedule &schedule,
                       const OperatorTraits &traits = {}) const {
    return cost(profile(schedule, std::nullopt, traits));
  }

  CostEstimate estimate(const Schedule &schedule, const ContractionShape &shape,
                        const OperatorTraits &traits = {}) const {
    return adaption.estimate(cost(schedule, traits), shape);
  }

private:
  RoundCost round(const KernelProfile &profile, int blocks) const;

  DeviceSpec device;
  Adaption adaption;
};

} // namespace dietcode

#endif // DIETCODE_COSTMODEL_ANALYTICALMODEL_H
