//===- LinalgToDietCode.cpp - Raise linalg to dietcode --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Conversion/LinalgToDietCode/LinalgToDietCode.h"
#include "Utils.h"
#include "dietcode/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_CONVERTLINALGTODIETCODEPASS
#include "dietcode/Conversion/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

namespace {
struct ConvertLinalgToDietCodePass
    : mlir::dietcode::impl::ConvertLinalgToDietCodePassBase<
          ConvertLinalgToDietCodePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateLinalgToDietCodePatterns(patterns);
    // Operations of other dialects pass through as they are: the driver must
    // not fold, merge or move them.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace

void mlir::dietcode::populateLinalgToDietCodePatterns(
    RewritePatternSet &patterns) {
  linalg_raising::populateRaiseContractionPatterns(patterns);
  linalg_raising::populateFuseTensorEpiloguePatterns(patterns);
  linalg_raising::populateFuseBufferEpiloguePatterns(patterns);
}
