//===- Inline.cpp - Calls of functions that the module defines ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call becomes the body of its function, with registers, labels and variables
// of its own: its .local memory and .param variables are the frame that a call
// would push, and there is one for each place of a call. So divergence within
// functions needs no care of its own:
//
//   call (r), f, (a);     ==>     ... body of f, its parameter being a and its
//                                 return value r ...
//                                 ret  ==>  bra after
//                               after:
//
// PTX ISA 9.0, sections 7.1 (function declarations) and 9.7.13.5 (call).
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"
#include <algorithm>
#include <unordered_map>

namespace dietcode::vgpu {
namespace {

constexpr size_t maxInstructions = size_t(1) << 16;
constexpr size_t maxRegisters = size_t(1) << 18;
/// Over all functions that a kernel calls, each of which is kept.
constexpr size_t maxCopied = size_t(1) << 18;

class Inliner {
public:
  Inliner(RawModule &module, std::string_view moduleName)
      : module(module), moduleName(moduleName) {}

  /// False after an error, which `failure` then holds.
  bool expand(const RawKernel &from, RawKernel &into, unsigned depth);
  std::optional<Error> failure;

private:
  struct Call {
    const RawInstruction *raw;
    const RawKernel *callee;
    std::vector<Operand> arguments;
    std::vector<Operand> returns;
  };
  using Names = std::unordered_map<std::string_view, std::string_view>;

  bool error(const RawInstruction &at, const std::string &why);
  const RawKernel *calledFunction(const RawInstruction &raw) const;
  const RawKernel *expanded(const RawInstruction &at, const std::string &name,
                            unsigned depth);
  bool splice(const RawInstruction &raw, const RawKernel &callee,
              RawKernel &into);
  bool bind(const Call &call, RawKernel &into, uint32_t base, Names &names);
  bool bindFormal(const Call &call, const Formal &formal, const Operand &actual,
                  bool isReturn, RawKernel &into, uint32_t base, Names &names);
  void copyBody(const Call &call, RawKernel &into, uint32_t base,
                const Names &names, std::string_view after);
  void copyOperand(Operand &operand, uint32_t base, const Names &names) const;
  void move(const Call &call, RawKernel &into, const Operand &to,
            const Operand &from, uint32_t bytes);
  void branch(const RawInstruction &from, RawKernel &into,
              std::string_view label, bool negate);
  std::string_view fresh(std::string_view name);
  std::string_view keep(std::string name) {
    module.names.push_back(std::move(name));
    return module.names.back();
  }

