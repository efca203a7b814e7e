//===- PtxArgument.cpp - Arguments of a kernel as text --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/VirtualGPU/PtxJob.h"

#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

using namespace dietcode;
using namespace dietcode::vgpu;

/// Largest buffer that an argument may ask for: the memory of a T4.
static constexpr uint64_t kMaxBufferBytes = uint64_t(16) << 30;

template <typename T>
static std::optional<T> parseNumber(std::string_view text) {
  T value{};
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return value;
}

template <typename T>
static Expected<PtxArgument> makeScalar(PtxArgument argument,
                                        std::string_view value) {
  std::optional<T> number = parseNumber<T>(value);
  if (!number)
    return fail("argument '" + argument.text + "': '" + std::string(value) +
                "' is no value of the type");
  argument.bytes.resize(sizeof(T));
  std::memcpy(argument.bytes.data(), &*number, sizeof(T));
  return argument;
}

static Expected<std::vector<char>> readFile(const PtxArgument &argument,
                                            const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    return fail("argument '" + argument.text + "': cannot open '" + file + "'");
  return std::vector<char>(std::istreambuf_iterator<char>(stream), {});
}

static Expected<PtxArgument> makeSized(PtxArgument argument,
                                       std::string_view size, char fill) {
  std::optional<uint64_t> bytes = parseNumber<uint64_t>(size);
  if (!bytes || *bytes > kMaxBufferBytes)
    return fail("argument '" + argument.text + "': '" + std::string(size) +
                "' is not a size from 0 to " + std::to_string(kMaxBufferBytes) +
                " bytes");
  argument.isBuffer = true;
  argument.bytes.assign(*bytes, fill);
  return argument;
}

static Expected<PtxArgument>
makeFile(PtxArgument argument, const std::string &file, bool isBuffer = true) {
  Expected<std::vector<char>> contents = readFile(argument, file);
  if (!contents)
    return fail(contents.error().message);
  argument.isBuffer = isBuffer;
  argument.bytes = std::move(*contents);
  return argument;
}

/// Splits "a:b" in two; the second part is empty without a colon.
static std::pair<std::string, std::string> split(const std::string &text) {
  size_t colon = text.find(':');
  if (colon == std::string::npos)
    return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

static Expected<PtxArgument> makeFromFile(PtxArgument argument,
                                          const std::string &kind,
                                          const std::string &rest) {
  auto [first, second] = split(rest);
  if ((kind == "in" || kind == "value") && !rest.empty())
    return makeFile(std::move(argument), rest, kind == "in");
  if (kind == "zero")
    return makeSized(std::move(argument), rest, 0);
  if (kind == "inout" && !second.empty()) {
    argument.outputFile = second;
    return makeFile(std::move(argument), first);
  }
  if (kind == "out" && !second.empty()) {
    argument.outputFile = second;
    return makeSized(std::move(argument), first, char(0xff));
  }
  return fail("argument '" + argument.text +
              "' is none of i32:V u32:V i64:V u64:V f32:V f64:V "
              "value:FILE in:FILE inout:FILE:OUT out:BYTES:FILE zero:BYTES");
}

Expected<PtxArgument>
dietcode::vgpu::parsePtxArgument(const std::string &text) {
  PtxArgument argument;
  argument.text = text;
  auto [kind, rest] = split(text);
  if (kind == "i32")
    return makeScalar<int32_t>(std::move(argument), rest);
  if (kind == "u32")
    return makeScalar<uint32_t>(std::move(argument), rest);
  if (kind == "i64")
    return makeScalar<int64_t>(std::move(argument), rest);
  if (kind == "u64")
    return makeScalar<uint64_t>(std::move(argument), rest);
  if (kind == "f32")
    return makeScalar<float>(std::move(argument), rest);
  if (kind == "f64")
    return makeScalar<double>(std::move(argument), rest);
  return makeFromFile(std::move(argument), kind, rest);
}

Expected<std::array<int64_t, 3>>
dietcode::vgpu::parseExtents(const std::string &text, const std::string &what) {
  std::array<int64_t, 3> extents = {1, 1, 1};
  std::string_view rest = text;
  for (size_t i = 0; i < 3; ++i) {
    size_t comma = rest.find(',');
    std::optional<int64_t> value = parseNumber<int64_t>(rest.substr(0, comma));
    if (!value || *value <= 0)
      break;
    extents[i] = *value;
    if (comma == std::string_view::npos)
      return extents;
    rest.remove_prefix(comma + 1);
  }
  return fail(what + ": '" + text +
              "' is not one to three positive sizes, e.g. 40,2");
}
