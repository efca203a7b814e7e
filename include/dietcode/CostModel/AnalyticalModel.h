//===- AnalyticalModel.h - Kernel times from the device table ---*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the time of a contraction micro-kernel for a shape from the device
// table alone, as (cost of the micro-kernel) x (adaption to the shape). It is
// what chooses before any measurement exists.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_COSTMODEL_ANALYTICALMODEL_H
#define DIETCODE_COSTMODEL_ANALYTICALMODEL_H

#include "dietcode/Search/Schedule.h"
#include "dietcode/Target/DeviceSpec.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace dietcode {

/// Extents of C[m, n] += A[m, k] B[k, n].
struct ContractionShape {
  int64_t m;
  int64_t n;
  int64_t k;
};

/// The predicted time and where it comes from.
struct CostEstimate {
  double seconds = 0;        ///< Launch included; infinite if it cannot run.
  double flopsPerSecond = 0; ///< Useful ones: 2 m n k / seconds.
  int64_t blocks = 0;
  int blocksPerSM = 0;     ///< That can be resident at once.
  double waves = 0;        ///< blocks / (SMs * blocksPerSM).
  double paddingWaste = 0; ///< Fraction of computed MACs that are padding.
  double occupancy = 0;    ///< Fraction of an SM's warps that can be resident.
  /// What limits it: "fma", "shared", "issue", "latency", "dram", "l2",
  /// "launch", or "empty" when there is nothing to compute.
  std::string_view bound = "empty";
};

/// The shape-generic half of the model, f_MK: core cycles of one block.
struct KernelProfile {
  KernelProfile() {} // Not an aggregate: {128, 128, 8, 8, 8} is a Schedule.

  Schedule schedule;
  Resources resources;
  bool valid = false;
  double fmaCycles = 0;    ///< Of the FP32 pipe per k tile.
  double sharedCycles = 0; ///< Of the load/store path per k tile.
  double issueCycles = 0;  ///< Of the schedulers per k tile.
  double tileCycles = 0;   ///< Their combination.
  double chainCycles = 0;  ///< Arithmetic chain of one warp per k tile.
  double syncCycles = 0;   ///< Exposed per k tile without another block.
  double epilogueCycles = 0;
};

/// The analytical cost model of one device. Estimating has no state and may be
/// done from many threads.
class AnalyticalModel {
public:
  explicit AnalyticalModel(const DeviceSpec &device) : device(device) {}

  /// The part that does not depend on the shape, for those who ask about many
  /// shapes.
  KernelProfile profile(const Schedule &schedule) const;

  CostEstimate estimate(const KernelProfile &profile,
                        const ContractionShape &shape) const;
  CostEstimate estimate(const Schedule &schedule,
                        const ContractionShape &shape) const;

private:
  DeviceSpec device;
};

/// One short phrase, e.g. "144 blocks, 2 per SM, 1.8 waves, 3 % padding,
/// fma-bound".
std::string explain(const CostEstimate &estimate);

} // namespace dietcode

#endif // DIETCODE_COSTMODEL_ANALYTICALMODEL_H
