//===- DecodeConvert.cpp - Moves and conversions --------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

namespace dietcode::vgpu {

/// The type of a register that a narrower value is extended to, by its sign.
static Type extendedType(Type narrow, unsigned bytes) {
  if (!isSigned(narrow))
    return unsignedOf(bytes);
  return bytes == 8 ? Type::S64 : bytes == 4 ? Type::S32 : Type::S16;
}

bool Decoder::mov(const RawInstruction &raw) {
  Modifiers mods(raw);
  std::optional<Type> type = mods.takeType();
  if (!type || !mods.done() || raw.operands.size() != 2)
    return false;
  const Operand &from = raw.operands[1];
  if (raw.operands[0].kind == Operand::Vector || from.kind == Operand::Vector)
    return movVector(raw, *type);
  bool isSpecial = from.kind == Operand::Special;
  if (isSpecial && (from.name.substr(0, 6) == "%clock" ||
                    from.name.substr(0, 12) == "%globaltimer"))
    return movClock(raw, *type);
  if (isSpecial && (byteSize(*type) == 2 || byteSize(*type) == 8)) {
    Type to = unsignedOf(byteSize(*type));
    return emitLane(raw, lanes.cvt[unsigned(to)][unsigned(Type::U32)], to,
                    Pipe::Int, destination(raw.operands[0], *type),
                    {special(from.name)});
  }
  Type moved = *type == Type::Pred ? *type : unsignedOf(byteSize(*type));
  Ref a = source(from, *type);
  return emitLane(raw, lanes.op[unsigned(Op::Mov)][unsigned(moved)], moved,
                  Pipe::Int, destination(raw.operands[0], *type), {a});
}

bool Decoder::movClock(const RawInstruction &raw, Type type) {
  std::string_view name = raw.operands[1].name;
  bool isWide = name == "%clock64" || name == "%globaltimer";
  bool isHigh = name == "%clock_hi" || name == "%globaltimer_hi";
  if (!isWide && !isHigh && name != "%clock" && name != "%globaltimer_lo")
    return refuse("unknown register '" + std::string(name) + "'");
  if (byteSize(type) != (isWide ? 8u : 4u))
    return false;
  Inst inst = begin(raw, Kind::Clock, Pipe::Int);
  inst.type = unsignedOf(byteSize(type));
  inst.blend = static_cast<uint8_t>(log2Bytes(byteSize(type)));
  inst.imm = isHigh ? 32 : 0;
  if ((inst.dst[0] = destination(raw.operands[0], type)) == noRef)
    return false;
  emit(inst);
  return true;
}

/// Packs `{a, b}` into a wider register, or unpacks one. Only the first of the
/// steps counts as an instruction.
bool Decoder::movVector(const RawInstruction &raw, Type type) {
  bool unpack = raw.operands[0].kind == Operand::Vector;
  const Operand &vector = raw.operands[unpack ? 0 : 1];
  const Operand &scalar = raw.operands[unpack ? 1 : 0];
  size_t n = vector.elements.size();
  unsigned bytes = byteSize(type);
  if (scalar.kind == Operand::Vector || (n != 2 && n != 4) || bytes / n < 1 ||
      type == Type::Pred)
    return false;
  unsigned part = bytes / static_cast<unsigned>(n);
  Type partType = unsignedOf(part), whole = unsignedOf(bytes);
  if (unpack) {
    Ref from = source(scalar, type);
    Pipe pipe = Pipe::Int;
    for (size_t i = 0; i < n; ++i) {
      if (vector.elements[i].kind == Operand::Sink)
        continue;
      if (!emitLane(raw, lanes.extract[log2Bytes(part)][log2Bytes(bytes)],
                    partType, pipe, destination(vector.elements[i], partType),
                    {from}, static_cast<uint32_t>(8 * part * i)))
        return false;
      pipe = Pipe::None;
    }
    return true;
  }
  std::vector<Ref> parts;
  for (const Operand &element : vector.elements)
    parts.push_back(source(element, partType));
  for (unsigned width = part; parts.size() > 1; width *= 2) {
    std::vector<Ref> wider;
    for (size_t i = 0; i < parts.size(); i += 2) {
      bool last = parts.size() == 2;
      Type packed = unsignedOf(2 * width);
      Ref to = last ? destination(scalar, whole) : newRegister(packed);
      if (!emitLane(raw, lanes.pack[log2Bytes(width)], packed,
                    last ? Pipe::Int : Pipe::None, to,
                    {parts[i], parts[i + 1]}))
        return false;
      wider.push_back(to);
    }
    parts = std::move(wider);
  }
  return true;
}

/// Whether every value of an integer type is one of another: ptxas refuses .sat
/// between such.
static bool isContained(Type inner, Type outer) {
  if (isFloat(inner) || isFloat(outer))
    return false;
  if (isSigned(inner) == isSigned(outer))
    return byteSize(inner) <= byteSize(outer);
  return isSigned(outer) && byteSize(inner) < byteSize(outer);
}

/// The modifiers of a conversion: its immediate, or nothing if they are not
/// allowed together.
static std::optional<uint32_t> takeConversion(Modifiers &mods, Type &to,
                                              Type &from) {
  std::optional<uint32_t> rounding = mods.takeRounding();
  std::optional<uint32_t> integral = mods.takeRounding(/*integral=*/true);
  uint32_t imm = rounding.value_or(0) | integral.value_or(0);
  if (mods.take("sat"))
    imm |= FlagSat;
  bool ftz = mods.take("ftz");
  std::optional<Type> first = mods.takeType(), second = mods.takeType();
  if (!first || !second || !mods.done() || (rounding && integral))
    return std::nullopt;
  to = *first;
  from = *second;
  if ((imm & FlagSat) && isContained(from, to))
    return std::nullopt;
  // .ftz describes the single-precision end.
  if (ftz && to != Type::F32 && from != Type::F32)
    return std::nullopt;
  if (ftz)
    imm |= FlagFtz;
  // One of the roundings is required exactly where values can be inexact.
  bool fromFloat = isFloat(from), toFloat = isFloat(to);
  bool needsIntegral = fromFloat && !toFloat;
  bool needsRounding = toFloat && (!fromFloat || byteSize(to) < byteSize(from));
  if (needsRounding != rounding.has_value() || (needsIntegral && !integral) ||
      (integral && !(needsIntegral || (fromFloat && to == from))))
    return std::nullopt;
  if (integral && isFloat(to))
    imm |= FlagRoundInt;
  return imm;
}

bool Decoder::convert(const RawInstruction &raw) {
  Modifiers mods(raw);
  Type to, from;
  std::optional<uint32_t> imm = takeConversion(mods, to, from);
  if (!imm || raw.operands.size() != 2)
    return false;
  LaneFn fn = lanes.cvt[unsigned(to)][unsigned(from)];
  if (!fn)
    return false;
  const Operand &in = raw.operands[1], &out = raw.operands[0];
  // Sources and destinations may sit in wider registers.
  Ref src = noRef;
  unsigned fromBytes = byteSize(from), toBytes = byteSize(to);
  if (in.kind == Operand::Register && byteSize(registerType(in)) > fromBytes) {
    unsigned wide = byteSize(registerType(in));
    src = newRegister(unsignedOf(fromBytes));
    if (!emitLane(raw, lanes.extract[log2Bytes(fromBytes)][log2Bytes(wide)],
                  unsignedOf(fromBytes), Pipe::None, src, {in.reg}))
      return false;
  } else {
    src = source(in, from);
  }
  bool toSfu = (isFloat(from) || isFloat(to)) && from != to;
  bool isDouble = from == Type::F64 || to == Type::F64;
  Pipe pipe = isDouble ? Pipe::Fp64 : toSfu ? Pipe::Sfu : Pipe::Int;
  if (out.kind != Operand::Register || byteSize(registerType(out)) <= toBytes)
    return emitLane(raw, fn, to, pipe, destination(out, to), {src}, *imm);
  Type wideType = extendedType(to, byteSize(registerType(out)));
  Type narrow = isFloat(to) ? unsignedOf(toBytes) : to;
  Ref tmp = newRegister(to);
  return emitLane(raw, fn, to, pipe, tmp, {src}, *imm) &&
         emitLane(raw, lanes.cvt[unsigned(wideType)][unsigned(narrow)],
                  wideType, Pipe::None, out.reg, {tmp});
}

/// cvta: windows add to the offset; global and constant addresses are the same
/// in the generic space.
bool Decoder::convertAddress(const RawInstruction &raw) {
  Modifiers mods(raw);
  bool to = mods.take("to");
  std::optional<Space> space = mods.takeSpace();
  std::optional<Type> type = mods.takeType();
  if (!space || type != Type::U64 || !mods.done() || raw.operands.size() != 2)
    return false;
  Ref a = source(raw.operands[1], Type::U64);
  Ref dst = destination(raw.operands[0], Type::U64);
  uint64_t base = *space == Space::Shared  ? sharedWindow
                  : *space == Space::Local ? localWindow
                  : *space == Space::Param ? paramWindow
                                           : 0;
  if (base == 0)
    return emitLane(raw, lanes.op[unsigned(Op::Mov)][unsigned(Type::U64)],
                    Type::U64, Pipe::Int, dst, {a});
  Op op = to ? Op::Sub : Op::Add;
  return emitLane(raw, lanes.op[unsigned(op)][unsigned(Type::U64)], Type::U64,
                  Pipe::Int, dst, {a, constant(base, 8)});
}

} // namespace dietcode::vgpu
