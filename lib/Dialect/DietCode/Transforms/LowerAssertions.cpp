//===- LowerAssertions.cpp - Assertions to errors of the runtime ----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCall.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODELOWERASSERTIONSPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

/// What the runtime calls when an assertion does not hold:
/// void dietcodeAssertionFailed(const char *message).
static constexpr StringLiteral kFailedFunction = "dietcodeAssertionFailed";

static void lowerAssertion(ModuleOp module, cf::AssertOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value isTrue = arith::ConstantIntOp::create(b, 1, /*width=*/1);
  Value fails = b.createOrFold<arith::XOrIOp>(op.getArg(), isTrue);
  auto ifFails = scf::IfOp::create(b, fails, /*withElseRegion=*/false);
  b.setInsertionPointToStart(ifFails.thenBlock());
  Value message =
      createRuntimeMessage(b, module, "dietcode_assertion",
                           getLocationPrefix(op.getLoc()) +
                               "assertion failed: " + op.getMsg().str());
  LLVM::CallOp::create(b, TypeRange(), kFailedFunction, message);
  op.erase();
}

namespace {

struct LowerAssertions
    : mlir::dietcode::impl::DietCodeLowerAssertionsPassBase<LowerAssertions> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<cf::AssertOp> assertions;
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](cf::AssertOp op) { assertions.push_back(op); });
    if (assertions.empty())
      return;
    for (cf::AssertOp op : assertions)
      lowerAssertion(module, op);
    declareRuntimeFunction(module, kFailedFunction,
                           LLVM::LLVMPointerType::get(&getContext()));
  }
};

} // namespace
