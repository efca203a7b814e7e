//===- DecodeCall.cpp - Calls of functions that exist without PTX ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The system calls of the CUDA toolkit (PTX Writer's Guide, section 4): of
// functions that are defined in the module nothing is left here.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

namespace dietcode::vgpu {

bool Decoder::call(const RawInstruction &raw) {
  Modifiers mods(raw);
  mods.take("uni");
  if (!mods.done() || raw.operands.empty())
    return false;
  bool returns = raw.operands[0].kind == Operand::Vector;
  if (raw.operands.size() <= returns)
    return false;
  const Operand &callee = raw.operands[returns];
  if (callee.kind == Operand::Register)
    return refuse("indirect calls are not supported");
  if (callee.name == "__assertfail")
    return callAssert(raw);
  if (callee.name == "vprintf")
    return callPrint(raw);
  return refuse("function '" + std::string(callee.name) +
                "' is not defined in the module");
}

/// The value of a call's argument: of a .param variable or of a register.
Ref Decoder::argument(const RawInstruction &raw, const Operand &operand,
                      Type type) {
  if (operand.kind != Operand::Symbol)
    return source(operand, type);
  Space space = Space::Generic;
  std::optional<uint64_t> value = symbolValue(operand.name, &space);
  if (!value)
    return noRef;
  if (space != Space::Local)
    return source(operand, type);
  Inst inst = begin(raw, Kind::Load, Pipe::None);
  inst.space = Space::Local;
  inst.src[0] = constant(*value, 8);
  inst.type = type;
  inst.blend = static_cast<uint8_t>(log2Bytes(byteSize(type)));
  inst.dst[0] = newRegister(type);
  emit(inst);
  return inst.dst[0];
}

/// __assertfail(message, file, line, function, size) ends the launch.
bool Decoder::callAssert(const RawInstruction &raw) {
  if (raw.operands.size() != 2 || raw.operands[1].elements.size() != 5)
    return false;
  static constexpr Type argumentTypes[] = {Type::U64, Type::U64, Type::U32};
  Ref arguments[3];
  for (unsigned i = 0; i < 3; ++i)
    if ((arguments[i] = argument(raw, raw.operands[1].elements[i],
                                 argumentTypes[i])) == noRef)
      return false;
  Inst inst = begin(raw, Kind::Trap, Pipe::Control);
  inst.mode = 1;
  std::copy_n(arguments, 3, inst.src);
  emit(inst);
  return true;
}

/// (count) = vprintf(format, arguments), both generic addresses.
bool Decoder::callPrint(const RawInstruction &raw) {
  if (raw.operands.size() != 3 || raw.operands[0].elements.size() != 1 ||
      raw.operands[2].elements.size() != 2)
    return refuse("vprintf takes a format and arguments, and returns a count");
  Ref format = argument(raw, raw.operands[2].elements[0], Type::U64);
  Ref arguments = argument(raw, raw.operands[2].elements[1], Type::U64);
  if (format == noRef || arguments == noRef)
    return false;
  Inst inst = begin(raw, Kind::Print, Pipe::Control);
  inst.src[0] = format;
  inst.src[1] = arguments;
  inst.blend = 2;
  const Operand &result = raw.operands[0].elements[0];
  bool isVariable = result.kind == Operand::Symbol;
  inst.dst[0] =
      isVariable ? newRegister(Type::U32) : destination(result, Type::U32);
  if (inst.dst[0] == noRef)
    return false;
  program.needsBlockOrder = true; // Output appears in the order of blocks.
  emit(inst);
  if (!isVariable)
    return true;
  Space space = Space::Generic;
  std::optional<uint64_t> value = symbolValue(result.name, &space);
  if (!value || space != Space::Local)
    return false;
  Inst store = begin(raw, Kind::Store, Pipe::None);
  store.space = Space::Local;
  store.src[0] = constant(*value, 8);
  store.src[1] = inst.dst[0];
  store.blend = 2;
  emit(store);
  return true;
}

} // namespace dietcode::vgpu
