//===- Decoder.h - From parsed to executable instructions -------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_DECODER_H
#define DIETCODE_LIB_VIRTUALGPU_DECODER_H

#include "Program.h"
#include <unordered_map>

namespace dietcode::vgpu {

/// An opcode's modifiers. Each must be taken by the decoder of its instruction;
/// one that is left over makes the instruction unsupported.
class Modifiers {
public:
  explicit Modifiers(const RawInstruction &inst)
      : parts(inst.opcode.begin() + 1, inst.opcode.end()) {}

  bool take(std::string_view name);
  /// Takes the first modifier that names a type.
  std::optional<Type> takeType();
  /// Takes .rn, .rz, .rm or .rp; or with `integral` .rni and so on.
  std::optional<uint32_t> takeRounding(bool integral = false);
  std::optional<Space> takeSpace();
  /// Takes the qualifiers of memory accesses that change no value here: memory
  /// ordering, scopes, cache hints.
  void takeMemoryQualifiers();
  bool done() const { return parts.empty(); }

private:
  std::vector<std::string_view> parts;
};

class Decoder {
public:
  Decoder(const RawModule &module, const RawKernel &kernel,
          const std::vector<GlobalVariable> &globals,
          std::string_view moduleName);
  Expected<Program> run();
  tl::unexpected<Error> failSize(unsigned line) const;

private:
  using DecodeFn = bool (Decoder::*)(const RawInstruction &);
  static DecodeFn lookup(std::string_view root);

  // Each decodes one instruction, or returns false after fail() or to say that
  // it is unsupported.
  bool decode(const RawInstruction &raw);
  bool arith(const RawInstruction &raw);
  bool setp(const RawInstruction &raw);
  bool selp(const RawInstruction &raw);
  bool lop3(const RawInstruction &raw);
  bool lop3WithPredicate(const RawInstruction &raw);
  bool packed(const RawInstruction &raw);
  bool findNthSet(const RawInstruction &raw);
  bool funnelShift(const RawInstruction &raw);
  bool bitField(const RawInstruction &raw);
  bool countBits(const RawInstruction &raw);
  bool reciprocal(const RawInstruction &raw);
  bool mov(const RawInstruction &raw);
  bool movVector(const RawInstruction &raw, Type type);
  bool movClock(const RawInstruction &raw, Type type);
  bool convert(const RawInstruction &raw);
  bool convertAddress(const RawInstruction &raw);
  bool branch(const RawInstruction &raw);
  bool branchIndexed(const RawInstruction &raw);
  std::optional<uint32_t> labelTarget(std::string_view label);
  bool exit(const RawInstruction &raw);
  bool trap(const RawInstruction &raw);
  bool call(const RawInstruction &raw);
  bool callAssert(const RawInstruction &raw);
  bool callPrint(const RawInstruction &raw);
  Ref argument(const RawInstruction &raw, const Operand &operand, Type type);
  bool barrier(const RawInstruction &raw);
  bool barrierReduction(const RawInstruction &raw, Modifiers &mods,
                        bool isAligned);
  bool nothing(const RawInstruction &raw);
  bool load(const RawInstruction &raw);
  bool loadParam(const RawInstruction &raw, Type type, int64_t offset,
                 const std::vector<const Operand *> &targets);
  bool store(const RawInstruction &raw);
  bool atomic(const RawInstruction &raw);
  bool carry(const RawInstruction &raw);
  bool multiply24(const RawInstruction &raw);
  bool dotMixed(const RawInstruction &raw);
  bool slct(const RawInstruction &raw);
  bool testp(const RawInstruction &raw);
  bool isSpace(const RawInstruction &raw);
  bool bitExtend(const RawInstruction &raw);
  bool setHalves(const RawInstruction &raw, Op compare, Type result, Type type);
  bool setpHalves(const RawInstruction &raw);
  bool mma(const RawInstruction &raw);
  bool wmma(const RawInstruction &raw);
  bool emitMultiply(const RawInstruction &raw, MatrixOp op);
  bool fragment(const RawInstruction &raw, bool isLoad);
  bool loadMatrix(const RawInstruction &raw);
  bool moveMatrix(const RawInstruction &raw);
  bool registers(const Operand &operand, size_t count, std::vector<Ref> &into,
                 bool isTarget);
  bool shuffle(const RawInstruction &raw);
  bool vote(const RawInstruction &raw);
  bool match(const RawInstruction &raw);
  bool activeMask(const RawInstruction &raw);

  // Operands. A ref of noRef means failure.
  Ref source(const Operand &operand, Type type);
  Ref registerSource(const Operand &operand, Type type);
  Ref destination(const Operand &operand, Type type);
  Ref immediate(const Operand &operand, Type type);
  Ref special(std::string_view name);
  Ref constant(uint64_t bits, unsigned bytes);
  Ref predicateConstant(bool value);
  Ref newRegister(Type type);
  bool address(const Operand &operand, Inst &inst);
  std::optional<uint64_t> symbolValue(std::string_view name,
                                      Space *space = nullptr);
  Type registerType(const Operand &operand) const { return types[operand.reg]; }

  /// A new instruction of the raw one, guarded as it is.
  Inst begin(const RawInstruction &raw, Kind kind, Pipe pipe);
  Inst lane(const RawInstruction &raw, LaneFn fn, Type dstType, Pipe pipe);
  void emit(const Inst &inst) { program.code.push_back(inst); }
  bool emitLane(const RawInstruction &raw, LaneFn fn, Type dstType, Pipe pipe,
                Ref dst, std::initializer_list<Ref> sources, uint32_t imm = 0);
  /// Says why the instruction is refused.
  bool refuse(std::string why);

  void layOutVariables();
  void place(const Variable &variable);

  const RawModule &module;
  const RawKernel &kernel;
  std::string_view moduleName;
  const LaneTable &lanes;
  Program program;
  std::vector<Type> types;
  std::vector<std::pair<Special, Ref>> pinned;
  std::map<std::pair<uint64_t, unsigned>, Ref> constantRefs;
  struct SymbolInfo {
    Space space;
    uint64_t value;
  };
  std::unordered_map<std::string_view, SymbolInfo> symbols;
  Ref carryFlag = noRef;
  std::string reason;
  uint32_t sourceIndex = 0;
};

/// log2 of a power of two up to 8.
unsigned log2Bytes(unsigned bytes);
/// The unsigned type of a width.
Type unsignedOf(unsigned bytes);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_DECODER_H
