//===- Program.h - Decoded kernels ------------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form that warps execute: every operand is an offset into the warp's
// register file or into the kernel's constants, every simple operation a
// function on rows.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_PROGRAM_H
#define DIETCODE_LIB_VIRTUALGPU_PROGRAM_H

#include "LaneOps.h"
#include "Matrix.h"
#include "Syntax.h"
#include "dietcode/VirtualGPU/Module.h"
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dietcode::vgpu {

/// Generic addresses of the windows onto spaces that are not the host's: far
/// above any pointer of a 64-bit host. Global addresses are host addresses.
constexpr uint64_t sharedWindow = 0xf100000000000000u;
constexpr uint64_t localWindow = 0xf200000000000000u;
constexpr uint64_t paramWindow = 0xf300000000000000u;
constexpr uint64_t windowMask = 0xff00000000000000u;

/// A reference to a row: while decoding a virtual register's number, then a
/// byte offset into the register file; or, with constantBit, an offset into the
/// constants.
using Ref = uint32_t;
constexpr Ref noRef = 0xffffffffu;
constexpr Ref constantBit = 0x80000000u;
constexpr uint32_t noTarget = 0xffffffffu;

enum class Kind : uint8_t {
  Lane,    ///< fn on rows.
  Setp,    ///< fn compares; then combined with a predicate.
  Set,     ///< Like Setp, but all ones or 1.0 per lane.
  Branch,  ///< To `target`, under the guard.
  Exit,    ///< ret and exit: kernels have no caller to return to.
  Join,    ///< Not an instruction: lanes that diverged meet here.
  Load,    ///< dst[0..n] from memory.
  Store,   ///< src[1..n] to memory; src[0] is the address in both.
  Param,   ///< dst[0] from the parameter at `offset`.
  Atomic,  ///< dst[0] = old, with src[1], src[2].
  Barrier, ///< src[0] the barrier's number, src[1] the number of threads;
           ///< src[2] the predicate of a Reduction in imm.
  Shuffle,
  Vote,
  Match, ///< mode 1: match.all.
  Carry, ///< dst[1] and src[3] are the carry flag.
  ActiveMask,
  Clock,
  Trap,
  Mma,           ///< The MatrixOp numbered imm.
  LoadFragment,  ///< wmma.load of the MatrixOp numbered imm.
  StoreFragment, ///< src[0] the address, src[1] the stride, in both.
  LoadMatrix,    ///< ldmatrix of dst, rows at src[0].
  MoveMatrix,    ///< movmatrix.
  Print,         ///< vprintf of the text at src[0], arguments at src[1].
  WarpBarrier,   ///< Of the lanes in src[0].
  Nop,
};

/// The part of an SM that an instruction occupies.
enum class Pipe : uint8_t {
  Fp32,
  Int,
  Fp64,
  Sfu,
  Tensor,
  Shared,
  Global,
  Control,
  None, ///< Not an instruction of its own.
  Count
};
constexpr unsigned pipeCount = static_cast<unsigned>(Pipe::Count);

enum class BoolOp : uint8_t { None, And, Or, Xor };
enum class AtomicOp : uint8_t {
  Add,
  Min,
  Max,
  Inc,
  Dec,
  And,
  Or,
  Xor,
  Exch,
  Cas
};
/// Modes of Kind::Carry.
enum : uint8_t { CarryAdd = 1, CarrySub, CarryMadLo, CarryMadHi };
enum class Reduction : uint8_t { None, Popc, And, Or };
enum class ShuffleMode : uint8_t { Up, Down, Bfly, Idx };
enum class VoteMode : uint8_t { All, Any, Uni, Ballot };

struct Inst {
  LaneFn fn = nullptr;
  int64_t offset = 0; ///< Of memory accesses.
  Ref dst[4] = {noRef, noRef, noRef, noRef};
  Ref src[5] = {noRef, noRef, noRef, noRef, noRef};
  Ref guard = noRef;
  uint32_t imm = 0;
  uint32_t target = noTarget;
  uint32_t reconverge = noTarget; ///< Where the sides of a branch meet.
  uint32_t source = 0;            ///< Index into Program::sources.
  uint32_t watch = 0;             ///< Index into Program::watches.
  Kind kind = Kind::Nop;
  Pipe pipe = Pipe::Control;
  Type type = Type::U32; ///< Of elements in memory, or of dst.
  Space space = Space::Generic;
  bool guardNegated = false;
  uint8_t mode = 0; ///< BoolOp, AtomicOp, ShuffleMode, VoteMode.
  uint8_t log2Elements = 0;
  uint8_t blend = 0; ///< log2 of dst's element bytes; 0xff: a predicate.
  bool address64 = true;
  bool negatedSource = false; ///< Of the predicate a Setp combines with.
  bool aligned = true;        ///< Of barriers.
  bool strong = false;   ///< A volatile, relaxed or stronger memory access.
  bool warpSync = false; ///< Waits for other lanes of the warp.
};
constexpr uint8_t blendPredicate = 0xff;

inline bool readsMemory(Kind kind) {
  return kind == Kind::Load || kind == Kind::Atomic ||
         kind == Kind::LoadFragment || kind == Kind::LoadMatrix;
}
inline bool writesMemory(Kind kind) {
  return kind == Kind::Store || kind == Kind::Atomic ||
         kind == Kind::StoreFragment;
}

/// What lanes that execute it may not go on from to the next instruction.
inline bool isControl(Kind kind) {
  return kind == Kind::Branch || kind == Kind::Exit || kind == Kind::Barrier ||
         kind == Kind::WarpBarrier;
}

/// Whether imm numbers a MatrixOp.
inline bool usesMatrixOp(Kind kind) {
  return kind == Kind::Mma || kind == Kind::LoadFragment ||
         kind == Kind::StoreFragment;
}

enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NWarpId,
  SmId,
  NSmId,
  GridId,
  MaskEq,
  MaskLe,
  MaskLt,
  MaskGe,
  MaskGt,
  DynamicShared,
  TotalShared,
  Count
};

