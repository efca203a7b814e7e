//===- ContractionKernel.h - SIMT micro-kernels for contractions ---*- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates the gpu.func of one micro-kernel: a block tile of
// C[m, n] = epilogue(sum over k of A[m, k] * B[k, n]) in single precision.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_CONTRACTIONKERNEL_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_CONTRACTIONKERNEL_H

#include "Twin.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::dietcode {

/// The element types that kernels can be generated for.
bool isSupportedElementType(Type type);

/// Generates a micro-kernel at the insertion point of `builder`, which is in a
/// gpu.module. The kernel takes the operands of `op` and runs in a grid of
/// ceil(m / blockM) * ceil(n / blockN) blocks along x, m fastest; `op` works on
/// buffers of a supported element type and `schedule` holds on the device.
gpu::GPUFuncOp buildContractionKernel(OpBuilder &builder, MatmulOp op,
                                      StringRef name,
                                      const ::dietcode::Schedule &schedule,
                                      Twin twin);

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_CONTRACTIONKERNEL_H
