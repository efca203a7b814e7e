//===- Requirements.cpp - Chips and PTX versions that instructions need ---===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the "PTX ISA Notes" and "Target ISA Notes" of each instruction in the
// PTX ISA 9.0, as far as they matter from .version 6.3 and sm_75 on; the
// wording is that of ptxas 13.0, so that a message found here is the one to
// expect.
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"
#include <algorithm>

namespace dietcode::vgpu {
namespace {

struct Requirement {
  std::string_view root;     ///< Empty: any instruction.
  std::string_view modifier; ///< Empty: with or without any.
  unsigned chip;             ///< 75 for sm_75.
  unsigned version;          ///< 65 for 6.5.
  std::string_view feature;  ///< What ptxas calls it.
};

constexpr Requirement typeRequirements[] = {
    {"", "bf16", 80, 70, ".bf16"},     {"", "bf16x2", 80, 70, ".bf16x2"},
    {"", "tf32", 80, 70, ".tf32"},     {"", "e4m3x2", 89, 81, ".e4m3x2"},
    {"", "e5m2x2", 89, 81, ".e5m2x2"}, {"", "f32x2", 100, 86, ".f32x2"},
    {"", "b128", 90, 83, ".b128"},
};

constexpr Requirement matrixRequirements[] = {
    {"mma", "m16n8k16", 80, 70, ".m16n8k16"},
    {"mma", "m16n8k32", 80, 70, ".m16n8k32"},
    {"mma", "m16n8k64", 80, 70, ".m16n8k64"},
    {"mma", "m16n8k128", 80, 70, ".m16n8k128"},
    {"mma", "m16n8k256", 80, 70, ".m16n8k256"},
    {"mma", "m16n8k4", 80, 70, ".m16n8k4"},
    {"mma", "f64", 80, 70, ".f64"},
    {"mma", "and", 80, 71, ".and"},
    {"mma", "m16n8k8", 75, 65, ".m16n8k8"},
    {"mma", "m8n8k16", 75, 65, ".m8n8k16"},
    {"mma", "m8n8k32", 75, 65, ".m8n8k32"},
    {"mma", "m8n8k128", 75, 70, ".m8n8k128"},
    {"mma", "", 70, 64, "mma"},
    {"wmma", "f64", 80, 70, ".f64"},
    {"wmma", "m16n16k8", 80, 70, ".m16n16k8"},
    {"wmma", "s8", 72, 63, ".s8"},
    {"wmma", "u8", 72, 63, ".u8"},
    {"wmma", "", 70, 60, "wmma"},
    {"ldmatrix", "b8", 100, 86, ".b8"},
    {"ldmatrix", "", 75, 65, "ldmatrix"},
    {"movmatrix", "", 75, 78, "movmatrix"},
    {"stmatrix", "", 90, 78, "stmatrix"},
    {"wgmma", "", 90, 80, "wgmma"},
    {"tcgen05", "", 100, 86, "tcgen05"},
};

constexpr Requirement asynchronousRequirements[] = {
    {"cp", "bulk", 90, 80, "cp.async.bulk"},
    {"cp", "async", 80, 70, "cp.async"},
    {"st", "async", 90, 81, "st.async"},
    {"red", "async", 90, 81, "red.async"},
    {"mbarrier", "", 80, 70, "mbarrier"},
    {"barrier", "cluster", 90, 78, "barrier.cluster"},
    {"barrier", "cta", 30, 78, "barrier.cta"},
    {"fence", "async", 90, 80, ".async"},
    {"griddepcontrol", "", 90, 78, "griddepcontrol"},
    {"setmaxnreg", "", 90, 80, "setmaxnreg"},
    {"elect", "", 90, 80, "elect"},
    {"redux", "", 80, 70, "redux"},
};

constexpr Requirement memoryRequirements[] = {
    {"", "cluster", 90, 78, ".cluster scope"},
    {"", "shared::cluster", 90, 78, ".shared::cluster"},
    {"", "L2::cache_hint", 80, 74, ".L2::cache_hint"},
    {"", "L2::256B", 80, 74, ".L2::256B"},
    {"", "L2::128B", 75, 74, "cache prefetching"},
    {"", "L2::64B", 75, 74, "cache prefetching"},
    {"", "L1::no_allocate", 70, 74, ".no_allocate"},
    {"", "L1::evict_first", 70, 74, ".L1::evict_first"},
    {"", "L1::evict_last", 70, 74, ".L1::evict_last"},
    {"", "L1::evict_unchanged", 70, 74, ".L1::evict_unchanged"},
    {"", "mmio", 70, 82, ".mmio"},
    {"ld", "v8", 100, 88, "256 bit wide load/store"},
    {"st", "v8", 100, 88, "256 bit wide load/store"},
    {"atom", "v2", 90, 81, "atom.v2"},
    {"atom", "v4", 90, 81, "atom.v4"},
    {"red", "v2", 90, 81, "red.v2"},
    {"red", "v4", 90, 81, "red.v4"},
    {"createpolicy", "", 80, 74, "createpolicy"},
    {"discard", "", 80, 74, "discard"},
    {"applypriority", "", 80, 74, "applypriority"},
    {"multimem", "", 90, 81, "multimem"},
    {"mapa", "", 90, 78, "mapa"},
    {"getctarank", "", 90, 78, "getctarank"},
    {"clusterlaunchcontrol", "", 100, 86, "clusterlaunchcontrol"},
};

constexpr Requirement arithmeticRequirements[] = {
    {"", "NaN", 80, 70, ".NaN"},
    {"", "relu", 80, 70, ".relu"},
    {"", "xorsign", 86, 72, ".xorsign"},
    {"min", "f16", 80, 70, "min.f16 or min.f16x2"},
    {"min", "f16x2", 80, 70, "min.f16 or min.f16x2"},
    {"max", "f16", 80, 70, "max.f16 or max.f16x2"},
    {"max", "f16x2", 80, 70, "max.f16 or max.f16x2"},
    {"min", "u16x2", 90, 80, "min.u16x2"},
    {"min", "s16x2", 90, 80, "min.s16x2"},
    {"max", "u16x2", 90, 80, "max.u16x2"},
    {"max", "s16x2", 90, 80, "max.s16x2"},
    {"add", "u16x2", 90, 80, "add.u16x2"},
    {"add", "s16x2", 90, 80, "add.s16x2"},
    {"cvt", "f16x2", 80, 70, "cvt.f16x2.f32"},
    {"cvt", "pack", 72, 65, "cvt.pack"},
    {"abs", "f16", 53, 65, "abs.f16 or abs.f16x2"},
    {"abs", "f16x2", 53, 65, "abs.f16 or abs.f16x2"},
    {"ex2", "f16", 75, 70, "ex2.f16/f16x2"},
    {"ex2", "f16x2", 75, 70, "ex2.f16/f16x2"},
    {"tanh", "", 75, 70, "tanh"},
    {"szext", "", 70, 76, "szext"},
    {"bmsk", "", 70, 76, "bmsk"},
    {"lop3", "and", 70, 82, "lop3.<BoolOp>"},
    {"lop3", "or", 70, 82, "lop3.<BoolOp>"},
    {"lop3", "xor", 70, 82, "lop3.<BoolOp>"},
    {"alloca", "", 52, 73, "alloca"},
};

} // namespace

bool hasWrongKindOfType(const RawInstruction &raw) {
  static constexpr std::string_view untyped[] = {"and",  "or",   "xor",  "not",
                                                 "cnot", "shl",  "clz",  "bfi",
                                                 "popc", "brev", "exch", "cas"};
  static constexpr std::string_view typed[] = {
      "add", "sub", "mul", "mad", "div", "rem",   "min", "max",
      "sad", "abs", "neg", "bfe", "inc", "bfind", "dec"};
  auto isIn = [](const auto &names, std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) !=
           std::end(names);
  };
  bool isAtomic = raw.opcode[0] == "atom" || raw.opcode[0] == "red";
  bool wantsUntyped = false, wantsTyped = false;
  for (size_t i = 0; i < (isAtomic ? raw.opcode.size() : 1); ++i) {
    wantsUntyped |= isIn(untyped, raw.opcode[i]);
    wantsTyped |= isIn(typed, raw.opcode[i]);
  }
  std::string_view type = raw.opcode.back();
  bool isUntyped = type.size() > 1 && type[0] == 'b' && type[1] <= '9';
  bool isInteger =
      type.size() > 1 && (type[0] == 'u' || type[0] == 's') && type[1] <= '9';
  return (wantsUntyped && isInteger) || (wantsTyped && isUntyped);
}

