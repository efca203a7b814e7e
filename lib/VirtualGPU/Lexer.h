//===- Lexer.h - PTX tokens -------------------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_LEXER_H
#define DIETCODE_LIB_VIRTUALGPU_LEXER_H

#include "dietcode/Support/Expected.h"
#include <string>
#include <string_view>
#include <vector>

namespace dietcode::vgpu {

struct Token {
  enum Kind : uint8_t {
    Word,   ///< Names, opcodes and directives, dots included.
    Number, ///< Starts with a digit.
    String, ///< With its quotes.
    Punct,  ///< One character.
    End,
  };
  Kind kind = End;
  unsigned line = 1;
  std::string_view text; ///< Points into the source.
};

/// Splits PTX into tokens, the last one End. Errors read `name:line: ...`.
Expected<std::vector<Token>> tokenize(std::string_view source,
                                      std::string_view name);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_LEXER_H
