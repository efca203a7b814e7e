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

using Interface = ContractionOpInterface;

std::optional<ContractionGroup>
mlir::dietcode::getVectorGroup(ContractionOpInterface op, unsigned operand) {
  auto type = cast<MemRefType>(op->getOperand(operand).getType());
  std::optional<unsigned> contiguous =
      getContiguousDim(type, op.getOperandMaps()[operand]);
  auto isFastest = [&](ContractionGroup group) {
    SmallVector<unsigned> dims = op.getGroup(group);
    return contiguous && !dims.empty() && dims.back() == *contiguous;
  };
  bool isLhs = operand == Interface::kLhs, isRhs = operand == Interface::kRhs;
  if ((isLhs || isRhs) && isFastest(ContractionGroup::K))
    return ContractionGroup::K;
  auto spatial = isLhs ? ContractionGroup::M : ContractionGroup::N;
  return isFastest(spatial) ? std::optional(spatial) : std::nullopt;
}

int64_t mlir::dietcode::getAlignedElements(Type type) {
  return std::max<int64_t>(1, ::dietcode::kChunkBytes * 8 /
                                  type.getIntOrFloatBitWidth());
}
