//===- ScheduleConstraints.cpp - Limits of schedules ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constraint.h"
#include "Residency.h"
#include "ScheduleImpl.h"
#include "dietcode/Search/RowSchedule.h"

using namespace dietcode;

static constexpr int64_t kMaxThreadExtent = 16;
static constexpr int64_t kMaxWarpExtent = 128;
static constexpr int64_t kMinBlockK = 4;
static constexpr int64_t kMaxBlockK = 64;

namespace {
/// What a constraint sees. The layout is all zero unless "staging" passes.
struct Subject {
  const Schedule &schedule;
  const DeviceSpec &device;
  ScheduleLayout layout;
};
} // namespace

static std::string blockText(const Schedule &schedule) {
  return str(schedule.blockM) + "x" + str(schedule.blockN) + "x" +
         str(schedule.blockK);
}

static std::string threadText(const Schedule &schedule) {
  return str(schedule.threadM) + "x" + str(schedule.threadN);
}

static std::string_view ownerOf(const Schedule &schedule) {
  return infoOf(schedule.instruction).isWarpWide ? "warp" : "thread";
}

/// " thread" or " warp".
static std::string ownerText(const Schedule &schedule) {
  return " " + std::string(ownerOf(schedule));
}

/// Where a chip is not known, nothing but fma can be relied on.
static Message checkInstruction(const Subject &subject) {
  const InstructionInfo &info = infoOf(subject.schedule.instruction);
  const ChipSpec *chip = lookupChip(subject.device.chip);
  int capability = chip ? chip->computeCapability : 0;
  if (capability >= info.computeCapability)
    return std::nullopt;
  return textOf(subject.device) + ", which is " +
         std::string(subject.device.chip) + ", has no " +
         std::string(info.ptx) + ", which needs sm_" +
         str(info.computeCapability);
}

static Message checkTileSize(const Subject &subject) {
  const Schedule &schedule = subject.schedule;
  for (int64_t extent : {schedule.blockM, schedule.blockN})
    if (extent < kMaxVectorWidth || extent > kMaxTileExtent ||
        extent % kMaxVectorWidth)
      return "the " + blockText(schedule) + " tile has a block extent of " +
             str(extent) + ", which is not a multiple of " +
             str(kMaxVectorWidth) + " between " + str(kMaxVectorWidth) +
             " and " + str(kMaxTileExtent);
  if (!infoOf(schedule.instruction).isWarpWide)
    return std::nullopt;
  for (int64_t extent : {schedule.blockM, schedule.blockN})
    if (!isPowerOfTwo(extent))
      return "the " + blockText(schedule) + " tile has a block extent of " +
             str(extent) + ", which is not a power of two as swizzled tiles " +
             "need";
  return std::nullopt;
}

static Message checkKTile(const Subject &subject) {
  int64_t blockK = subject.schedule.blockK;
  if (isPowerOfTwo(blockK) && blockK >= kMinBlockK && blockK <= kMaxBlockK)
    return std::nullopt;
  return "the k tile of " + str(blockK) + " is not a power of two between " +
         str(kMinBlockK) + " and " + str(kMaxBlockK);
}

static Message checkThreadTile(const Subject &subject) {
  const Schedule &schedule = subject.schedule;
  std::string tile = "the " + threadText(schedule) + ownerText(schedule);
  int64_t most = infoOf(schedule.instruction).isWarpWide ? kMaxWarpExtent
                                                         : kMaxThreadExtent;
  for (int64_t extent : {schedule.threadM, schedule.threadN})
    if (!isPowerOfTwo(extent) || extent > most)
      return tile + " tile has an extent of " + str(extent) +
             ", which is not a power of two between 1 and " + str(most);
  if (schedule.blockM % schedule.threadM || schedule.blockN % schedule.threadN)
    return tile + " tile does not divide the " + str(schedule.blockM) + "x" +
           str(schedule.blockN) + " block";
  return std::nullopt;
}

static Message checkInstructionTile(const Subject &subject) {
  const Schedule &schedule = subject.schedule;
  const InstructionInfo &info = infoOf(schedule.instruction);
  if (schedule.threadM % info.m == 0 && schedule.threadN % info.n == 0 &&
      schedule.blockK % info.k == 0)
    return std::nullopt;
  return "the " + threadText(schedule) + "x" + str(schedule.blockK) +
         ownerText(schedule) + " tile is not made of whole " + str(info.m) +
         "x" + str(info.n) + "x" + str(info.k) + " products, which " +
         std::string(info.ptx) + " computes";
}

/// Tiles pass through registers, since sm_75 has no asynchronous copies.
static Message checkStages(const Subject &subject) {
  int64_t stages = subject.schedule.stages;
  if (stages == 1 || stages == 2)
    return std::nullopt;
  return str(stages) +
         " stages are not supported, there are 1 or 2: registers hold one k "
         "tile on its way to shared memory, so that more buffers stay empty";
}

static Message checkSplit(const Subject &subject) {
  int64_t split = subject.schedule.split;
  if (split >= 1 && split <= kMaxSplit)
    return std::nullopt;
  return "the k tiles cannot be split into " + str(split) +
         " parts, only into 1 to " + str(kMaxSplit);
}

