//===- Functions.cpp - What each function must compute --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include <cmath>
#include <cstring>

using namespace dietcode;

static constexpr char kSigmoid[] = R"mlir(
      %one = arith.constant 1.0 : f32
      %minus = arith.negf %a : f32
      %exp = math.exp %minus : f32
      %sum = arith.addf %exp, %one : f32
      %y = arith.divf %one, %sum : f32
)mlir";

static constexpr char kGeluErf[] = R"mlir(
      %half = arith.constant 0.5 : f32
      %one = arith.constant 1.0 : f32
      %root = arith.constant 0.70710678118654752 : f32
      %scaled = arith.mulf %a, %root : f32
      %erf = math.erf %scaled : f32
      %sum = arith.addf %erf, %one : f32
      %product = arith.mulf %a, %sum : f32
      %y = arith.mulf %product, %half : f32
)mlir";

static constexpr char kGeluTanh[] = R"mlir(
      %half = arith.constant 0.5 : f32
      %one = arith.constant 1.0 : f32
      %root = arith.constant 0.79788456080286536 : f32
      %cubic = arith.constant 0.044715 : f32
      %square = arith.mulf %a, %a : f32
      %cube = arith.mulf %square, %a : f32
      %term = arith.mulf %cube, %cubic : f32
      %inner = arith.addf %a, %term : f32
      %scaled = arith.mulf %inner, %root : f32
      %tanh = math.tanh %scaled : f32
      %sum = arith.addf %tanh, %one : f32
      %product = arith.mulf %a, %sum : f32
      %y = arith.mulf %product, %half : f32
)mlir";

static Real geluErf(Real a, Real) {
  return a == -INFINITY ? NAN : a * std::erfc(-a * M_SQRT1_2l) / 2;
}

static Real geluTanh(Real a, Real) {
  Real inner = std::sqrt(2 / acosl(-1)) * (a + 0.044715L * a * a * a);
  return a == -INFINITY ? NAN : a / (1 + std::exp(-2 * inner));
}

static Real itself(Real a) { return std::fabs(a); }

#define UNARY(NAME, CALL)                                                      \
  #NAME, "%y = math." #NAME " %a : f32",                                       \
      [](Real a, [[maybe_unused]] Real b) -> Real { return CALL; }
#define BINARY(NAME, CALL)                                                     \
  #NAME, "%y = math." #NAME " %a, %b : f32",                                   \
      [](Real a, Real b) -> Real { return CALL; }

#define POWER(EXPONENT)                                                        \
  "fpowi " #EXPONENT,                                                          \
      "%n = arith.constant " #EXPONENT " : i32\n"                              \
      "%y = math.fpowi %a, %n : f32, i32",                                     \
      [](Real a, Real) -> Real { return std::pow(a, Real(EXPONENT)); }

