//===- AllocateOnDevice.cpp - Allocate buffers where kernels reach them ---===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"

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

/// memref.dealloc %b  -->  gpu.dealloc %b
static void moveToDevice(memref::DeallocOp op) {
  OpBuilder builder(op);
  gpu::DeallocOp::create(builder, op.getLoc(), /*asyncToken=*/Type(),
                         /*asyncDependencies=*/ValueRange(), op.getMemref());
  op.erase();
}

/// Whether buffers are freed by hand already, so that none must be freed here.
static bool freesBuffers(ModuleOp module) {
  return module
      .walk([](memref::DeallocOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {

struct AllocateOnDevice
    : mlir::dietcode::impl::DietCodeAllocateOnDevicePassBase<AllocateOnDevice> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    OpPassManager pipeline;
    buildDeallocation(pipeline);
    pipeline.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpPassManager pipeline(ModuleOp::getOperationName());
    buildDeallocation(pipeline);
    if (!freesBuffers(module) && failed(runPipeline(pipeline, module)))
      return signalPassFailure();
    bool launches =
        module.walk([](gpu::LaunchFuncOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (!launches)
      return;
    module.walk([](memref::AllocOp op) { moveToDevice(op); });
    module.walk([](memref::DeallocOp op) { moveToDevice(op); });
  }

private:
  static void buildDeallocation(OpPassManager &pm) {
    bufferization::buildBufferDeallocationPipeline(
        pm, bufferization::BufferDeallocationPipelineOptions());
  }
};

} // namespace