static Message checkVector(const Subject &subject) {
  int64_t vector = subject.schedule.vector;
  if (infoOf(subject.schedule.instruction).isWarpWide) {
    if (vector == kMaxVectorWidth)
      return std::nullopt;
    return "vectors of " + str(vector) + " words are not supported with " +
           std::string(infoOf(subject.schedule.instruction).name) +
           ": threads copy rows of matrices, which have " +
           str(kMaxVectorWidth);
  }
  if (isPowerOfTwo(vector) && vector <= kMaxVectorWidth)
    return std::nullopt;
  return "vectors of " + str(vector) +
         " elements are not supported, threads copy 1, 2 or " +
         str(kMaxVectorWidth) + " at once";
}

static Message checkThreads(const Subject &subject) {
  const Schedule &schedule = subject.schedule;
  const DeviceSpec &device = subject.device;
  int64_t threads = threadsOf(schedule, device.warpSize);
  std::string head = "the " + blockText(schedule) + " tile with " +
                     threadText(schedule) + " per" + ownerText(schedule) +
                     " needs " + str(threads) + " threads";
  if (threads % device.warpSize)
    return head + ", which is not a multiple of the " + str(device.warpSize) +
           " of a warp";
  if (threads > device.maxThreadsPerBlock)
    return head + ", " + textOf(subject.device) + " allows " +
           str(device.maxThreadsPerBlock) + " per block";
  return std::nullopt;
}

static Message checkStaging(const Subject &subject) {
  const Schedule &schedule = subject.schedule;
  int64_t threads = threadsOf(schedule, subject.device.warpSize);
  for (bool isA : {true, false}) {
    int64_t block = isA ? schedule.blockM : schedule.blockN;
    int64_t elements = block * schedule.blockK;
    if (copiedAtOnce(schedule, elements, threads, kMaxVectorWidth) == 0)
      return std::string("the ") + str(block) + "x" + str(schedule.blockK) +
             " tile of " + (isA ? "A" : "B") + " has " + str(elements) +
             " elements, which " + str(threads) +
             " threads cannot copy in equal parts";
  }
  return std::nullopt;
}

static Message checkSharedMemory(const Subject &subject) {
  const Schedule &schedule = subject.schedule;
  int64_t bytes = sharedBytesOf(schedule);
  if (bytes <= subject.device.staticSharedPerBlock)
    return std::nullopt;
  return "the " + blockText(schedule) + " tile with " + str(schedule.stages) +
         (schedule.stages == 1 ? " stage" : " stages") + " needs " +
         str(bytes) + " bytes of shared memory, " + textOf(subject.device) +
         " allows " + str(subject.device.staticSharedPerBlock);
}

static Message checkRegisters(const Subject &subject) {
  int64_t registers = generalRegistersOf(subject.schedule, subject.layout,
                                         subject.device.warpSize);
  if (registers <= subject.device.maxRegistersPerThread)
    return std::nullopt;
  return "the " + threadText(subject.schedule) + ownerText(subject.schedule) +
         " tile needs about " + str(registers) + " registers per thread, " +
         textOf(subject.device) + " allows " +
         str(subject.device.maxRegistersPerThread);
}

static Message checkRegisterFile(const Subject &subject) {
  int64_t threads = subject.layout.threads;
  int64_t registers = generalRegistersOf(subject.schedule, subject.layout,
                                         subject.device.warpSize);
  int64_t allocated = allocatedRegisters(threads, registers, subject.device);
  if (allocated <= subject.device.registersPerSM)
    return std::nullopt;
  return str(threads) + " threads with about " + str(registers) +
         " registers each need " + str(allocated) + " registers, an SM of " +
         textOf(subject.device) + " has " + str(subject.device.registersPerSM);
}

static Message checkResidency(const Subject &subject) {
  Resources use = resourcesOf(subject.schedule, subject.device);
  if (use.blocksPerSM >= 1)
    return std::nullopt;
  return "the block of " + str(use.threads) + " threads and " +
         str(use.sharedBytes) +
         " bytes of shared memory does not fit on an SM of " +
         textOf(subject.device) + " with " +
         str(subject.device.maxThreadsPerSM) + " threads and " +
         str(subject.device.sharedPerSM) + " bytes";
}

/// In an order in which each may rely on those before it.
static constexpr Constraint<Subject> kConstraints[] = {
    {"instruction", checkInstruction},
    {"tile-size", checkTileSize},
    {"k-tile", checkKTile},
    {"thread-tile", checkThreadTile},
    {"instruction-tile", checkInstructionTile},
    {"stages", checkStages},
    {"split", checkSplit},
    {"vector", checkVector},
    {"shared-memory", checkSharedMemory},
    {"threads", checkThreads},
    {"staging", checkStaging},
    {"registers", checkRegisters},
    {"register-file", checkRegisterFile},
    {"residency", checkResidency},
};

std::optional<Violation> dietcode::checkSchedule(const Schedule &schedule,
                                                 const DeviceSpec &device) {
  if (!infoOf(schedule.instruction).isProduct) {
    RowTraits simplest;
    simplest.reductions = schedule.instruction == Instruction::Rows;
    return checkSchedule(schedule, simplest, device);
  }
  Subject subject{
      schedule, device,
      layoutOf(schedule, device.warpSize).value_or(ScheduleLayout{})};
  return findViolation(kConstraints, subject);
}

std::vector<std::string_view> dietcode::scheduleConstraintNames() {
  return namesOf(kConstraints);
}
