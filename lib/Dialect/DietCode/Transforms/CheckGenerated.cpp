//===- CheckGenerated.cpp - Check that kernels are generated --------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODECHECKGENERATEDPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

static bool usesTensors(Operation *op) {
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    if (llvm::any_of(function.getArgumentTypes(), llvm::IsaPred<TensorType>))
      return true;
  return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
}

/// What is wrong with `op`, or nothing.
static StringRef findMistake(Operation *op) {
  if (isa_and_nonnull<DietCodeDialect>(op->getDialect()))
    return "is not replaced by kernels and host code yet";
  if (usesTensors(op))
    return "is on tensors";
  return "";
}

namespace {

struct CheckGenerated
    : mlir::dietcode::impl::DietCodeCheckGeneratedPassBase<CheckGenerated> {
  using Base::Base;

  void runOnOperation() override {
    // Operations before the functions that they are in: they say more.
    WalkResult result = getOperation().walk([](Operation *op) {
      StringRef mistake = findMistake(op);
      if (mistake.empty())
        return WalkResult::advance();
      op->emitOpError() << mistake << "; run dietcode-generate-kernels";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
