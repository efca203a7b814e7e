//===- ParserBody.cpp - PTX kernel bodies ---------------------------------===//
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

std::string quote(std::string_view text) {
  return "'" + oneSpaced(text.substr(0, 200)) + "'";
}

int hexDigit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

/// Reads digits of a base; nullopt on a foreign digit or overflow.
std::optional<uint64_t> readDigits(std::string_view text, unsigned base) {
  uint64_t value = 0;
  if (text.empty())
    return std::nullopt;
  for (char c : text) {
    int digit = hexDigit(c);
    if (digit < 0 || static_cast<unsigned>(digit) >= base)
      return std::nullopt;
    if (__builtin_mul_overflow(value, base, &value) ||
        __builtin_add_overflow(value, static_cast<unsigned>(digit), &value))
      return std::nullopt;
  }
  return value;
}

std::vector<std::string_view> splitAtDots(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  while (true) {
    size_t dot = text.find('.', start);
    parts.push_back(text.substr(start, dot - start));
    if (dot == std::string_view::npos)
      return parts;
    start = dot + 1;
  }
}

constexpr uint32_t maxRegisters = 1u << 18;

} // namespace

bool Parser::parseNumber(std::string_view text, Operand &operand) {
  operand.kind = Operand::Immediate;
  std::optional<uint64_t> value;
  std::string_view prefix = text.substr(0, 2);
  if (prefix == "0f" || prefix == "0F") {
    operand.floatBytes = 4;
    if (text.size() == 10)
      value = readDigits(text.substr(2), 16);
  } else if (prefix == "0d" || prefix == "0D") {
    operand.floatBytes = 8;
    if (text.size() == 18)
      value = readDigits(text.substr(2), 16);
  } else if (text.find('.') != std::string_view::npos) {
    operand.floatBytes = 8;
    std::string copy(text);
    char *end = nullptr;
    double number = std::strtod(copy.c_str(), &end);
    uint64_t bits;
    std::memcpy(&bits, &number, sizeof(bits));
    if (!*end)
      value = bits;
  } else {
    std::string_view digits = text;
    if (!digits.empty() && digits.back() == 'U')
      digits.remove_suffix(1);
    if (prefix == "0x" || prefix == "0X")
      value = readDigits(digits.substr(2), 16);
    else if (prefix == "0b" || prefix == "0B")
      value = readDigits(digits.substr(2), 2);
    else if (digits.size() > 1 && digits[0] == '0')
      value = readDigits(digits.substr(1), 8);
    else
      value = readDigits(digits, 10);
  }
  if (!value)
    return error(peek().line, "invalid number " + quote(text));
  operand.value = static_cast<int64_t>(*value);
  return true;
}

bool Parser::parseBody(RawKernel &kernel) {
  if (!expect("{"))
    return false;
  // A function's registers that are parameters have a scope around the body's.
  size_t outer = scopes.size();
  scopes.emplace_back();
  while (scopes.size() > outer) {
    if (peek().kind == Token::End)
      return error(peek().line,
                   "the body of '" + kernel.name + "' is not closed");
    if (accept("{"))
      scopes.emplace_back();
    else if (accept("}"))
      scopes.pop_back();
    else if (!parseStatement(kernel))
      return false;
  }
  return true;
}

bool Parser::parseStatement(RawKernel &kernel) {
  std::string_view word = peek().text;
  unsigned line = peek().line;
  if (accept(";"))
    return true;
  if (word == ".reg")
    return parseRegisters(kernel);
  if (word == ".loc" || word == ".file")
    return skipLine(), true;
  if (word == ".pragma")
    return skipToSemicolon();
  if (word == ".shared" || word == ".local" || word == ".extern" ||
      word == ".param")
    return parseBodyVariables(kernel);
  if (peek().kind == Token::Word && peek(1).text == ":")
    return parseLabel(kernel);
  if (!word.empty() && word[0] == '.')
    return error(line, "unsupported directive " + quote(word));
  return parseInstruction(kernel);
}

