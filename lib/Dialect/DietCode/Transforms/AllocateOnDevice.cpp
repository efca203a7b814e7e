//===- AllocateOnDevice.cpp - Allocate buffers where kernels reach them ---===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FreeBuffers.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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
      return isa<ProblemOpInterface, gpu::LaunchFuncOp, CallOpInterface>(
                 user) ||
             (user->hasTrait<OpTrait::ReturnLike>() &&
              isa<FunctionOpInterface>(user->getParentOp()));
    });
  });
}

/// A kernel does not reach a variable of the host, and what it writes to a copy
/// would be lost.
static LogicalResult checkVariable(memref::GetGlobalOp op,
                                   BufferViewFlowAnalysis &aliases) {
  bool isSeenByKernel = false, isRegistered = false;
  for (Value alias : aliases.resolve(op))
    for (Operation *user : alias.getUsers()) {
      isSeenByKernel |= isa<ProblemOpInterface, gpu::LaunchFuncOp>(user);
      isRegistered |= isa<gpu::HostRegisterOp>(user);
    }
  if (!isSeenByKernel || isRegistered)
    return success();
  return op.emitOpError()
         << "gives a kernel the variable " << op.getNameAttr()
         << ", which is memory of the host that kernels do not reach; make it "
            "constant, or pass the buffer as an argument";
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

namespace {

/// What is memory of the host alone, in the default memory space.
struct HostMemory {
  explicit HostMemory(ModuleOp module);

  SmallVector<memref::GetGlobalOp> constants, variables;
  SmallVector<memref::AllocaOp> slots;
};

} // namespace

HostMemory::HostMemory(ModuleOp module) {
  SymbolTable symbols(module);
  module.walk([&](Operation *op) {
    if (auto alloca = dyn_cast<memref::AllocaOp>(op))
      slots.push_back(alloca);
    auto get = dyn_cast<memref::GetGlobalOp>(op);
    if (!get || get.getType().getMemorySpace())
      return;
    if (auto global = symbols.lookup<memref::GlobalOp>(get.getName()))
      (global.getConstant() ? constants : variables).push_back(get);
  });
}

/// Puts constants and stack slots that are seen outside of host code into
/// buffers of their own: kernels reach neither, and a caller could not free
/// them. Returns these buffers.
static FailureOr<SmallVector<memref::AllocOp>> copyHostMemory(ModuleOp module,
                                                              bool usesDevice) {
  HostMemory memory(module);
  if (!usesDevice) {
    memory.variables.clear();
    memory.slots.clear();
  }
  SmallVector<memref::AllocOp> copies;
  if (memory.constants.empty() && memory.variables.empty() &&
      memory.slots.empty())
    return copies;
  BufferViewFlowAnalysis aliases(module);
  for (memref::GetGlobalOp op : memory.variables)
    if (failed(checkVariable(op, aliases)))
      return failure();
  auto staysHere = [&](auto op) { return !leavesHostCode(op, aliases); };
  llvm::erase_if(memory.constants, staysHere);
  llvm::erase_if(memory.slots, staysHere);
  for (memref::GetGlobalOp op : memory.constants)
    copies.push_back(replaceByCopy(op));
  for (memref::AllocaOp op : memory.slots)
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

static void moveToDevice(memref::DeallocOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  createDeviceFree(b, op.getMemref());
  op.erase();
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
              return isa<ProblemOpInterface, gpu::LaunchFuncOp>(op)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    auto copies = copyHostMemory(module, usesDevice);
    if (failed(copies))
      return signalPassFailure();
    freeBuffers(module, *copies);
    if (!usesDevice)
      return;
    module.walk([](memref::AllocOp op) { moveToDevice(op); });
    module.walk([](memref::DeallocOp op) { moveToDevice(op); });
  }
};

} // namespace
