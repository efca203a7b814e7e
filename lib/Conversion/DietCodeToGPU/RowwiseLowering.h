//===- RowwiseLowering.h - Launch the kernels of rowwise operators --*- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_ROWWISELOWERING_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_ROWWISELOWERING_H

#include "KernelLibrary.h"
#include "RowwiseKernel.h"

namespace mlir::dietcode {

/// The kernels of the rowwise operators of a module; operators that differ in
/// nothing that the code depends on share theirs.
class RowwiseLibrary {
public:
  explicit RowwiseLibrary(KernelLibrary &library) : library(library) {}

  /// Generated on first use. `schedule` is how `microKernel` lays out threads.
  gpu::GPUFuncOp getOrCreate(RowwiseOp op, const RowProgram &program,
                             MicroKernelOp microKernel,
                             const ::dietcode::RowSchedule &schedule,
                             Twin twin);

private:
  struct Entry {
    RowwiseOp op;
    MicroKernelOp microKernel;
    Twin twin;
    gpu::GPUFuncOp kernel;
  };

  KernelLibrary &library;
  SmallVector<Entry> entries;
};

/// Puts the code that launches the kernels of `op` in front of it. An error if
/// no kernel can be generated.
LogicalResult lowerRowwise(RowwiseOp op, RowwiseLibrary &library);

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_ROWWISELOWERING_H