/// 64 bytes of constants; rows start at multiples of it.
struct alignas(64) ConstantBytes {
  uint8_t bytes[64];
};

/// Registers of an instruction that may be read before they are written, by
/// their numbers among all such; 0 stands for every other register.
struct RegisterWatch {
  uint16_t dst[4] = {0, 0, 0, 0};
  uint16_t src[5] = {0, 0, 0, 0, 0};
  uint16_t guard = 0;
  uint8_t consumed = 0;  ///< Sources that must be defined: a bit each.
  bool isSelect = false; ///< src[2] says which of src[0] and src[1] counts.
  bool defines = false;  ///< The result is defined whatever the sources are.
};

struct SourceLine {
  unsigned line;
  std::string text;
};

/// One kernel, ready to run. Immutable once decoded.
struct Program {
  std::string name;
  unsigned line = 0; ///< Of its .entry.
  std::vector<Param> params;
  uint32_t paramBytes = 0;
  std::vector<Inst> code;
  std::vector<ConstantBytes> constants;
  std::vector<MatrixOp> matrixOps;
  std::vector<std::pair<Special, Ref>> specials;
  uint32_t registerFileBytes = 0; ///< Per warp.
  uint32_t liveRegisters = 0;     ///< 32-bit registers a thread needs at once.
  /// Per thread, what an assembler would allocate if nothing limited it.
  uint32_t wantedRegisters = 0;
  uint32_t staticSharedBytes = 0;
  uint32_t dynamicSharedAlign = 16;
  uint32_t localBytes = 0; ///< Per thread.
  std::array<uint32_t, 3> requiredThreads = {0, 0, 0};
  std::array<uint32_t, 3> maxThreads = {0, 0, 0};
  uint32_t minBlocksPerSM = 0; ///< The assembler limits registers to fit them.
  uint32_t maxRegisters = 0;   ///< Of .maxnreg, or 0.
  /// Blocks must run in order: something depends on which comes first.
  bool needsBlockOrder = false;
  /// Fences of any scope, and those of the whole device.
  bool hasFences = false;
  bool hasDeviceFences = false;
  /// log2 of the smallest access that may be of shared or global memory.
  uint8_t log2Granule = 2;
  std::vector<RegisterWatch> watches; ///< The first one is of no instruction.
  uint16_t watchedRegisters = 0;      ///< One more than there are.
  std::vector<SourceLine> sources;
};

/// A module's global or constant variable and its storage.
struct GlobalVariable {
  std::string name;
  uint64_t size = 0;
  unsigned align = 1;
  uint8_t *data = nullptr;
};

struct Module::Impl {
  struct Free {
    void operator()(uint8_t *data) const { std::free(data); }
  };
  using Storage = std::unique_ptr<uint8_t, Free>;

  std::string name;
  std::string text;  ///< For ptxas.
  unsigned chip = 0; ///< 75 for .target sm_75.
  std::vector<GlobalVariable> globals;
  std::vector<Storage> storage;
  std::map<std::string, Program, std::less<>> programs;
  std::vector<KernelInfo> kernels;
};

/// Gives a parsed kernel its meaning. `globals` have their addresses already.
Expected<Program> decodeKernel(const RawModule &module, const RawKernel &kernel,
                               const std::vector<GlobalVariable> &globals,
                               std::string_view moduleName);

/// The control-flow and register-allocation half of decoding: fills in
/// reconvergence points, inserts joins, counts live registers and turns
/// register numbers into offsets. `types` are the registers' types; those in
/// `pinned` hold special registers and share their rows with no other.
void finishProgram(Program &program, const std::vector<Type> &types,
                   const std::vector<std::pair<Special, Ref>> &pinned);

/// Fills in what the checkers need to know: of one instruction and those it was
/// decoded to, and of the registers before finishProgram gives them rows.
void noteForCheckers(const RawInstruction &raw, Program &program,
                     size_t firstInst);
void watchRegisters(Program &program, size_t registers,
                    const std::vector<std::pair<Special, Ref>> &pinned);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_PROGRAM_H
