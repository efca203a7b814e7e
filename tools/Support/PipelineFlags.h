//===- PipelineFlags.h - Options of tools that compile ----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TOOLS_SUPPORT_PIPELINEFLAGS_H
#define DIETCODE_TOOLS_SUPPORT_PIPELINEFLAGS_H

#include "dietcode/Dialect/DietCode/Pipelines/Pipelines.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::dietcode {

/// The options of `dietcode-to-llvm` that tools have on their command line.
struct PipelineFlags {
  explicit PipelineFlags(llvm::cl::OptionCategory &category);

  void apply(DietCodeToLLVMOptions &options) const;

  llvm::cl::opt<std::string> device;
  llvm::cl::opt<unsigned> ptxVersion;
  llvm::cl::opt<unsigned> maxKernels;
  llvm::cl::opt<double> maxRegret;
};

} // namespace mlir::dietcode

#endif // DIETCODE_TOOLS_SUPPORT_PIPELINEFLAGS_H
