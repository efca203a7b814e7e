//===- Adaption.h - From the cost of a micro-kernel to a shape --*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shape-generic cost of a micro-kernel, f_MK, and what a shape makes of it,
// f_adapt: cost(shape, kernel) = f_MK(kernel) adapted to the shape. f_MK may be
// measured, predicted by a trained model, or derived from the device table.
//
// Blocks that are resident on an SM at the same time make a round. Its time is
// known for one block and for as many as fit; in between it is interpolated. A
// shape of b blocks keeps the busiest SM for
//
//   ceil(b / SMs) blocks = rounds x blocksPerSM + rest
//
// so its time is launch + rounds x T(blocksPerSM) + T(rest), or what L2 and
// DRAM need if that is more. Padding of m and n is in b, padding of k in the
// tiles that T is proportional to.
//
// A split multiplies the blocks, divides the tiles, and adds a launch that
// reads the workspace: it is an adaption, too.
//
// For operators on rows, tiles are those of the rows of a block. If there are
// several, none stays in registers, and each pass goes through all of them.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_COSTMODEL_ADAPTION_H
#define DIETCODE_COSTMODEL_ADAPTION_H

#include "dietcode/Search/ContractionShape.h"
#include "dietcode/Search/RowSchedule.h"
#include "dietcode/Target/DeviceSpec.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

/// The predicted time and where it comes from.
struct CostEstimate {
  double seconds = 0;        ///< Launch included; infinite if it cannot run.
  double flopsPerSecond = 0; ///< Useful ones: 2 m n k / seconds, and m n /
                             ///< seconds of operators on rows.
  int64_t blocks = 0;
  int blocksPerSM = 0;     ///< That can be resident at once.
  double waves = 0;        ///< blocks / (SMs * blocksPerSM).
  double paddingWaste = 0; ///< Fraction of computed MACs that are padding.
  double occupancy = 0;    ///< Fraction of an SM's warps that can be resident.
  /// What limits it: "fma", "tensor", "shared", "issue", "latency", "dram",
  /// "l2", "launch", or "empty" when there is nothing to compute.
  std::string_view bound = "empty";
};

/// Core cycles per k tile that one block keeps the parts of an SM busy, each as
/// if it had the SM to itself. By default, time goes with the blocks.
struct PipeLoad {
  double fma = 1;    ///< Of the FP32 or the tensor pipe.
  double shared = 0; ///< Of the load/store path.
  double issue = 0;  ///< Of the schedulers.

  /// Of `blocks` blocks of `threads` threads together.
  double cycles(int blocks, int64_t threads, const DeviceSpec &device) const;
};

/// Blocks that run together on an SM, from the start of the first to the end of
/// the last.
struct RoundCost {
  double overhead = 0; ///< Seconds before and after the loop over k.
  double perTile = 0;  ///< Seconds per k tile.

  double seconds(double tiles) const { return overhead + tiles * perTile; }
};

/// How far off the model was at a shape where the whole grid was measured.
struct Calibration {
  ContractionShape shape;
  double ratio = 1; ///< Measured seconds over estimated ones, launch aside.
};

/// What f_MK is taken from.
enum class CostSource { Analytical, Predicted, Measured };

/// f_MK: the cost of a micro-kernel on a device, whatever the shape.
struct MicroKernelCost {
  MicroKernelCost() {} // Not an aggregate: {128, 128, 8, 8, 8} is a Schedule.

  Schedule schedule;
  Resources resources;
  bool valid = false;  ///< False: it cannot run on the device.
  int factorBytes = 4; ///< Of an element that is multiplied, in memory.
  int outBytes = 4;    ///< Of an element that is written.
  std::optional<RowTraits> rows; ///< Of an operator on rows.
  CostSource source = CostSource::Analytical;
  RoundCost lone;                ///< One block on each SM.
  RoundCost full;                ///< resources.blocksPerSM blocks on each SM.
  PipeLoad load;                 ///< By which time grows between the two.
  std::string_view pipe = "fma"; ///< What a full SM is busiest with.
  /// Corrections of f_adapt, which make it exact at measured shapes and fade
  /// with the distance from them.
  std::vector<Calibration> calibrations;

  /// Whether the whole grid was measured at `shape`.
  bool isMeasuredAt(const ContractionShape &shape) const {
    return std::any_of(
        calibrations.begin(), calibrations.end(),
        [&](const Calibration &known) { return known.shape == shape; });
  }
};

/// f_adapt of one device. Has no state; may be used from many threads.
class Adaption {
public:
  explicit Adaption(const DeviceSpec &device) : device(device) {}

  CostEstimate estimate(const MicroKernelCost &cost,
                        const ContractionShape &shape) const;

  /// Tiles that a block goes through for a shape, one after the other.
  double tilesOf(const MicroKernelCost &cost,
                 const ContractionShape &shape) const;

  /// Seconds of a run that are not its main kernel's: launches, and the
  /// reduction after a split. `blocks` is the main kernel's grid.
  double otherSeconds(const Schedule &schedule, const ContractionShape &shape,
                      double blocks) const;

  /// Cycles that `blocks` blocks keep an SM busy per k tile.
  double busyCycles(const MicroKernelCost &cost, int blocks) const {
    return cost.load.cycles(blocks, cost.resources.threads, device);
  }

  /// Seconds of a round of `blocks` blocks per SM, 1 <= blocks <=
  /// cost.resources.blocksPerSM.
  double roundSeconds(const MicroKernelCost &cost, int blocks,
                      double tiles) const;

  /// FLOP/s of full rounds of full tiles on all SMs, with nothing lost to the
  /// shape, or elements per second of an operator on rows; what a
  /// dietcode.micro_kernel is annotated with.
  double throughput(const MicroKernelCost &cost) const;

private:
  DeviceSpec device;
};

/// One short phrase, e.g. "144 blocks, 2 per SM, 1.8 waves, 3 % padding,
/// fma-bound".
std::string explain(const CostEstimate &estimate);

} // namespace dietcode

#endif // DIETCODE_COSTMODEL_ADAPTION_H
