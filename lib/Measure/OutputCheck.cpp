//===- OutputCheck.cpp - Comparison with a reference ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputCheck.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace dietcode;

size_t dietcode::elementCount(const JobOutput &output) {
  size_t count = 1;
  for (int64_t size : output.sizes)
    count *= static_cast<size_t>(size);
  return count;
}

static double halfToDouble(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 0 ? std::ldexp(fraction, -24)
                 : exponent == 31
                     ? (fraction ? std::numeric_limits<double>::quiet_NaN()
                                 : std::numeric_limits<double>::infinity())
                     : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -value : value;
}

template <typename T>
static T readAs(const char *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <typename T>
static double toDoubleAs(const char *bytes) {
  return static_cast<double>(readAs<T>(bytes));
}

static constexpr OutputType kTypes[] = {
    {"f16", 2,
     [](const char *bytes) { return halfToDouble(readAs<uint16_t>(bytes)); }},
    {"f32", 4, toDoubleAs<float>},
    {"f64", 8, toDoubleAs<double>},
    // Booleans are bytes that are 0 or 1.
    {"i1", 1, toDoubleAs<uint8_t>},
    {"i8", 1, toDoubleAs<int8_t>},
    {"i16", 2, toDoubleAs<int16_t>},
    {"i32", 4, toDoubleAs<int32_t>},
    {"i64", 8, toDoubleAs<int64_t>},
};

const OutputType *dietcode::lookupOutputType(std::string_view name) {
  for (const OutputType &type : kTypes)
    if (type.name == name)
      return &type;
  return nullptr;
}

/// Calls `visit` with the offset in bytes of each element, in order.
template <typename Visit>
static void forEachElement(const JobOutput &output, Visit visit) {
  size_t count = elementCount(output);
  size_t bytes = lookupOutputType(output.type)->bytes;
  std::vector<int64_t> index(output.sizes.size());
  for (size_t i = 0; i < count; ++i) {
    int64_t at = 0;
    for (size_t dim = 0; dim < index.size(); ++dim)
      at += index[dim] * output.strides[dim];
    visit(i, output.offset + static_cast<size_t>(at) * bytes);
    for (size_t dim = index.size();
         dim-- > 0 && ++index[dim] == output.sizes[dim];)
      index[dim] = 0;
  }
}

/// As `dietcode-run --check` measures it: a magnitude is at least the value.
static double errorOf(double got, double expected, double magnitude) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(got) || std::isnan(expected))
    return std::isnan(got) && std::isnan(expected) ? 0 : infinity;
  if (got == expected)
    return 0;
  double scale = std::max(std::isnan(magnitude) ? 0 : std::abs(magnitude),
                          std::abs(expected));
  double error = std::abs(got - expected) / scale;
  return std::isnan(error) ? infinity : error;
}

static std::string print(double value) {
  if (std::isnan(value))
    return "nan"; // Its sign says nothing.
  char text[40];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

/// e.g. "element [3, 17] of buffer 2".
static std::string printElement(const JobOutput &output, size_t number) {
  std::vector<std::string> index;
  for (size_t dim = output.sizes.size(); dim-- > 0;) {
    auto size = static_cast<size_t>(output.sizes[dim]);
    index.insert(index.begin(), std::to_string(number % size));
    number /= size;
  }
  std::string text = "element [";
  for (size_t i = 0; i < index.size(); ++i)
    text += (i ? ", " : "") + index[i];
  return text + "] of buffer " + std::to_string(output.buffer);
}

std::optional<std::string>
dietcode::checkOutput(const JobOutput &output, const OutputReference &reference,
                      const std::string &contents) {
  double worst = -1, worstValue = 0;
  size_t worstElement = 0;
  bool isUnwritten = false;
  const OutputType &type = *lookupOutputType(output.type);
  auto check = [&](size_t i, size_t at) {
    const char *bytes = contents.data() + at;
    double value = type.toDouble(bytes);
    double magnitude =
        reference.magnitudes.empty() ? 0 : reference.magnitudes[i];
    double error = errorOf(value, reference.expected[i], magnitude);
    if (error <= worst)
      return;
    worst = error;
    worstValue = value;
    worstElement = i;
    isUnwritten = std::all_of(bytes, bytes + type.bytes,
                              [](char c) { return c == char(0xff); });
  };
  forEachElement(output, check);
  if (worst <= output.tolerance)
    return std::nullopt;
  std::string text = printElement(output, worstElement) + " is " +
                     print(worstValue) + ", but should be " +
                     print(reference.expected[worstElement]);
  if (isUnwritten)
    return text + ": it was not written";
  text += ": the error is " + print(worst) + " of its magnitude";
  if (!reference.magnitudes.empty())
    text += " " + print(reference.magnitudes[worstElement]);
  return text + ", more than " + print(output.tolerance);
}

std::optional<std::string>
dietcode::checkUntouched(int index, const std::vector<JobOutput> &outputs,
                         const std::string &before, const std::string &after) {
  if (before == after)
    return std::nullopt;
  std::vector<bool> isOutput(before.size());
  for (const JobOutput &output : outputs)
    if (output.buffer == index)
      forEachElement(output, [&](size_t, size_t at) {
        for (size_t i = 0; i < lookupOutputType(output.type)->bytes; ++i)
          isOutput[at + i] = true;
      });
  for (size_t i = 0; i < before.size(); ++i) {
    if (isOutput[i] || before[i] == after[i])
      continue;
    char change[40];
    std::snprintf(change, sizeof(change), "0x%02x to 0x%02x", before[i] & 0xff,
                  after[i] & 0xff);
    return "byte " + std::to_string(i) + " of buffer " + std::to_string(index) +
           " changed from " + change + ", although no output has it";
  }
  return std::nullopt;
}
