//===- ParserFunction.cpp - PTX functions ---------------------------------===//
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

} // namespace dietcode::vgpu
