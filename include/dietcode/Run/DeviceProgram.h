//===- DeviceProgram.h - A function compiled for the device -----*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a function with the pipeline that ships and calls it on the device
// that the runtime has chosen, with every operand fenced in.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUN_DEVICEPROGRAM_H
#define DIETCODE_RUN_DEVICEPROGRAM_H

#include "dietcode/Dialect/DietCode/Pipelines/Pipelines.h"
#include "dietcode/Run/JitFunction.h"
#include "dietcode/Run/Report.h"

namespace mlir::dietcode {

/// What a call on the device did.
struct DeviceCall {
  /// What went wrong, or empty.
  std::string error;
  /// Whether the error is a finding of a checker.
  bool isFinding = false;
  /// The parts of such a finding as a JSON object.
  std::string finding;
  /// The results, followed by the contents of each buffer argument.
  std::vector<::dietcode::NpyArray> outputs;
  std::vector<::dietcode::KernelReport> kernels;
  /// Of device memory.
  uint64_t allocations = 0, peakBytes = 0;
};

/// A function of a module, compiled for the device.
class DeviceProgram {
public:
  /// Compiles a copy of the module of `entry`. Emits one error where that
  /// fails.
  static FailureOr<DeviceProgram> create(func::FuncOp entry,
                                         const DietCodeToLLVMOptions &options);

  /// Calls the function. Arguments that are tensors may be overwritten, as
  /// after any bufferized function.
  DeviceCall call(std::vector<RunArgument> &arguments);

  /// The device in words, e.g. "virtual:t4 (model, not a measurement)".
  static std::string describeDevice();

private:
  OwningOpRef<ModuleOp> selected; ///< With micro-kernels, before lowering.
  std::string name;
  std::unique_ptr<JitFunction> function;
};

} // namespace mlir::dietcode

#endif // DIETCODE_RUN_DEVICEPROGRAM_H