/// `name:`, of an instruction or of a list of branch targets.
bool Parser::parseLabel(RawKernel &kernel) {
  std::string label(peek().text);
  unsigned line = peek().line;
  pos += 2;
  if (kernel.labels.count(label) || kernel.branchLists.count(label))
    return error(line, "label " + quote(label) + " is defined twice");
  if (at(".callprototype") || at(".calltargets")) // Calls through it are not.
    return skipToSemicolon();
  if (!accept(".branchtargets")) {
    kernel.labels[label] = static_cast<uint32_t>(kernel.body.size());
    return true;
  }
  std::vector<std::string_view> &targets = kernel.branchLists[label];
  do {
    if (peek().kind != Token::Word)
      return error(peek().line,
                   "expected a label, found " + quote(peek().text));
    targets.push_back(peek().text);
    ++pos;
  } while (accept(","));
  return expect(";");
}

bool Parser::parseRegisters(RawKernel &kernel) {
  ++pos; // .reg
  std::optional<Type> type;
  if (peek().kind == Token::Word)
    type = parseTypeName(peek().text.substr(1));
  if (!type)
    return error(peek().line,
                 "unsupported register type " + quote(peek().text));
  ++pos;
  do {
    std::string_view regName = peek().text;
    unsigned line = peek().line;
    if (peek().kind != Token::Word)
      return error(line, "expected a register name, found " + quote(regName));
    ++pos;
    uint64_t count = 1;
    uint32_t first = static_cast<uint32_t>(kernel.registers.size());
    if (accept("<")) {
      if (!parseUnsigned(count) || !expect(">"))
        return false;
      if (count > maxRegisters)
        return error(line, "too many registers");
      scopes.back().ranges[regName] = {first, static_cast<uint32_t>(count)};
    } else {
      scopes.back().registers[regName] = first;
    }
    kernel.registers.resize(first + count, *type);
    if (kernel.registers.size() > maxRegisters)
      return error(line, "too many registers");
  } while (accept(","));
  return expect(";");
}

/// Variables of inner scopes get names of their own: compilers write
/// `{ .param .b32 param0; ... }` around each call.
bool Parser::parseBodyVariables(RawKernel &kernel) {
  size_t first = kernel.variables.size();
  if (!parseVariables(kernel.variables))
    return false;
  if (kernel.variables.size() > maxRegisters)
    return error(peek().line, "too many variables");
  for (size_t i = first; i < kernel.variables.size(); ++i) {
    Variable &variable = kernel.variables[i];
    module.names.push_back(variable.name);
    std::string_view old = module.names.back();
    if (scopes.size() > 1)
      variable.name += "$" + std::to_string(module.names.size());
    module.names.push_back(variable.name);
    scopes.back().variables[old] = module.names.back();
  }
  return true;
}

std::string_view Parser::lookupVariable(std::string_view variable) const {
  for (size_t i = scopes.size(); i-- > 0;) {
    auto found = scopes[i].variables.find(variable);
    if (found != scopes[i].variables.end())
      return found->second;
  }
  return variable;
}

std::optional<uint32_t> Parser::lookupRegister(std::string_view regName) const {
  size_t digits = regName.size();
  while (digits > 0 && regName[digits - 1] >= '0' && regName[digits - 1] <= '9')
    --digits;
  std::optional<uint64_t> index = readDigits(regName.substr(digits), 10);
  for (size_t i = scopes.size(); i-- > 0;) {
    auto single = scopes[i].registers.find(regName);
    if (single != scopes[i].registers.end())
      return single->second;
    if (!index)
      continue;
    auto range = scopes[i].ranges.find(regName.substr(0, digits));
    if (range != scopes[i].ranges.end() && *index < range->second.count)
      return range->second.first + static_cast<uint32_t>(*index);
  }
  return std::nullopt;
}

bool Parser::parseGuard(RawInstruction &inst) {
  if (!accept("@"))
    return true;
  inst.guardNegated = accept("!");
  inst.guard = lookupRegister(peek().text);
  if (!inst.guard)
    return error(peek().line, "unknown predicate " + quote(peek().text));
  ++pos;
  return true;
}

bool Parser::parseInstruction(RawKernel &kernel) {
  RawInstruction inst;
  inst.line = peek().line;
  const char *begin = peek().text.data();
  // The text is known before the operands, so that errors can quote it.
  size_t last = pos;
  while (tokens[last].kind != Token::End && tokens[last].text != ";")
    ++last;
  if (tokens[last].kind == Token::End)
    return error(inst.line, "unterminated instruction " +
                                quote({begin, peek().text.size()}));
  const Token &end = tokens[last > pos ? last - 1 : last];
  inst.text = {begin,
               static_cast<size_t>(end.text.data() + end.text.size() - begin)};
  if (!parseGuard(inst))
    return false;
  if (peek().kind != Token::Word)
    return error(inst.line,
                 "expected an instruction, found " + quote(peek().text));
  inst.opcode = splitAtDots(peek().text);
  ++pos;
  while (!at(";")) {
    Operand operand;
    if (!parseOperand(operand))
      return error(inst.line, "unsupported instruction " + quote(inst.text));
    inst.operands.push_back(std::move(operand));
    if (!at(";") && !expect(","))
      return false;
  }
  ++pos;
  kernel.body.push_back(std::move(inst));
  return true;
}

