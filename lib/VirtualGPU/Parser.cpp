//===- Parser.cpp - PTX modules, variables and kernel headers -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include <cstdlib>
#include <cstring>

namespace dietcode::vgpu {
namespace {

constexpr uint64_t maxVariableBytes = uint64_t(1) << 32;

std::optional<Space> parseSpace(std::string_view word) {
  if (word == ".global")
    return Space::Global;
  if (word == ".const")
    return Space::Const;
  if (word == ".shared")
    return Space::Shared;
  if (word == ".local")
    return Space::Local;
  return std::nullopt;
}

bool isLinkage(std::string_view word) {
  return word == ".visible" || word == ".weak" || word == ".common";
}

std::string quote(std::string_view text) {
  return "'" + std::string(text.substr(0, 80)) + "'";
}

} // namespace

std::optional<Type> parseTypeName(std::string_view name) {
  static constexpr std::pair<std::string_view, Type> names[] = {
      {"pred", Type::Pred},   {"b8", Type::U8},   {"u8", Type::U8},
      {"s8", Type::S8},       {"b16", Type::U16}, {"u16", Type::U16},
      {"s16", Type::S16},     {"b32", Type::U32}, {"u32", Type::U32},
      {"s32", Type::S32},     {"b64", Type::U64}, {"u64", Type::U64},
      {"s64", Type::S64},     {"f16", Type::F16}, {"f32", Type::F32},
      {"f16x2", Type::F16x2}, {"f64", Type::F64}};
  for (auto &[text, type] : names)
    if (text == name)
      return type;
  return std::nullopt;
}

bool Parser::error(unsigned line, const std::string &what) {
  if (!firstError)
    firstError =
        Error{std::string(name) + ":" + std::to_string(line) + ": " + what};
  return false;
}

bool Parser::accept(std::string_view text) {
  if (!at(text) || peek().kind == Token::String)
    return false;
  ++pos;
  return true;
}

bool Parser::expect(std::string_view text) {
  if (accept(text))
    return true;
  return error(peek().line,
               "expected " + quote(text) + ", found " +
                   (peek().kind == Token::End ? "the end of the file"
                                              : quote(peek().text)));
}

void Parser::skipLine() {
  unsigned line = peek().line;
  while (peek().kind != Token::End && peek().line == line)
    ++pos;
}

bool Parser::skipToSemicolon() {
  while (peek().kind != Token::End && !at(";"))
    ++pos;
  return expect(";");
}

bool Parser::parseUnsigned(uint64_t &value) {
  Operand operand;
  if (peek().kind != Token::Number)
    return error(peek().line, "expected a number, found " + quote(peek().text));
  if (!parseNumber(peek().text, operand))
    return false;
  ++pos;
  if (operand.floatBytes || operand.value < 0)
    return error(peek().line, "expected an unsigned integer");
  value = static_cast<uint64_t>(operand.value);
  return true;
}

Expected<RawModule> Parser::run() {
  while (peek().kind != Token::End)
    if (!parseTopLevel())
      return tl::unexpected(*firstError);
  if (!sawVersion)
    return fail(std::string(name) +
                ":1: this is not PTX: no .version directive");
  return std::move(module);
}

bool Parser::parseTopLevel() {
  std::string_view word = peek().text;
  if (word == ".version" || word == ".target" || word == ".address_size")
    return parseVersionOrTarget();
  if (!sawVersion)
    return error(peek().line, "expected .version, found " + quote(word) +
                                  "; this is not PTX");
  if (word == ".file" || word == ".loc")
    return skipLine(), true;
  if (word == ".pragma")
    return skipToSemicolon();
  if (word == ".section")
    return skipSection();
  if (accept(";"))
    return true;
  size_t ahead = 0;
  while (isLinkage(peek(ahead).text) || peek(ahead).text == ".extern")
    ++ahead;
  if (peek(ahead).text == ".entry") {
    pos += ahead;
    return parseEntry();
  }
  if (parseSpace(peek(ahead).text))
    return parseVariables(module.variables);
  if (peek(ahead).text == ".func") {
    // What an external function does is known by its name where it is called.
    if (at(".extern"))
      return skipToSemicolon();
    pos += ahead;
    return parseFunction();
  }
  return error(peek(ahead).line,
               "unsupported directive " + quote(peek(ahead).text));
}

bool Parser::parseVersionOrTarget() {
  std::string_view word = peek().text;
  unsigned line = peek().line;
  ++pos;
  if (word == ".target") {
    do {
      if (peek().kind != Token::Word)
        return error(line, "expected a target, found " + quote(peek().text));
      if (peek().text.substr(0, 3) == "sm_")
        module.chip = static_cast<unsigned>(
            std::atoi(std::string(peek().text.substr(3, 3)).c_str()));
      ++pos;
    } while (accept(","));
    return true;
  }
  if (peek().kind != Token::Number)
    return error(line, "expected a number after " + std::string(word));
  if (word == ".version") {
    sawVersion = true;
    double version = std::atof(std::string(peek().text.substr(0, 8)).c_str());
    module.version = static_cast<unsigned>(version * 10 + 0.5);
  }
  if (word == ".address_size" && !at("64"))
    return error(line, "only 64-bit addresses are supported, found " +
                           quote(peek().text));
  ++pos;
  return true;
}

/// Debug sections are data in braces.
bool Parser::skipSection() {
  while (peek().kind != Token::End && !at("{"))
    ++pos;
  unsigned depth = 0;
  do {
    if (at("{"))
      ++depth;
    if (at("}"))
      --depth;
    if (peek().kind == Token::End)
      return error(peek().line, "unterminated .section");
    ++pos;
  } while (depth > 0);
  return true;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

bool Parser::parseVariables(std::vector<Variable> &into) {
  Variable prototype;
  bool isExtern = false;
  while (isLinkage(peek().text) || at(".extern")) {
    isExtern |= at(".extern");
    ++pos;
  }
  std::optional<Space> space =
      at(".param") ? Space::Param : parseSpace(peek().text);
  if (!space)
    return error(peek().line,
                 "expected a state space, found " + quote(peek().text));
  prototype.space = *space;
  ++pos;
  uint64_t align = 0;
  std::optional<Type> type;
  while (peek().kind == Token::Word && peek().text[0] == '.') {
    std::string_view word = peek().text;
    unsigned line = peek().line;
    ++pos;
    if (word == ".align") {
      if (!parseUnsigned(align))
        return false;
      if (align == 0 || (align & (align - 1)) || align > 65536)
        return error(line, "invalid alignment " + std::to_string(align));
    } else if (!(type = parseTypeName(word.substr(1))) || *type == Type::Pred) {
      return error(line, "unsupported variable attribute " + quote(word));
    }
  }
  if (!type)
    return error(peek().line, "expected a type in a variable declaration");
  unsigned elementBytes = byteSize(*type);
  prototype.align = align ? static_cast<unsigned>(align) : elementBytes;
  prototype.isDynamicShared = isExtern;
  do {
    if (!parseVariable(prototype, elementBytes, into))
      return false;
  } while (accept(","));
  return expect(";");
}

bool Parser::parseVariable(Variable variable, unsigned elementBytes,
                           std::vector<Variable> &into) {
  unsigned line = peek().line;
  if (peek().kind != Token::Word)
    return error(line, "expected a variable name, found " + quote(peek().text));
  variable.name = peek().text;
  ++pos;
  variable.size = elementBytes;
  bool unsized = false;
  while (accept("[")) {
    uint64_t count = 0;
    if (at("]"))
      unsized = true;
    else if (!parseUnsigned(count))
      return false;
    if (count > maxVariableBytes ||
        (variable.size *= unsized ? 1 : count) > maxVariableBytes)
      return error(line, "variable '" + variable.name + "' is too large");
    if (!expect("]"))
      return false;
  }
  bool isExtern = variable.isDynamicShared;
  variable.isDynamicShared = isExtern && variable.space == Space::Shared;
  if (isExtern && variable.space != Space::Shared)
    return error(line, "external variable '" + variable.name +
                           "' has no definition; linking is not supported");
  if (variable.isDynamicShared)
    variable.size = 0;
  if (accept("=")) {
    if (unsized)
      variable.size = 0;
    if (!parseInitializer(variable, elementBytes))
      return false;
  } else if (unsized && !variable.isDynamicShared) {
    return error(line, "variable '" + variable.name + "' has no size");
  }
  into.push_back(std::move(variable));
  return true;
}

bool Parser::parseInitializer(Variable &variable, unsigned elementBytes) {
  unsigned line = peek().line;
  if (variable.space != Space::Global && variable.space != Space::Const)
    return error(line, "only .global and .const variables can be initialized");
  bool nested = at("{") && peek(1).text == "{";
  if (!parseElements(variable, elementBytes, 0))
    return false;
  uint64_t given = variable.initializer.size();
  if (variable.size == 0)
    variable.size = given;
  if (given > variable.size || (nested && given != variable.size))
    return error(line, "unsupported initializer of '" + variable.name +
                           "': " + std::to_string(given) + " bytes for " +
                           std::to_string(variable.size));
  return true;
}

bool Parser::parseElements(Variable &variable, unsigned elementBytes,
                           unsigned depth) {
  if (accept("{")) {
    if (depth > 8)
      return error(peek().line, "initializer is nested too deeply");
    while (!accept("}")) {
      if (!parseElements(variable, elementBytes, depth + 1))
        return false;
      if (!at("}") && !expect(","))
        return false;
    }
    return true;
  }
  if (peek().kind == Token::Word || peek(1).text == "(")
    return parseAddressElement(variable, elementBytes);
  bool negative = accept("-");
  Operand value;
  if (peek().kind != Token::Number)
    return error(peek().line, "unsupported initializer " + quote(peek().text));
  if (!parseNumber(peek().text, value))
    return false;
  ++pos;
  uint64_t bits = static_cast<uint64_t>(value.value);
  if (value.floatBytes && value.floatBytes != elementBytes)
    return error(peek().line, "initializer of another size than the element");
  if (negative)
    bits = value.floatBytes ? bits ^ (uint64_t(1) << (8 * elementBytes - 1))
                            : uint64_t(0) - bits;
  for (unsigned i = 0; i < elementBytes; ++i)
    variable.initializer.push_back(static_cast<uint8_t>(bits >> (8 * i)));
  return true;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

bool Parser::parseEntry() {
  ++pos; // .entry
  RawKernel kernel;
  kernel.line = peek().line;
  if (peek().kind != Token::Word)
    return error(peek().line, "expected a kernel name");
  kernel.name = peek().text;
  ++pos;
  if (at("(") && !parseParams(kernel))
    return false;
  if (!parsePerformanceDirectives(kernel))
    return false;
  if (accept(";")) // A declaration; the definition follows.
    return true;
  if (!parseBody(kernel))
    return false;
  module.kernels.push_back(std::move(kernel));
  return true;
}

bool Parser::parseParams(RawKernel &kernel) {
  if (!expect("("))
    return false;
  while (!accept(")")) {
    if (!parseParam(kernel))
      return false;
    if (!at(")") && !expect(","))
      return false;
  }
  return true;
}

bool Parser::parseParam(RawKernel &kernel) {
  if (!expect(".param"))
    return false;
  Param param;
  uint64_t align = 0;
  bool pointerAttributes = false;
  std::optional<Type> type;
  while (peek().kind == Token::Word && peek().text[0] == '.') {
    std::string_view word = peek().text;
    unsigned line = peek().line;
    ++pos;
    if (word == ".align") {
      uint64_t value = 0;
      if (!parseUnsigned(value))
        return false;
      // After .ptr it describes the pointee, which nothing here needs.
      if (!pointerAttributes)
        align = value;
    } else if (word == ".ptr") {
      pointerAttributes = true;
    } else if (!(pointerAttributes && parseSpace(word)) &&
               !(type = parseTypeName(word.substr(1)))) {
      return error(line, "unsupported parameter attribute " + quote(word));
    }
  }
  if (!type || *type == Type::Pred || peek().kind != Token::Word)
    return error(peek().line, "expected a type and a name of a parameter");
  param.name = peek().text;
  ++pos;
  uint64_t size = byteSize(*type);
  while (accept("[")) {
    uint64_t count = 0;
    if (!parseUnsigned(count) || !expect("]"))
      return false;
    size = count > 32768 ? 32769 : size * count;
  }
  param.align = align ? static_cast<unsigned>(align) : byteSize(*type);
  if ((param.align & (param.align - 1)) || param.align > 128 || size > 32764)
    return error(peek().line, "invalid parameter '" + param.name + "'");
  param.size = static_cast<uint32_t>(size);
  uint32_t end = kernel.params.empty()
                     ? 0
                     : kernel.params.back().offset + kernel.params.back().size;
  param.offset = (end + param.align - 1) & ~(param.align - 1);
  kernel.params.push_back(std::move(param));
  return true;
}

bool Parser::parseTriple(std::array<uint32_t, 3> &values) {
  values = {1, 1, 1};
  for (unsigned i = 0; i < 3; ++i) {
    uint64_t value = 0;
    if (!parseUnsigned(value))
      return false;
    values[i] = static_cast<uint32_t>(value);
    if (i < 2 && !accept(","))
      break;
  }
  return true;
}

bool Parser::parsePerformanceDirectives(RawKernel &kernel) {
  while (peek().kind == Token::Word && peek().text[0] == '.') {
    std::string_view word = peek().text;
    unsigned line = peek().line;
    ++pos;
    uint64_t value = 0;
    bool ok = true;
    if (word == ".maxntid")
      ok = parseTriple(kernel.maxThreads);
    else if (word == ".reqntid")
      ok = parseTriple(kernel.requiredThreads);
    else if (word == ".minnctapersm" || word == ".maxnctapersm" ||
             word == ".maxnreg")
      ok = parseUnsigned(value);
    else if (word == ".pragma")
      ok = skipToSemicolon();
    else if (word != ".noreturn")
      return error(line, "unsupported directive " + quote(word));
    if (word == ".minnctapersm")
      kernel.minBlocksPerSM = static_cast<uint32_t>(value);
    if (word == ".maxnreg")
      kernel.maxRegisters = static_cast<uint32_t>(value);
    if (!ok)
      return false;
  }
  return true;
}

std::string oneSpaced(std::string_view text) {
  std::string result;
  for (char c : text) {
    bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank)
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  return result;
}

Expected<RawModule> parsePtx(std::string_view text, std::string_view name) {
  Expected<std::vector<Token>> tokens = tokenize(text, name);
  if (!tokens)
    return tl::unexpected(tokens.error());
  return Parser(*tokens, name).run();
}

} // namespace dietcode::vgpu
