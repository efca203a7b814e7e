//===- PipelineFlags.cpp - Options of tools that compile ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/PipelineFlags.h"

using namespace mlir::dietcode;
namespace cl = llvm::cl;

PipelineFlags::PipelineFlags(cl::OptionCategory &category)
    : device("device", cl::cat(category),
             cl::desc("Device to select micro-kernels for (default: the "
                      "module's, or else t4)")),
      ptxVersion("ptx-version", cl::cat(category), cl::init(0),
                 cl::desc("PTX ISA of the kernels, e.g. 65")),
      maxKernels("max-kernels", cl::cat(category), cl::init(8),
                 cl::desc("Most micro-kernels that one operator may use")),
      maxRegret("max-regret", cl::cat(category), cl::init(-1.0),
                cl::desc("Largest predicted regret that is accepted")) {}

void PipelineFlags::apply(DietCodeToLLVMOptions &options) const {
  options.device = device.getValue();
  options.ptxVersion = ptxVersion.getValue();
  options.maxKernels = maxKernels.getValue();
  options.maxRegret = maxRegret.getValue();
}
