//===- BufferizableOpInterfaceImpl.cpp - Bufferization of operators -------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::dietcode;

namespace {

/// Reads its inputs, and its destination only to accumulate; writes in place.
struct MatmulOpInterface
    : DstBufferizableOpInterfaceExternalModel<MatmulOpInterface, MatmulOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return operand.getOperandNumber() != MatmulOp::kOut ||
           cast<MatmulOp>(op).getAccumulate();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    OperationState newState(op->getLoc(), op->getName(), buffers, TypeRange(),
                            op->getAttrs());
    Region *epilogue = newState.addRegion();
    rewriter.inlineRegionBefore(cast<MatmulOp>(op).getEpilogue(), *epilogue,
                                epilogue->end());
    rewriter.create(newState);
    replaceOpWithBufferizedValues(rewriter, op, buffers[MatmulOp::kOut]);
    return success();
  }
};

} // namespace

void mlir::dietcode::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, DietCodeDialect *) {
    MatmulOp::attachInterface<MatmulOpInterface>(*context);
  });
}
