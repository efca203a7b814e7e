//===- ParserFunction.cpp - PTX functions, and addresses in initializers --===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, section 11.5.3 (.func): `.func (return) name (parameters) body`,
// where parameters are .param variables or registers. Declarations end in a
// semicolon and say nothing that the definition does not.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

namespace dietcode::vgpu {

bool Parser::parseFunction() {
  ++pos; // .func
  RawKernel function;
  scopes.assign(1, Scope());
  if (at("(") && !parseFormals(function, function.returns))
    return false;
  function.line = peek().line;
  if (peek().kind != Token::Word)
    return error(peek().line, "expected a function name");
  function.name = peek().text;
  ++pos;
  if (at("(") && !parseFormals(function, function.arguments))
    return false;
  if (!parsePerformanceDirectives(function))
    return false;
  if (accept(";")) {
    scopes.clear();
    return true;
  }
  if (!parseBody(function))
    return false;
  scopes.clear();
  std::string key = function.name;
  if (!module.functions.emplace(key, std::move(function)).second)
    return error(peek().line, "function '" + key + "' is defined twice");
  return true;
}

bool Parser::parseFormals(RawKernel &function, std::vector<Formal> &formals) {
  if (!expect("("))
    return false;
  while (!accept(")")) {
    formals.emplace_back();
    if (!parseFormal(function, formals.back()))
      return false;
    if (!at(")") && !expect(","))
      return false;
  }
  return true;
}

/// `.reg .type name`, or a .param variable like those of kernels.
bool Parser::parseFormal(RawKernel &function, Formal &formal) {
  if (accept(".reg")) {
    std::optional<Type> type;
    if (peek().kind == Token::Word)
      type = parseTypeName(peek().text.substr(1));
    ++pos;
    if (!type || peek().kind != Token::Word)
      return error(peek().line, "expected a type and a name of a parameter");
    formal.name = peek().text;
    formal.reg = static_cast<uint32_t>(function.registers.size());
    formal.size = byteSize(*type);
    scopes.back().registers[peek().text] = *formal.reg;
    function.registers.push_back(*type);
    ++pos;
    return true;
  }
  RawKernel one;
  if (!parseParam(one))
    return false;
  formal.name = one.params[0].name;
  formal.align = one.params[0].align;
  formal.size = one.params[0].size;
  return true;
}

/// PTX ISA 9.0, section 5.4.4: `symbol`, `symbol+4`, `generic(symbol)+4`, or a
/// byte of one, which a mask picks: `0xFF00(generic(symbol)+4)`. Generic
/// addresses of global memory are the same as its own.
bool Parser::parseAddressElement(Variable &variable, unsigned elementBytes) {
  Relocation relocation;
  relocation.line = peek().line;
  relocation.offset = variable.initializer.size();
  relocation.bytes = elementBytes;
  bool isMasked = peek().kind == Token::Number;
  if (isMasked) {
    Operand number; // All 64 bits may be in use.
    if (!parseNumber(peek().text, number))
      return false;
    ++pos;
    if (!expect("("))
      return false;
    auto mask = static_cast<uint64_t>(number.value);
    while (relocation.shift < 64 && mask != uint64_t(0xff) << relocation.shift)
      relocation.shift += 8;
    if (relocation.shift == 64)
      return error(relocation.line, "unsupported mask in an initializer");
  }
  bool isGeneric = accept("generic");
  if (isGeneric && !expect("("))
    return false;
  if (peek().kind != Token::Word)
    return error(peek().line,
                 "expected a symbol, found '" + std::string(peek().text) + "'");
  relocation.symbol = peek().text;
  ++pos;
  if (isGeneric && !expect(")"))
    return false;
  while (at("+") || at("-")) {
    bool isNegative = at("-");
    ++pos;
    isNegative ^= accept("-");
    uint64_t value = 0;
    if (!parseUnsigned(value))
      return false;
    relocation.addend += static_cast<int64_t>(isNegative ? 0 - value : value);
  }
  if (isMasked && !expect(")"))
    return false;
  if (elementBytes != (isMasked ? 1u : 8u))
    return error(relocation.line,
                 "an address does not fit into an element of '" +
                     variable.name + "'");
  variable.initializer.resize(variable.initializer.size() + elementBytes);
  variable.relocations.push_back(std::move(relocation));
  return true;
}

} // namespace dietcode::vgpu
