//===- DecodeMemory.cpp - Memory, barriers and exchanges between lanes ----===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include <algorithm>

namespace dietcode::vgpu {
namespace {

/// The operands of a vector access, or the one of a scalar.
std::vector<const Operand *> elementsOf(const Operand &operand) {
  std::vector<const Operand *> elements;
  if (operand.kind != Operand::Vector)
    return {&operand};
  for (const Operand &element : operand.elements)
    elements.push_back(&element);
  return elements;
}

/// 1, 2 or 4 after .v2 or .v4.
unsigned takeVector(Modifiers &mods) {
  return mods.take("v4") ? 4 : mods.take("v2") ? 2 : 1;
}

Pipe pipeOf(Space space) {
  switch (space) {
  case Space::Shared:
    return Pipe::Shared;
  case Space::Const:
  case Space::Param:
    return Pipe::Control;
  default:
    return Pipe::Global;
  }
}

} // namespace

Decoder::DecodeFn Decoder::lookup(std::string_view root) {
  static const std::unordered_map<std::string_view, DecodeFn> table = [] {
    std::unordered_map<std::string_view, DecodeFn> t;
    for (std::string_view name :
         {"add", "sub", "mul",  "mad",  "fma",   "div",     "rem",
          "min", "max", "abs",  "neg",  "sad",   "and",     "or",
          "xor", "not", "cnot", "shl",  "shr",   "ex2",     "lg2",
          "sin", "cos", "tanh", "sqrt", "rsqrt", "copysign"})
      t[name] = &Decoder::arith;
    for (std::string_view name :
         {"membar", "fence", "prefetch", "prefetchu", "nanosleep", "pmevent"})
      t[name] = &Decoder::nothing;
    for (std::string_view name : {"bar", "barrier"})
      t[name] = &Decoder::barrier;
    for (std::string_view name : {"bfe", "bfi", "prmt"})
      t[name] = &Decoder::bitField;
    for (std::string_view name : {"clz", "popc", "brev", "bfind"})
      t[name] = &Decoder::countBits;
    t["rcp"] = &Decoder::reciprocal;
    t["lop3"] = &Decoder::lop3;
    t["shf"] = &Decoder::funnelShift;
    t["dp4a"] = t["dp2a"] = &Decoder::dotMixed;
    t["addc"] = t["subc"] = t["madc"] = &Decoder::carry;
    t["mul24"] = t["mad24"] = &Decoder::multiply24;
    for (std::string_view name :
         {"vadd2", "vadd4", "vsub2", "vsub4", "vavrg2", "vavrg4", "vabsdiff2",
          "vabsdiff4", "vmin2", "vmin4", "vmax2", "vmax4", "vset2", "vset4"})
      t[name] = &Decoder::packed;
    t["fns"] = &Decoder::findNthSet;
    t["slct"] = &Decoder::slct;
    t["testp"] = &Decoder::testp;
    t["isspacep"] = &Decoder::isSpace;
    t["szext"] = t["bmsk"] = &Decoder::bitExtend;
    t["setp"] = t["set"] = &Decoder::setp;
    t["selp"] = &Decoder::selp;
    t["mov"] = &Decoder::mov;
    t["cvt"] = &Decoder::convert;
    t["cvta"] = &Decoder::convertAddress;
    t["bra"] = &Decoder::branch;
    t["brx"] = &Decoder::branchIndexed;
    t["ret"] = t["exit"] = &Decoder::exit;
    t["trap"] = &Decoder::trap;
    t["call"] = &Decoder::call;
    t["ld"] = t["ldu"] = &Decoder::load;
    t["st"] = &Decoder::store;
    t["atom"] = t["red"] = &Decoder::atomic;
    t["mma"] = &Decoder::mma;
    t["wmma"] = &Decoder::wmma;
    t["ldmatrix"] = &Decoder::loadMatrix;
    t["movmatrix"] = &Decoder::moveMatrix;
    t["shfl"] = &Decoder::shuffle;
    t["vote"] = &Decoder::vote;
    t["match"] = &Decoder::match;
    t["activemask"] = &Decoder::activeMask;
    return t;
  }();
  auto it = table.find(root);
  return it == table.end() ? nullptr : it->second;
}

/// Fills in the base and offset of a memory access.
bool Decoder::address(const Operand &operand, Inst &inst) {
  if (operand.kind != Operand::Address)
    return false;
  const Operand &base = operand.elements[0];
  inst.offset = operand.value;
  if (base.kind == Operand::Register) {
    unsigned bytes = byteSize(registerType(base));
    if (bytes != 4 && bytes != 8)
      return refuse("an address has 32 or 64 bits");
    inst.address64 = bytes == 8;
    inst.src[0] = base.reg;
    return true;
  }
  Space declared = inst.space;
  Ref ref = noRef;
  if (base.kind == Operand::Symbol) {
    std::optional<uint64_t> value = symbolValue(base.name, &declared);
    if (!value)
      return false;
    // Through the generic space a symbol stands for its window; the .param
    // variables of calls are local.
    if (inst.space == Space::Generic ||
        (inst.space == Space::Param && declared == Space::Local))
      inst.space = declared;
    ref = constant(*value, 8);
  } else if (base.kind == Operand::Immediate && !base.floatBytes) {
    ref = constant(static_cast<uint64_t>(base.value), 8);
  }
  inst.src[0] = ref;
  return ref != noRef;
}

bool Decoder::load(const RawInstruction &raw) {
  Modifiers mods(raw);
  Space space = mods.takeSpace().value_or(Space::Generic);
  unsigned n = takeVector(mods);
  mods.takeMemoryQualifiers();
  std::optional<Type> type = mods.takeType();
  if (!type || *type == Type::Pred || *type == Type::F16x2 || !mods.done() ||
      raw.operands.size() != 2)
    return false;
  std::vector<const Operand *> targets = elementsOf(raw.operands[0]);
  if (targets.size() != n)
    return false;
  Inst inst = begin(raw, Kind::Load, Pipe::Global);
  inst.space = space;
  if (!address(raw.operands[1], inst))
    return false;
  const Operand &base = raw.operands[1].elements[0];
  if (inst.space == Space::Param && base.kind == Operand::Symbol)
    return loadParam(
        raw, *type, static_cast<int64_t>(*symbolValue(base.name)) + inst.offset,
        targets);
  unsigned bytes = byteSize(*type);
  inst.pipe = pipeOf(space == Space::Param ? space : inst.space);
  inst.type = unsignedOf(bytes);
  inst.blend = static_cast<uint8_t>(log2Bytes(bytes));
  inst.log2Elements = static_cast<uint8_t>(n == 4 ? 2 : n - 1);
  // Narrow elements arrive in temporaries and are extended from there.
  std::vector<std::pair<Ref, const Operand *>> extend;
  for (unsigned i = 0; i < n; ++i) {
    const Operand &target = *targets[i];
    if (target.kind == Operand::Register &&
        byteSize(registerType(target)) > bytes) {
      inst.dst[i] = newRegister(inst.type);
      extend.emplace_back(inst.dst[i], &target);
    } else if ((inst.dst[i] = destination(target, *type)) == noRef) {
      return false;
    }
  }
  emit(inst);
  for (auto &[from, target] : extend) {
    unsigned wide = byteSize(registerType(*target));
    Type to = !isSigned(*type) ? unsignedOf(wide)
              : wide == 8      ? Type::S64
              : wide == 4      ? Type::S32
                               : Type::S16;
    Type narrow = isFloat(*type) ? unsignedOf(bytes) : *type;
    if (!emitLane(raw, lanes.cvt[unsigned(to)][unsigned(narrow)], to,
                  Pipe::None, target->reg, {from}))
      return false;
  }
  return true;
}

/// Parameters are the same for all lanes: a broadcast.
bool Decoder::loadParam(const RawInstruction &raw, Type type, int64_t offset,
                        const std::vector<const Operand *> &targets) {
  unsigned bytes = byteSize(type);
  Pipe pipe = Pipe::Control;
  for (const Operand *target : targets) {
    if (offset < 0 || offset + bytes > static_cast<int64_t>(program.paramBytes))
      return refuse("outside of the parameters");
    Inst inst = begin(raw, Kind::Param, pipe);
    inst.offset = offset;
    Type to = unsignedOf(bytes);
    bool isWider = target->kind == Operand::Register &&
                   byteSize(registerType(*target)) > bytes;
    inst.type = to;
    inst.blend = static_cast<uint8_t>(log2Bytes(bytes));
    inst.dst[0] = isWider ? newRegister(to) : destination(*target, type);
    if (inst.dst[0] == noRef)
      return false;
    emit(inst);
    if (isWider) {
      unsigned wide = byteSize(registerType(*target));
      Type wideType = !isSigned(type) ? unsignedOf(wide)
                      : wide == 8     ? Type::S64
                      : wide == 4     ? Type::S32
                                      : Type::S16;
      Type narrow = isFloat(type) ? to : type;
      if (!emitLane(raw, lanes.cvt[unsigned(wideType)][unsigned(narrow)],
                    wideType, Pipe::None, target->reg, {inst.dst[0]}))
        return false;
    }
    pipe = Pipe::None;
    offset += bytes;
  }
  return true;
}

bool Decoder::store(const RawInstruction &raw) {
  Modifiers mods(raw);
  Inst inst = begin(raw, Kind::Store, Pipe::Global);
  Space space = mods.takeSpace().value_or(Space::Generic);
  inst.space = space;
  unsigned n = takeVector(mods);
  mods.takeMemoryQualifiers();
  std::optional<Type> type = mods.takeType();
  if (!type || *type == Type::Pred || *type == Type::F16x2 || !mods.done() ||
      raw.operands.size() != 2 || !address(raw.operands[0], inst))
    return false;
  if (inst.space == Space::Const || inst.space == Space::Param)
    return refuse("this space cannot be written");
  std::vector<const Operand *> values = elementsOf(raw.operands[1]);
  if (values.size() != n)
    return false;
  unsigned bytes = byteSize(*type);
  inst.pipe = pipeOf(space == Space::Param ? space : inst.space);
  inst.type = unsignedOf(bytes);
  inst.blend = static_cast<uint8_t>(log2Bytes(bytes));
  inst.log2Elements = static_cast<uint8_t>(n == 4 ? 2 : n - 1);
  for (unsigned i = 0; i < n; ++i) {
    const Operand &value = *values[i];
    Ref ref = noRef;
    if (value.kind == Operand::Register &&
        byteSize(registerType(value)) > bytes) {
      unsigned wide = byteSize(registerType(value));
      ref = newRegister(inst.type);
      if (!emitLane(raw, lanes.extract[log2Bytes(bytes)][log2Bytes(wide)],
                    inst.type, Pipe::None, ref, {value.reg}))
        return false;
    } else {
      ref = source(value, *type);
    }
    if (ref == noRef)
      return false;
    inst.src[i + 1] = ref;
  }
  emit(inst);
  return true;
}

bool Decoder::atomic(const RawInstruction &raw) {
  static constexpr std::pair<std::string_view, AtomicOp> ops[] = {
      {"add", AtomicOp::Add}, {"min", AtomicOp::Min}, {"max", AtomicOp::Max},
      {"inc", AtomicOp::Inc}, {"dec", AtomicOp::Dec}, {"and", AtomicOp::And},
      {"or", AtomicOp::Or},   {"xor", AtomicOp::Xor}, {"exch", AtomicOp::Exch},
      {"cas", AtomicOp::Cas}};
  bool returns = raw.opcode[0] == "atom";
  Modifiers mods(raw);
  Inst inst = begin(raw, Kind::Atomic, Pipe::Global);
  inst.space = mods.takeSpace().value_or(Space::Generic);
  mods.takeMemoryQualifiers();
  std::optional<Type> type = mods.takeType();
  auto op = std::find_if(std::begin(ops), std::end(ops),
                         [&](auto &entry) { return mods.take(entry.first); });
  if (!type || op == std::end(ops))
    return false;
  bool isHalf = *type == Type::F16 || *type == Type::F16x2;
  bool isShortCas = *type == Type::U16 && op->second == AtomicOp::Cas;
  if ((byteSize(*type) < 4 && !isHalf && !isShortCas) ||
      mods.take("noftz") != isHalf || !mods.done())
    return false;
  inst.mode = static_cast<uint8_t>(op->second);
  bool isCas = op->second == AtomicOp::Cas;
  if (raw.operands.size() != 2u + returns + isCas ||
      (isFloat(*type) && op->second != AtomicOp::Add))
    return false;
  if (inst.space != Space::Generic && inst.space != Space::Global &&
      inst.space != Space::Shared)
    return false;
  if (!address(raw.operands[returns], inst))
    return false;
  inst.pipe = pipeOf(inst.space);
  inst.type = *type;
  inst.blend = static_cast<uint8_t>(log2Bytes(byteSize(*type)));
  inst.src[1] = source(raw.operands[returns + 1], *type);
  if (isCas)
    inst.src[2] = source(raw.operands[returns + 2], *type);
  if (inst.src[1] == noRef || (isCas && inst.src[2] == noRef))
    return false;
  bool usesOld = returns && raw.operands[0].kind != Operand::Sink;
  if (usesOld && (inst.dst[0] = destination(raw.operands[0], *type)) == noRef)
    return false;
  bool commutes =
      !usesOld && !isFloat(*type) && !isCas && op->second != AtomicOp::Exch;
  if (inst.space != Space::Shared && !commutes)
    program.needsBlockOrder = true;
  emit(inst);
  return true;
}

/// bar.sync, bar.arrive, bar.warp.sync, barrier{.cta}.sync{.aligned}.
bool Decoder::barrier(const RawInstruction &raw) {
  Modifiers mods(raw);
  bool isAligned = raw.opcode[0] == "bar" || mods.take("aligned");
  if (raw.opcode[0] == "bar" && mods.take("warp")) {
    if (!mods.take("sync") || !mods.done() || raw.operands.size() != 1)
      return false;
    Inst inst = begin(raw, Kind::WarpBarrier, Pipe::Control);
    inst.src[0] = source(raw.operands[0], Type::U32);
    emit(inst);
    return inst.src[0] != noRef;
  }
  mods.take("cta");
  if (mods.take("red"))
    return barrierReduction(raw, mods, isAligned);
  bool arrive = mods.take("arrive");
  if ((!arrive && !mods.take("sync")) || !mods.done() || raw.operands.empty() ||
      raw.operands.size() > 2 || (arrive && raw.operands.size() != 2))
    return false;
  Inst inst = begin(raw, Kind::Barrier, Pipe::Control);
  inst.aligned = isAligned;
  inst.mode = arrive;
  for (size_t i = 0; i < raw.operands.size(); ++i)
    if ((inst.src[i] = source(raw.operands[i], Type::U32)) == noRef)
      return false;
  emit(inst);
  return true;
}

/// bar.red.popc.u32 d, a{, b}, {!}p and bar.red.{and,or}.pred.
bool Decoder::barrierReduction(const RawInstruction &raw, Modifiers &mods,
                               bool isAligned) {
  Reduction reduction = mods.take("popc")  ? Reduction::Popc
                        : mods.take("and") ? Reduction::And
                        : mods.take("or")  ? Reduction::Or
                                           : Reduction::None;
  Type type = reduction == Reduction::Popc ? Type::U32 : Type::Pred;
  size_t n = raw.operands.size();
  if (reduction == Reduction::None || mods.takeType() != type || !mods.done() ||
      (n != 3 && n != 4))
    return false;
  Inst inst = begin(raw, Kind::Barrier, Pipe::Control);
  inst.aligned = isAligned;
  inst.imm = static_cast<uint32_t>(reduction);
  inst.blend = type == Type::Pred ? blendPredicate : 2;
  Operand predicate = raw.operands[n - 1];
  inst.negatedSource = predicate.negated;
  predicate.negated = false;
  inst.dst[0] = destination(raw.operands[0], type);
  inst.src[0] = source(raw.operands[1], Type::U32);
  if (n == 4 && (inst.src[1] = source(raw.operands[2], Type::U32)) == noRef)
    return false;
  inst.src[2] = source(predicate, Type::Pred);
  emit(inst);
  return inst.dst[0] != noRef && inst.src[0] != noRef && inst.src[2] != noRef;
}

bool Decoder::shuffle(const RawInstruction &raw) {
  static constexpr std::pair<std::string_view, ShuffleMode> modes[] = {
      {"up", ShuffleMode::Up},
      {"down", ShuffleMode::Down},
      {"bfly", ShuffleMode::Bfly},
      {"idx", ShuffleMode::Idx}};
  Modifiers mods(raw);
  auto mode = std::find_if(std::begin(modes), std::end(modes),
                           [&](auto &entry) { return mods.take(entry.first); });
  if (mode == std::end(modes) || !mods.take("sync") ||
      mods.takeType() != Type::U32 || !mods.done() || raw.operands.size() != 5)
    return false;
  Inst inst = begin(raw, Kind::Shuffle, Pipe::Shared);
  inst.mode = static_cast<uint8_t>(mode->second);
  inst.blend = 2;
  const Operand &target = raw.operands[0];
  bool isPair = target.kind == Operand::Pair;
  inst.dst[0] = destination(isPair ? target.elements[0] : target, Type::U32);
  if (inst.dst[0] == noRef)
    return false;
  if (isPair &&
      (inst.dst[1] = destination(target.elements[1], Type::Pred)) == noRef)
    return false;
  for (unsigned i = 0; i < 4; ++i)
    if ((inst.src[i] = source(raw.operands[i + 1], Type::U32)) == noRef)
      return false;
  emit(inst);
  return true;
}

bool Decoder::vote(const RawInstruction &raw) {
  static constexpr std::pair<std::string_view, VoteMode> modes[] = {
      {"all", VoteMode::All},
      {"any", VoteMode::Any},
      {"uni", VoteMode::Uni},
      {"ballot", VoteMode::Ballot}};
  Modifiers mods(raw);
  auto mode = std::find_if(std::begin(modes), std::end(modes),
                           [&](auto &entry) { return mods.take(entry.first); });
  std::optional<Type> type = mods.takeType();
  if (mode == std::end(modes) || !mods.take("sync") || !mods.done() ||
      raw.operands.size() != 3)
    return false;
  bool ballot = mode->second == VoteMode::Ballot;
  if (type != (ballot ? Type::U32 : Type::Pred))
    return false;
  Inst inst = begin(raw, Kind::Vote, Pipe::Int);
  inst.mode = static_cast<uint8_t>(mode->second);
  inst.blend = ballot ? 2 : blendPredicate;
  inst.dst[0] = destination(raw.operands[0], *type);
  Operand predicate = raw.operands[1];
  inst.negatedSource = predicate.negated;
  predicate.negated = false;
  inst.src[0] = source(predicate, Type::Pred);
  inst.src[1] = source(raw.operands[2], Type::U32);
  if (inst.dst[0] == noRef || inst.src[0] == noRef || inst.src[1] == noRef)
    return false;
  emit(inst);
  return true;
}

/// match.any d, a, members: for each lane, which lanes hold the same value.
/// match.all d{|p}, a, members: all of them or none.
bool Decoder::match(const RawInstruction &raw) {
  Modifiers mods(raw);
  bool all = mods.take("all");
  if ((!all && !mods.take("any")) || !mods.take("sync"))
    return false;
  std::optional<Type> type = mods.takeType();
  if (!type || byteSize(*type) < 4 || !mods.done() || raw.operands.size() != 3)
    return false;
  Inst inst = begin(raw, Kind::Match, Pipe::Int);
  inst.type = *type;
  inst.blend = 2;
  inst.mode = all;
  const Operand &target = raw.operands[0];
  bool isPair = all && target.kind == Operand::Pair;
  inst.dst[0] = destination(isPair ? target.elements[0] : target, Type::U32);
  if (isPair &&
      (inst.dst[1] = destination(target.elements[1], Type::Pred)) == noRef)
    return false;
  inst.src[0] = source(raw.operands[1], *type);
  inst.src[1] = source(raw.operands[2], Type::U32);
  if (inst.dst[0] == noRef || inst.src[0] == noRef || inst.src[1] == noRef)
    return false;
  emit(inst);
  return true;
}

bool Decoder::activeMask(const RawInstruction &raw) {
  Modifiers mods(raw);
  if (mods.takeType() != Type::U32 || !mods.done() || raw.operands.size() != 1)
    return false;
  Inst inst = begin(raw, Kind::ActiveMask, Pipe::Int);
  inst.blend = 2;
  if ((inst.dst[0] = destination(raw.operands[0], Type::U32)) == noRef)
    return false;
  emit(inst);
  return true;
}

} // namespace dietcode::vgpu
