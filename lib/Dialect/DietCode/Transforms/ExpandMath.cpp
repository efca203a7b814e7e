//===- ExpandMath.cpp - Expand math functions that need libdevice ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without NVIDIA's libdevice, the NVVM lowering of most math functions leaves a
// call of an unresolved function in the PTX and succeeds, and with it the PTX
// depends on the machine that compiles. Here they become polynomials or
// intrinsics that the back end has instructions for, and what has neither is an
// error.
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODEEXPANDMATHPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

/// The LLVM intrinsic of an operation for which the NVPTX back end selects
/// instructions; empty if there is none.
static StringRef getIntrinsic(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::AbsFOp) { return "llvm.fabs"; })
      .Case([](math::CeilOp) { return "llvm.ceil"; })
      .Case([](math::CopySignOp) { return "llvm.copysign"; })
      .Case([](math::FloorOp) { return "llvm.floor"; })
      .Case([](math::FmaOp) { return "llvm.fma"; })
      .Case([](math::RoundEvenOp) { return "llvm.roundeven"; })
      .Case([](math::SqrtOp) { return "llvm.sqrt"; })
      .Case([](math::TruncOp) { return "llvm.trunc"; })
      .Default([](Operation *) { return ""; });
}

/// math.fma %a, %b, %c  -->  llvm.call_intrinsic "llvm.fma"(%a, %b, %c)
///
/// The lowering to NVVM does not touch it, whereas it turns `llvm.intr.fabs`
/// and the like into calls of libdevice.
static void callIntrinsics(gpu::GPUModuleOp module) {
  module.walk([](Operation *op) {
    StringRef intrinsic = getIntrinsic(op);
    if (intrinsic.empty())
      return;
    OpBuilder builder(op);
    auto call = LLVM::CallIntrinsicOp::create(
        builder, op->getLoc(), op->getResultTypes().front(),
        builder.getStringAttr(intrinsic), op->getOperands());
    op->replaceAllUsesWith(call->getResults());
    op->erase();
  });
}

/// Fails with an error on the first operation that libdevice would be needed
/// for.
static LogicalResult checkNoLibdevice(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    if (!isa_and_present<math::MathDialect>(op->getDialect()) &&
        !isa<arith::RemFOp>(op))
      return WalkResult::advance();
    op->emitOpError("cannot be compiled for the GPU: there is no expansion "
                    "without libdevice for ")
        << op->getResult(0).getType();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {

struct ExpandMath
    : mlir::dietcode::impl::DietCodeExpandMathPassBase<ExpandMath> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    math::populateExpansionPatterns(patterns,
                                    {"rsqrt", "tan", "sinh", "cosh", "asinh",
                                     "acosh", "atanh", "exp2", "round"});
    populateMathPolynomialApproximationPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    callIntrinsics(getOperation());
    if (failed(checkNoLibdevice(getOperation())))
      signalPassFailure();
  }
};

} // namespace
