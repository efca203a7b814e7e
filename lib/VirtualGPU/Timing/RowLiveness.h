//===- RowLiveness.h - Rows whose values are used later ---------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_TIMING_ROWLIVENESS_H
#define DIETCODE_LIB_VIRTUALGPU_TIMING_ROWLIVENESS_H

#include "Trace.h"

namespace dietcode::vgpu {

/// Bytes of the register file per slot.
constexpr uint32_t rowBytes = 64;

inline bool isRow(Ref ref) { return ref != noRef && !(ref & constantBit); }

/// What an instruction reads, its guard and, under a guard, the old values of
/// what it writes included; and what it writes.
struct Operands {
  std::vector<Ref> reads, writes;
};
Operands operandsOf(const Program &program, const Inst &inst);

/// For each basic block, which rows are live at its end.
std::vector<std::vector<bool>> liveRows(const Program &program,
                                        const BlockMap &map);

/// Where control may go from a basic block.
std::vector<uint32_t> successorsOf(const Program &program, const BlockMap &map,
                                   uint32_t block);

/// For each row, how many 32-bit registers a thread needs for it: none for
/// predicates and special registers.
std::vector<uint8_t> rowWeights(const Program &program);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_TIMING_ROWLIVENESS_H
