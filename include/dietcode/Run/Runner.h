//===- Runner.h - Runs a function on the device and checks it ---*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work of `dietcode-run`: compiles a module once, then runs one of its
// functions for each request and compares with the reference.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUN_RUNNER_H
#define DIETCODE_RUN_RUNNER_H

#include "dietcode/Dialect/DietCode/Pipelines/Pipelines.h"
#include "dietcode/Run/Arguments.h"
#include "dietcode/Run/Report.h"

namespace mlir::dietcode {

/// How it ended; the values are exit codes.
enum class RunStatus {
  Ok = 0,
  Failed = 1,  ///< A mistake of the user, or a wrong result.
  Finding = 4, ///< A checker found e.g. an access out of bounds.
};

/// What to do besides running.
struct RunSettings {
  bool check = false;
  double tolerance = 1e-5;
  /// Files for the outputs of the run, in order.
  std::vector<std::string> outputFiles;
};

/// Registers every dialect that may occur in the input or on the way to the
/// device.
void registerRunDialects(DialectRegistry &registry);

/// The function called `name`, or the only public one if that is empty. Emits
/// an error if there is none such.
FailureOr<func::FuncOp> findEntry(ModuleOp module, StringRef name);

/// Runs `entry` once per request and appends to `report`. Whatever goes wrong
/// is emitted as an error; a wrong result does not keep further requests from
/// running.
RunStatus runFunction(func::FuncOp entry, ArrayRef<RunRequest> requests,
                      const DietCodeToLLVMOptions &options,
                      const RunSettings &settings, ::dietcode::Report &report);

} // namespace mlir::dietcode

#endif // DIETCODE_RUN_RUNNER_H
