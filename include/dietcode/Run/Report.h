//===- Report.h - Reports of runs -------------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one invocation of `dietcode-run` tells, as a table for people or as JSON
// for programs.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUN_REPORT_H
#define DIETCODE_RUN_REPORT_H

#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dietcode {

/// Bytes of global memory that the accesses of a kernel touch, in sectors, and
/// what comes from or goes to DRAM.
struct KernelTraffic {
  uint64_t bytesRead = 0;
  uint64_t bytesWritten = 0;
  uint64_t dramBytes = 0;
};

/// One kernel that a run launched.
struct KernelReport {
  std::string name;
  std::string microKernel; ///< Its symbol; empty if there is none.
  std::string why;         ///< Why it was chosen.
  std::array<int64_t, 3> grid = {};
  std::array<int64_t, 3> block = {};
  int64_t sharedBytes = 0;
  double seconds = 0;
  /// What a virtual GPU estimates from a few blocks; a real one does not tell.
  std::optional<KernelTraffic> traffic;
  /// A virtual GPU's TimingReport, a JSON object; empty if there is none.
  std::string timing;
};

/// One run.
struct RunReport {
  std::string shapes; ///< As given, or as the arguments have them.
  std::vector<KernelReport> kernels;
  std::optional<double> maxError; ///< If it was checked.
  double seconds = 0;             ///< Of all launches.
  /// Of device memory: how often, and the most bytes at the same time.
  uint64_t allocations = 0, peakBytes = 0;
  bool ok = true;
};

/// One invocation.
struct Report {
  std::string device; ///< In words.
  std::string entry;
  double tolerance = 0;
  std::vector<RunReport> runs;
  std::string finding; ///< A JSON object, if a checker ended the last run.
};

/// Prints a table: a row per run, and one more for each further launch of it.
void printTable(const Report &report, llvm::raw_ostream &os);

/// Prints one JSON object.
void printJson(const Report &report, llvm::raw_ostream &os);

} // namespace dietcode

#endif // DIETCODE_RUN_REPORT_H
