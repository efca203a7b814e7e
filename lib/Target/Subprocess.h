//===- Subprocess.h - Running a program to its end --------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_TARGET_SUBPROCESS_H
#define DIETCODE_LIB_TARGET_SUBPROCESS_H

#include <string>
#include <vector>

namespace dietcode {

struct ProcessResult {
  bool started = false;
  bool timedOut = false;
  int exitStatus = -1; ///< 128 + the signal that ended it, if one did.
  std::string output;  ///< Standard output and error together.
};

/// Runs a program without a shell, with nothing to read and, if `inputFile` is
/// not negative, this file as descriptor 3. Waits for it, and ends it when the
/// time is over.
ProcessResult runProcess(const std::vector<std::string> &command,
                         double timeoutSeconds, int inputFile = -1);

} // namespace dietcode

#endif // DIETCODE_LIB_TARGET_SUBPROCESS_H
