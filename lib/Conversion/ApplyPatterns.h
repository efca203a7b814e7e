//===- ApplyPatterns.h - How conversions apply their patterns ---*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_CONVERSION_APPLYPATTERNS_H
#define DIETCODE_LIB_CONVERSION_APPLYPATTERNS_H

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::dietcode {

/// Applies `patterns` until none matches, and does nothing else: operations of
/// other dialects are not folded, merged or moved.
inline LogicalResult applyPatternsOnly(Operation *op,
                                       RewritePatternSet &&patterns) {
  GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return applyPatternsGreedily(op, std::move(patterns), config);
}

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_CONVERSION_APPLYPATTERNS_H
