//===- MathAccuracyTest.cpp - Largest errors of math functions ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX of each function runs on numbers of all exponents and both signs, and
// prints its row of the table in docs/math.md. DIETCODE_MATH_SAMPLES is how
// many of the 2^23 numbers of each binade there are (default: 512), and
// DIETCODE_MATH_EXPONENTS, such as -10:3, which binades.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "MathKernel.h"

#include "dietcode/Run/Runner.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace dietcode;

namespace {

float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

uint32_t nextRandom(uint64_t &state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 32;
}

/// Limits of ranges and what is special about f32, each with its neighbours.
std::vector<float> specialNumbers() {
  std::vector<float> values = {INFINITY, NAN, 0x1p-149f, 0x1.fffffep127f};
  for (float center :
       {0.0f,        0x1p-126f,   0x1p-24f,    0x1p-12f,    0.1f,
        0.25f,       0.5f,        0.70710678f, 1.0f,        1.41421356f,
        2.0f,        3.0f,        4.0f,        10.0f,       87.33655f,
        88.722839f,  89.41599f,   103.97208f,  126.0f,      127.0f,
        128.0f,      149.0f,      150.0f,      0.78539816f, 1.57079633f,
        3.14159265f, 6.28318531f, 0x1p23f,     0x1p24f,     0x1p31f,
        0x1p63f}) {
    values.push_back(center);
    float up = center, down = center;
    for (int i = 0; i < 8; ++i) {
      values.push_back(up = std::nextafter(up, INFINITY));
      values.push_back(down = std::nextafter(down, -INFINITY));
    }
  }
  for (size_t i = 0, count = values.size(); i < count; ++i)
    values.push_back(-values[i]);
  return values;
}

/// Numbers of every binade, spread evenly with a random offset each.
std::vector<float> allBinades(unsigned perBinade) {
  std::vector<float> values;
  uint64_t state = 1;
  uint32_t step = std::max<uint32_t>((1u << 23) / perBinade, 1);
  int first = -127, last = 128;
  if (const char *given = std::getenv("DIETCODE_MATH_EXPONENTS"))
    std::sscanf(given, "%d:%d", &first, &last);
  for (uint32_t top = 0; top < 512; ++top)
    for (uint32_t i = 0; i < (1u << 23) && first <= int(top % 256) - 127 &&
                         int(top % 256) - 127 <= last;
         i += step)
      values.push_back(fromBits(top << 23 | (i + nextRandom(state) % step)));
  return values;
}

struct Samples {
  std::vector<float> a, b;
};

Samples makeSamples(const MathFunction &function, unsigned perBinade) {
  Samples samples;
  std::vector<float> special = specialNumbers();
  uint64_t state = 2;
  auto random = [&](float first, float last) {
    return first + (last - first) * float(nextRandom(state) * 0x1p-32);
  };
  samples.a = allBinades(perBinade);
  for (unsigned i = 0; i < std::min(perBinade, 4096u) * 512; ++i)
    samples.a.push_back(random(function.first, function.last));
  samples.a.insert(samples.a.end(), special.begin(), special.end());
  // Computing the exact result would make a signaling NaN a quiet one.
  for (float &a : samples.a)
    a = std::isnan(a) ? std::copysign(NAN, a) : a;
  samples.b.assign(samples.a.size(), 0.0f);
  if (!function.isBinary)
    return samples;
  for (auto [a, b] : llvm::zip(samples.a, samples.b)) {
    // Any number, one like a, or what makes a^b a number that there is.
    float choices[] = {fromBits(nextRandom(state)), random(-40, 40),
                       a * random(-4, 4),
                       random(-150, 150) / std::log2(std::fabs(a))};
    b = choices[nextRandom(state) % 4];
    b = std::isnan(b) ? std::copysign(NAN, b) : b;
  }
  for (float a : special)
    for (float b : special) {
      samples.a.push_back(a);
      samples.b.push_back(b);
    }
  return samples;
}

/// The distance from `got` to `exact` in ulps of the larger of `exact` and
/// `scale`. Infinity counts as 2^128, which is where rounding yields it.
double errorInUlps(float got, Real exact, Real scale) {
  if (std::isnan(got) || std::isnan(exact))
    return std::isnan(got) == std::isnan(exact) ? 0 : INFINITY;
  if (got == 0 && exact == 0)
    return std::signbit(got) == std::signbit(exact) ? 0 : INFINITY;
  auto limit = [](Real x) {
    return std::copysign(std::min(std::fabs(x), 0x1p128L), x);
  };
  Real size =
      std::max<Real>(limit(std::max(std::fabs(exact), scale)), 0x1p-126L);
  int exponent = std::min(std::ilogb(size), 127);
  return std::fabs(std::ldexp(limit(got) - limit(exact), 23 - exponent));
}

struct Worst {
  double error = 0;
  float a = 0, b = 0, got = 0;
};

Worst findWorst(const MathFunction &function, const MathKernel &kernel,
                const Samples &samples) {
  std::vector<float> got = kernel.run(samples.a, samples.b);
  Worst worst;
  for (size_t i = 0; i < got.size(); ++i) {
    Real a = samples.a[i];
    if (function.domain && std::fabs(a) > function.domain)
      continue;
    Real exact = function.exact(a, samples.b[i]);
    Real scale = function.scale ? function.scale(a) : 0;
    double error = errorInUlps(got[i], exact, scale);
    if (error > worst.error)
      worst = {error, samples.a[i], samples.b[i], got[i]};
  }
  return worst;
}

MathKernel compile(const char *body) {
  mlir::DialectRegistry registry;
  mlir::dietcode::registerRunDialects(registry);
  mlir::MLIRContext context(registry);
  auto kernel = MathKernel::compile(context, body);
  if (!kernel)
    std::abort();
  return std::move(*kernel);
}

/// Instructions of `kernel` but those of any kernel.
unsigned countInstructions(const MathFunction &function,
                           const MathKernel &kernel) {
  const char *single = function.isBinary ? "%y = arith.addf %a, %b : f32"
                                         : "%y = arith.negf %a : f32";
  return kernel.countInstructions() + 1 - compile(single).countInstructions();
}

class MathAccuracy : public ::testing::TestWithParam<MathFunction> {
protected:
  static void SetUpTestSuite() {
    std::printf("| function | instructions | measured ulp | with worst "
                "approximations | bound | worst at |\n"
                "|---|---:|---:|---:|---:|---|\n");
  }
};

TEST_P(MathAccuracy, IsWithinItsBound) {
  const MathFunction &function = GetParam();
  MathKernel kernel = compile(function.body);
  const char *given = std::getenv("DIETCODE_MATH_SAMPLES");
  Samples samples = makeSamples(function, given ? std::atoi(given) : 512);
  Worst worst = findWorst(function, kernel, samples);
  double limit = worst.error;
  for (float factor : {1 - 0x1p-22f, 1 + 0x1p-22f})
    if (kernel.approximates())
      limit = std::max(
          limit, findWorst(function, kernel.perturbed(factor), samples).error);
  std::printf("| %s | %u | %.2f | %.2f | %.1f | %.9g%s |\n", function.name,
              countInstructions(function, kernel), worst.error, limit,
              function.bound, worst.a,
              function.isBinary ? (", " + std::to_string(worst.b)).c_str()
                                : "");
  EXPECT_LE(worst.error, function.bound)
      << "at " << worst.a << ", " << worst.b << " it is " << worst.got;
  EXPECT_LE(limit, function.bound) << "with approximations off by 2^-22";
}

class ExactMath : public ::testing::TestWithParam<MathFunction> {};

TEST_P(ExactMath, HasNoError) {
  const MathFunction &function = GetParam();
  Worst worst =
      findWorst(function, compile(function.body), makeSamples(function, 128));
  EXPECT_EQ(worst.error, 0)
      << "at " << worst.a << ", " << worst.b << " it is " << worst.got;
}

/// Functions of f16 are those of f32, rounded once: 0.5 ulp and what the former
/// is off.
TEST(HalfMath, IsRoundedOnce) {
  std::vector<float> halves;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                 : exponent     ? std::ldexp(1024.0f + fraction, exponent - 25)
                                : std::ldexp(float(fraction), -24);
    halves.push_back(bits >> 15 ? -size : size);
  }
  MathKernel kernel = compile("%h = arith.truncf %a : f32 to f16\n"
                              "%e = math.exp %h : f16\n"
                              "%y = arith.extf %e : f16 to f32");
  std::vector<float> got = kernel.run(halves, halves);
  for (size_t i = 0; i < got.size(); ++i) {
    Real exact = std::exp(Real(halves[i]));
    if (std::isnan(exact) || exact >= 65520) {
      EXPECT_EQ(got[i] > 65504, !std::isnan(exact)) << halves[i];
      continue;
    }
    Real ulp =
        std::ldexp(1.0L, exact < 0x1p-14L ? -24 : std::ilogb(exact) - 10);
    EXPECT_LE(std::fabs(got[i] - exact), 0.501L * ulp) << halves[i];
  }
}

/// Elements of vectors do not get mixed up.
TEST(VectorMath, IsThatOfElements) {
  std::vector<float> a, b;
  for (int i = 0; i < 256; ++i) {
    a.push_back(i * 0.125f - 16);
    b.push_back(i * 0.25f);
  }
  std::vector<float> got =
      compile("%v = vector.from_elements %a, %b : vector<2xf32>\n"
              "%e = math.exp %v : vector<2xf32>\n"
              "%y = vector.extract %e[1] : f32 from vector<2xf32>")
          .run(a, b);
  EXPECT_EQ(got, compile("%y = math.exp %b : f32").run(a, b));
}

std::string nameOf(const ::testing::TestParamInfo<MathFunction> &info) {
  std::string name = info.param.name;
  name.erase(std::remove_if(name.begin(), name.end(),
                            [](char c) { return !std::isalnum(c); }),
             name.end());
  return name;
}

INSTANTIATE_TEST_SUITE_P(F32, MathAccuracy,
                         ::testing::ValuesIn(mathFunctions()), nameOf);
INSTANTIATE_TEST_SUITE_P(F32, ExactMath, ::testing::ValuesIn(exactFunctions()),
                         nameOf);

} // namespace
