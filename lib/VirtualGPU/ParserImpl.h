//===- ParserImpl.h - The PTX parser's state --------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_PARSERIMPL_H
#define DIETCODE_LIB_VIRTUALGPU_PARSERIMPL_H

#include "Lexer.h"
#include "Syntax.h"
#include <unordered_map>

namespace dietcode::vgpu {

/// Recursive descent. Methods return false after recording the first error.
class Parser {
public:
  Parser(const std::vector<Token> &tokens, std::string_view name)
      : tokens(tokens), name(name) {}

  Expected<RawModule> run();

private:
  // Tokens.
  const Token &peek(size_t ahead = 0) const {
    size_t at = pos + ahead;
    return tokens[at < tokens.size() ? at : tokens.size() - 1];
  }
  bool at(std::string_view text) const { return peek().text == text; }
  bool accept(std::string_view text);
  bool expect(std::string_view text);
  void skipLine();
  bool skipToSemicolon();
  bool error(unsigned line, const std::string &what);
  bool parseUnsigned(uint64_t &value);

  // Module level, in Parser.cpp.
  bool parseTopLevel();
  bool parseVersionOrTarget();
  bool skipSection();
  bool parseEntry();
  bool parseFunction();
  bool parseFormals(RawKernel &function, std::vector<Formal> &formals);
  bool parseFormal(RawKernel &function, Formal &formal);
  bool parseParams(RawKernel &kernel);
  bool parseParam(RawKernel &kernel);
  bool parsePerformanceDirectives(RawKernel &kernel);
  bool parseTriple(std::array<uint32_t, 3> &values);
  bool parseVariables(std::vector<Variable> &into);
  bool parseVariable(Variable variable, unsigned elementBytes,
                     std::vector<Variable> &into);
  bool parseInitializer(Variable &variable, unsigned elementBytes);
  bool parseElements(Variable &variable, unsigned elementBytes, unsigned depth);
  bool parseAddressElement(Variable &variable, unsigned elementBytes);

  // Bodies, in ParserBody.cpp.
  bool parseBody(RawKernel &kernel);
  bool parseStatement(RawKernel &kernel);
  bool parseLabel(RawKernel &kernel);
  bool parseRegisters(RawKernel &kernel);
  bool parseBodyVariables(RawKernel &kernel);
  std::string_view lookupVariable(std::string_view name) const;
  bool parseInstruction(RawKernel &kernel);
  bool parseGuard(RawInstruction &inst);
  bool parseOperand(Operand &operand);
  bool parseAddress(Operand &operand);
  bool parseVector(Operand &operand, std::string_view close);
  bool parseWord(Operand &operand);
  bool parseNumber(std::string_view text, Operand &operand);
  std::optional<uint32_t> lookupRegister(std::string_view name) const;

  struct RegisterRange {
    uint32_t first;
    uint32_t count;
  };
  /// Names of one pair of braces; ranges (`%r<6>`) are kept by prefix.
  struct Scope {
    std::unordered_map<std::string_view, uint32_t> registers;
    std::unordered_map<std::string_view, RegisterRange> ranges;
    /// Names in the module of variables that other scopes may also have.
    std::unordered_map<std::string_view, std::string_view> variables;
  };

  const std::vector<Token> &tokens;
  std::string_view name;
  size_t pos = 0;
  bool sawVersion = false;
  RawModule module;
  std::vector<Scope> scopes;
  std::optional<Error> firstError;
};

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_PARSERIMPL_H
