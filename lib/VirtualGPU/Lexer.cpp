//===- Lexer.cpp - PTX tokens ---------------------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

namespace dietcode::vgpu {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '%' || c == '.';
}
bool isWord(char c) { return isWordStart(c) || isDigit(c); }

class Lexer {
public:
  Lexer(std::string_view source, std::string_view name)
      : source(source), name(name) {}

  Expected<std::vector<Token>> run() {
    std::vector<Token> tokens;
    tokens.reserve(source.size() / 6);
    while (true) {
      if (auto ok = skipBlanks(); !ok)
        return tl::unexpected(ok.error());
      if (pos == source.size())
        break;
      size_t start = pos;
      Token::Kind kind = Token::Punct;
      unsigned startLine = line;
      char c = source[pos];
      if (isWordStart(c)) {
        kind = Token::Word;
        skipWord();
      } else if (isDigit(c)) {
        kind = Token::Number;
        skipNumber();
      } else if (c == '"') {
        kind = Token::String;
        if (!skipString())
          return error(startLine, "unterminated string");
      } else if (static_cast<unsigned char>(c) < 0x20 ||
                 static_cast<unsigned char>(c) > 0x7e) {
        return error(line, "unexpected byte " +
                               std::to_string(static_cast<unsigned char>(c)) +
                               "; this is not PTX text");
      } else {
        ++pos;
      }
      tokens.push_back({kind, startLine, source.substr(start, pos - start)});
    }
    tokens.push_back({Token::End, line, source.substr(source.size())});
    return tokens;
  }

private:
  tl::unexpected<Error> error(unsigned at, const std::string &what) const {
    return fail(std::string(name) + ":" + std::to_string(at) + ": " + what);
  }

  /// Skips white space, line markers and comments.
  Expected<bool> skipBlanks() {
    while (pos < source.size()) {
      char c = source[pos];
      if (c == '\n')
        ++line;
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        ++pos;
      } else if (c == '/' && pos + 1 < source.size() &&
                 source[pos + 1] == '/') {
        while (pos < source.size() && source[pos] != '\n')
          ++pos;
      } else if (c == '/' && pos + 1 < source.size() &&
                 source[pos + 1] == '*') {
        size_t end = source.find("*/", pos + 2);
        if (end == std::string_view::npos)
          return error(line, "unterminated comment");
        for (; pos < end + 2; ++pos)
          line += source[pos] == '\n';
      } else {
        break;
      }
    }
    return true;
  }

  /// Words carry their dots and double colons: `ld.global.L2::128B.f32`. But
  /// directives are told apart even in `.reg.b32`.
  void skipWord() {
    bool isDirective = source[pos++] == '.';
    while (pos < source.size()) {
      if (isDirective && source[pos] == '.')
        break;
      if (isWord(source[pos]))
        ++pos;
      else if (source.substr(pos, 2) == "::")
        pos += 2;
      else
        break;
    }
  }

  void skipNumber() {
    while (pos < source.size()) {
      char c = source[pos];
      bool exponentSign = (c == '+' || c == '-') && pos > 0 &&
                          (source[pos - 1] == 'e' || source[pos - 1] == 'E') &&
                          source.substr(pos - 2, 2) != "0d" && sawPoint;
      if (c == '.')
        sawPoint = true;
      if (!isWord(c) && !exponentSign)
        break;
      ++pos;
    }
    sawPoint = false;
  }

  bool skipString() {
    for (++pos; pos < source.size() && source[pos] != '\n'; ++pos) {
      if (source[pos] == '\\')
        ++pos;
      else if (source[pos] == '"')
        return ++pos, true;
    }
    return false;
  }

  std::string_view source;
  std::string_view name;
  size_t pos = 0;
  unsigned line = 1;
  bool sawPoint = false;
};

} // namespace

Expected<std::vector<Token>> tokenize(std::string_view source,
                                      std::string_view name) {
  return Lexer(source, name).run();
}

} // namespace dietcode::vgpu
