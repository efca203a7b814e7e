//===- TileLoop.h - The loop over the k tiles of a block --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_TILELOOP_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_TILELOOP_H

#include "TileProduct.h"
#include "TileStaging.h"

namespace mlir::dietcode {

/// The k tiles that a block goes through.
struct TileRange {
  Value tiles; ///< How many.
  Value start; ///< Of the first one, along k.
  Value limit; ///< Elements that the first one has along k.
  Value end;   ///< Of the last one, along k.
};

/// What a loop is made of.
struct TileLoop {
  const ::dietcode::Schedule &schedule;
  TileProduct &product;
  TileStaging &lhs, &rhs;
  const TileRange &range;
  Value threadId;
};

/// The sums of a block over the k tiles, in the form that the product carries
/// them: for products of threads, which wait for a tile to be stored before
/// they multiply it,
SmallVector<Value> createThreadLoop(ImplicitLocOpBuilder &b,
                                    const TileLoop &loop);

/// and for products of warps, which must not.
SmallVector<Value> createWarpLoop(ImplicitLocOpBuilder &b,
                                  const TileLoop &loop);

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_TILELOOP_H
