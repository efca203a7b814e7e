//===- Finding.h - What the checkers report ---------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_VIRTUALGPU_FINDING_H
#define DIETCODE_VIRTUALGPU_FINDING_H

#include "dietcode/Support/Expected.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dietcode::vgpu {

enum class FindingKind : uint8_t {
  OutOfBounds,
  Misaligned,
  UseAfterFree,
  UninitializedRegister,
  UninitializedShared,
  UninitializedGlobal,
  SharedRace,
  GlobalRace,
  DivergentBarrier,
  InvalidBarrier, ///< A number or a thread count that no barrier has.
  Deadlock,
  InvalidMembers, ///< Of a shuffle, vote or match.
  Limit,          ///< Of executed instructions, or of time.
  Trap,
  Assertion,
};

/// The kind as JSON has it: "out-of-bounds", "shared-race" and so on.
std::string_view nameOf(FindingKind kind);

/// An instruction and who executed it.
struct FindingSite {
  unsigned line = 0;  ///< Of the PTX.
  std::string source; ///< The instruction's text.
  std::array<uint32_t, 3> block = {0, 0, 0};
  std::array<uint32_t, 3> thread = {0, 0, 0};
  bool hasThread = true; ///< False if any of several threads may be meant.
};

/// What a checker found in a running kernel.
struct Finding {
  FindingKind kind = FindingKind::Trap;
  std::string kernel;
  std::string file; ///< The module's name.
  FindingSite site;
  /// The other side of a race.
  std::optional<FindingSite> other;
  /// Of the access, if there is one; an offset in other spaces than global.
  std::optional<uint64_t> address;
  uint32_t accessBytes = 0;
  /// Where the address lies: a label, and the offset from its start.
  std::string allocation;
  int64_t allocationOffset = 0;
  std::string message; ///< What is wrong, without the place.
};

/// One line: "file:line: kernel 'k': message; block (x, y, z), thread (x, y,
/// z), in 'instruction'".
std::string toText(const Finding &finding);
/// One JSON object with every field; absent ones are left out.
std::string toJson(const Finding &finding);

/// Which checkers watch a launch. Accesses are always checked against the
/// memory that the kernel may touch, since device memory is host memory: that
/// alone protects the process that runs the kernel. What each of the others
/// guarantees, misses and costs is in docs/checkers.md.
struct CheckOptions {
  bool alignment = true;
  /// Divergent barriers. Without it, a barrier counts the whole warp.
  bool barriers = true;
  bool uninitializedRegisters = true;
  bool uninitializedShared = true;
  bool uninitializedGlobal = true;
  bool sharedRaces = true;
  bool globalRaces = true;
  /// Memory that shadows of global memory may take; accesses to what does not
  /// fit are not watched, and the launch report counts them.
  uint64_t shadowBytes = uint64_t(1) << 30;

  static CheckOptions all() { return CheckOptions(); }
  /// What costs next to nothing: all but the shadows of shared memory and the
  /// races in global memory.
  static CheckOptions memory();
  static CheckOptions none();
};

/// "all", "memory" or "none", or an error that says so.
Expected<CheckOptions> parseCheckOptions(std::string_view text);

/// What DIETCODE_VGPU_CHECK asks for; the memory checkers if it is not set.
Expected<CheckOptions> checkOptionsFromEnvironment();

/// A block that executes more warp instructions is taken to hang: minutes of
/// host time, and far more than any block of a large GEMM.
constexpr uint64_t defaultInstructionLimit = 1'000'000'000;

/// The value of DIETCODE_VGPU_MAX_INSTRUCTIONS, or the default.
Expected<uint64_t> instructionLimitFromEnvironment();

} // namespace dietcode::vgpu

#endif // DIETCODE_VIRTUALGPU_FINDING_H
