//===- AllocateOnDevice.cpp - Allocate buffers where kernels reach them ---===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/CallInterfaces.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODEALLOCATEONDEVICEPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

/// memref.alloc(%n)  -->  gpu.alloc host_shared (%n)
static void moveToDevice(memref::AllocOp op) {
  OpBuilder builder(op);
  auto alloc = gpu::AllocOp::create(
      builder, op.getLoc(), op.getType(), /*asyncToken=*/Type(),
      /*asyncDependencies=*/ValueRange(), op.getDynamicSizes(),
      op.getSymbolOperands(), /*hostShared=*/true);
  op.replaceAllUsesWith(alloc.getMemref());
  op.erase();
}

/// memref.dealloc %b
///   -->  %0 = gpu.wait async
///        %1 = gpu.dealloc async [%0] %b
///        gpu.wait [%1]
/// gpu-to-llvm only knows how to free in a stream.
static void moveToDevice(memref::DeallocOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type token = b.getType<gpu::AsyncTokenType>();
  Value start = gpu::WaitOp::create(b, token, ValueRange()).getAsyncToken();
  Value end =
      gpu::DeallocOp::create(b, token, start, op.getMemref()).getAsyncToken();
  gpu::WaitOp::create(b, Type(), end);
  op.erase();
}

/// Whether `value` may be used after the block that `alloc` is in has ended.
static bool escapes(Value value, memref::AllocOp alloc) {
  Block *block = alloc->getBlock();
  if (!block->findAncestorOpInBlock(*value.getParentBlock()->getParentOp()) &&
      value.getParentBlock() != block)
    return true;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto call = dyn_cast<CallOpInterface>(user))
      return llvm::any_of(call->getResultTypes(),
                          llvm::IsaPred<BaseMemRefType>);
    return user == block->getTerminator() ||
           !block->findAncestorOpInBlock(*user);
  });
}

/// Frees what `alloc` allocates at the end of its block, unless it outlives it.
static void freeAtEndOfBlock(memref::AllocOp alloc,
                             BufferViewFlowAnalysis &aliases) {
  BufferViewFlowAnalysis::ValueSetT values = aliases.resolve(alloc);
  if (llvm::any_of(values, [&](Value value) { return escapes(value, alloc); }))
    return;
  OpBuilder builder(alloc->getBlock()->getTerminator());
  memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
}

/// Frees the buffers that one-shot bufferization has introduced. A module that
/// frees buffers by hand does so for all of them.
static void freeBuffers(ModuleOp module) {
  SmallVector<memref::AllocOp> allocs;
  bool isManual = false;
  module.walk([&](Operation *op) {
    isManual |= isa<memref::DeallocOp>(op);
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      allocs.push_back(alloc);
  });
  if (isManual || allocs.empty())
    return;
  BufferViewFlowAnalysis aliases(module);
  for (memref::AllocOp alloc : allocs)
    freeAtEndOfBlock(alloc, aliases);
}

namespace {

struct AllocateOnDevice
    : mlir::dietcode::impl::DietCodeAllocateOnDevicePassBase<AllocateOnDevice> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    freeBuffers(module);
    bool usesDevice =
        module
            .walk([](Operation *op) {
              return isa<OperatorOpInterface, gpu::LaunchFuncOp>(op)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    if (!usesDevice)
      return;
    module.walk([](memref::AllocOp op) { moveToDevice(op); });
    module.walk([](memref::DeallocOp op) { moveToDevice(op); });
  }
};

} // namespace
