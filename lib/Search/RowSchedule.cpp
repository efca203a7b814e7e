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

using namespace dietcode;

/// Registers for addresses, bounds and what is uniform in a row; an allowance.
static constexpr int64_t kBookkeepingRegisters = 40;

/// Registers of a lane that hold columns, and how many columns they hold at
/// most.
static constexpr int64_t kColumnRegisters = 64;
static constexpr int64_t kMaxColumns = 32;

/// Largest parameter that is worth a message of its own.
static constexpr int64_t kMaxVectors = 64;
static constexpr int64_t kMaxRowVector = 8;

/// Shared memory of the lanes of a row in one warp, for one reduction.
static constexpr int64_t kBytesPerPartial = 8;

/// Neighbouring elements of four bytes in 32, which memory moves at once.
static constexpr int64_t kRowsOfSector = 8;

std::string RowSchedule::name() const {
  return str(rows()) + "x" + str(lanes) + "_" + str(vectors) + "x" +
         str(vector);
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
                                const DeviceSpec &device) {
  Resources use{};
  use.threads = static_cast<int>(schedule.threads);
  use.sharedBytes = sharedBytesOf(schedule, traits, device.warpSize);
  use.registers = static_cast<int>(registersOf(schedule, traits));
  setResidency(use, device);
  return use;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

namespace {
struct Subject {
  const RowSchedule &schedule;
  const RowTraits &traits;
  const DeviceSpec &device;
};
} // namespace

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

static Message checkLanes(const Subject &subject) {
  const RowSchedule &schedule = subject.schedule;
  if (isPowerOfTwo(schedule.lanes) && schedule.threads % schedule.lanes == 0)
    return std::nullopt;
  return str(schedule.lanes) +
         " lanes per row are not a power of two that "
         "divides the " +
         str(schedule.threads) + " threads of a block";
}

static Message checkVector(const Subject &subject) {
  int64_t vector = subject.schedule.vector;
  int64_t most = std::min(kMaxRowVector, subject.traits.maxVector);
  if (isPowerOfTwo(vector) && vector <= most)
    return std::nullopt;
  return "vectors of " + str(vector) +
         " columns are not of a power of two between 1 and " + str(most);
}

static Message checkVectors(const Subject &subject) {
  int64_t vectors = subject.schedule.vectors;
  if (vectors >= 1 && vectors <= kMaxVectors)
    return std::nullopt;
  return str(vectors) + " vectors per lane are not between 1 and " +
         str(kMaxVectors);
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
    {"threads", checkThreads},
    {"lanes", checkLanes},
    {"vector", checkVector},
    {"vectors", checkVectors},
    {"shared-memory", checkSharedMemory},
    {"registers", checkRegisters},
    {"register-file", checkRegisterFile},
};

std::optional<Violation> dietcode::checkSchedule(const RowSchedule &schedule,
                                                 const RowTraits &traits,
                                                 const DeviceSpec &device) {
  Subject subject{schedule, traits, device};
  return findViolation(kConstraints, subject);
}

std::vector<std::string_view> dietcode::rowConstraintNames() {
  return namesOf(kConstraints);
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Columns that a lane holds: a power of two, at least a vector.
static int64_t columnsOf(const RowTraits &traits, int64_t vector,
                         int64_t most) {
  int64_t columns = most;
  while (columns > vector &&
         columns * traits.columnRegisters > kColumnRegisters)
    columns /= 2;
  return std::max(columns, vector);
}

std::vector<RowSchedule> dietcode::listSchedules(const RowTraits &traits,
                                                 const DeviceSpec &device) {
  constexpr int64_t kThreads = 128;
  struct Rung {
    int64_t lanes, columns, threads;
  };
  std::vector<Rung> rungs;
  if (traits.access == RowAccess::Rows)
    rungs = {{4, 16, kThreads}, {16, 32, kThreads}, {64, 32, 512}};
  else if (traits.reductions)
    rungs = {{8, 16, kThreads},
             {32, kMaxColumns, kThreads},
             {128, kMaxColumns, kThreads},
             {512, kMaxColumns, 512}};
  else if (traits.access == RowAccess::Mixed)
    // 32 rows by 8 vectors, so that operands of either kind use their sectors.
    rungs = {{8, 1, 256}};
  else
    rungs = {{1, 1, kThreads},
             {8, 1, kThreads},
             {32, 16, kThreads},
             {kThreads, 16, kThreads}};
  int64_t vector = std::min(kMaxRowVector, traits.maxVector);
  std::vector<RowSchedule> schedules;
  for (const Rung &rung : rungs) {
    int64_t columns = columnsOf(traits, vector, rung.columns);
    RowSchedule schedule{rung.threads, rung.lanes, vector, columns / vector};
    if (!checkSchedule(schedule, traits, device))
      schedules.push_back(schedule);
  }
  return schedules;
}
