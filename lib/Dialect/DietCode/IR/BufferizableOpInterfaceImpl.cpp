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

/// Replaces `op` on tensors by the same operation on their buffers.
static LogicalResult bufferizeOperator(DestinationStyleOpInterface op,
                                       RewriterBase &rewriter,
                                       const BufferizationOptions &options,
                                       BufferizationState &state) {
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
  Region *body = newState.addRegion();
  rewriter.inlineRegionBefore(op->getRegion(0), *body, body->end());
  rewriter.create(newState);
  SmallVector<Value> results;
  for (OpOperand &init : op.getDpsInitsMutable())
    results.push_back(buffers[init.getOperandNumber()]);
  replaceOpWithBufferizedValues(rewriter, op, results);
  return success();
}

namespace {

/// Reads its inputs, and its destination only to accumulate; writes in place.
template <typename OpT>
struct ContractionModel
    : DstBufferizableOpInterfaceExternalModel<ContractionModel<OpT>, OpT> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return operand.getOperandNumber() != OpT::kOut ||
           cast<OpT>(op).getAccumulate();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    return bufferizeOperator(cast<DestinationStyleOpInterface>(op), rewriter,
                             options, state);
  }
};

/// Reads its inputs, not its destinations; writes in place.
struct RowwiseOpInterface
    : DstBufferizableOpInterfaceExternalModel<RowwiseOpInterface, RowwiseOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  /// An output may take the place of an input where both are accessed at the
  /// same elements, which have to be of the same size.
  bool bufferizesToElementwiseAccess(Operation *op, const AnalysisState &,
                                     ArrayRef<OpOperand *> operands) const {
    auto rowwise = cast<RowwiseOp>(op);
    SmallVector<AffineMap> maps = rowwise.getOperandMaps();
    OpOperand *first = operands.front();
    return llvm::all_of(operands, [&](OpOperand *operand) {
      unsigned index = operand->getOperandNumber();
      return maps[index] == maps[first->getOperandNumber()] &&
             rowwise.variesWithColumn(index) &&
             operand->get().getType() == first->get().getType();
    });
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    return bufferizeOperator(cast<DestinationStyleOpInterface>(op), rewriter,
                             options, state);
  }
};

} // namespace

void mlir::dietcode::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, DietCodeDialect *) {
    MatmulOp::attachInterface<ContractionModel<MatmulOp>>(*context);
    ContractOp::attachInterface<ContractionModel<ContractOp>>(*context);
    RowwiseOp::attachInterface<RowwiseOpInterface>(*context);
  });
}
