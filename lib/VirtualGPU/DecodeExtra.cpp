//===- DecodeExtra.cpp - Rarer instructions -------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "LaneExtra.h"
#include <algorithm>

namespace dietcode::vgpu {

/// PTX ISA 9.7.2: add.cc, addc{.cc}, sub.cc, subc{.cc}, mad{.hi,.lo}.cc and
/// madc{.hi,.lo}{.cc}, on the condition-code flag of each thread.
bool Decoder::carry(const RawInstruction &raw) {
  Modifiers mods(raw);
  std::string_view root = raw.opcode[0];
  bool writesFlag = mods.take("cc");
  bool readsFlag = root.back() == 'c'; // addc, subc, madc
  bool isMad = root.substr(0, 3) == "mad";
  Inst inst = begin(raw, Kind::Carry, Pipe::Int);
  inst.mode = isMad ? 0 : root.substr(0, 3) == "sub" ? CarrySub : CarryAdd;
  if (isMad && mods.take("hi"))
    inst.mode = CarryMadHi;
  else if (isMad && mods.take("lo"))
    inst.mode = CarryMadLo;
  std::optional<Type> type = mods.takeType();
  if (!type || isFloat(*type) || byteSize(*type) < 4 || !inst.mode ||
      !mods.done() || raw.operands.size() != (isMad ? 4u : 3u) ||
      (!writesFlag && !readsFlag))
    return false;
  if (carryFlag == noRef)
    carryFlag = newRegister(Type::Pred);
  inst.type = *type;
  inst.blend = static_cast<uint8_t>(log2Bytes(byteSize(*type)));
  inst.dst[0] = destination(raw.operands[0], *type);
  if (writesFlag)
    inst.dst[1] = carryFlag;
  if (readsFlag)
    inst.src[3] = carryFlag;
  for (unsigned i = 0; i + 1 < raw.operands.size(); ++i)
    if ((inst.src[i] = source(raw.operands[i + 1], *type)) == noRef)
      return false;
  emit(inst);
  return inst.dst[0] != noRef;
}

/// PTX ISA 9.7.1.6 and 9.7.1.7: mul24 and mad24, without mad24.hi.sat.
bool Decoder::multiply24(const RawInstruction &raw) {
  Modifiers mods(raw);
  bool isMad = raw.opcode[0] == "mad24";
  bool isHigh = mods.take("hi");
  if (!isHigh && !mods.take("lo"))
    return false;
  std::optional<Type> type = mods.takeType();
  if (!type || isFloat(*type) || byteSize(*type) != 4 || !mods.done() ||
      raw.operands.size() != (isMad ? 4u : 3u))
    return false;
  uint32_t imm = isHigh | (isSigned(*type) ? 2u : 0u);
  Ref a = source(raw.operands[1], *type), b = source(raw.operands[2], *type);
  Ref c = isMad ? source(raw.operands[3], *type) : constant(0, 4);
  return emitLane(raw, rowMad24, *type, Pipe::Int,
                  destination(raw.operands[0], *type), {a, b, c}, imm);
}

/// PTX ISA 9.7.1.23 and 9.7.1.24: dp4a and dp2a.{lo,hi}, of operands whose
/// signs may differ.
bool Decoder::dotMixed(const RawInstruction &raw) {
  Modifiers mods(raw);
  bool isHalves = raw.opcode[0] == "dp2a";
  uint32_t imm = isHalves ? 4 : 0;
  if (isHalves && mods.take("hi"))
    imm |= 8;
  else if (isHalves && !mods.take("lo"))
    return false;
  std::optional<Type> a = mods.takeType(), b = mods.takeType();
  auto isWord = [](std::optional<Type> type) {
    return type == Type::U32 || type == Type::S32;
  };
  if (!isWord(a) || !isWord(b) || !mods.done() || raw.operands.size() != 4)
    return false;
  imm |= (isSigned(*a) ? 1u : 0) | (isSigned(*b) ? 2u : 0);
  return emitLane(raw, rowDotMixed, Type::U32, Pipe::Int,
                  destination(raw.operands[0], Type::U32),
                  {source(raw.operands[1], Type::U32),
                   source(raw.operands[2], Type::U32),
                   source(raw.operands[3], Type::U32)},
                  imm);
}

/// The operation of vset2 and vset4.
static std::optional<PackedOp> takeComparison(Modifiers &mods) {
  static constexpr std::pair<std::string_view, PackedOp> comparisons[] = {
      {"eq", PackedOp::SetEq}, {"ne", PackedOp::SetNe}, {"lt", PackedOp::SetLt},
      {"le", PackedOp::SetLe}, {"gt", PackedOp::SetGt}, {"ge", PackedOp::SetGe},
  };
  for (auto [name, op] : comparisons)
    if (mods.take(name))
      return op;
  return std::nullopt;
}

/// That of vadd4 and so on, by the name without the size of the fields.
static std::optional<PackedOp> packedOpOf(std::string_view name,
                                          Modifiers &mods) {
  static constexpr std::pair<std::string_view, PackedOp> ops[] = {
      {"vadd", PackedOp::Add},      {"vsub", PackedOp::Sub},
      {"vavrg", PackedOp::Average}, {"vabsdiff", PackedOp::AbsoluteDifference},
      {"vmin", PackedOp::Min},      {"vmax", PackedOp::Max},
  };
  for (auto [known, op] : ops)
    if (name == known)
      return op;
  return takeComparison(mods);
}

/// PTX ISA 9.7.18 (video instructions): vop{2,4}.dtype.atype.btype{.sat}{.add}
/// d, a, b, c, where vset has a comparison in place of dtype and .sat. Without
/// .add c only fills fields that a mask leaves out, and masks are refused.
bool Decoder::packed(const RawInstruction &raw) {
  Modifiers mods(raw);
  std::string_view name = raw.opcode[0];
  uint32_t imm = name.back() == '4' ? 8 : 16;
  name.remove_suffix(1);
  bool isSet = name == "vset";
  auto takeWord = [&](uint32_t flag) {
    std::optional<Type> type = mods.takeType();
    imm |= type == Type::S32 ? flag : 0;
    return type == Type::U32 || type == Type::S32;
  };
  std::optional<PackedOp> op = packedOpOf(name, mods);
  if (!op || !(isSet || takeWord(PackedSignedResult)) ||
      !takeWord(PackedSignedA) || !takeWord(PackedSignedB))
    return false;
  imm |= uint32_t(*op) << PackedOpShift;
  if (!isSet && mods.take("sat"))
    imm |= PackedSaturates;
  if (mods.take("add"))
    imm |= PackedSums;
  if (!mods.done() || raw.operands.size() != 4)
    return false;
  return emitLane(raw, rowPacked, Type::U32, Pipe::Int,
                  destination(raw.operands[0], Type::U32),
                  {source(raw.operands[1], Type::U32),
                   source(raw.operands[2], Type::U32),
                   source(raw.operands[3], Type::U32)},
                  imm);
}

/// lop3, then the comparison of its result with zero, combined with q.
bool Decoder::lop3WithPredicate(const RawInstruction &raw) {
  const Operand &target = raw.operands[0];
  if (target.kind != Operand::Pair || raw.opcode.size() != 3)
    return false;
  RawInstruction plain = raw;
  plain.opcode = {"lop3", raw.opcode[2]};
  plain.operands.pop_back();
  Operand result;
  result.kind = Operand::Register;
  result.reg = newRegister(Type::U32);
  plain.operands[0] = result;
  Operand zero;
  zero.kind = Operand::Immediate;
  RawInstruction compare = raw;
  compare.opcode = {"setp", "ne", raw.opcode[1], "b32"};
  compare.operands = {target.elements[1], result, zero, raw.operands[5]};
  if (!lop3(plain) || !setp(compare))
    return false;
  program.code.back().pipe = Pipe::None;
  if (target.elements[0].kind == Operand::Sink)
    return true;
  return emitLane(raw, lanes.op[unsigned(Op::Mov)][unsigned(Type::U32)],
                  Type::U32, Pipe::None,
                  destination(target.elements[0], Type::U32), {result.reg});
}

/// PTX ISA 9.7.6.4: slct.dtype.s32 d, a, b, c and slct{.ftz}.dtype.f32.
bool Decoder::slct(const RawInstruction &raw) {
  Modifiers mods(raw);
  bool flushes = mods.take("ftz");
  std::optional<Type> type = mods.takeType(), selector = mods.takeType();
  if (!type || byteSize(*type) < 2 || *type == Type::F16 ||
      *type == Type::F16x2 ||
      (selector != Type::S32 && selector != Type::F32) ||
      (flushes && selector != Type::F32) || !mods.done() ||
      raw.operands.size() != 4)
    return false;
  return emitLane(raw, slctFunction(byteSize(*type), selector == Type::F32),
                  *type, Pipe::Int, destination(raw.operands[0], *type),
                  {source(raw.operands[1], *type),
                   source(raw.operands[2], *type),
                   source(raw.operands[3], *selector)},
                  flushes ? uint32_t(FlagFtz) : 0);
}

/// PTX ISA 9.7.3.1: testp.op.{f32,f64} p, a.
bool Decoder::testp(const RawInstruction &raw) {
  static constexpr std::string_view names[] = {
      "finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  Modifiers mods(raw);
  auto name = std::find_if(std::begin(names), std::end(names),
                           [&](auto text) { return mods.take(text); });
  std::optional<Type> type = mods.takeType();
  if (name == std::end(names) || (type != Type::F32 && type != Type::F64) ||
      !mods.done() || raw.operands.size() != 2)
    return false;
  return emitLane(raw, testpFunction(type == Type::F64), Type::Pred, Pipe::Int,
                  destination(raw.operands[0], Type::Pred),
                  {source(raw.operands[1], *type)},
                  static_cast<uint32_t>(name - std::begin(names)));
}

/// PTX ISA 9.7.9.19: isspacep.space p, a. Constants have the addresses of
/// global memory here, so .const is refused.
bool Decoder::isSpace(const RawInstruction &raw) {
  Modifiers mods(raw);
  std::optional<Space> space = mods.takeSpace();
  if (!space || !mods.done() || raw.operands.size() != 2)
    return false;
  if (*space == Space::Const)
    return refuse("constants are not told from global memory");
  uint64_t window = *space == Space::Shared  ? sharedWindow
                    : *space == Space::Local ? localWindow
                    : *space == Space::Param ? paramWindow
                                             : 0;
  return emitLane(raw, rowIsSpace, Type::Pred, Pipe::Int,
                  destination(raw.operands[0], Type::Pred),
                  {source(raw.operands[1], Type::U64)},
                  static_cast<uint32_t>(window >> 56));
}

/// PTX ISA 9.7.1.21 and 9.7.1.22: szext.{clamp,wrap}.{u32,s32} and
/// bmsk.{clamp,wrap}.b32.
bool Decoder::bitExtend(const RawInstruction &raw) {
  Modifiers mods(raw);
  bool isMask = raw.opcode[0] == "bmsk", isClamped = mods.take("clamp");
  if (!isClamped && !mods.take("wrap"))
    return false;
  std::optional<Type> type = mods.takeType();
  if ((type != Type::U32 && (isMask || type != Type::S32)) || !mods.done() ||
      raw.operands.size() != 3)
    return false;
  return emitLane(
      raw, isMask ? rowBitMask : rowSignExtend, *type, Pipe::Int,
      destination(raw.operands[0], *type),
      {source(raw.operands[1], *type), source(raw.operands[2], Type::U32)},
      isClamped | (isSigned(*type) ? 2u : 0));
}

/// fns.b32 d, mask, base, offset.
bool Decoder::findNthSet(const RawInstruction &raw) {
  Modifiers mods(raw);
  if (!mods.take("b32") || !mods.done() || raw.operands.size() != 4)
    return false;
  return emitLane(raw, rowFindNthSet, Type::U32, Pipe::Int,
                  destination(raw.operands[0], Type::U32),
                  {source(raw.operands[1], Type::U32),
                   source(raw.operands[2], Type::U32),
                   source(raw.operands[3], Type::S32)});
}

/// PTX ISA 9.7.7.1: set on halves with a result of 16 bits or two of them:
/// 1.0 for the types f16 and f16x2, else all ones of the 16 bits.
bool Decoder::setHalves(const RawInstruction &raw, Op compare, Type result,
                        Type type) {
  bool isPair = type == Type::F16x2;
  bool isHalf = result == Type::F16 || result == Type::F16x2;
  if (raw.operands.size() != 3 || byteSize(result) != byteSize(type) ||
      (!isPair && type != Type::F16))
    return refuse("this form of set is not supported");
  uint32_t imm = unsigned(compare) - unsigned(Op::CmpEq);
  return emitLane(
      raw, setHalvesFunction(isPair ? 64 : 32), result, Pipe::Fp32,
      destination(raw.operands[0], result),
      {source(raw.operands[1], type), source(raw.operands[2], type)},
      imm | (isHalf ? 0u : 256u));
}

/// setp.f16x2 p|q: the comparison of the lower halves, then of the upper ones.
bool Decoder::setpHalves(const RawInstruction &raw) {
  const Operand &target = raw.operands[0];
  bool isPair = target.kind == Operand::Pair;
  for (unsigned i = 0; i < (isPair ? 2u : 1u); ++i) {
    RawInstruction half = raw;
    half.operands[0] = isPair ? target.elements[i] : target;
    std::replace(half.opcode.begin() + 1, half.opcode.end(),
                 std::string_view("f16x2"), std::string_view("f16"));
    for (unsigned k : {1u, 2u}) {
      Ref whole = source(raw.operands[k], Type::F16x2);
      Operand part;
      part.kind = Operand::Register;
      part.reg = newRegister(Type::F16);
      if (whole == noRef || !emitLane(raw, lanes.extract[1][2], Type::U16,
                                      Pipe::None, part.reg, {whole}, 16 * i))
        return false;
      half.operands[k] = part;
    }
    if (!setp(half))
      return false;
  }
  return true;
}

/// Fences, prefetches and sleeping have no effect on values: blocks see memory
/// in order here.
bool Decoder::nothing(const RawInstruction &raw) {
  static constexpr std::string_view known[] = {
      "membar.cta",         "membar.gl",
      "membar.sys",         "fence.cta",
      "fence.gpu",          "fence.sys",
      "fence.sc.cta",       "fence.sc.gpu",
      "fence.sc.sys",       "fence.acq_rel.cta",
      "fence.acq_rel.gpu",  "fence.acq_rel.sys",
      "fence.proxy.alias",  "prefetch.L1",
      "prefetch.L2",        "prefetch.global.L1",
      "prefetch.global.L2", "prefetch.local.L1",
      "prefetch.local.L2",  "prefetchu.L1",
      "nanosleep.u32",      "pmevent",
      "pmevent.mask"};
  std::string opcode(raw.opcode[0]);
  for (size_t i = 1; i < raw.opcode.size(); ++i)
    opcode += "." + std::string(raw.opcode[i]);
  if (std::find(std::begin(known), std::end(known), opcode) == std::end(known))
    return false;
  emit(begin(raw, Kind::Nop, Pipe::Control));
  return true;
}

} // namespace dietcode::vgpu
