//===- FreeBuffers.h - Free what bufferization allocates ------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_DIALECT_DIETCODE_TRANSFORMS_FREEBUFFERS_H
#define DIETCODE_LIB_DIALECT_DIETCODE_TRANSFORMS_FREEBUFFERS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::dietcode {

/// Frees the buffers that one-shot bufferization has introduced, and `copies`.
/// A module that frees buffers by hand does so for all other ones.
void freeBuffers(ModuleOp module, ArrayRef<memref::AllocOp> copies);

/// Frees a buffer that `gpu.alloc` has allocated:
///
///   %0 = gpu.wait async
///   %1 = gpu.dealloc async [%0] %buffer
///   gpu.wait [%1]
///
/// gpu-to-llvm only knows how to free in a stream.
void createDeviceFree(ImplicitLocOpBuilder &b, Value buffer);

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_DIALECT_DIETCODE_TRANSFORMS_FREEBUFFERS_H
