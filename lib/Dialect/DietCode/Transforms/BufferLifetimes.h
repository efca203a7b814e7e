//===- BufferLifetimes.h - From when to when buffers are used ---*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_TRANSFORMS_BUFFERLIFETIMES_H
#define DIETCODE_LIB_TRANSFORMS_BUFFERLIFETIMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::dietcode {

/// A buffer that is freed in the block that allocates it, with the first and
/// the last operation that touch it, numbered in the order of the text. What is
/// nested in an operation that uses the buffer counts as using it.
///
/// Numbers of operations in branches that exclude each other do not overlap,
/// and an iteration of a loop has what it allocates to itself.
struct BufferLifetime {
  gpu::AllocOp alloc;
  gpu::DeallocOp dealloc;
  unsigned first = 0;
  unsigned last = 0;
  bool isUsed = false;

  bool overlaps(const BufferLifetime &other) const {
    return isUsed && other.isUsed && first <= other.last && other.first <= last;
  }
};

/// The lifetimes of a function's buffers that are known, in the order of their
/// allocations. They are not known of a buffer that is seen outside of its
/// block, or whose address goes where the analysis of views does not follow.
SmallVector<BufferLifetime> findBufferLifetimes(func::FuncOp function);

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_TRANSFORMS_BUFFERLIFETIMES_H
