//===- RowSchedule.h - Schedules of rowwise operators -----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of the kernel of an operator that reads rows, reduces them and
// writes rows: how many threads share a row, and how much of it they hold in
// registers from one pass to the next.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_SEARCH_ROWSCHEDULE_H
#define DIETCODE_SEARCH_ROWSCHEDULE_H

#include "dietcode/Search/Schedule.h"

namespace dietcode {

/// The parameters of a rowwise kernel. A block of `threads` computes
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

  /// rows x lanes _ vectors x vector, e.g. "4x32_8x4".
  std::string name() const;

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

/// What matters of an operator to its schedules.
struct RowTraits {
  RowAccess access = RowAccess::Columns;
  int64_t maxVector = 1; ///< Columns that 16 bytes hold.
  /// 32-bit registers that a column needs at most, from one pass to the next.
  int64_t columnRegisters = 1;
  int64_t reductions = 0;
};

/// The lanes of a row that are in one warp. Where neighbours in memory are
/// rows, 8 of them share a warp, whose accesses then are of whole
/// sectors.
int64_t lanesOfWarp(const RowSchedule &schedule, const RowTraits &traits,
                    int64_t warpSize);

/// What a schedule uses of a device.
Resources resourcesOf(const RowSchedule &schedule, const RowTraits &traits,
                      const DeviceSpec &device);

/// The first limit that `schedule` breaks on `device`, or nothing. Any values,
/// negative and huge ones included, may be asked about.
std::optional<Violation> checkSchedule(const RowSchedule &schedule,
                                       const RowTraits &traits,
                                       const DeviceSpec &device);

/// The names of the constraints in the order in which they are checked.
std::vector<std::string_view> rowConstraintNames();

/// A few schedules for rows of any length, by ascending capacity: the first one
/// that holds a row is for it, and the last one for all that are longer.
///
/// The rule: lanes hold up to 32 columns each as far as registers last, so that
/// many loads are in flight; rows are spread over 8 lanes, then over a warp,
/// which needs no barrier, and then over 4 and 16 warps. Where neighbours in
/// memory are rows, at least 8 rows are in a block, and in each of its warps,
/// since they share the sectors that it reads. Without reductions nothing holds
/// the columns of a row together: a block takes `capacity` of them, and a row
/// may have many blocks.
std::vector<RowSchedule> listSchedules(const RowTraits &traits,
                                       const DeviceSpec &device);

} // namespace dietcode

#endif // DIETCODE_SEARCH_ROWSCHEDULE_H
