//===- Twin.cpp - The two kernels of a schedule ---------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Twin.h"
#include "MatrixView.h"
#include "dietcode/Search/Instruction.h"

using namespace mlir;
using namespace mlir::dietcode;

bool mlir::dietcode::isVectorized(MatmulOp op, unsigned operand) {
  if (operand == MatmulOp::kLhs || operand == MatmulOp::kRhs)
    return true;
  auto type = cast<MemRefType>(op->getOperand(operand).getType());
  return getContiguousDim(type, op.getOperandMaps()[operand]) == MatmulOp::N;
}

int64_t mlir::dietcode::getAlignedElements(Type type) {
  return std::max<int64_t>(1, ::dietcode::kChunkBytes * 8 /
                                  type.getIntOrFloatBitWidth());
}
