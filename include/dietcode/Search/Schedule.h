//===- Schedule.h - Schedules of a contraction and their limits -*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of the contraction micro-kernel C[m, n] += A[m, k] B[k, n],
// what follows from them for its layout and its use of the device, and the
// limits that they must respect.
//
// The kernel: a block of threads computes a blockM x blockN tile of C. Built
// from fma, each thread owns threadM x threadN accumulators in groups of up to
// four contiguous rows and columns (one vector load from shared memory each);
// successive groups of a thread lie (threads along the dim) * group apart.
// Tiles of A and B go from global memory through registers to shared memory,
// k-major, as [blockK][blockM + 4] and [blockK][blockN + 4] floats in `stages`
// buffers. One barrier per k tile does with two buffers, two are needed with
// one.
//
// Built from a matrix instruction, each *warp* owns a threadM x threadN tile of
// C, whose sums lie over its lanes as the instruction says. Tiles of A and B
// are rows of 16-byte chunks, along k or along the rows and columns as in
// global memory, without padding: chunks of a row are swizzled, see MatrixTile
// in the generator. The rest is the same.
//
// The partial k tile comes first, so that the main loop has no predicate; rows
// and columns out of range are clamped on load and guarded on store.
//
// Micro-kernels of operators that multiply nothing have tiles of the same kind;
// see RowSchedule.h for what is in them.
//
// With `split` > 1 as many blocks compute a tile, each the sum over its part of
// the k tiles. They write them to a workspace, which a second kernel adds up in
// the order of the parts. Both are launched tile by tile, so a micro-kernel is
// a sequence of steps, each with some blocks per tile.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_SEARCH_SCHEDULE_H
#define DIETCODE_SEARCH_SCHEDULE_H

#include "dietcode/Search/AddressNeeds.h"
#include "dietcode/Search/Instruction.h"
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

/// Largest number of floats, or words of four bytes, that one memory
/// instruction of a lane moves.
inline constexpr int64_t kMaxVectorWidth = 4;

/// Largest number of parts of the k tiles. The reduction keeps one vector of
/// each in registers.
inline constexpr int64_t kMaxSplit = 32;

/// Along which dimension of C successive tiles lie.
enum class TileOrder : uint8_t {
  MFirst, ///< They share columns of B.
  NFirst, ///< They share rows of A.
  Bands,  ///< They lie in bands of kBandRows, along m first: blocks that run
          ///< at the same time share rows and columns.
};

/// Rows of a band of tiles. The 40 to 200 blocks that a GPU runs at the same
/// time then cover about as many columns.
inline constexpr int64_t kBandRows = 1024;

/// The parameters of a micro-kernel.
struct Schedule {
  int64_t blockM = 0;
  int64_t blockN = 0;
  int64_t blockK = 0;
  int64_t threadM = 0;
  int64_t threadN = 0;
  int64_t stages = 2; ///< Buffers of shared memory.
  int64_t split = 1;  ///< Blocks that share the k tiles of a tile of C.
  int64_t vector = kMaxVectorWidth; ///< Most words of shared memory that a
                                    ///< thread copies at once.
  TileOrder order = TileOrder::MFirst;
  Instruction instruction = Instruction::Fma;

  /// e.g. "128x128x8_8x8". What is not as by default is appended: "_mma" and
  /// the like for an instruction other than fma, "_s1" for one stage, "_k4" for
  /// a split by four, "_v2" for vectors of two, "_nm" for tiles that lie along
  /// n first.
  std::string name() const;

  /// Of the micro-kernel: the name after "simt_", or after "warp_" where a warp
  /// multiplies together.
  std::string kernelName() const;

  friend bool operator==(const Schedule &a, const Schedule &b) {
    return a.blockM == b.blockM && a.blockN == b.blockN &&
           a.blockK == b.blockK && a.threadM == b.threadM &&
           a.threadN == b.threadN && a.stages == b.stages &&
           a.split == b.split && a.vector == b.vector && a.order == b.order &&
           a.instruction == b.instruction;
  }
  friend bool operator!=(const Schedule &a, const Schedule &b) {
    return !(a == b);
  }
};

