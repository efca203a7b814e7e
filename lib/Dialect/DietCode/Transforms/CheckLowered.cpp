//===- CheckLowered.cpp - Check that everything is lowered ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODECHECKLOWEREDPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

/// Whether the translation to LLVM IR knows `op`. OpenMP's operations are not
/// lowered, but translated as they are.
static bool isLowered(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == LLVM::LLVMDialect::getDialectNamespace() ||
         dialect == "omp" ||
         isa<ModuleOp, gpu::BinaryOp, gpu::LaunchFuncOp>(op);
}

/// The first operation that is left; a cast only if there is nothing else,
/// since it is there for the sake of another one.
static Operation *findLeft(ModuleOp module) {
  Operation *left = nullptr;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isLowered(op))
      return WalkResult::advance();
    bool isCast = isa<UnrealizedConversionCastOp>(op);
    if (!isCast || !left)
      left = op;
    return isCast ? WalkResult::advance() : WalkResult::interrupt();
  });
  return left;
}

namespace {

struct CheckLowered
    : mlir::dietcode::impl::DietCodeCheckLoweredPassBase<CheckLowered> {
  using Base::Base;

  void runOnOperation() override {
    if (Operation *left = findLeft(getOperation())) {
      left->emitOpError("is left on the way to LLVM: dietcode-lower-to-llvm "
                        "has no lowering for it; lower it before");
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
