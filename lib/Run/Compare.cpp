//===- Compare.cpp - Comparison with the reference ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/Compare.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::dietcode;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// |got - expected|. What overflowed to infinity is only known to be beyond
/// `largest`, so it is right for all that is, too.
double absoluteError(double got, double expected, double largest) {
  if (std::isinf(got) && std::isfinite(expected) &&
      std::signbit(got) == std::signbit(expected) && expected != 0)
    return std::max(0.0, largest - std::abs(expected));
  return std::abs(got - expected);
}

/// What rounding the exact value to the type of the output may change: half of
/// the last place of a half, of which the smallest is 2^-24. Of f32 the
/// tolerance has room for it.
double roundingOf(::dietcode::ElementKind kind, double expected) {
  if (kind != ::dietcode::ElementKind::F16 || !std::isfinite(expected))
    return 0;
  return std::max(std::ldexp(std::abs(expected), -11), std::ldexp(1.0, -25));
}

/// The error of one element beyond a last rounding in terms of its magnitude.
/// The magnitude is at least the value itself, in case it underestimates (as
/// for a logarithm), and the smallest number with all digits: below it, a
/// rounding changes as much as it does there.
double relativeError(double got, double expected, double magnitude,
                     ::dietcode::ElementKind kind) {
  if (std::isnan(got) || std::isnan(expected))
    return std::isnan(got) && std::isnan(expected) ? 0 : kInfinity;
  if (got == expected)
    return 0;
  double scale =
      std::max(std::abs(expected), ::dietcode::smallestNormalOf(kind));
  if (!std::isnan(magnitude))
    scale = std::max(scale, magnitude);
  double absolute = absoluteError(got, expected, ::dietcode::largestOf(kind));
  double error = std::max(0.0, absolute - roundingOf(kind, expected)) / scale;
  return std::isnan(error) ? kInfinity : error;
}

std::string print(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.6g", value);
  return text;
}

/// e.g. "[3, 17]".
std::string printIndex(int64_t index, const std::vector<int64_t> &sizes) {
  SmallVector<int64_t> indices;
  for (size_t dim = sizes.size(); dim-- > 0; index /= sizes[dim])
    indices.push_back(index % sizes[dim]);
  std::string text;
  for (int64_t i : llvm::reverse(indices))
    text += (text.empty() ? "" : ", ") + std::to_string(i);
  return "[" + text + "]";
}

} // namespace

Comparison mlir::dietcode::compare(const ::dietcode::NpyArray &got,
                                   const ReferenceOutput &reference,
                                   double tolerance, StringRef name) {
  Comparison result;
  if (got.sizes != reference.sizes) {
    result.maxError = kInfinity;
    result.mistake = llvm::formatv("{0} is {1}, but should be {2}", name,
                                   ::dietcode::printSizes(got.sizes),
                                   ::dietcode::printSizes(reference.sizes));
    return result;
  }
  std::vector<double> values = toDoubles(got);
  size_t worst = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    double error = relativeError(values[i], reference.values[i],
                                 reference.magnitudes[i], got.kind);
    if (error > result.maxError) {
      result.maxError = error;
      worst = i;
    }
  }
  if (result.maxError > tolerance)
    result.mistake = "element " + printIndex(worst, got.sizes) + " of " +
                     name.str() + " is " + print(values[worst]) +
                     ", but should be " + print(reference.values[worst]) +
                     ": the error is " + print(result.maxError) +
                     " of its magnitude " + print(reference.magnitudes[worst]) +
                     ", more than " + print(tolerance);
  return result;
}
