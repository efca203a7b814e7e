//===- RowwiseKernel.h - Kernels of rowwise operators -----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_ROWWISEKERNEL_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_ROWWISEKERNEL_H

#include "Twin.h"
#include "dietcode/Dialect/DietCode/IR/RowProgram.h"
#include "dietcode/Search/RowSchedule.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::dietcode {

/// Generates a kernel at the insertion point of `builder`, which is in a
/// gpu.module. It takes the operands of `op` and runs in any grid along x; each
/// block takes a part of the rows, or of the columns where there is no
/// reduction (see getNumBlocks), after the other.
gpu::GPUFuncOp buildRowwiseKernel(OpBuilder &builder, RowwiseOp op,
                                  StringRef name, const RowProgram &program,
                                  const ::dietcode::RowSchedule &schedule,
                                  Twin twin);

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_ROWWISEKERNEL_H