bool Parser::parseOperand(Operand &operand) {
  if (accept("["))
    return parseAddress(operand);
  if (accept("{"))
    return parseVector(operand, "}");
  if (accept("("))
    return parseVector(operand, ")");
  if (accept("-")) {
    if (peek().kind != Token::Number || !parseNumber(peek().text, operand))
      return false;
    ++pos;
    uint64_t bits = static_cast<uint64_t>(operand.value);
    bits = operand.floatBytes
               ? bits ^ (uint64_t(1) << (8 * operand.floatBytes - 1))
               : uint64_t(0) - bits;
    operand.value = static_cast<int64_t>(bits);
    return true;
  }
  operand.negated = accept("!");
  if (peek().kind == Token::Number) {
    if (operand.negated || !parseNumber(peek().text, operand))
      return false;
    return ++pos, true;
  }
  if (peek().kind != Token::Word || !parseWord(operand))
    return false;
  if (accept("|")) {
    Operand pair;
    pair.kind = Operand::Pair;
    pair.elements.push_back(std::move(operand));
    pair.elements.emplace_back();
    if (peek().kind != Token::Word || !parseWord(pair.elements[1]))
      return false;
    operand = std::move(pair);
  }
  return true;
}

bool Parser::parseWord(Operand &operand) {
  operand.name = peek().text;
  unsigned line = peek().line;
  ++pos;
  if (operand.name == "_") {
    operand.kind = Operand::Sink;
    return true;
  }
  if (operand.name == "WARP_SZ") {
    operand.kind = Operand::Immediate;
    operand.value = 32;
    return true;
  }
  if (std::optional<uint32_t> reg = lookupRegister(operand.name)) {
    operand.kind = Operand::Register;
    operand.reg = *reg;
    return true;
  }
  if (operand.name[0] == '.')
    return error(line, "unexpected " + quote(operand.name));
  operand.kind = operand.name[0] == '%' ? Operand::Special : Operand::Symbol;
  operand.name = lookupVariable(operand.name);
  if (operand.kind == Operand::Symbol && accept("+")) {
    bool minus = accept("-"); // LLVM writes symbol+-4.
    uint64_t offset = 0;
    if (!parseUnsigned(offset))
      return false;
    operand.value = static_cast<int64_t>(minus ? 0 - offset : offset);
  }
  return true;
}

bool Parser::parseAddress(Operand &operand) {
  operand.kind = Operand::Address;
  operand.elements.emplace_back();
  Operand &base = operand.elements[0];
  if (peek().kind == Token::Number) {
    if (!parseNumber(peek().text, base))
      return false;
    ++pos;
  } else {
    if (peek().kind != Token::Word || !parseWord(base))
      return false;
    operand.value = base.value; // parseWord took a symbol's offset.
    base.value = 0;
  }
  while (at("+") || at("-")) {
    bool minus = at("-");
    ++pos;
    minus ^= accept("-"); // LLVM writes [%rd1+-4].
    Operand offset;
    if (peek().kind != Token::Number || !parseNumber(peek().text, offset) ||
        offset.floatBytes)
      return false;
    ++pos;
    operand.value += minus ? -offset.value : offset.value;
  }
  return accept("]"); // Textures have more; the caller quotes all of it.
}

/// {a, b} or the (a, b) of a call, whose opening was taken.
bool Parser::parseVector(Operand &operand, std::string_view close) {
  operand.kind = Operand::Vector;
  while (!accept(close)) {
    operand.elements.emplace_back();
    // No nesting, which would also let an input recurse without bound.
    if (operand.elements.size() > (close == ")" ? 256u : 8u) || at("{") ||
        at("[") || at("(") || !parseOperand(operand.elements.back()))
      return false;
    if (!at(close) && !expect(","))
      return false;
  }
  return close == ")" || !operand.elements.empty();
}

} // namespace dietcode::vgpu
