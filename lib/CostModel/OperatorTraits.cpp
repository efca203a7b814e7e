//===- OperatorTraits.cpp - What sets operators of a kind apart -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/OperatorTraits.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <vector>

using namespace dietcode;

/// Bits of a type as MLIR spells it, such as "f16"; 32 if it has none.
static int bitsOf(std::string_view type) {
  size_t digits = type.find_first_of("0123456789");
  int bits = 0;
  if (digits != std::string_view::npos)
    std::from_chars(type.data() + digits, type.data() + type.size(), bits);
  return bits > 0 ? bits : 32;
}

static int bytesOf(std::string_view type) { return (bitsOf(type) + 7) / 8; }

std::string_view dietcode::defaultSumType(std::string_view factorType) {
  if (bitsOf(factorType) >= 32)
    return factorType;
  return factorType.substr(0, 1) == "i" ? "i32" : "f32";
}

std::string_view OperatorTraits::getSumType() const {
  return sumType.empty() ? defaultSumType(elementType) : sumType;
}

std::string_view OperatorTraits::getOutType() const {
  return outType.empty() ? elementType : outType;
}

int OperatorTraits::factorBytes() const { return bytesOf(elementType); }

int OperatorTraits::outBytes() const { return bytesOf(getOutType()); }

/// "f32", "f16->f32", "f16+f16->f32".
static std::string printTypes(const OperatorTraits &traits) {
  std::string text = traits.elementType;
  if (traits.getSumType() != defaultSumType(traits.elementType))
    text += "+" + std::string(traits.getSumType());
  if (traits.getOutType() != traits.elementType)
    text += "->" + std::string(traits.getOutType());
  return text;
}

static void parseTypes(std::string_view text, OperatorTraits &traits) {
  size_t arrow = std::min(text.find("->"), text.size());
  if (arrow < text.size())
    traits.outType = text.substr(arrow + 2);
  text = text.substr(0, arrow);
  size_t plus = std::min(text.find('+'), text.size());
  if (plus < text.size())
    traits.sumType = text.substr(plus + 1);
  traits.elementType = text.substr(0, plus);
}

namespace {
/// A number of RowTraits, and the letter before it in signatures.
struct RowNumber {
  char letter;
  int64_t RowTraits::*value;
};
} // namespace

static constexpr RowNumber kRowNumbers[] = {
    {'v', &RowTraits::maxVector},  {'c', &RowTraits::columnRegisters},
    {'r', &RowTraits::reductions}, {'p', &RowTraits::passes},
    {'a', &RowTraits::accesses},   {'b', &RowTraits::elementBytes},
    {'o', &RowTraits::operations},
};

/// "columns v4 c1 r2 p2 a2 b8 o9".
static std::string printRows(const RowTraits &rows) {
  std::string text(nameOf(rows.access));
  for (const RowNumber &number : kRowNumbers)
    text +=
        std::string(" ") + number.letter + std::to_string(rows.*number.value);
  return text;
}

std::string OperatorTraits::signature() const {
  std::string text = kind + " " + printTypes(*this) + " ";
  if (rows)
    return text + printRows(*rows);
  text += transposeA ? 't' : 'n';
  text += transposeB ? 't' : 'n';
  if (accumulate)
    text += " acc";
  if (epilogueOperands > 0)
    text += " e" + std::to_string(epilogueOperands);
  return text;
}

static std::vector<std::string_view> splitWords(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    size_t end = text.find(' ');
    words.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  return words;
}

/// "e2" as 2 after 'e'; nothing if it is not a letter and a number.
static std::optional<int64_t> parseNumber(std::string_view word, char letter) {
  int64_t value = 0;
  if (word.size() < 2 || word[0] != letter)
    return std::nullopt;
  const char *last = word.data() + word.size();
  auto [end, error] = std::from_chars(word.data() + 1, last, value);
  if (error != std::errc() || end != last || value < 0)
    return std::nullopt;
  return value;
}

/// The inverse of printRows.
static std::optional<RowTraits>
parseRows(const std::vector<std::string_view> &words, size_t first) {
  std::optional<RowAccess> access = lookupRowAccess(words[first]);
  if (!access || words.size() != first + 1 + std::size(kRowNumbers))
    return std::nullopt;
  RowTraits rows;
  rows.access = *access;
  for (const RowNumber &number : kRowNumbers) {
    std::optional<int64_t> value = parseNumber(words[++first], number.letter);
    if (!value)
      return std::nullopt;
    rows.*number.value = *value;
  }
  return rows;
}

Expected<OperatorTraits> dietcode::parseSignature(std::string_view text) {
  auto malformed = [&] {
    return fail("'" + std::string(text) +
                "' is not the signature of an operator, such as 'matmul f32 "
                "nt e1'");
  };
  std::vector<std::string_view> words = splitWords(text);
  if (words.size() < 3)
    return malformed();
  OperatorTraits traits;
  traits.kind = words[0];
  parseTypes(words[1], traits);
  traits.rows = parseRows(words, 2);
  if (traits.rows && traits.signature() == text)
    return traits;
  if (words[2].size() != 2 ||
      words[2].find_first_not_of("nt") != std::string_view::npos)
    return malformed();
  traits.transposeA = words[2][0] == 't';
  traits.transposeB = words[2][1] == 't';
  for (size_t i = 3; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word == "acc") {
      traits.accumulate = true;
      continue;
    }
    std::optional<int64_t> operands = parseNumber(word, 'e');
    if (!operands || *operands > std::numeric_limits<int>::max())
      return malformed();
    traits.epilogueOperands = static_cast<unsigned>(*operands);
  }
  if (traits.signature() != text)
    return malformed();
  return traits;
}
