//===- DecodeArith.cpp - Arithmetic, logic and comparisons ----------------===//
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
namespace {

constexpr uint32_t setOf(Type type) {
  return 1u << static_cast<unsigned>(type);
}

constexpr uint32_t ints = setOf(Type::U16) | setOf(Type::S16) |
                          setOf(Type::U32) | setOf(Type::S32) |
                          setOf(Type::U64) | setOf(Type::S64);
constexpr uint32_t signedInts =
    setOf(Type::S16) | setOf(Type::S32) | setOf(Type::S64);
constexpr uint32_t bits =
    setOf(Type::U16) | setOf(Type::U32) | setOf(Type::U64);
constexpr uint32_t floats = setOf(Type::F32) | setOf(Type::F64);
constexpr uint32_t halves = setOf(Type::F16) | setOf(Type::F16x2);
constexpr uint32_t f32 = setOf(Type::F32);

/// Modifiers that a rule admits.
enum Admits : uint32_t {
  LoHi = 1,      // .lo or .hi, one of them required
  Wide = 2,      // .wide instead
  Round = 4,     // .rn .rz .rm .rp, optional
  MustRound = 8, // One of them, required (or .approx / .full where admitted)
  Ftz = 16,      // On .f32
  Sat = 32,
  Approx = 64,
  Full = 128,
  Shift = 256, // The second source is always .u32.
  RoundNearestOnly = 512,
};

/// What an opcode means for a set of types.
struct ArithRule {
  std::string_view root;
  unsigned sources;
  uint32_t types;
  Op op;
  uint32_t admits;
  Op modified = Op::Count; // With a directed rounding, .ftz or .sat.
  bool sfu = false;
};

constexpr ArithRule rules[] = {
    {"add", 2, ints, Op::Add, Sat},
    {"sub", 2, ints, Op::Sub, Sat},
    {"mul", 2, ints, Op::Mul, LoHi | Wide},
    {"mad", 3, ints, Op::Mad, LoHi | Wide},
    {"div", 2, ints, Op::Div, 0},
    {"rem", 2, ints, Op::Rem, 0},
    {"min", 2, ints, Op::Min, 0},
    {"max", 2, ints, Op::Max, 0},
    {"abs", 1, signedInts, Op::Abs, 0},
    {"neg", 1, signedInts, Op::Neg, 0},
    {"sad", 3, ints, Op::Sad, 0},
    {"and", 2, bits | setOf(Type::Pred), Op::And, 0},
    {"or", 2, bits | setOf(Type::Pred), Op::Or, 0},
    {"xor", 2, bits | setOf(Type::Pred), Op::Xor, 0},
    {"not", 1, bits | setOf(Type::Pred), Op::Not, 0},
    {"cnot", 1, bits, Op::Cnot, 0},
    {"shl", 2, bits, Op::Shl, Shift},
    {"shr", 2, ints, Op::Shr, Shift},
    {"add", 2, floats, Op::Add, Round | Ftz | Sat, Op::FAdd},
    {"sub", 2, floats, Op::Sub, Round | Ftz | Sat, Op::FSub},
    {"mul", 2, floats, Op::Mul, Round | Ftz | Sat, Op::FMul},
    {"fma", 3, floats, Op::Fma, MustRound | Ftz | Sat, Op::FFma},
    {"mad", 3, floats, Op::Fma, MustRound | Ftz | Sat, Op::FFma},
    {"div", 2, floats, Op::Div, MustRound | Approx | Full | Ftz, Op::FDiv},
    {"sqrt", 1, floats, Op::Sqrt, MustRound | Approx | Ftz, Op::FSqrt, true},
    {"min", 2, floats, Op::Min, Ftz},
    {"max", 2, floats, Op::Max, Ftz},
    {"abs", 1, floats, Op::Abs, Ftz},
    {"neg", 1, floats, Op::Neg, Ftz},
    {"copysign", 2, floats, Op::Copysign, 0},
    {"rsqrt", 1, floats, Op::Rsqrt, Approx | Ftz, Op::Count, true},
    {"ex2", 1, f32, Op::Ex2, Approx | Ftz, Op::Count, true},
    {"lg2", 1, f32, Op::Lg2, Approx | Ftz, Op::Count, true},
    {"sin", 1, f32, Op::Sin, Approx | Ftz, Op::Count, true},
    {"cos", 1, f32, Op::Cos, Approx | Ftz, Op::Count, true},
    {"tanh", 1, f32, Op::Tanh, Approx, Op::Count, true},
    {"add", 2, halves, Op::Add, RoundNearestOnly | Ftz | Sat},
    {"sub", 2, halves, Op::Sub, RoundNearestOnly | Ftz | Sat},
    {"mul", 2, halves, Op::Mul, RoundNearestOnly | Ftz | Sat},
    {"fma", 3, halves, Op::Fma, RoundNearestOnly | Ftz | Sat},
    {"min", 2, halves, Op::Min, Ftz},
    {"max", 2, halves, Op::Max, Ftz},
    {"abs", 1, halves, Op::Abs, Ftz},
    {"neg", 1, halves, Op::Neg, Ftz},
    {"ex2", 1, halves, Op::Ex2, Approx, Op::Count, true},
    {"tanh", 1, halves, Op::Tanh, Approx, Op::Count, true},
};

/// The modifiers of an arithmetic instruction, checked against its rule.
struct ArithForm {
  bool hi = false;
  bool wide = false;
  uint32_t imm = 0;
};

bool takeForm(Modifiers &mods, const ArithRule &rule, Type type,
              ArithForm &form) {
  if (rule.admits & LoHi) {
    form.hi = mods.take("hi");
    form.wide = !form.hi && mods.take("wide");
    if (!form.hi && !form.wide && !mods.take("lo"))
      return false;
    if (form.wide && byteSize(type) == 8)
      return false;
  }
  bool isDouble = type == Type::F64;
  bool mayApproximate = !isDouble || rule.op == Op::Rsqrt;
  bool approximate =
      mayApproximate && (((rule.admits & Approx) && mods.take("approx")) ||
                         ((rule.admits & Full) && mods.take("full")));
  if ((rule.admits & RoundNearestOnly) && !mods.take("rn") &&
      rule.op == Op::Fma)
    return false;
  if ((rule.admits & (Round | MustRound)) && !approximate) {
    std::optional<uint32_t> rounding = mods.takeRounding();
    if (!rounding && (rule.admits & MustRound))
      return false;
    form.imm |= rounding.value_or(0);
  }
  if ((rule.admits & Approx) && !(rule.admits & MustRound) && !approximate)
    return false;
  // rsqrt.approx.ftz.f64 exists; flushing does not apply to f64 otherwise.
  bool mayFlush = type != Type::F64 || rule.op == Op::Rsqrt;
  if ((rule.admits & Ftz) && mayFlush && mods.take("ftz") && type != Type::F64)
    form.imm |= FlagFtz;
  if ((rule.admits & Sat) && !isDouble &&
      (isFloat(type) || type == Type::S32) && mods.take("sat"))
    form.imm |= FlagSat;
  return mods.done();
}

Op opOfForm(const ArithRule &rule, const ArithForm &form, Type type) {
  Op op = rule.op;
  if (form.hi)
    return op == Op::Mul ? Op::MulHi : Op::MadHi;
  if (form.wide)
    return op == Op::Mul ? Op::MulWide : Op::MadWide;
  if (form.imm && rule.modified != Op::Count)
    return rule.modified;
  if ((form.imm & FlagSat) && !isFloat(type))
    return op == Op::Add ? Op::AddSat : Op::SubSat;
  return op;
}

Pipe pipeOf(Type type, bool sfu) {
  if (type == Type::F64)
    return Pipe::Fp64;
  if (sfu)
    return Pipe::Sfu;
  return isFloat(type) ? Pipe::Fp32 : Pipe::Int;
}

Type widened(Type type) {
  switch (type) {
  case Type::U16:
    return Type::U32;
  case Type::S16:
    return Type::S32;
  case Type::U32:
    return Type::U64;
  default:
    return Type::S64;
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

bool Decoder::arith(const RawInstruction &raw) {
  if (std::count(raw.opcode.begin() + 1, raw.opcode.end(), "cc"))
    return carry(raw);
  Modifiers mods(raw);
  std::optional<Type> type = mods.takeType();
  if (!type)
    return false;
  auto rule = std::find_if(std::begin(rules), std::end(rules), [&](auto &r) {
    return r.root == raw.opcode[0] && (r.types & setOf(*type));
  });
  ArithForm form;
  if (rule == std::end(rules) || !takeForm(mods, *rule, *type, form) ||
      raw.operands.size() != rule->sources + 1)
    return false;
  Op op = opOfForm(*rule, form, *type);
  Type result = form.wide ? widened(*type) : *type;
  Inst inst = lane(raw, lanes.op[unsigned(op)][unsigned(*type)], result,
                   pipeOf(*type, rule->sfu));
  if (!inst.fn)
    return false;
  inst.imm = form.imm;
  inst.dst[0] = destination(raw.operands[0], result);
  if (inst.dst[0] == noRef)
    return false;
  for (unsigned i = 0; i < rule->sources; ++i) {
    Type operandType = *type;
    if ((rule->admits & Shift) && i == 1)
      operandType = Type::U32;
    if (i == 2 && form.wide)
      operandType = result;
    inst.src[i] = source(raw.operands[i + 1], operandType);
    if (inst.src[i] == noRef)
      return false;
  }
  emit(inst);
  return true;
}

/// rcp is a division: only so does it round as the directed modes want.
bool Decoder::reciprocal(const RawInstruction &raw) {
  Modifiers mods(raw);
  std::optional<Type> type = mods.takeType();
  if (!type || (*type != Type::F32 && *type != Type::F64) ||
      raw.operands.size() != 2)
    return false;
  uint32_t imm = 0;
  if (!mods.take("approx")) {
    std::optional<uint32_t> rounding = mods.takeRounding();
    if (!rounding)
      return false;
    imm |= *rounding;
  }
  if (mods.take("ftz") && *type == Type::F32)
    imm |= FlagFtz;
  if (!mods.done())
    return false;
  Ref one = *type == Type::F32 ? constant(0x3f800000u, 4)
                               : constant(0x3ff0000000000000u, 8);
  Ref x = source(raw.operands[1], *type);
  Ref dst = destination(raw.operands[0], *type);
  return emitLane(raw, lanes.op[unsigned(Op::FDiv)][unsigned(*type)], *type,
                  *type == Type::F64 ? Pipe::Fp64 : Pipe::Sfu, dst, {one, x},
                  imm);
}

/// lop3.b32 d, a, b, c, table; and lop3.{and,or,xor}.b32 d|p, a, b, c, table, q
/// where p is whether d is not zero, combined with q.
bool Decoder::lop3(const RawInstruction &raw) {
  if (raw.operands.size() == 6)
    return lop3WithPredicate(raw);
  Modifiers mods(raw);
  if (mods.takeType() != Type::U32 || !mods.done() ||
      raw.operands.size() != 5 || raw.operands[4].kind != Operand::Immediate ||
      raw.operands[4].value < 0 || raw.operands[4].value > 255)
    return false;
  Ref a = source(raw.operands[1], Type::U32);
  Ref b = source(raw.operands[2], Type::U32);
  Ref c = source(raw.operands[3], Type::U32);
  return emitLane(raw, lanes.op[unsigned(Op::Lop3)][unsigned(Type::U32)],
                  Type::U32, Pipe::Int, destination(raw.operands[0], Type::U32),
                  {a, b, c}, static_cast<uint32_t>(raw.operands[4].value));
}

bool Decoder::funnelShift(const RawInstruction &raw) {
  Modifiers mods(raw);
  bool left = mods.take("l");
  if (!left && !mods.take("r"))
    return false;
  bool clamp = mods.take("clamp");
  if (!clamp && !mods.take("wrap"))
    return false;
  if (mods.takeType() != Type::U32 || !mods.done() || raw.operands.size() != 4)
    return false;
  Ref a = source(raw.operands[1], Type::U32);
  Ref b = source(raw.operands[2], Type::U32);
  Ref c = source(raw.operands[3], Type::U32);
  Op op = left ? Op::ShfL : Op::ShfR;
  return emitLane(raw, lanes.op[unsigned(op)][unsigned(Type::U32)], Type::U32,
                  Pipe::Int, destination(raw.operands[0], Type::U32), {a, b, c},
                  clamp);
}

/// bfe, bfi and prmt.
bool Decoder::bitField(const RawInstruction &raw) {
  Modifiers mods(raw);
  std::optional<Type> type = mods.takeType();
  bool insert = raw.opcode[0] == "bfi";
  static constexpr std::string_view modes[] = {"f4e", "b4e", "rc8",
                                               "ecl", "ecr", "rc16"};
  for (uint32_t mode = 0; raw.opcode[0] == "prmt" && mode < 6; ++mode)
    if (mods.take(modes[mode]))
      return type == Type::U32 && mods.done() && raw.operands.size() == 4 &&
             emitLane(raw, rowPermuteMode, Type::U32, Pipe::Int,
                      destination(raw.operands[0], Type::U32),
                      {source(raw.operands[1], Type::U32),
                       source(raw.operands[2], Type::U32),
                       source(raw.operands[3], Type::U32)},
                      mode);
  if (!type || !mods.done() || raw.operands.size() != (insert ? 5u : 4u))
    return false;
  Op op = insert ? Op::Bfi : raw.opcode[0] == "bfe" ? Op::Bfe : Op::Prmt;
  Ref dst = destination(raw.operands[0], *type);
  Ref a = source(raw.operands[1], *type);
  LaneFn fn = lanes.op[unsigned(op)][unsigned(*type)];
  if (op == Op::Bfe)
    return emitLane(raw, fn, *type, Pipe::Int, dst,
                    {a, source(raw.operands[2], Type::U32),
                     source(raw.operands[3], Type::U32)});
  Ref b = source(raw.operands[2], *type);
  Ref c = source(raw.operands[3], Type::U32);
  if (op == Op::Prmt)
    return emitLane(raw, fn, *type, Pipe::Int, dst, {a, b, c});
  return emitLane(raw, fn, *type, Pipe::Int, dst,
                  {a, b, c, source(raw.operands[4], Type::U32)});
}

/// clz, popc, brev and bfind.
bool Decoder::countBits(const RawInstruction &raw) {
  static constexpr std::pair<std::string_view, Op> ops[] = {
      {"clz", Op::Clz},
      {"popc", Op::Popc},
      {"brev", Op::Brev},
      {"bfind", Op::Bfind}};
  Modifiers mods(raw);
  std::optional<Type> type = mods.takeType();
  Op op = std::find_if(std::begin(ops), std::end(ops), [&](auto &entry) {
            return entry.first == raw.opcode[0];
          })->second;
  uint32_t imm = op == Op::Bfind && mods.take("shiftamt");
  if (!type || !mods.done() || raw.operands.size() != 2)
    return false;
  Type result = op == Op::Brev ? *type : Type::U32;
  Ref a = source(raw.operands[1], *type);
  return emitLane(raw, lanes.op[unsigned(op)][unsigned(*type)], result,
                  Pipe::Int, destination(raw.operands[0], result), {a}, imm);
}

//===----------------------------------------------------------------------===//
// Comparisons and selections
//===----------------------------------------------------------------------===//

namespace {

/// The comparison a modifier names. lo, ls, hi and hs are the unsigned forms of
/// lt, le, gt and ge.
std::optional<Op> takeComparison(Modifiers &mods, Type type) {
  static constexpr std::pair<std::string_view, Op> common[] = {
      {"eq", Op::CmpEq}, {"ne", Op::CmpNe}, {"lt", Op::CmpLt},
      {"le", Op::CmpLe}, {"gt", Op::CmpGt}, {"ge", Op::CmpGe}};
  static constexpr std::pair<std::string_view, Op> unsignedOnly[] = {
      {"lo", Op::CmpLt},
      {"ls", Op::CmpLe},
      {"hi", Op::CmpGt},
      {"hs", Op::CmpGe}};
  static constexpr std::pair<std::string_view, Op> floatOnly[] = {
      {"equ", Op::CmpEqu}, {"neu", Op::CmpNeu}, {"ltu", Op::CmpLtu},
      {"leu", Op::CmpLeu}, {"gtu", Op::CmpGtu}, {"geu", Op::CmpGeu},
      {"num", Op::CmpNum}, {"nan", Op::CmpNan}};
  for (auto &[name, op] : common)
    if (mods.take(name))
      return op;
  if (isFloat(type)) {
    for (auto &[name, op] : floatOnly)
      if (mods.take(name))
        return op;
  } else if (!isSigned(type)) {
    for (auto &[name, op] : unsignedOnly)
      if (mods.take(name))
        return op;
  }
  return std::nullopt;
}

BoolOp takeBoolOp(Modifiers &mods) {
  if (mods.take("and"))
    return BoolOp::And;
  if (mods.take("or"))
    return BoolOp::Or;
  return mods.take("xor") ? BoolOp::Xor : BoolOp::None;
}

} // namespace

/// setp and set: `cmp{.bool}.type d{|q}, a, b{, {!}c}`.
bool Decoder::setp(const RawInstruction &raw) {
  bool isSet = raw.opcode[0] == "set";
  Modifiers mods(raw);
  std::optional<Type> result = isSet ? mods.takeType() : Type::Pred;
  std::optional<Type> type = mods.takeType();
  if (!result || !type || *type == Type::Pred)
    return false;
  if (*type == Type::F16x2 && !isSet && raw.operands.size() > 2)
    return setpHalves(raw);
  std::optional<Op> compare = takeComparison(mods, *type);
  bool isHalves = byteSize(*result) == 2 || *type == Type::F16x2 ||
                  *result == Type::F16x2 ||
                  (*type == Type::F16 && *result == Type::F32);
  if (isSet && isHalves)
    return compare && mods.done() && setHalves(raw, *compare, *result, *type);
  if (isSet && byteSize(*result) != 4)
    return false;
  BoolOp combine = takeBoolOp(mods);
  Inst inst = begin(raw, isSet ? Kind::Set : Kind::Setp, pipeOf(*type, false));
  if (mods.take("ftz") && *type == Type::F32)
    inst.imm = FlagFtz;
  bool combined = combine != BoolOp::None;
  if (!compare || !mods.done() || raw.operands.size() != (combined ? 4u : 3u))
    return false;
  inst.fn = lanes.op[unsigned(*compare)][unsigned(*type)];
  if (!inst.fn)
    return false;
  inst.type = *result;
  inst.blend = isSet ? 2 : blendPredicate;
  inst.mode = static_cast<uint8_t>(combine);
  const Operand &target = raw.operands[0];
  bool isPair = target.kind == Operand::Pair && !isSet;
  inst.dst[0] = destination(isPair ? target.elements[0] : target, *result);
  inst.src[0] = source(raw.operands[1], *type);
  inst.src[1] = source(raw.operands[2], *type);
  if (inst.dst[0] == noRef || inst.src[0] == noRef || inst.src[1] == noRef)
    return false;
  if (isPair &&
      (inst.dst[1] = destination(target.elements[1], Type::Pred)) == noRef)
    return false;
  if (combined) {
    Operand predicate = raw.operands[3];
    inst.negatedSource = predicate.negated;
    predicate.negated = false;
    if ((inst.src[2] = source(predicate, Type::Pred)) == noRef)
      return false;
  }
  emit(inst);
  return true;
}

bool Decoder::selp(const RawInstruction &raw) {
  Modifiers mods(raw);
  std::optional<Type> type = mods.takeType();
  if (!type || !mods.done() || raw.operands.size() != 4)
    return false;
  Ref a = source(raw.operands[1], *type);
  Ref b = source(raw.operands[2], *type);
  Ref p = source(raw.operands[3], Type::Pred);
  return emitLane(raw, lanes.op[unsigned(Op::Selp)][unsigned(*type)], *type,
                  Pipe::Int, destination(raw.operands[0], *type), {a, b, p});
}

} // namespace dietcode::vgpu
