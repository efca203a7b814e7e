//===- KernelLaunch.h - Launches of compiled candidates as jobs -*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the kernels of a candidate are launched with: one buffer and one memref
// descriptor for each operand of the operator, in row-major layout, as stock
// MLIR passes them to kernels, and the same for the workspace that they share,
// if they have one.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TUNE_KERNELLAUNCH_H
#define DIETCODE_TUNE_KERNELLAUNCH_H

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Measure/Job.h"
#include "dietcode/Search/Schedule.h"

namespace mlir::dietcode {

/// The sizes of an operand for extents of the problem dimensions.
SmallVector<int64_t> getOperandSizes(OperatorOpInterface op, unsigned operand,
                                     ArrayRef<int64_t> problemShape);

/// Bytes of the buffer of an operand; at least one.
uint64_t getOperandBytes(OperatorOpInterface op, unsigned operand,
                         ArrayRef<int64_t> problemShape);

/// How many elements those of `operand` may be the indices of, if other
/// operands are looked up by it.
std::optional<int64_t> getIndexRange(OperatorOpInterface op, unsigned operand,
                                     ArrayRef<int64_t> problemShape);

/// Bytes of the workspace of a candidate; 0 if it has none.
uint64_t getWorkspaceBytes(OperatorOpInterface op,
                           const ::dietcode::Schedule &schedule,
                           ArrayRef<int64_t> problemShape);

/// The launches of one run on the first `tiles` tiles, where buffer
/// `firstBuffer` + i holds operand i and the next one is the workspace. Kernel
/// i of the job is that of step i.
::dietcode::JobSequence makeLaunches(OperatorOpInterface op,
                                     const ::dietcode::Schedule &schedule,
                                     ArrayRef<int64_t> problemShape,
                                     int64_t tiles, int firstBuffer);

/// `problemShape` with the extents that the innermost dimensions of operands
/// have rounded up to whole vectors, unless they are static: the next shape
/// that the aligned twin serves.
SmallVector<int64_t> alignShape(OperatorOpInterface op,
                                ArrayRef<int64_t> problemShape);

} // namespace mlir::dietcode

#endif // DIETCODE_TUNE_KERNELLAUNCH_H
