//===- RunPtx.h - The --ptx mode of dietcode-run ----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TOOLS_DIETCODE_RUN_RUNPTX_H
#define DIETCODE_TOOLS_DIETCODE_RUN_RUNPTX_H

#include "dietcode/VirtualGPU/PtxJob.h"
#include "llvm/Support/raw_ostream.h"

namespace dietcode {

/// What the command line says of a kernel to run.
struct PtxOptions {
  std::string file;
  std::string kernel;
  std::string grid = "1";
  std::string block = "1";
  int64_t sharedBytes = 0;
  std::string device; ///< "t4" or "virtual:t4".
  std::vector<std::string> arguments;
  bool json = false;
  bool functional = false; ///< Only run the kernel.
  bool time = false;       ///< Only estimate its time.
  bool check = false;      ///< With all checkers.
};

/// Runs the kernel and prints what it did. The result is the exit status of the
/// tool: 1 after an error, 4 after a finding of a checker.
int runPtx(const PtxOptions &options);

} // namespace dietcode

#endif // DIETCODE_TOOLS_DIETCODE_RUN_RUNPTX_H
