//===- OperatorTraits.cpp - What sets operators of a kind apart -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/OperatorTraits.h"

#include <charconv>
#include <vector>

using namespace dietcode;

std::string OperatorTraits::signature() const {
  std::string text = kind + " " + elementType + " ";
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

Expected<OperatorTraits> dietcode::parseSignature(std::string_view text) {
  auto malformed = [&] {
    return fail("'" + std::string(text) +
                "' is not the signature of an operator, such as 'matmul f32 "
                "nt e1'");
  };
  std::vector<std::string_view> words = splitWords(text);
  if (words.size() < 3 || words[2].size() != 2 ||
      words[2].find_first_not_of("nt") != std::string_view::npos)
    return malformed();
  OperatorTraits traits;
  traits.kind = words[0];
  traits.elementType = words[1];
  traits.transposeA = words[2][0] == 't';
  traits.transposeB = words[2][1] == 't';
  for (size_t i = 3; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word == "acc") {
      traits.accumulate = true;
      continue;
    }
    if (word.size() < 2 || word[0] != 'e')
      return malformed();
    auto [end, error] = std::from_chars(
        word.data() + 1, word.data() + word.size(), traits.epilogueOperands);
    if (error != std::errc() || end != word.data() + word.size())
      return malformed();
  }
  if (traits.signature() != text)
    return malformed();
  return traits;
}
