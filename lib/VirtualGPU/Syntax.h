//===- Syntax.h - Parsed PTX ------------------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parser makes of a PTX text: names are resolved to registers, opcodes
// are still text. The decoder gives the instructions their meaning.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_SYNTAX_H
#define DIETCODE_LIB_VIRTUALGPU_SYNTAX_H

#include "LaneOps.h"
#include "dietcode/Support/Expected.h"
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode::vgpu {

enum class Space : uint8_t { Generic, Global, Shared, Local, Const, Param };

/// A .global, .const, .shared or .local variable.
/// An address in an initializer: of a symbol, plus `addend`, shifted right.
struct Relocation {
  unsigned line = 0;
  uint64_t offset = 0; ///< In the variable.
  unsigned bytes = 8;
  std::string symbol;
  int64_t addend = 0;
  unsigned shift = 0;
};

struct Variable {
  std::string name;
  Space space = Space::Global;
  unsigned align = 1;
  uint64_t size = 0;
  bool isDynamicShared = false; ///< .extern .shared with no size.
  std::vector<uint8_t> initializer;
  std::vector<Relocation> relocations;
};

/// A parameter of a function, or its return value: a .param variable or a
/// register.
struct Formal {
  std::string name;
  std::optional<uint32_t> reg;
  unsigned align = 1;
  uint32_t size = 0; ///< 0 for predicates.
};

struct Param {
  std::string name;
  unsigned align = 1;
  uint32_t size = 0;
  uint32_t offset = 0;
};

/// One operand of an instruction as written.
struct Operand {
  enum Kind : uint8_t {
    Register,  ///< `reg`, perhaps negated (`!%p1`).
    Special,   ///< `name` is e.g. "%tid.x".
    Symbol,    ///< `name`, a variable, parameter or label; plus `value`.
    Immediate, ///< `value`; a float's bits when isFloatBits is set.
    Address,   ///< [elements[0] + value].
    Vector,    ///< {elements}.
    Pair,      ///< %p1|%p2 in elements.
    Sink,      ///< `_`.
  };
  Kind kind = Sink;
  bool negated = false;
  uint8_t floatBytes = 0; ///< 4 for 0f..., 8 for 0d... and decimals.
  uint32_t reg = 0;
  int64_t value = 0;
  std::string_view name;
  std::vector<Operand> elements;
};

struct RawInstruction {
  unsigned line = 0;
  std::string_view text; ///< The source, from guard to before the semicolon.
  std::optional<uint32_t> guard;
  bool guardNegated = false;
  std::vector<std::string_view> opcode; ///< Split at the dots.
  std::vector<Operand> operands;
};

struct RawKernel {
  std::string name;
  unsigned line = 0;
  std::vector<Param> params;
  std::array<uint32_t, 3> requiredThreads = {0, 0, 0};
  std::array<uint32_t, 3> maxThreads = {0, 0, 0};
  uint32_t minBlocksPerSM = 0;
  uint32_t maxRegisters = 0;
  std::vector<Type> registers; ///< Types; the index is the register's number.
  /// .shared and .local of the body, and the .param of its calls.
  std::vector<Variable> variables;
  std::vector<RawInstruction> body;
  std::map<std::string, uint32_t, std::less<>> labels; ///< Index into body.
  /// The labels of each .branchtargets list.
  std::map<std::string, std::vector<std::string_view>, std::less<>> branchLists;
  // Of functions:
  std::vector<Formal> arguments;
  std::vector<Formal> returns;
};

struct RawModule {
  unsigned version = 0; ///< 75 for .version 7.5.
  unsigned chip = 75;   ///< 75 for .target sm_75.
  std::vector<Variable> variables;
  std::vector<RawKernel> kernels;
  std::map<std::string, RawKernel, std::less<>> functions;
  /// Text of names that are not in the source.
  std::deque<std::string> names;
};

/// Parses PTX; `text` must outlive the result. Errors read `name:line: ...`.
Expected<RawModule> parsePtx(std::string_view text, std::string_view name);

/// The type a suffix such as "f32" or "b64" names.
/// A kernel with the functions that it calls in the places of the calls.
/// Recursion is an error, and so is a call that does not fit its function.
Expected<RawKernel> inlineCalls(RawModule &module, const RawKernel &kernel,
                                std::string_view moduleName);

/// Whether an instruction has an untyped .b32 and the like where it needs a
/// type, or the other way round.
bool hasWrongKindOfType(const RawInstruction &raw);

/// Why ptxas would refuse an instruction for a chip and a version of PTX, or
/// an empty string.
std::string unmetRequirement(const RawInstruction &raw, unsigned chip,
                             unsigned version);

std::optional<Type> parseTypeName(std::string_view name);

/// An instruction's text for messages: compilers align operands with tabs.
std::string oneSpaced(std::string_view text);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_SYNTAX_H
