//===- Instruction.h - What micro-kernels are built from --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions that the product of two tiles is built from, and the kinds
// of tiles of operators that multiply nothing, as one table. What a schedule,
// the cost model and the generator do differently for each of them follows from
// its entry.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_SEARCH_INSTRUCTION_H
#define DIETCODE_SEARCH_INSTRUCTION_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dietcode {

enum class Instruction : uint8_t {
  Fma,       ///< Of each thread, in single precision.
  MmaF16,    ///< Of a warp: halves, summed up in single precision.
  MmaF16F16, ///< Of a warp: halves, summed up in halves.
  MmaI8,     ///< Of a warp: bytes, summed up in 32 bits.
  Rows,      ///< No product: whole rows, which are reduced.
  Elements,  ///< No product: tiles of elements, each on its own.
};

/// Bytes of a row of the 8 x 8 matrices that `ldmatrix` loads, and of the
/// largest access of a thread.
inline constexpr int64_t kChunkBytes = 16;

struct InstructionInfo {
  Instruction instruction;
  std::string_view name;   ///< In attributes and options, e.g. "mma_f16".
  std::string_view suffix; ///< In names of schedules, e.g. "_mma".
  std::string_view ptx;    ///< For messages, e.g. "mma.m16n8k8".
  bool isProduct;          ///< Two tiles are multiplied.
  int computeCapability;   ///< The least that has it.
  bool isWarpWide;         ///< A warp executes it together.
  int64_t m, n, k;         ///< What one of them multiplies; 1 without product.
  int64_t elementBytes;    ///< Of a factor in shared memory.
  int64_t sumBytes;        ///< Of a sum in registers.

  /// Factors in a chunk.
  int64_t chunkElements() const { return kChunkBytes / elementBytes; }
};

const InstructionInfo &infoOf(Instruction instruction);

/// The instruction called `name`, or nothing.
std::optional<Instruction> lookupInstruction(std::string_view name);

/// All of them, in the order of the enumeration.
const std::vector<Instruction> &allInstructions();

/// Their names between commas, for messages.
std::string_view instructionNames();

/// The products of factors of the type `factor` that are summed up in `sum`,
/// both as MLIR spells them.
std::vector<Instruction> instructionsFor(std::string_view factor,
                                         std::string_view sum);

} // namespace dietcode

#endif // DIETCODE_SEARCH_INSTRUCTION_H
