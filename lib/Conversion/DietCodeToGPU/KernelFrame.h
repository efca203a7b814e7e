//===- KernelFrame.h - What all kernels begin with --------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of a micro-kernel have the parameters in common, and the way in
// which blocks find their tile.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_KERNELFRAME_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_KERNELFRAME_H

#include "IndexMath.h"
#include "MatrixView.h"
#include "Twin.h"
#include "dietcode/Search/Schedule.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::dietcode {

/// One kernel to generate.
struct KernelRequest {
  ContractionOpInterface op;
  ::dietcode::Schedule schedule;
  ::dietcode::KernelStep step;
  Twin twin;
};

/// What the body of a kernel starts from.
struct KernelFrame {
  /// Of the operator's operands, for the product that the block works on.
  SmallVector<MatrixView> views;
  TiledDim m, n, k;
  Value workspace;     ///< Flat; null without a split.
  Value workspaceRow;  ///< Where the rows of the block's product begin in it,
  Value workspaceRows; ///< and how many there are of all products.
  Value threadId;
  Value startM, startN; ///< Of the tile that the block works on.
  Value share;          ///< Which of the tile's blocks it is.
};

/// Creates the kernel, without a body. Its parameters are the operands of the
/// operator and the workspace, if the schedule has one; `sharedElements` floats
/// of shared memory are its first workgroup attribution, unless there are none.
gpu::GPUFuncOp createKernel(OpBuilder &builder, const KernelRequest &request,
                            StringRef name, int64_t sharedElements);

/// Creates the beginning of the body of `kernel`.
KernelFrame createFrame(ImplicitLocOpBuilder &b, gpu::GPUFuncOp kernel,
                        const KernelRequest &request);

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_KERNELFRAME_H
