//===- MathFunctions.h - Functions of f32 as arithmetic ------- -*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Each function builds the arithmetic of one function of f32 scalars, without
// libdevice. docs/math.md says what the errors are and where the polynomials
// are from.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_TRANSFORMS_MATH_MATHFUNCTIONS_H
#define DIETCODE_LIB_TRANSFORMS_MATH_MATHFUNCTIONS_H

#include "MathBuilder.h"

namespace mlir::dietcode {

Value buildExp(MathBuilder &b, Value x);
Value buildExp2(MathBuilder &b, Value x);
Value buildExpM1(MathBuilder &b, Value x);
Value buildSinh(MathBuilder &b, Value x);
Value buildCosh(MathBuilder &b, Value x);
Value buildTanh(MathBuilder &b, Value x);
/// 1 / (1 + exp(-x)), which underflows gradually.
Value buildSigmoid(MathBuilder &b, Value x);

Value buildLog(MathBuilder &b, Value x);
Value buildLog2(MathBuilder &b, Value x);
Value buildLog10(MathBuilder &b, Value x);
Value buildLog1p(MathBuilder &b, Value x);
Value buildAsinh(MathBuilder &b, Value x);
Value buildAcosh(MathBuilder &b, Value x);
Value buildAtanh(MathBuilder &b, Value x);

Value buildErf(MathBuilder &b, Value x);
Value buildErfc(MathBuilder &b, Value x);

Value buildCbrt(MathBuilder &b, Value x);
Value buildPow(MathBuilder &b, Value x, Value y);

// Those of f64, too.
Value buildClamp(MathBuilder &b, Value x, Value low, Value high);
Value buildRound(MathBuilder &b, Value x);
Value buildRsqrt(MathBuilder &b, Value x);

std::pair<Value, Value> buildSinCos(MathBuilder &b, Value x);
Value buildSin(MathBuilder &b, Value x);
Value buildCos(MathBuilder &b, Value x);
Value buildTan(MathBuilder &b, Value x);

Value buildAsin(MathBuilder &b, Value x);
Value buildAcos(MathBuilder &b, Value x);
Value buildAtan(MathBuilder &b, Value x);
Value buildAtan2(MathBuilder &b, Value y, Value x);

// Parts of the functions above.

/// A value 2^n p, with n in the lowest bits of an i32 whose other bits a shift
/// by 23 removes.
struct Scaled {
  Value fraction;
  Value exponent;
  Value tail = nullptr; ///< Rounded off the fraction, where asked for.
};

/// exp(x), for x in [-104, 130]. Above that the fraction grows, instead of the
/// exponent, to infinity.
Scaled reduceExp(MathBuilder &b, Value x);
/// exp(x + tail) for a small tail, with the tail of the fraction.
Scaled reduceExpExactly(MathBuilder &b, Value x, Value tail);
/// 2^(x + tail), for x in [-190, 190].
Scaled reduceExp2(MathBuilder &b, Value x, Value tail = nullptr);
/// 2^n p, for n in [-126, 127].
Value scale(MathBuilder &b, const Scaled &value);
/// 2^n p, rounded once where it is not normal, for n in [-190, 190] with the
/// sign of `x`.
Value scaleGradually(MathBuilder &b, const Scaled &value, Value x);

/// A number (1 + f) 2^e, with f in [sqrt(1/2) - 1, sqrt(2) - 1].
struct Mantissa {
  Value f;
  Value exponent; ///< 2^23 e as a float.
};

/// Takes a positive number apart; what comes of others is of no use.
Mantissa splitMantissa(MathBuilder &b, Value x);

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_TRANSFORMS_MATH_MATHFUNCTIONS_H