namespace {

/// Why ptxas would refuse an instruction because of one of these rows.
template <size_t N>
std::string unmetOf(const Requirement (&rows)[N], const RawInstruction &raw,
                    unsigned chip, unsigned version) {
  const auto &parts = raw.opcode;
  auto says = [](const Requirement &row) {
    return "Feature '" + std::string(row.feature) + "' requires ";
  };
  for (const Requirement &row : rows) {
    if (!row.root.empty() && row.root != parts[0])
      continue;
    if (!row.modifier.empty() &&
        std::find(parts.begin() + 1, parts.end(), row.modifier) == parts.end())
      continue;
    if (chip < row.chip)
      return says(row) + ".target sm_" + std::to_string(row.chip) +
             " or higher";
    if (version < row.version)
      return says(row) + "PTX ISA .version " +
             std::to_string(row.version / 10) + "." +
             std::to_string(row.version % 10) + " or later";
  }
  return "";
}

} // namespace

std::string unmetRequirement(const RawInstruction &raw, unsigned chip,
                             unsigned version) {
  std::string unmet;
  auto holds = [&](const auto &rows) {
    unmet = unmetOf(rows, raw, chip, version);
    return unmet.empty();
  };
  // The first that is not met counts.
  holds(typeRequirements) && holds(matrixRequirements) &&
      holds(asynchronousRequirements) && holds(memoryRequirements) &&
      holds(arithmeticRequirements);
  return unmet;
}

} // namespace dietcode::vgpu
