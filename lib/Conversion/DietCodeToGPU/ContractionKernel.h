//===- ContractionKernel.h - Kernels of contractions ------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates the kernels of one micro-kernel: a block tile of
// C[m, n] = epilogue(sum over k of A[m, k] * B[k, n]).
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_CONTRACTIONKERNEL_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_CONTRACTIONKERNEL_H

#include "KernelFrame.h"

namespace mlir::dietcode {

/// Generates a step of a micro-kernel at the insertion point of `builder`,
/// which is in a gpu.module. The operator works on buffers, the schedule's
/// instruction is one of those that serve it, and the schedule holds on the
/// device. The step runs in a grid of blocksPerTile blocks for each tile, along
/// x.
///
/// The one that multiplies: without a split it applies the epilogue and writes
/// the destination, with one it writes sums to the workspace.
gpu::GPUFuncOp buildContractionKernel(OpBuilder &builder,
                                      const KernelRequest &request,
                                      StringRef name);

/// The one that adds up the workspace, applies the epilogue and writes the
/// destination.
gpu::GPUFuncOp buildReductionKernel(OpBuilder &builder,
                                    const KernelRequest &request,
                                    StringRef name);

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_CONTRACTIONKERNEL_H
