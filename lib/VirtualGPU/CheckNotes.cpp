//===- CheckNotes.cpp - What the checkers must know of a program ----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most registers are written on every path to each of their reads, which the
// program shows. Only the others are watched while it runs.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <algorithm>

namespace dietcode::vgpu {
namespace {

bool isRegister(Ref ref) { return ref != noRef && !(ref & constantBit); }

bool contains(const RawInstruction &raw, std::string_view modifier) {
  return std::find(raw.opcode.begin() + 1, raw.opcode.end(), modifier) !=
         raw.opcode.end();
}

using Bits = std::vector<bool>;

/// Finds the registers that may be read before they are written.
class UndefinedRegisters {
public:
  UndefinedRegisters(const Program &program, size_t registers,
                     const std::vector<std::pair<Special, Ref>> &pinned)
      : code(program.code), registers(registers), atEntry(registers, false) {
    for (auto &[special, ref] : pinned)
      atEntry[ref] = true;
    // Matrix instructions have more registers than a watch: those they write
    // are taken to be defined.
    for (const MatrixOp &op : program.matrixOps)
      for (Ref ref : op.dst)
        atEntry[ref] = true;
  }

  /// The watched ones: what may be undefined, and what that may make undefined.
  Bits run() {
    findBlocks();
    solve();
    Bits watched(registers, false);
    for (size_t b = 0; b < starts.size(); ++b) {
      Bits defined = definedIn[b];
      for (uint32_t i = starts[b]; i < endOf(b); ++i) {
        forEachRead(code[i],
                    [&](Ref r) { watched[r] = watched[r] || !defined[r]; });
        define(code[i], defined);
      }
    }
    spread(watched);
    return watched;
  }

private:
  template <typename Fn>
  static void forEachRead(const Inst &inst, Fn fn) {
    for (Ref ref : inst.src)
      if (isRegister(ref))
        fn(ref);
    if (isRegister(inst.guard))
      fn(inst.guard);
  }

  /// What a guarded instruction writes may stay undefined.
  static void define(const Inst &inst, Bits &defined) {
    for (Ref ref : inst.dst)
      if (isRegister(ref) && inst.guard == noRef)
        defined[ref] = true;
  }

  uint32_t endOf(size_t block) const {
    return block + 1 < starts.size() ? starts[block + 1]
                                     : static_cast<uint32_t>(code.size());
  }

  void findBlocks() {
    std::vector<bool> leader(code.size() + 1, false);
    leader[0] = true;
    for (size_t i = 0; i < code.size(); ++i) {
      if (code[i].kind == Kind::Branch)
        leader[code[i].target] = true;
      if (code[i].kind == Kind::Branch || code[i].kind == Kind::Exit)
        leader[i + 1] = true;
    }
    blockAt.resize(code.size());
    for (uint32_t i = 0; i < code.size(); ++i) {
      if (leader[i])
        starts.push_back(i);
      blockAt[i] = static_cast<uint32_t>(starts.size() - 1);
    }
  }

  /// Definitely defined at the start of each block: the greatest solution.
  void solve() {
    definedIn.assign(starts.size(), {});
    definedIn[0] = atEntry;
    std::vector<bool> reached(starts.size(), false);
    reached[0] = true;
    std::vector<size_t> work = {0};
    auto flow = [&](size_t to, const Bits &from) {
      Bits &in = definedIn[to];
      bool changed = !reached[to];
      reached[to] = true;
      if (changed)
        in = from;
      else
        for (size_t r = 0; r < registers; ++r)
          if (in[r] && !from[r]) {
            in[r] = false;
            changed = true;
          }
      if (changed)
        work.push_back(to);
    };
    while (!work.empty()) {
      size_t b = work.back();
      work.pop_back();
      Bits out = definedIn[b];
      for (uint32_t i = starts[b]; i < endOf(b); ++i)
        define(code[i], out);
      const Inst &last = code[endOf(b) - 1];
      if (last.kind == Kind::Branch)
        flow(blockAt[last.target], out);
      bool leaves = last.kind == Kind::Branch || last.kind == Kind::Exit;
      if ((!leaves || last.guard != noRef) && b + 1 < starts.size())
        flow(b + 1, out);
    }
    for (size_t b = 0; b < starts.size(); ++b)
      if (!reached[b])
        definedIn[b].assign(registers, true);
  }

