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
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODEALLOCATEONDEVICEPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

/// Whether a kernel, a callee or the caller of the function may see `value`.
static bool leavesHostCode(Value value, BufferViewFlowAnalysis &aliases) {
  return llvm::any_of(aliases.resolve(value), [](Value alias) {
    return llvm::any_of(alias.getUsers(), [](Operation *user) {
      return isa<OperatorOpInterface, gpu::LaunchFuncOp, CallOpInterface>(
                 user) ||
             (user->hasTrait<OpTrait::ReturnLike>() &&
              isa<FunctionOpInterface>(user->getParentOp()));
    });
  });
}

/// %0 = memref.get_global @c  -->  %1 = memref.get_global @c
///                                 %0 = memref.alloc()
///                                 memref.copy %1, %0
static memref::AllocOp replaceByCopy(memref::GetGlobalOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op->getBlock(),
                         std::next(op->getIterator()));
  auto alloc = memref::AllocOp::create(b, op.getType());
  op.getResult().replaceAllUsesWith(alloc);
  memref::CopyOp::create(b, op, alloc);
  return alloc;
}

/// memref.alloca(%n)  -->  memref.alloc(%n)
static memref::AllocOp moveToHeap(memref::AllocaOp op) {
  OpBuilder builder(op);
  auto alloc = memref::AllocOp::create(
      builder, op.getLoc(), op.getType(), op.getDynamicSizes(),
      op.getSymbolOperands(), op.getAlignmentAttr());
  op.replaceAllUsesWith(alloc.getResult());
  op.erase();
  return alloc;
}

/// Puts constants and stack slots that are seen outside of host code into
/// buffers of their own: kernels reach neither, and a caller could not free
/// them. Returns these buffers.
static SmallVector<memref::AllocOp> copyHostMemory(ModuleOp module,
                                                   bool usesDevice) {
  SmallVector<memref::GetGlobalOp> constants;
  SmallVector<memref::AllocaOp> slots;
  SymbolTable symbols(module);
  module.walk([&](Operation *op) {
    if (auto get = dyn_cast<memref::GetGlobalOp>(op)) {
      auto global = symbols.lookup<memref::GlobalOp>(get.getName());
      // What is written to a copy of a variable would be lost.
      if (global && global.getConstant() && !get.getType().getMemorySpace())
        constants.push_back(get);
    } else if (auto alloca = dyn_cast<memref::AllocaOp>(op)) {
      if (usesDevice)
        slots.push_back(alloca);
    }
  });
  if (constants.empty() && slots.empty())
    return {};
  BufferViewFlowAnalysis aliases(module);
  auto staysHere = [&](auto op) { return !leavesHostCode(op, aliases); };
  llvm::erase_if(constants, staysHere);
  llvm::erase_if(slots, staysHere);
  SmallVector<memref::AllocOp> copies;
  for (memref::GetGlobalOp op : constants)
    copies.push_back(replaceByCopy(op));
  for (memref::AllocaOp op : slots)
    copies.push_back(moveToHeap(op));
  return copies;
}

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

/// Frees the buffers that one-shot bufferization has introduced, and `copies`.
/// A module that frees buffers by hand does so for all other ones.
static void freeBuffers(ModuleOp module, ArrayRef<memref::AllocOp> copies) {
  SmallVector<memref::AllocOp> allocs;
  bool isManual = false;
  module.walk([&](Operation *op) {
    isManual |= isa<memref::DeallocOp>(op);
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      allocs.push_back(alloc);
  });
  if (isManual)
    allocs.assign(copies.begin(), copies.end());
  if (allocs.empty())
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
    bool usesDevice =
        module
            .walk([](Operation *op) {
              return isa<OperatorOpInterface, gpu::LaunchFuncOp>(op)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    freeBuffers(module, copyHostMemory(module, usesDevice));
    if (!usesDevice)
      return;
    module.walk([](memref::AllocOp op) { moveToDevice(op); });
    module.walk([](memref::DeallocOp op) { moveToDevice(op); });
  }
};

} // namespace
