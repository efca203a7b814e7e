//===- MathBuilder.cpp - Arithmetic on f32 values -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::dietcode;

Value MathBuilder::number(float value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, value));
}

Value MathBuilder::integer(int64_t value, unsigned width) {
  return arith::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(builder.getIntegerType(width),
                             APInt(width, value, /*isSigned=*/true,
                                   /*implicitTrunc=*/true)));
}

Value MathBuilder::call(StringRef intrinsic, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, loc, operands.front().getType(),
                                       builder.getStringAttr(intrinsic),
                                       operands)
      ->getResult(0);
}

Value MathBuilder::rcp(Value a) {
  // One step of Newton: r (2 - a r).
  Value r = approximateRcp(a);
  Value rest = fma(neg(a), r, number(1));
  return fma(r, rest, r);
}

Value MathBuilder::polynomial(Value x, ArrayRef<float> coefficients) {
  Value sum = number(coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, number(coefficient));
  return sum;
}

Value MathBuilder::oddPolynomial(Value x, Value square,
                                 ArrayRef<float> coefficients) {
  return fma(mul(polynomial(square, coefficients), square), x, x);
}
