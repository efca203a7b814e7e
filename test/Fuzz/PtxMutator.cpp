//===- PtxMutator.cpp - Changes to PTX that keep most of it valid ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxMutator.h"
#include <algorithm>
#include <random>
#include <vector>

namespace dietcode::vgpu {
namespace {

using Lines = std::vector<std::string>;

Lines splitLines(std::string_view text) {
  Lines lines(1);
  for (char c : text) {
    lines.back() += c;
    if (c == '\n')
      lines.emplace_back();
  }
  return lines;
}

std::string join(const Lines &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line;
  return text;
}

bool isWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '%' || c == '$';
}

struct Span {
  size_t begin;
  size_t size;
};

/// The parts of a line: words, numbers, and each modifier of an opcode.
std::vector<Span> wordsOf(std::string_view line) {
  std::vector<Span> words;
  for (size_t i = 0; i < line.size(); ++i)
    if (isWord(line[i])) {
      size_t begin = i;
      while (i < line.size() && isWord(line[i]))
        ++i;
      words.push_back({begin, i - begin});
    }
  return words;
}

class Mutator {
public:
  explicit Mutator(uint32_t seed) : engine(seed) {}

  /// Below `n`, which is not 0.
  size_t below(size_t n) { return engine() % n; }

  /// Numbers at the edges of what operands, sizes and offsets may be.
  std::string number() {
    static constexpr const char *values[] = {
        "0",          "1",          "2",           "3",
        "4",          "7",          "8",           "15",
        "16",         "31",         "32",          "33",
        "48",         "63",         "64",          "127",
        "255",        "256",        "1024",        "4096",
        "65535",      "65536",      "1048576",     "2147483647",
        "4294967295", "4294967296", "0f7F800000",  "0fFFC00000",
        "0f3F800000", "0d0",        "-1",          "-4",
        "-16",        "-65536",     "-2147483648", "9223372036854775807"};
    return values[below(std::size(values))];
  }

  void changeWord(Lines &lines) {
    std::string &line = lines[below(lines.size())];
    const std::string &source = lines[below(lines.size())];
    std::vector<Span> words = wordsOf(line), from = wordsOf(source);
    if (words.empty() || from.empty())
      return;
    Span at = words[below(words.size())], with = from[below(from.size())];
    std::string word =
        below(4) == 0 ? number() : source.substr(with.begin, with.size);
    line.replace(at.begin, at.size, word);
  }

  void changeLines(Lines &lines) {
    size_t at = below(lines.size()), to = below(lines.size());
    switch (below(4)) {
    case 0:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(to),
                   std::string(lines[at]));
      break;
    case 2:
      std::swap(lines[at], lines[to]);
      break;
    default:
      changeWord(lines);
    }
  }

private:
  std::mt19937 engine;
};

} // namespace

std::string mutatePtx(std::string_view text, uint32_t seed) {
  Mutator mutator(seed);
  Lines lines = splitLines(text);
  for (size_t left = 1 + mutator.below(3); left > 0 && !lines.empty(); --left)
    if (mutator.below(3) == 0)
      mutator.changeLines(lines);
    else
      mutator.changeWord(lines);
  return join(lines);
}

std::string crossPtx(std::string_view text, std::string_view other,
                     uint32_t seed) {
  Mutator mutator(seed);
  Lines lines = splitLines(text), from = splitLines(other);
  for (size_t left = 1 + mutator.below(4); left > 0; --left) {
    auto at = static_cast<std::ptrdiff_t>(mutator.below(lines.size()));
    lines.insert(lines.begin() + at, from[mutator.below(from.size())]);
  }
  return join(lines);
}

} // namespace dietcode::vgpu