/// The inverse of `Schedule::name`. Checks the syntax only.
Expected<Schedule> parseSchedule(std::string_view name);

/// How a valid schedule of a product lays its threads and copies out. The
/// generator and the cost model both follow it.
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

  /// Contiguous rows and columns of sums of a thread. With fma, what it loads
  /// at once from shared memory: min(4, threadM) and min(4, threadN).
  int64_t groupM;
  int64_t groupN;
  int64_t sums; ///< Of a thread.

  /// Elements that one thread copies at once. With fma the largest of 4, 2, 1
  /// that the schedule allows and by which the tile divides evenly over the
  /// threads, else a chunk. It divides blockK and the block extents, so it
  /// serves operands that are contiguous along either.
  int64_t vectorA;
  int64_t vectorB;
  int64_t copiesA; ///< Vector copies of A per thread and k tile.
  int64_t copiesB; ///< Vector copies of B per thread and k tile.
};

/// The layout of `schedule`, or nothing when its threads or copies do not
/// divide evenly (`checkSchedule` says why), or if it is of no product.
std::optional<ScheduleLayout> layoutOf(const Schedule &schedule,
                                       int warpSize = 32);

/// One of the kernels that a micro-kernel consists of. They are launched one
/// after the other, each with the operands of the operator and the workspace,
/// if there is one, and with a one-dimensional grid in which the blocks of a
/// tile follow each other.
struct KernelStep {
  std::string_view suffix; ///< Of the kernel's name; empty for the main one.
  int64_t threads;
  int64_t blocksPerTile;
};

/// The steps of a valid schedule: the kernel that multiplies, and after a split
/// the one that adds up.
std::vector<KernelStep> stepsOf(const Schedule &schedule, int warpSize = 32);

/// Floats that a thread of the reduction adds up at once: the largest of 4, 2,
/// 1 of which the tile has enough for whole warps.
int64_t reductionVector(const Schedule &schedule, int warpSize = 32);

/// Floats of the workspace for an m x n destination: one m x n matrix for each
/// part, whose rows are rounded up to whole vectors; 0 without a split.
int64_t workspaceElements(const Schedule &schedule, int64_t m, int64_t n);

/// What a valid schedule uses of a device. With several steps, of the first.
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

/// Whether a thread has registers for addresses that depend on `needs`, by an
/// estimate from above.
bool hasRegistersFor(const AddressNeeds &needs, const Schedule &schedule,
                     const ScheduleLayout &layout, const DeviceSpec &device);

/// The limit that a schedule breaks.
struct Violation {
  std::string_view constraint; ///< e.g. "shared-memory".
  std::string message;         ///< One complete sentence with the values.
};

/// The first limit that `schedule` breaks on `device`, or nothing. Any values,
/// negative and huge ones included, may be asked about. What a schedule without
/// product needs depends on its operator, too: this is about the simplest one.
std::optional<Violation> checkSchedule(const Schedule &schedule,
                                       const DeviceSpec &device);

/// The names of the constraints in the order in which they are checked.
std::vector<std::string_view> scheduleConstraintNames();

/// Tiles that cover an m x n destination, of which blocks that compute whole
/// rows have one along n.
int64_t tilesOf(const Schedule &schedule, int64_t m, int64_t n);

/// Tiles of a band along m.
int64_t bandTiles(const Schedule &schedule);

/// Blocks of the first step for an m x n destination.
int64_t blocksOf(const Schedule &schedule, int64_t m, int64_t n);

/// The most k tiles that a block of the first step goes through.
int64_t kTilesPerBlock(const Schedule &schedule, int64_t k);

} // namespace dietcode

#endif // DIETCODE_SEARCH_SCHEDULE_H
