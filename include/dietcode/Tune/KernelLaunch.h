//===- KernelLaunch.h - Launches of compiled candidates as jobs -*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel of a candidate is launched with: one buffer and one memref
// descriptor for each operand of the operator, in row-major layout, as stock
// MLIR passes them to kernels.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TUNE_KERNELLAUNCH_H
#define DIETCODE_TUNE_KERNELLAUNCH_H

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Measure/Job.h"

namespace mlir::dietcode {

/// The sizes of an operand for extents of the problem dimensions.
SmallVector<int64_t> getOperandSizes(OperatorOpInterface op, unsigned operand,
                                     ArrayRef<int64_t> problemShape);

/// Bytes of the buffer of an operand; at least one.
uint64_t getOperandBytes(OperatorOpInterface op, unsigned operand,
                         ArrayRef<int64_t> problemShape);

/// The parameters of a kernel where buffer i holds operand i.
std::vector<::dietcode::JobArgument>
makeKernelArguments(OperatorOpInterface op, ArrayRef<int64_t> problemShape);

/// `problemShape` with the extents that the innermost dimensions of operands
/// have rounded up to whole vectors, unless they are static: the next shape
/// that the aligned twin serves.
SmallVector<int64_t> alignShape(OperatorOpInterface op,
                                ArrayRef<int64_t> problemShape);

} // namespace mlir::dietcode

#endif // DIETCODE_TUNE_KERNELLAUNCH_H
