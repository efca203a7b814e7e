//===- RowSchedule.cpp - Schedules of rowwise operators -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/RowSchedule.h"
#include "Constraint.h"
#include "Residency.h"

#include <algorithm>
#include <utility>

using namespace dietcode;

/// Registers for addresses, bounds and what is uniform in a row; an allowance.
static constexpr int64_t kBookkeepingRegisters = 40;

/// Registers of a lane that hold columns where it has several. With more, some
/// twin for any strides, whose columns have an address and a predicate each,
/// spills in ptxas 13.0 for sm_75; rowwise-ptxas.mlir watches.
static constexpr int64_t kColumnRegisters = 64;

/// Largest parameters that are worth a message of their own.
static constexpr int64_t kMaxRowTileExtent = 1 << 16;
static constexpr int64_t kMaxColumns = 64;
static constexpr int64_t kMaxRowVector = 8;

/// Shared memory of the lanes of a row in one warp, for one reduction.
static constexpr int64_t kBytesPerPartial = 8;

/// Neighbouring elements of four bytes in 32, which memory moves at once.
static constexpr int64_t kRowsOfSector = 8;

static constexpr std::pair<RowAccess, std::string_view> kAccessNames[] = {
    {RowAccess::Columns, "columns"},
    {RowAccess::Rows, "rows"},
    {RowAccess::Mixed, "mixed"},
};

std::string_view dietcode::nameOf(RowAccess access) {
  return kAccessNames[static_cast<size_t>(access)].second;
}

std::optional<RowAccess> dietcode::lookupRowAccess(std::string_view name) {
  for (auto [access, known] : kAccessNames)
    if (known == name)
      return access;
  return std::nullopt;
}

