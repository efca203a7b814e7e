//===- PtxJob.h - Runs one kernel of a PTX file -----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `dietcode-run --ptx` does: one launch of one kernel on the virtual GPU,
// with arguments and results in files. It needs nothing of MLIR, so the PTX may
// come from any compiler.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_VIRTUALGPU_PTXJOB_H
#define DIETCODE_VIRTUALGPU_PTXJOB_H

#include "dietcode/VirtualGPU/VirtualGPU.h"

#include <optional>
#include <string>
#include <vector>

namespace dietcode::vgpu {

/// An argument of a kernel: a scalar by value, or a buffer, which the kernel
/// gets as a 64-bit pointer.
struct PtxArgument {
  std::string text;        ///< As it was written.
  std::vector<char> bytes; ///< The scalar, or the initial contents.
  bool isBuffer = false;
  std::optional<std::string> outputFile; ///< Where the contents go afterwards.
};

/// Parses one of
///   i32:V u32:V i64:V u64:V f32:V f64:V   a scalar
///   value:FILE                            any other value, such as a struct:
///   its
///                                         bytes
///   in:FILE                               a buffer with the bytes of a file
///   inout:FILE:OUT                        the same, written to OUT afterwards
///   out:BYTES:FILE                        a new buffer, written to FILE
///   zero:BYTES                            a buffer of zeros
/// An `out` buffer starts with bytes of 0xff, which read as NaN.
Expected<PtxArgument> parsePtxArgument(const std::string &text);

/// Parses "X", "X,Y" or "X,Y,Z" with positive values; `what` names the option
/// in messages.
Expected<std::array<int64_t, 3>> parseExtents(const std::string &text,
                                              const std::string &what);

struct PtxJob {
  std::string file;   ///< Of PTX.
  std::string kernel; ///< May be empty if the file has only one.
  LaunchConfig config;
  std::vector<PtxArgument> arguments;
};

struct PtxJobResult {
  std::string kernel;
  LaunchReport report;
};

/// Runs `job` on a virtual `device` and writes its output files, none of them
/// if anything fails, nor for the time only: then most blocks do not run.
/// `kind` says whether a checker has found something, and `finding` what.
Expected<PtxJobResult> runPtxJob(const PtxJob &job, const DeviceSpec &device,
                                 FailureKind *kind = nullptr,
                                 Finding *finding = nullptr);

} // namespace dietcode::vgpu

#endif // DIETCODE_VIRTUALGPU_PTXJOB_H
