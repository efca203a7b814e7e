//===- ReadOrZero.h - Read where there is something -------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_CONVERSION_DIETCODETOLINALG_READORZERO_H
#define DIETCODE_LIB_CONVERSION_DIETCODETOLINALG_READORZERO_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::dietcode {

/// The element of `value`, a tensor or buffer, at `indices` if `isThere`, and
/// zero if not.
inline Value createReadOrZero(OpBuilder &builder, Location loc, Value isThere,
                              Value value, ValueRange indices) {
  auto read = [&](OpBuilder &nested, Location at) {
    Value element =
        isa<BaseMemRefType>(value.getType())
            ? memref::LoadOp::create(nested, at, value, indices).getResult()
            : tensor::ExtractOp::create(nested, at, value, indices).getResult();
    scf::YieldOp::create(nested, at, element);
  };
  auto giveZero = [&](OpBuilder &nested, Location at) {
    Attribute zero = nested.getZeroAttr(getElementTypeOrSelf(value));
    scf::YieldOp::create(
        nested, at,
        arith::ConstantOp::create(nested, at, cast<TypedAttr>(zero))
            .getResult());
  };
  return scf::IfOp::create(builder, loc, isThere, read, giveZero).getResult(0);
}

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_CONVERSION_DIETCODETOLINALG_READORZERO_H
