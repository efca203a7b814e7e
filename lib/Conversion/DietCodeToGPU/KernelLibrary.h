//===- KernelLibrary.h - The micro-kernels of a module ----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates each micro-kernel that a module launches once, into one gpu.module.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_KERNELLIBRARY_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_KERNELLIBRARY_H

#include "ContractionKernel.h"

namespace mlir::dietcode {

/// The kernels generated so far. Operators that differ in nothing that the code
/// of a kernel depends on share their kernels.
class KernelLibrary {
public:
  explicit KernelLibrary(ModuleOp module) : module(module) {}

  /// The kernel of a step by which `microKernel` serves `op`; generated on
  /// first use.
  gpu::GPUFuncOp getOrCreate(ContractionOpInterface op,
                             MicroKernelOp microKernel,
                             const ::dietcode::KernelStep &step, Twin twin);

  /// Where all kernels go; created on first use.
  gpu::GPUModuleOp getGPUModule();

private:
  struct Entry {
    ContractionOpInterface op;
    MicroKernelOp microKernel;
    std::string_view step; ///< Its suffix.
    Twin twin;
    gpu::GPUFuncOp kernel;
  };

  ModuleOp module;
  gpu::GPUModuleOp gpuModule;
  SmallVector<Entry> entries;
};

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_KERNELLIBRARY_H
