//===- RowSchedule.h - Schedules of rowwise operators -----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of an operator that reads rows, may reduce them, and writes rows.
// Of its schedule, `block` is the rows and the columns of a tile, which the
// threads of a block hold in registers, `thread` the columns of one of them,
// and `vector` the words that it accesses at once:
//
//   <block = [4, 1024, 1], thread = [1, 32], instruction = rows>
//
// With `rows`, a block computes all of its rows, tile after tile, and reduces
// them; rows of one tile stay in registers from one pass to the next. With
// `elements`, there is nothing to reduce, and a block computes one tile.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_SEARCH_ROWSCHEDULE_H
#define DIETCODE_SEARCH_ROWSCHEDULE_H

#include "dietcode/Search/Schedule.h"

namespace dietcode {

/// How a schedule lays threads over rows. A block of `threads` computes
/// threads / lanes rows at a time. Lane l of a row has its vectors v of
/// `vector` columns at (v * lanes + l) * vector.
struct RowSchedule {
  int64_t threads = 0; ///< Of a block.
  int64_t lanes = 0;   ///< Threads that share a row.
  int64_t vector = 0;  ///< Columns that are accessed at once.
  int64_t vectors = 0; ///< That a lane holds in registers.

  /// Rows that a block computes at a time.
  int64_t rows() const { return threads / lanes; }
  /// The longest row that the lanes hold in registers.
  int64_t capacity() const { return lanes * vector * vectors; }

  friend bool operator==(const RowSchedule &a, const RowSchedule &b) {
    return a.threads == b.threads && a.lanes == b.lanes &&
           a.vector == b.vector && a.vectors == b.vectors;
  }
};

/// How the elements of an operator lie in memory.
enum class RowAccess {
  Columns, ///< Neighbours are columns of one row.
  Rows,    ///< Neighbours are rows.
  Mixed    ///< Of some operands the one, of others the other.
};

/// What matters of an operator to its schedules and their cost.
struct RowTraits {
  RowAccess access = RowAccess::Columns;
  int64_t maxVector = 1; ///< Columns that 16 bytes hold.
  /// 32-bit registers that a column needs at most, from one pass to the next.
  int64_t columnRegisters = 1;
  int64_t reductions = 0;
  int64_t passes = 0;       ///< That reduce, one after the other.
  int64_t accesses = 2;     ///< Of memory, for each column of a row.
  int64_t elementBytes = 8; ///< Of operands that have an element for each.
  int64_t operations = 1;   ///< Instructions that compute on a column.

  /// What micro-kernels of the operator are built from.
  Instruction instruction() const {
    return reductions ? Instruction::Rows : Instruction::Elements;
  }
};

/// The words of RowAccess in signatures: "columns", "rows", "mixed".
std::string_view nameOf(RowAccess access);
std::optional<RowAccess> lookupRowAccess(std::string_view name);

/// The threads of a schedule whose tile is one (see checkSchedule), for
/// elements of an operator: vectors are as wide as they and the thread's tile
/// allow.
RowSchedule rowScheduleOf(const Schedule &schedule, const RowTraits &traits);

/// The lanes of a row that are in one warp. Where neighbours in memory are
/// rows, 8 of them share a warp, whose accesses then are of whole
/// sectors.
int64_t lanesOfWarp(const RowSchedule &schedule, const RowTraits &traits,
                    int64_t warpSize);

/// What a schedule uses of a device.
/// `registers` per thread as an assembler reported them replace the estimate.
Resources resourcesOf(const RowSchedule &schedule, const RowTraits &traits,
                      const DeviceSpec &device,
                      std::optional<int> registers = std::nullopt);

/// The first limit that `schedule` breaks on `device`, or nothing. Any values,
/// negative and huge ones included, may be asked about.
std::optional<Violation> checkSchedule(const Schedule &schedule,
                                       const RowTraits &traits,
                                       const DeviceSpec &device);

/// The names of the constraints in the order in which they are checked.
std::vector<std::string_view> rowConstraintNames();

} // namespace dietcode

#endif // DIETCODE_SEARCH_ROWSCHEDULE_H
