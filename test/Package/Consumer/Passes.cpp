//===- Passes.cpp - Passes before and after DietCode's --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mini.h"
#include "dietcode/Dialect/DietCode/Pipelines/Pipelines.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace mini {
#define GEN_PASS_DEF_MINITOLINALGPASS
#define GEN_PASS_DEF_MINICOUNTKERNELSPASS
#include "MiniPasses.h.inc"
} // namespace mini

namespace {

/// A product, and the bias and the rectifier on it.
struct LowerLinear : OpRewritePattern<mini::LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(mini::LinearOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    SmallVector<OpFoldResult> sizes{
        tensor::getMixedSize(rewriter, loc, op.getX(), 0),
        tensor::getMixedSize(rewriter, loc, op.getWeights(), 1)};
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
    Value zero = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
    Value zeros =
        linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    Value product = linalg::MatmulOp::create(
                        rewriter, loc, {op.getX(), op.getWeights()}, zeros)
                        .getResult(0);

    AffineMap both = rewriter.getMultiDimIdentityMap(2);
    AffineMap columns = AffineMap::get(2, 0, rewriter.getAffineDimExpr(1));
    SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
    auto sum = linalg::GenericOp::create(
        rewriter, loc, empty.getType(), ValueRange{product, op.getBias()},
        empty, {both, columns, both}, loops,
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value biased = arith::AddFOp::create(b, loc, args[0], args[1]);
          Value result = arith::MaximumFOp::create(b, loc, biased, zero);
          linalg::YieldOp::create(b, loc, result);
        });
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, type, sum.getResult(0));
    return success();
  }
};

struct MiniToLinalg : mini::impl::MiniToLinalgPassBase<MiniToLinalg> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerLinear>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

struct MiniCountKernels
    : mini::impl::MiniCountKernelsPassBase<MiniCountKernels> {
  void runOnOperation() override {
    int64_t count = 0;
    getOperation().walk([&](gpu::BinaryOp binary) {
      for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>())
        count += object.getObject().getValue().count(".visible .entry");
    });
    getOperation()->setAttr("mini.kernels",
                            Builder(&getContext()).getI64IntegerAttr(count));
  }
};

} // namespace

void mini::registerMiniPipelines() {
  PassPipelineRegistration<>(
      "mini-compile", "Compile the dialect with DietCode",
      [](OpPassManager &pm) {
        pm.addPass(mini::createMiniToLinalgPass());
        mlir::dietcode::DietCodeToLLVMOptions options;
        options.maxKernels = 3;
        mlir::dietcode::buildDietCodeToLLVMPipeline(pm, options);
        pm.addPass(mini::createMiniCountKernelsPass());
      });
}
