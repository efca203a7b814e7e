//===- Instruction.cpp - What micro-kernels are built from ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/Instruction.h"

using namespace dietcode;

/// Shapes and chips: PTX ISA, "mma". Both shapes came with ldmatrix, in PTX
/// 6.5 for sm_75.
static constexpr InstructionInfo kInstructions[] = {
    {Instruction::Fma, "fma", "", "fma", true, 0, false, 1, 1, 1, 4, 4},
    {Instruction::MmaF16, "mma_f16", "_mma", "mma.m16n8k8", true, 75, true, 16,
     8, 8, 2, 4},
    {Instruction::MmaF16F16, "mma_f16_f16", "_mma16", "mma.m16n8k8", true, 75,
     true, 16, 8, 8, 2, 2},
    {Instruction::MmaI8, "mma_i8", "_mma8", "mma.m8n8k16", true, 75, true, 8, 8,
     16, 1, 4},
    {Instruction::Rows, "rows", "_rows", "", false, 0, false, 1, 1, 1, 4, 4},
    {Instruction::Elements, "elements", "_elements", "", false, 0, false, 1, 1,
     1, 4, 4},
};

namespace {
/// Element types that an instruction serves. The first of a pair of types is
/// that of the factors in memory; fma converts them on their way to shared
/// memory.
struct Service {
  std::string_view factor, sum;
  Instruction instruction;
};
} // namespace

static constexpr Service kServices[] = {
    {"f32", "f32", Instruction::Fma},    {"f16", "f32", Instruction::Fma},
    {"f16", "f32", Instruction::MmaF16}, {"f16", "f16", Instruction::MmaF16F16},
    {"i8", "i32", Instruction::MmaI8},
};

const InstructionInfo &dietcode::infoOf(Instruction instruction) {
  return kInstructions[static_cast<size_t>(instruction)];
}

std::optional<Instruction> dietcode::lookupInstruction(std::string_view name) {
  for (const InstructionInfo &info : kInstructions)
    if (info.name == name)
      return info.instruction;
  return std::nullopt;
}

const std::vector<Instruction> &dietcode::allInstructions() {
  static const std::vector<Instruction> all = [] {
    std::vector<Instruction> instructions;
    for (const InstructionInfo &info : kInstructions)
      instructions.push_back(info.instruction);
    return instructions;
  }();
  return all;
}

std::string_view dietcode::instructionNames() {
  return "fma, mma_f16, mma_f16_f16, mma_i8, rows, elements";
}

std::vector<Instruction> dietcode::instructionsFor(std::string_view factor,
                                                   std::string_view sum) {
  std::vector<Instruction> instructions;
  for (const Service &service : kServices)
    if (service.factor == factor && service.sum == sum)
      instructions.push_back(service.instruction);
  return instructions;
}
