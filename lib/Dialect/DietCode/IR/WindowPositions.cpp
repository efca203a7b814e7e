//===- WindowPositions.cpp - Where windows are for any k ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/WindowPositions.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"

using namespace mlir;
using namespace mlir::dietcode;

std::optional<SmallVector<WindowPositions>>
mlir::dietcode::findWindowPositions(AffineMap map, ArrayRef<unsigned> kDims,
                                    ArrayRef<int64_t> problemShape) {
  SmallVector<WindowPositions> all;
  int64_t next = 0;
  for (AffineExpr expr : map.getResults()) {
    LinearAccess access = *matchLinearAccess(expr);
    if (access.isDim())
      continue;
    WindowPositions positions;
    positions.first = next;
    for (auto [dim, coefficient] : access.terms) {
      if (!llvm::is_contained(kDims, dim))
        continue;
      int64_t extent = problemShape[dim];
      if (positions.dim || ShapedType::isDynamic(extent) ||
          extent > kMostWindowPositions)
        return std::nullopt;
      positions = {dim, coefficient, next, extent};
    }
    next += positions.count;
    all.push_back(positions);
  }
  return next <= kMostWindowPositions ? std::optional(all) : std::nullopt;
}
