//===- Ptxas.h - What ptxas makes of PTX ------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs `ptxas -v` on PTX, where ptxas is installed, and reads what it says of
// each kernel: registers, spills, stack, shared memory. Registers decide how
// many blocks share an SM, so this is worth its tens of milliseconds; results
// are kept for the life of the process. All functions may be called from many
// threads at once.
//
//   PtxasOutcome outcome = runPtxas(ptx, "sm_75", "matmul.ptx");
//   if (outcome.status == PtxasStatus::Ok)
//     registers = outcome.report.lookup("matmul")->registers;
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TARGET_PTXAS_H
#define DIETCODE_TARGET_PTXAS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

/// What ptxas says of a kernel.
struct PtxasKernel {
  std::string name;
  int registers = 0; ///< Per thread.
  int barriers = 0;
  /// Per thread; with the frames of functions that it calls, if that is known.
  int64_t stackBytes = 0;
  int64_t spillStoreBytes = 0;
  int64_t spillLoadBytes = 0;
  int64_t sharedBytes = 0; ///< Static.
};

struct PtxasReport {
  std::string version; ///< e.g. "13.0".
  std::string chip;    ///< e.g. "sm_75".
  std::vector<PtxasKernel> kernels;
  std::string warnings; ///< Lines, if there are any.

  /// Null if there is no such kernel.
  const PtxasKernel *lookup(std::string_view kernel) const;
};

enum class PtxasStatus : uint8_t {
  Ok,
  Absent,  ///< There is no ptxas, or DIETCODE_PTXAS=none.
  Refused, ///< It refuses the PTX, or does not know the chip.
  Failed,  ///< It could not be run, crashed or took too long.
};

struct PtxasOutcome {
  PtxasStatus status = PtxasStatus::Absent;
  /// Unless it is Ok: what is wrong, in the words of ptxas where it has some,
  /// with the name of the module in place of the file's.
  std::string message;
  PtxasReport report; ///< If it is Ok.
};

struct PtxasOptions {
  double timeoutSeconds = 60;
  bool useCache = true;
};

/// The ptxas that is used: DIETCODE_PTXAS if it is set ("none" for none at
/// all), else the first one in PATH, CUDA_HOME/bin and /usr/local/cuda/bin.
/// Empty if there is none.
std::string findPtxas();

/// "13.0" for the ptxas at `path`; empty if it does not tell.
std::string ptxasVersion(const std::string &path);

/// Assembles `ptx` for `chip` and discards the machine code. `name` is what
/// messages call the module. Leaves neither files nor processes behind.
PtxasOutcome runPtxas(std::string_view ptx, std::string_view chip,
                      std::string_view name, const PtxasOptions &options = {});

/// Assembles `ptx` for `chip`. If that is Ok, `cubin` is the machine code.
PtxasOutcome assembleCubin(std::string_view ptx, std::string_view chip,
                           std::string_view name, std::string &cubin,
                           double timeoutSeconds = 600);

/// Reads the output of `ptxas -v`.
PtxasReport parsePtxasOutput(std::string_view output);

} // namespace dietcode

#endif // DIETCODE_TARGET_PTXAS_H