const std::vector<MathFunction> &dietcode::mathFunctions() {
  static const std::vector<MathFunction> functions = {
      {UNARY(exp, std::exp(a)), 2, -104, 89},
      {UNARY(exp2, std::exp2(a)), 2, -150, 128},
      {UNARY(expm1, std::expm1(a)), 2, -20, 89},
      {UNARY(log, std::log(a)), 2, 0, 4},
      {UNARY(log2, std::log2(a)), 2, 0, 4},
      {UNARY(log10, std::log10(a)), 2, 0, 4},
      {UNARY(log1p, std::log1p(a)), 2, -1, 4},
      {UNARY(tanh, std::tanh(a)), 2},
      {UNARY(sinh, std::sinh(a)), 2, -90, 90},
      {UNARY(cosh, std::cosh(a)), 2, -90, 90},
      {UNARY(erf, std::erf(a)), 2, -4, 4},
      {UNARY(erfc, std::erfc(a)), 2, -4, 11},
      {UNARY(sqrt, std::sqrt(a)), 0.5, 0, 4},
      {UNARY(rsqrt, 1 / std::sqrt(a)), 2, 0, 4},
      {UNARY(sin, std::sin(a)), 2, -100, 100},
      {UNARY(cos, std::cos(a)), 2, -100, 100},
      {UNARY(tan, std::tan(a)), 2, -100, 100},
      {UNARY(asin, std::asin(a)), 2, -1, 1},
      {UNARY(acos, std::acos(a)), 2, -1, 1},
      {UNARY(atan, std::atan(a)), 2},
      {UNARY(asinh, std::asinh(a)), 2},
      {UNARY(acosh, std::acosh(a)), 2, 1, 10},
      {UNARY(atanh, std::atanh(a)), 2, -1, 1},
      {UNARY(cbrt, std::cbrt(a)), 2},
      // That of long double returns infinity for (-inf)^(-2^63).
      {BINARY(powf, std::pow(double(a), double(b))), 2, 0, 4, true},
      {POWER(3), 2},
      {POWER(7), 2},
      {POWER(-2), 2},
      {BINARY(atan2, std::atan2(a, b)), 2, -10, 10, true},
      {"division", "%y = arith.divf %a, %b : f32",
       [](Real a, Real b) -> Real { return a / b; }, 0.5, -10, 10, true},
      {"sigmoid", kSigmoid,
       [](Real a, Real) -> Real { return 1 / (1 + std::exp(-a)); }, 2, -100,
       20},
      {"gelu (erf)", kGeluErf, geluErf, 2, -10, 10, false, itself, 1e38f},
      {"gelu (tanh)", kGeluTanh, geluTanh, 2, -10, 10, false, itself, 1e38f},
  };
  return functions;
}

static uint32_t bitsOf(Real a) {
  float value = a;
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

#define INTEGER(NAME, CALL)                                                    \
  #NAME,                                                                       \
      "%bits = arith.bitcast %a : f32 to i32\n"                                \
      "%n = math." #NAME " %bits : i32\n"                                      \
      "%y = arith.sitofp %n : i32 to f32",                                     \
      [](Real a, Real) -> Real {                                               \
        [[maybe_unused]] uint32_t bits = bitsOf(a);                            \
        return CALL;                                                           \
      }
#define CLASS(NAME, CALL)                                                      \
  #NAME,                                                                       \
      "%is = math." #NAME " %a : f32\n"                                        \
      "%y = arith.uitofp %is : i1 to f32",                                     \
      [](Real a, Real) -> Real { return CALL(float(a)); }

const std::vector<MathFunction> &dietcode::exactFunctions() {
  static const std::vector<MathFunction> functions = {
      {UNARY(absf, std::fabs(a)), 0},
      {UNARY(ceil, std::ceil(a)), 0},
      {UNARY(floor, std::floor(a)), 0},
      {UNARY(round, std::round(a)), 0},
      {UNARY(roundeven, std::rint(a)), 0},
      {UNARY(trunc, std::trunc(a)), 0},
      {BINARY(copysign, std::copysign(a, b)), 0, -10, 10, true},
      // -0 is less than 0.
      {"minnumf", "%y = arith.minnumf %a, %b : f32",
       [](Real a, Real b) -> Real {
         return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
       },
       0, -10, 10, true},
      {"maxnumf", "%y = arith.maxnumf %a, %b : f32",
       [](Real a, Real b) -> Real {
         return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
       },
       0, -10, 10, true},
      {CLASS(isfinite, std::isfinite), 0},
      {CLASS(isinf, std::isinf), 0},
      {CLASS(isnan, std::isnan), 0},
      {CLASS(isnormal, std::isnormal), 0},
      {INTEGER(ctlz, bits ? __builtin_clz(bits) : 32), 0},
      {INTEGER(cttz, bits ? __builtin_ctz(bits) : 32), 0},
      {INTEGER(ctpop, __builtin_popcount(bits)), 0},
      {INTEGER(absi, float(int32_t(bits < 0x80000000 ? bits : -bits))), 0},
  };
  return functions;
}