  RawModule &module;
  std::string_view moduleName;
  std::map<std::string, RawKernel, std::less<>> done;
  std::vector<std::string> path; ///< Functions being expanded.
  size_t copied = 0;             ///< Instructions in `done`.
};

bool Inliner::error(const RawInstruction &at, const std::string &why) {
  failure =
      Error{std::string(moduleName) + ":" + std::to_string(at.line) +
            ": unsupported instruction '" + oneSpaced(at.text) + "': " + why};
  return false;
}

std::string_view Inliner::fresh(std::string_view name) {
  return keep(std::string(name) + "$" + std::to_string(module.names.size()));
}

/// The function that a direct call names, if the module defines it.
const RawKernel *Inliner::calledFunction(const RawInstruction &raw) const {
  if (raw.opcode[0] != "call")
    return nullptr;
  for (const Operand &operand : raw.operands) {
    if (operand.kind != Operand::Symbol)
      continue;
    auto it = module.functions.find(operand.name);
    return it == module.functions.end() ? nullptr : &it->second;
  }
  return nullptr;
}

bool Inliner::expand(const RawKernel &from, RawKernel &into, unsigned depth) {
  into = from;
  into.body.clear();
  std::vector<uint32_t> position;
  for (const RawInstruction &raw : from.body) {
    position.push_back(static_cast<uint32_t>(into.body.size()));
    const RawKernel *function = calledFunction(raw);
    if (!function) {
      into.body.push_back(raw);
      continue;
    }
    const RawKernel *callee = expanded(raw, function->name, depth + 1);
    if (!callee || !splice(raw, *callee, into))
      return false;
    if (into.body.size() > maxInstructions)
      return error(raw, "with the functions that it calls, '" + from.name +
                            "' has more than " +
                            std::to_string(maxInstructions) + " instructions");
    if (into.registers.size() > maxRegisters)
      return error(raw, "with the functions that it calls, '" + from.name +
                            "' has more than " + std::to_string(maxRegisters) +
                            " registers");
  }
  position.push_back(static_cast<uint32_t>(into.body.size()));
  for (auto &[label, at] : from.labels)
    into.labels[label] = position[at];
  return true;
}

/// A function with its own calls expanded.
const RawKernel *Inliner::expanded(const RawInstruction &at,
                                   const std::string &name, unsigned depth) {
  if (auto it = done.find(name); it != done.end())
    return &it->second;
  if (std::count(path.begin(), path.end(), name)) {
    error(at, "'" + name + "' calls itself; recursion is not supported");
    return nullptr;
  }
  if (depth > 64) {
    error(at, "calls are nested too deeply");
    return nullptr;
  }
  const RawKernel &function = module.functions.find(name)->second;
  path.push_back(name);
  RawKernel result;
  bool ok = expand(function, result, depth);
  path.pop_back();
  if (!ok)
    return nullptr;
  copied += result.body.size();
  if (copied > maxCopied) {
    error(at, "the functions that kernels call are too large");
    return nullptr;
  }
  // Shared variables exist once, however often the function is called.
  Names names;
  for (Variable &variable : result.variables)
    if (variable.space == Space::Shared &&
        variable.name.find("::") == std::string::npos) {
      std::string_view old = keep(variable.name);
      variable.name = name + "::" + variable.name;
      names[old] = keep(variable.name);
    }
  for (RawInstruction &raw : result.body)
    for (Operand &operand : raw.operands)
      copyOperand(operand, 0, names);
  return &(done[name] = std::move(result));
}

bool Inliner::splice(const RawInstruction &raw, const RawKernel &callee,
                     RawKernel &into) {
  Call call = {&raw, &callee, {}, {}};
  // call{.uni} {(returns),} name{, (arguments)}
  size_t at = 0;
  if (at < raw.operands.size() && raw.operands[at].kind == Operand::Vector)
    call.returns = raw.operands[at++].elements;
  ++at; // The name.
  if (at < raw.operands.size() && raw.operands[at].kind == Operand::Vector)
    call.arguments = raw.operands[at++].elements;
  if (at != raw.operands.size() ||
      call.arguments.size() != callee.arguments.size() ||
      call.returns.size() != callee.returns.size())
    return error(raw, "the call has " + std::to_string(call.arguments.size()) +
                          " arguments and " +
                          std::to_string(call.returns.size()) +
                          " return values; function '" + callee.name +
                          "' has " + std::to_string(callee.arguments.size()) +
                          " and " + std::to_string(callee.returns.size()));
  auto base = static_cast<uint32_t>(into.registers.size());
  into.registers.insert(into.registers.end(), callee.registers.begin(),
                        callee.registers.end());
  std::string_view after = fresh("after");
  std::string_view skip = raw.guard ? fresh("skip") : std::string_view();
  if (raw.guard)
    branch(raw, into, skip, /*negate=*/true);
  Names names;
  if (!bind(call, into, base, names))
    return false;
  copyBody(call, into, base, names, after);
  into.labels[std::string(after)] = static_cast<uint32_t>(into.body.size());
  for (size_t i = 0; i < call.returns.size(); ++i)
    if (!bindFormal(call, callee.returns[i], call.returns[i], true, into, base,
                    names))
      return false;
  if (raw.guard)
    into.labels[std::string(skip)] = static_cast<uint32_t>(into.body.size());
  return true;
}

/// Names for all that the callee declares, and values for its parameters.
bool Inliner::bind(const Call &call, RawKernel &into, uint32_t base,
                   Names &names) {
  const RawKernel &callee = *call.callee;
  for (auto &entry : callee.labels)
    names[entry.first] = fresh(entry.first);
  for (auto &entry : callee.branchLists)
    names[entry.first] = fresh(entry.first);
  for (const Variable &variable : callee.variables) {
    bool isShared = variable.space == Space::Shared;
    auto same = [&](const Variable &other) {
      return other.name == variable.name;
    };
    if (isShared &&
        std::any_of(into.variables.begin(), into.variables.end(), same))
      continue;
    into.variables.push_back(variable);
    if (isShared)
      continue;
    names[variable.name] = fresh(variable.name);
    into.variables.back().name = names[variable.name];
  }
  for (size_t i = 0; i < call.arguments.size(); ++i)
    if (!bindFormal(call, callee.arguments[i], call.arguments[i], false, into,
                    base, names))
      return false;
  // A return value in .param space is the caller's variable from the start.
  for (size_t i = 0; i < call.returns.size(); ++i)
    if (!callee.returns[i].reg && call.returns[i].kind == Operand::Symbol)
      names[callee.returns[i].name] = call.returns[i].name;
  return true;
}

bool Inliner::bindFormal(const Call &call, const Formal &formal,
                         const Operand &actual, bool isReturn, RawKernel &into,
                         uint32_t base, Names &names) {
  if (actual.kind != Operand::Symbol) {
    if (!formal.reg)
      return error(*call.raw, "'" + formal.name +
                                  "' is in .param space, what the call gives "
                                  "for it is not");
    Operand inside;
    inside.kind = Operand::Register;
    inside.reg = base + *formal.reg;
    move(call, into, isReturn ? actual : inside, isReturn ? inside : actual,
         formal.size);
    return true;
  }
  if (formal.reg)
    return error(*call.raw, "'" + formal.name +
                                "' is a register, what the call gives for it "
                                "is not");
  for (const Variable &variable : into.variables)
    if (variable.name == actual.name && variable.size < formal.size)
      return error(*call.raw, "'" + formal.name + "' has " +
                                  std::to_string(formal.size) +
                                  " bytes, what the call gives for it has " +
                                  std::to_string(variable.size));
  names[formal.name] = actual.name;
  return true;
}

void Inliner::copyBody(const Call &call, RawKernel &into, uint32_t base,
                       const Names &names, std::string_view after) {
  const RawKernel &callee = *call.callee;
  size_t offset = into.body.size();
  for (const RawInstruction &raw : callee.body) {
    if (raw.opcode[0] == "ret") {
      RawInstruction ret = raw;
      if (ret.guard)
        *ret.guard += base;
      branch(ret, into, after, /*negate=*/false);
      continue;
    }
    into.body.push_back(raw);
    RawInstruction &copy = into.body.back();
    if (copy.guard)
      *copy.guard += base;
    for (Operand &operand : copy.operands)
      copyOperand(operand, base, names);
  }
  for (auto &[label, at] : callee.labels)
    into.labels[std::string(names.at(label))] =
        static_cast<uint32_t>(offset + at);
  for (auto &[label, targets] : callee.branchLists) {
    auto &list = into.branchLists[std::string(names.at(label))];
    for (std::string_view target : targets) {
      auto it = names.find(target);
      list.push_back(it == names.end() ? target : it->second);
    }
  }
}

void Inliner::copyOperand(Operand &operand, uint32_t base,
                          const Names &names) const {
  if (operand.kind == Operand::Register)
    operand.reg += base;
  if (operand.kind == Operand::Symbol)
    if (auto it = names.find(operand.name); it != names.end())
      operand.name = it->second;
  for (Operand &element : operand.elements)
    copyOperand(element, base, names);
}

void Inliner::move(const Call &call, RawKernel &into, const Operand &to,
                   const Operand &from, uint32_t bytes) {
  RawInstruction raw;
  raw.line = call.raw->line;
  raw.text = call.raw->text;
  raw.opcode = {"mov", bytes == 8   ? "b64"
                       : bytes == 4 ? "b32"
                       : bytes == 2 ? "b16"
                                    : "pred"};
  raw.operands = {to, from};
  into.body.push_back(std::move(raw));
}

/// A branch in place of an instruction, under its guard or the opposite.
void Inliner::branch(const RawInstruction &from, RawKernel &into,
                     std::string_view label, bool negate) {
  RawInstruction raw;
  raw.line = from.line;
  raw.text = from.text;
  raw.guard = from.guard;
  raw.guardNegated = from.guardNegated != negate;
  raw.opcode = {"bra"};
  Operand target;
  target.kind = Operand::Symbol;
  target.name = label;
  raw.operands = {target};
  into.body.push_back(std::move(raw));
}

} // namespace

Expected<RawKernel> inlineCalls(RawModule &module, const RawKernel &kernel,
                                std::string_view moduleName) {
  Inliner inliner(module, moduleName);
  RawKernel result;
  if (!inliner.expand(kernel, result, 0))
    return tl::unexpected(*inliner.failure);
  return result;
}

} // namespace dietcode::vgpu
