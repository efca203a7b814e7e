//===- InstCost.h - What an instruction costs an SM -------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_TIMING_INSTCOST_H
#define DIETCODE_LIB_VIRTUALGPU_TIMING_INSTCOST_H

#include "../Program.h"
#include "dietcode/Target/DeviceSpec.h"

namespace dietcode::vgpu {

/// Where an instruction goes once it is issued.
enum class Unit : uint8_t {
  Fma,
  Alu,
  Fp64,
  Sfu,
  Tensor,
  Shared, ///< Shared memory and shuffles: the load/store unit.
  Global, ///< Global, local and constant memory: the load/store unit as well.
  Barrier,
  Branch, ///< And everything else that only takes an issue slot.
  Count
};
constexpr unsigned unitCount = static_cast<unsigned>(Unit::Count);

struct InstCost {
  Unit unit = Unit::Branch;
  uint16_t issues = 1; ///< Machine instructions; 0: an assembler removes it.
  uint16_t pipeCycles = 1; ///< Of the unit in a sub-core, all issues together.
  uint16_t latency = 1;    ///< From issue to when the result may be used.
  uint16_t flopPerLane = 0;
  bool bypassesL1 = false; ///< Atomic and coherent accesses.
};

/// The cost of a decoded instruction, from the PTX text behind it.
InstCost costOf(const Program &program, const Inst &inst,
                const DeviceSpec &spec);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_TIMING_INSTCOST_H
