//===- ExpandMath.cpp - Expand math functions that need libdevice ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without NVIDIA's libdevice, the NVVM lowering of most math functions leaves a
// call of an unresolved function in the PTX and succeeds. Here they become
// polynomials, and what has none is an error.
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODEEXPANDMATHPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

/// What the NVPTX back end selects instructions for.
static bool isNative(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp,
             math::FmaOp, math::RoundEvenOp, math::TruncOp, math::SqrtOp,
             math::CopySignOp>(op);
}

namespace {

struct ExpandMath
    : mlir::dietcode::impl::DietCodeExpandMathPassBase<ExpandMath> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    WalkResult result = getOperation().walk([](Operation *op) {
      if (!isa_and_present<math::MathDialect>(op->getDialect()) || isNative(op))
        return WalkResult::advance();
      op->emitOpError("cannot be compiled for the GPU: there is no expansion "
                      "without libdevice for ")
          << op->getResult(0).getType();
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
