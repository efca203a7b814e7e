//===- VirtualGPU.h - Launching kernels on a virtual GPU --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs PTX by interpretation, checks every access, and estimates a time from
// what was executed. The time is a model's, never a measurement of a device.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_VIRTUALGPU_VIRTUALGPU_H
#define DIETCODE_VIRTUALGPU_VIRTUALGPU_H

#include "dietcode/Target/DeviceSpec.h"
#include "dietcode/VirtualGPU/Finding.h"
#include "dietcode/VirtualGPU/Memory.h"
#include "dietcode/VirtualGPU/Module.h"
#include "dietcode/VirtualGPU/TimingReport.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dietcode::vgpu {

/// A range of memory that a launch wrote to.
struct WrittenRange {
  uint64_t base;
  double kept; ///< The part of it that is in L2 when the launch ends.
};

struct LaunchConfig {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
  int64_t dynamicSharedBytes = 0;
  /// Stops a block that executes more warp instructions; 0 is no limit.
  uint64_t maxWarpInstructionsPerBlock = 0;
  /// Stops a launch that takes longer, by the clock on the wall; 0 is what
  /// DIETCODE_VGPU_MAX_SECONDS says, or no limit.
  double maxSeconds = 0;
  CheckOptions checks;
  /// Registers per thread as an assembler allocated them. If 0, ptxas is asked
  /// or they are estimated.
  uint32_t registersPerThread = 0;
  /// Asks ptxas for the device's chip, where there is one (Target/Ptxas.h). It
  /// takes tens of milliseconds, once for each module and chip.
  bool usePtxas = false;
  /// Runs only the few blocks that the timing model replays: the estimate is
  /// the same, and memory holds what these blocks wrote.
  bool timeOnly = false;
  /// Runs without an estimate: no time, and no traces that cost some.
  bool functionalOnly = false;
  /// LaunchReport::written of the launch that ended right before this one
  /// starts: what L2 has kept of it is read from there.
  std::vector<WrittenRange> recent;
};

/// Executed warp instructions by the part of the SM they occupy.
struct PipeCounters {
  uint64_t fp32 = 0;
  uint64_t integer = 0;
  uint64_t fp64 = 0;
  uint64_t sfu = 0;
  uint64_t tensor = 0; ///< Matrix multiply-adds.
  uint64_t shared = 0; ///< Shared-memory accesses and shuffles.
  uint64_t global = 0; ///< Global, local and generic accesses.
  uint64_t control = 0;
  uint64_t total = 0;
};

/// What bounds a launch in the timing model, in core cycles of the busiest SM
/// or seconds of the whole device.
struct TimingBreakdown {
  double issueCycles = 0;
  double fp32Cycles = 0;
  double integerCycles = 0;
  double fp64Cycles = 0;
  double sfuCycles = 0;
  double tensorCycles = 0;
  double lsuCycles = 0;
  double sharedCycles = 0;
  double l1Cycles = 0;
  double latencyCycles = 0; ///< Waves of blocks times a block's critical path.
  double l2Seconds = 0;
  double dramSeconds = 0;
  double launchSeconds = 0;
  const char *bound = ""; ///< The largest of them.
};

struct LaunchReport {
  PipeCounters instructions;
  /// Estimates from a few blocks, scaled to the grid.
  uint64_t sharedWavefronts = 0;
  uint64_t sharedAccesses = 0; ///< Warp instructions that made them.
  uint64_t sectorsRead = 0;    ///< Of 32 bytes, global memory.
  uint64_t sectorsWritten = 0;
  uint64_t dramBytes = 0;
  uint64_t barriers = 0; ///< Warps arriving at barriers.
  /// Accesses that went unchecked, since the shadows had no room for them.
  uint64_t uncheckedPages = 0;
  uint32_t registersPerThread = 0;
  std::string registerSource; ///< "ptxas 13.0", "given" or "estimated".
  std::string registerNote;   ///< Why ptxas was of no use, or its warnings.
  uint32_t sharedBytesPerBlock = 0;
  uint32_t residentBlocksPerSM = 0;
  TimingBreakdown timing; ///< Of the first-order model.
  TimingReport replay;
  /// The replay's, or the first-order model's if there was no trace to replay;
  /// not a measurement.
  double virtualSeconds = 0;
  /// What limits the kernel in the model that virtualSeconds is from.
  std::string limiter() const {
    return replay.valid ? replay.limiter : timing.bound;
  }
  /// The ranges of memory that were written to, ascending.
  std::vector<WrittenRange> written;
};

/// Why a launch failed: it was refused before anything ran, or a checker found
/// something while it ran.
enum class FailureKind : uint8_t { Refused, Finding };

/// A device of a given kind, with memory of its own.
class VirtualGPU {
public:
  explicit VirtualGPU(const DeviceSpec &spec);

  const DeviceSpec &spec() const { return deviceSpec; }
  Memory &memory() { return deviceMemory; }

  /// Runs a kernel to its end. `params[i]` points at the value of parameter i.
  /// Blocks run on several host threads (DIETCODE_VGPU_THREADS overrides how
  /// many) with results that do not depend on their number. A finding of the
  /// checkers stops the launch with one error that names the kernel, the PTX
  /// line, the block and the thread; `kind` then says so, and `finding` holds
  /// its parts.
  Expected<LaunchReport> launch(const Module &module, std::string_view kernel,
                                const LaunchConfig &config, void **params,
                                size_t paramCount, FailureKind *kind = nullptr,
                                Finding *finding = nullptr);

private:
  DeviceSpec deviceSpec;
  Memory deviceMemory;
};

} // namespace dietcode::vgpu

#endif // DIETCODE_VIRTUALGPU_VIRTUALGPU_H
