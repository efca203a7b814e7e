//===- ScheduleSpace.h - The schedules that a search looks at ---*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_SEARCH_SCHEDULESPACE_H
#define DIETCODE_SEARCH_SCHEDULESPACE_H

#include "dietcode/Search/Schedule.h"

namespace dietcode {

/// The values over which the space of schedules without a product is: tiles of
/// `blockM` rows and `blockN` columns, of which a thread has `threadN`.
struct RowSpace {
  std::vector<int64_t> blockM = {1, 2, 4, 8, 16, 32, 64};
  std::vector<int64_t> blockN = {8,   16,   32,   64,   128,  256,
                                 512, 1024, 2048, 4096, 8192, 16384};
  std::vector<int64_t> threadN = {1, 2, 4, 8, 16, 32};
  std::vector<int64_t> vector = {kMaxVectorWidth};
};

/// The values over which the space of schedules is the Cartesian product. Block
/// extents like 96 would never be valid: threads = (blockM * blockN) / 2^i must
/// divide both blockM * blockK and blockN * blockK, so no odd factor may be in
/// either extent. docs/tuning.md says why stages, vectors and orders have one
/// value each.
struct ScheduleSpace {
  std::vector<int64_t> blockM = {8, 16, 32, 64, 128, 256};
  std::vector<int64_t> blockN = {8, 16, 32, 64, 128, 256};
  std::vector<int64_t> blockK = {8, 16, 32};
  std::vector<int64_t> threadM = {1, 2, 4, 8, 16, 32, 64, 128};
  std::vector<int64_t> threadN = {1, 2, 4, 8, 16, 32, 64, 128};
  std::vector<int64_t> stages = {2};
  std::vector<int64_t> split = {1, 2, 4, 8};
  std::vector<int64_t> vector = {kMaxVectorWidth};
  /// If both m first and bands are there, a schedule has the one that suits its
  /// instruction: bands save DRAM traffic, which limits matrix instructions
  /// alone.
  std::vector<TileOrder> order = {TileOrder::MFirst, TileOrder::Bands};
  /// Of these, an operator has those that its element types allow.
  std::vector<Instruction> instruction = allInstructions();
  RowSpace rows; ///< Of those of the instructions that multiply nothing.
};

/// Replaces an axis of `space`: `text` is e.g. "split=1,2,4" or
/// "order=mn,nm,mnm". Axes are called block_m, block_n, block_k, thread_m,
/// thread_n, stages, split, vector, order and instruction; those of rows
/// rows.block_m, rows.block_n, rows.thread_n and rows.vector.
Expected<bool> setAxis(ScheduleSpace &space, std::string_view text);

/// Every schedule of `space` with one of `instructions` that is valid on
/// `device`, in lexical order.
std::vector<Schedule> enumerateSchedules(
    const DeviceSpec &device, const ScheduleSpace &space = {},
    const std::vector<Instruction> &instructions = {Instruction::Fma});

/// Whether one parameter differs by one step, a factor of two or the other
/// order, or the block and the thread tile of one dimension both do, which
/// keeps the threads.
bool areNeighbours(const Schedule &a, const Schedule &b);

} // namespace dietcode

#endif // DIETCODE_SEARCH_SCHEDULESPACE_H
