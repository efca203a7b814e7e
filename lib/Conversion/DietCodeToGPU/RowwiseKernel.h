//===- RowwiseKernel.h - Kernels of rowwise operators -----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_ROWWISEKERNEL_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_ROWWISEKERNEL_H

#include "RowProgram.h"
#include "Twin.h"
#include "dietcode/Search/RowSchedule.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::dietcode {

/// Whether the aligned twin accesses `operand`, a buffer, in vectors along the
/// columns. The caller must then see to it that the column has stride one and
/// an extent that is a multiple of the vector, that the other strides are
/// multiples too, and that the operand starts at an address aligned to a
/// vector.
bool isVectorized(RowwiseOp op, unsigned operand);

/// What schedules depend on.
::dietcode::RowTraits getRowTraits(RowwiseOp op, const RowProgram &program);

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
