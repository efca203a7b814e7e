//===- Schedule.h - Schedules of a contraction and their limits -*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of the SIMT contraction micro-kernel C[m, n] += A[m, k] B[k,
// n], what follows from them for its layout and its use of the device, and the
// limits that they must respect.
//
// The kernel: a block of threads computes a blockM x blockN tile of C. Each
// thread owns threadM x threadN accumulators in groups of up to four contiguous
// rows and columns (one vector load from shared memory each); successive groups
// of a thread lie (threads along the dim) * group apart. Tiles of A and B go
// from global memory through registers to shared memory, k-major, as
// [blockK][blockM + 4] and [blockK][blockN + 4] floats in `stages` buffers,
// with one barrier per k tile. The partial k tile comes first, so that the main
// loop has no predicate; rows and columns out of range are clamped on load and
// guarded on store.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_SEARCH_SCHEDULE_H
#define DIETCODE_SEARCH_SCHEDULE_H

#include "dietcode/Support/Expected.h"
#include "dietcode/Target/DeviceSpec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

/// Floats by which a row of a shared-memory tile is longer than the tile: they
/// move successive k rows to other banks and keep 16-byte alignment.
inline constexpr int64_t kSharedRowPadding = 4;

/// Largest number of floats that one memory instruction of a lane moves.
inline constexpr int64_t kMaxVectorWidth = 4;

/// The parameters of a micro-kernel.
struct Schedule {
  int64_t blockM = 0;
  int64_t blockN = 0;
  int64_t blockK = 0;
  int64_t threadM = 0;
  int64_t threadN = 0;
  int64_t stages = 2;

  /// e.g. "128x128x8_8x8"; other than two stages are appended as "_s3".
  std::string name() const;

  friend bool operator==(const Schedule &a, const Schedule &b) {
    return a.blockM == b.blockM && a.blockN == b.blockN &&
           a.blockK == b.blockK && a.threadM == b.threadM &&
           a.threadN == b.threadN && a.stages == b.stages;
  }
  friend bool operator!=(const Schedule &a, const Schedule &b) {
    return !(a == b);
  }
};

/// The inverse of `Schedule::name`. Checks the syntax only.
Expected<Schedule> parseSchedule(std::string_view name);

/// How a valid schedule lays its threads and copies out. The generator and the
/// cost model both follow it.
struct ScheduleLayout {
  int64_t threads;  ///< threadsM * threadsN.
  int64_t threadsM; ///< blockM / threadM.
  int64_t threadsN; ///< blockN / threadN.

  /// A warp covers a patch of lanesM x lanesN threads: 4 x 8 where the block
  /// allows, which needs the fewest distinct shared-memory addresses; else the
  /// first of 8 x 4, 2 x 16, 16 x 2, 1 x 32, 32 x 1 that divides the block.
  int64_t lanesM;
  int64_t lanesN;
  int64_t warpsM; ///< threadsM / lanesM.
  int64_t warpsN; ///< threadsN / lanesN.

  /// Contiguous rows and columns that a thread loads at once from shared
  /// memory.
  int64_t groupM; ///< min(4, threadM).
  int64_t groupN; ///< min(4, threadN).

  /// Floats that one thread copies at once: the largest of 4, 2, 1 by which the
  /// tile divides evenly over the threads. It divides blockK and the block
  /// extents, so it serves operands that are contiguous along either.
  int64_t vectorA;
  int64_t vectorB;
  int64_t copiesA; ///< Vector copies of A per thread and k tile.
  int64_t copiesB; ///< Vector copies of B per thread and k tile.
};

/// The layout of `schedule`, or nothing when its threads or copies do not
/// divide evenly (`checkSchedule` says why). Needs positive tile sizes.
std::optional<ScheduleLayout> layoutOf(const Schedule &schedule,
                                       int warpSize = 32);

/// What a valid schedule uses of a device.
struct Resources {
  int threads;
  int64_t sharedBytes; ///< Static shared memory of a block.
  int registers;       ///< Per thread.
  int blocksPerSM;     ///< Resident at once; 0 when not even one fits.
  double occupancy;    ///< Resident warps as a fraction of what an SM can hold.
};

/// Defined for schedules that `layoutOf` accepts; all zero for others.
/// `registers` per thread as an assembler reported them replace the estimate.
Resources resourcesOf(const Schedule &schedule, const DeviceSpec &device);
Resources resourcesOf(const Schedule &schedule, const ScheduleLayout &layout,
                      const DeviceSpec &device,
                      std::optional<int> registers = std::nullopt);

/// The limit that a schedule breaks.
struct Violation {
  std::string_view constraint; ///< e.g. "shared-memory".
  std::string message;         ///< One complete sentence with the values.
};

/// The first limit that `schedule` breaks on `device`, or nothing. Any values,
/// negative and huge ones included, may be asked about.
std::optional<Violation> checkSchedule(const Schedule &schedule,
                                       const DeviceSpec &device);

/// The names of the constraints in the order in which they are checked.
std::vector<std::string_view> scheduleConstraintNames();

/// The values over which the space of schedules is the Cartesian product. Block
/// extents like 96 would never be valid: threads = (blockM * blockN) / 2^i must
/// divide both blockM * blockK and blockN * blockK, so no odd factor may be in
/// either extent.
struct ScheduleSpace {
  std::vector<int64_t> blockM = {8, 16, 32, 64, 128, 256};
  std::vector<int64_t> blockN = {8, 16, 32, 64, 128, 256};
  std::vector<int64_t> blockK = {8, 16, 32};
  std::vector<int64_t> threadM = {1, 2, 4, 8, 16};
  std::vector<int64_t> threadN = {1, 2, 4, 8, 16};
};

/// Whether one parameter differs by one step, a factor of two, or the block and
/// the thread tile of one dimension both do, which keeps the threads.
bool areNeighbours(const Schedule &a, const Schedule &b);

/// Blocks that cover an m x n destination.
int64_t blocksOf(const Schedule &schedule, int64_t m, int64_t n);

/// Every schedule of `space` that is valid on `device`, in lexical order.
std::vector<Schedule> enumerateSchedules(const DeviceSpec &device,
                                         const ScheduleSpace &space = {});

} // namespace dietcode

#endif // DIETCODE_SEARCH_SCHEDULE_H