RowSchedule dietcode::rowScheduleOf(const Schedule &schedule,
                                    const RowTraits &traits) {
  RowSchedule result;
  result.lanes = schedule.blockN / schedule.threadN;
  result.threads = schedule.blockM * result.lanes;
  // As many words as the schedule says are columns of the widest operand.
  int64_t vector = traits.maxVector * schedule.vector / kMaxVectorWidth;
  result.vector =
      std::max<int64_t>(1, std::min({vector, kMaxRowVector, schedule.threadN}));
  result.vectors = schedule.threadN / result.vector;
  return result;
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

static int64_t registersOf(const RowSchedule &schedule,
                           const RowTraits &traits) {
  return kBookkeepingRegisters +
         schedule.vector * schedule.vectors * traits.columnRegisters;
}

int64_t dietcode::lanesOfWarp(const RowSchedule &schedule,
                              const RowTraits &traits, int64_t warpSize) {
  bool areNeighbours =
      traits.access == RowAccess::Rows && schedule.rows() % kRowsOfSector == 0;
  return std::min(schedule.lanes,
                  areNeighbours ? warpSize / kRowsOfSector : warpSize);
}

static int64_t sharedBytesOf(const RowSchedule &schedule,
                             const RowTraits &traits, int64_t warpSize) {
  int64_t lanes = lanesOfWarp(schedule, traits, warpSize);
  if (lanes == schedule.lanes)
    return 0;
  return schedule.threads / lanes * kBytesPerPartial * traits.reductions;
}

Resources dietcode::resourcesOf(const RowSchedule &schedule,
                                const RowTraits &traits,
                                const DeviceSpec &device,
                                std::optional<int> registers) {
  Resources use{};
  use.threads = static_cast<int>(schedule.threads);
  use.sharedBytes = sharedBytesOf(schedule, traits, device.warpSize);
  use.registers =
      registers.value_or(static_cast<int>(registersOf(schedule, traits)));
  setResidency(use, device);
  return use;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

namespace {
/// What a constraint sees. The layout is all zero unless "tile" passes.
struct Subject {
  const Schedule &tile;
  const RowTraits &traits;
  const DeviceSpec &device;
  RowSchedule schedule;
};
} // namespace

static Message checkTile(const Subject &subject) {
  const Schedule &tile = subject.tile;
  for (int64_t extent : {tile.blockM, tile.blockN})
    if (!isPowerOfTwo(extent) || extent > kMaxRowTileExtent)
      return "a tile of " + str(tile.blockM) + " rows and " + str(tile.blockN) +
             " columns has an extent that is not a power of two between 1 "
             "and " +
             str(kMaxRowTileExtent);
  if (tile.blockK != 1 || tile.threadM != 1)
    return "a tile of rows has one element along k and one row per thread, "
           "not " +
           str(tile.blockK) + " and " + str(tile.threadM);
  int64_t most = std::min(tile.blockN, kMaxColumns);
  if (!isPowerOfTwo(tile.threadN) || tile.threadN > most)
    return str(tile.threadN) +
           " columns per thread are not a power of two between 1 and " +
           str(most);
  return std::nullopt;
}

static Message checkRefinements(const Subject &subject) {
  const Schedule defaults, &tile = subject.tile;
  if (tile.stages == defaults.stages && tile.split == defaults.split &&
      tile.order == defaults.order)
    return std::nullopt;
  return "tiles of rows have no stages, splits or orders but those by default";
}

static Message checkThreads(const Subject &subject) {
  int64_t threads = subject.schedule.threads;
  const DeviceSpec &device = subject.device;
  if (threads > 0 && threads % device.warpSize == 0 &&
      threads <= device.maxThreadsPerBlock)
    return std::nullopt;
  return "a block of " + str(threads) + " threads is not a multiple of the " +
         str(device.warpSize) + " of a warp up to " +
         str(device.maxThreadsPerBlock) + ", which " + textOf(subject.device) +
         " allows";
}

static Message checkVector(const Subject &subject) {
  int64_t vector = subject.tile.vector;
  if (isPowerOfTwo(vector) && vector <= kMaxVectorWidth)
    return std::nullopt;
  return "vectors of " + str(vector) + " words are not of 1, 2 or " +
         str(kMaxVectorWidth);
}

static Message checkSharedMemory(const Subject &subject) {
  int64_t bytes =
      sharedBytesOf(subject.schedule, subject.traits, subject.device.warpSize);
  if (bytes <= subject.device.staticSharedPerBlock)
    return std::nullopt;
  return str(subject.traits.reductions) + " reductions over " +
         str(subject.schedule.threads) + " threads need " + str(bytes) +
         " bytes of shared memory, " + textOf(subject.device) + " allows " +
         str(subject.device.staticSharedPerBlock);
}

static Message checkColumns(const Subject &subject) {
  int64_t columns = subject.tile.threadN;
  int64_t registers = columns * subject.traits.columnRegisters;
  if (columns == 1 || registers <= kColumnRegisters)
    return std::nullopt;
  return str(columns) + " columns per thread with " +
         str(subject.traits.columnRegisters) + " registers each need " +
         str(registers) + " registers, more than the " + str(kColumnRegisters) +
         " that hold columns";
}

static Message checkRegisters(const Subject &subject) {
  int64_t registers = registersOf(subject.schedule, subject.traits);
  if (registers <= subject.device.maxRegistersPerThread)
    return std::nullopt;
  return str(subject.schedule.vectors * subject.schedule.vector) +
         " columns per lane need about " + str(registers) +
         " registers per thread, " + textOf(subject.device) + " allows " +
         str(subject.device.maxRegistersPerThread);
}

static Message checkRegisterFile(const Subject &subject) {
  int64_t registers = registersOf(subject.schedule, subject.traits);
  int64_t allocated =
      allocatedRegisters(subject.schedule.threads, registers, subject.device);
  if (allocated <= subject.device.registersPerSM)
    return std::nullopt;
  return str(subject.schedule.threads) + " threads with about " +
         str(registers) + " registers each need " + str(allocated) +
         " registers, an SM of " + textOf(subject.device) + " has " +
         str(subject.device.registersPerSM);
}

/// In an order in which each may rely on those before it.
static constexpr Constraint<Subject> kConstraints[] = {
    {"row-tile", checkTile},
    {"refinements", checkRefinements},
    {"vector", checkVector},
    {"threads", checkThreads},
    {"shared-memory", checkSharedMemory},
    {"columns", checkColumns},
    {"registers", checkRegisters},
    {"register-file", checkRegisterFile},
};

std::optional<Violation> dietcode::checkSchedule(const Schedule &schedule,
                                                 const RowTraits &traits,
                                                 const DeviceSpec &device) {
  Subject subject{schedule, traits, device, RowSchedule()};
  if (!checkTile(subject))
    subject.schedule = rowScheduleOf(schedule, traits);
  return findViolation(kConstraints, subject);
}

std::vector<std::string_view> dietcode::rowConstraintNames() {
  return namesOf(kConstraints);
}
