//===- LinalgToDietCode.cpp - Raise linalg to dietcode --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Conversion/LinalgToDietCode/LinalgToDietCode.h"
#include "../ApplyPatterns.h"
#include "RowwisePlan.h"
#include "dietcode/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_CONVERTLINALGTODIETCODEPASS
#include "dietcode/Conversion/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

/// The sizes of a loop that the operands' types tell must agree. The verifier
/// of linalg stops comparing them once any dimension is dynamic.
static LogicalResult verifyStaticSizes(linalg::LinalgOp op) {
  DenseMap<unsigned, std::pair<OpOperand *, int64_t>> first;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop || type.isDynamicDim(dim))
        continue;
      auto [it, isNew] =
          first.insert({loop.getPosition(), {&operand, int64_t(dim)}});
      auto [other, otherDim] = it->second;
      int64_t expected =
          cast<ShapedType>(other->get().getType()).getDimSize(otherDim);
      if (!isNew && expected != type.getDimSize(dim))
        return op->emitOpError()
               << "sizes of loop " << loop.getPosition() << " differ: operand "
               << other->getOperandNumber() << " has " << expected
               << " in dimension " << otherDim << ", but operand "
               << operand.getOperandNumber() << " has " << type.getDimSize(dim)
               << " in dimension " << dim;
    }
  }
  return success();
}

/// Loops on the host are correct, but not what the compiler is called for.
/// Without products that convert-linalg-to-rowwise raises, such as of a matrix
/// and a vector.
static void warnOfHostLoops(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op) &&
      !linalg::isaConvolutionOpInterface(op))
    return;
  if (linalg_raising::canBeRowwise(op))
    return;
  op->emitWarning() << "'" << op->getName() << "' op will run on the host: "
                    << linalg_raising::explainNotRaised(op);
}

namespace {
struct ConvertLinalgToDietCodePass
    : mlir::dietcode::impl::ConvertLinalgToDietCodePassBase<
          ConvertLinalgToDietCodePass> {
  void runOnOperation() override {
    WalkResult sizes = getOperation()->walk(
        [](linalg::LinalgOp op) { return WalkResult(verifyStaticSizes(op)); });
    if (sizes.wasInterrupted())
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateLinalgToDietCodePatterns(patterns);
    if (failed(applyPatternsOnly(getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation()->walk([](linalg::LinalgOp op) { warnOfHostLoops(op); });
  }
};
} // namespace

void mlir::dietcode::populateLinalgToDietCodePatterns(
    RewritePatternSet &patterns) {
  linalg_raising::populateRaiseContractionPatterns(patterns);
  linalg_raising::populateFuseTensorEpiloguePatterns(patterns);
  linalg_raising::populateFuseBufferEpiloguePatterns(patterns);
}