  void spread(Bits &watched) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Inst &inst : code) {
        bool reads = false;
        for (Ref ref : inst.src)
          reads |= isRegister(ref) && watched[ref];
        for (Ref ref : inst.dst)
          if (reads && isRegister(ref) && !watched[ref] && !atEntry[ref]) {
            watched[ref] = true;
            changed = true;
          }
      }
    }
  }

  const std::vector<Inst> &code;
  size_t registers;
  Bits atEntry;
  std::vector<uint32_t> starts, blockAt;
  std::vector<Bits> definedIn;
};

/// The sources that an instruction acts on, rather than computing with them.
uint8_t consumedSources(const Inst &inst) {
  switch (inst.kind) {
  case Kind::Load:
  case Kind::LoadMatrix:
    return 1;
  case Kind::Store:
    // Arguments of calls may be undefined.
    return inst.space == Space::Local ? 1 : 0x1f;
  case Kind::LoadFragment:
  case Kind::StoreFragment:
  case Kind::Atomic:
  case Kind::Barrier:
  case Kind::WarpBarrier:
  case Kind::Vote:
  case Kind::Match:
  case Kind::Trap:
    return 0x1f;
  case Kind::Shuffle:
    return 0x1e; // The value may be one that nobody uses.
  default:
    return 0;
  }
}

bool isSelect(const Inst &inst) {
  auto &selects = laneTable().op[static_cast<unsigned>(Op::Selp)];
  return inst.kind == Kind::Lane &&
         std::find(std::begin(selects), std::end(selects), inst.fn) !=
             std::end(selects);
}

} // namespace

void noteForCheckers(const RawInstruction &raw, Program &program,
                     size_t firstInst) {
  std::string_view root = raw.opcode[0];
  bool isFence = root == "membar" || root == "fence" ||
                 contains(raw, "acquire") || contains(raw, "release") ||
                 contains(raw, "acq_rel");
  program.hasFences |= isFence;
  program.hasDeviceFences |= isFence && !contains(raw, "cta");
  bool isStrong = contains(raw, "volatile") || contains(raw, "relaxed") ||
                  contains(raw, "acquire") || contains(raw, "release") ||
                  contains(raw, "mmio");
  bool waits = contains(raw, "sync") && (root != "barrier") &&
               (root != "bar" || contains(raw, "warp"));
  for (size_t i = firstInst; i < program.code.size(); ++i) {
    Inst &inst = program.code[i];
    inst.strong = isStrong;
    inst.warpSync = waits;
    if (usesMatrixOp(inst.kind) && inst.kind != Kind::Mma) {
      const MatrixOp &op = program.matrixOps[inst.imm];
      unsigned bytes = bitsOf(op.types[0]) / 8 * op.elementsPerAccess;
      program.log2Granule =
          std::min(program.log2Granule, uint8_t(bytes < 2   ? 0
                                                : bytes < 4 ? 1
                                                            : 2));
    }
    if (inst.kind != Kind::Load && inst.kind != Kind::Store &&
        inst.kind != Kind::Atomic)
      continue;
    if (inst.space == Space::Shared || inst.space == Space::Global ||
        inst.space == Space::Generic)
      program.log2Granule = std::min(program.log2Granule, inst.blend);
  }
}

void watchRegisters(Program &program, size_t registers,
                    const std::vector<std::pair<Special, Ref>> &pinned) {
  program.watches.assign(1, {});
  program.watchedRegisters = 0;
  Bits watched = UndefinedRegisters(program, registers, pinned).run();
  std::vector<uint16_t> numbers(registers, 0);
  uint16_t count = 0;
  for (size_t r = 0; r < registers && count < 0xfffe; ++r)
    if (watched[r])
      numbers[r] = ++count;
  if (!count)
    return;
  program.watchedRegisters = static_cast<uint16_t>(count + 1);
  for (Inst &inst : program.code) {
    RegisterWatch watch;
    bool any = false;
    auto number = [&](Ref ref) -> uint16_t {
      uint16_t n = isRegister(ref) ? numbers[ref] : uint16_t(0);
      any |= n != 0;
      return n;
    };
    for (unsigned i = 0; i < 4; ++i)
      watch.dst[i] = number(inst.dst[i]);
    for (unsigned i = 0; i < 5; ++i)
      watch.src[i] = number(inst.src[i]);
    watch.guard = number(inst.guard);
    watch.consumed = consumedSources(inst);
    watch.isSelect = isSelect(inst);
    watch.defines = inst.kind == Kind::Shuffle;
    if (!any)
      continue;
    inst.watch = static_cast<uint32_t>(program.watches.size());
    program.watches.push_back(watch);
  }
}

} // namespace dietcode::vgpu
