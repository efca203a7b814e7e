//===- Schedule.cpp - Layout, resources and limits of schedules -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/Schedule.h"

#include <algorithm>
#include <charconv>

using namespace dietcode;

/// Largest tile extent that is worth a message of its own; everything computed
/// from extents up to it fits in 64 bits with room to spare.
static constexpr int64_t kMaxTileExtent = 1024;
static constexpr int64_t kMaxThreadExtent = 16;
static constexpr int64_t kMinBlockK = 4;
static constexpr int64_t kMaxBlockK = 64;

/// Threads of a block of the reduction, if the tile has work for as many. It
/// waits for memory: small blocks spread the few rows of a small destination
/// over all SMs.
static constexpr int64_t kReductionThreads = 128;

/// Registers for addresses, loop counters, bounds and the epilogue. An
/// allowance, not a measurement: ptxas's report replaces the estimate later.
static constexpr int64_t kBookkeepingRegisters = 40;

static constexpr int64_t kBytesPerElement = 4;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string Schedule::name() const {
  std::string text = std::to_string(blockM) + "x" + std::to_string(blockN) +
                     "x" + std::to_string(blockK) + "_" +
                     std::to_string(threadM) + "x" + std::to_string(threadN);
  if (stages != 2)
    text += "_s" + std::to_string(stages);
  if (split != 1)
    text += "_k" + std::to_string(split);
  if (vector != kMaxVectorWidth)
    text += "_v" + std::to_string(vector);
  if (order == TileOrder::NFirst)
    text += "_nm";
  return text;
}

/// Takes an integer off the front of `text`.
static bool consumeInteger(std::string_view &text, int64_t &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc())
    return false;
  text.remove_prefix(end - text.data());
  return true;
}

static bool consume(std::string_view &text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix)
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

Expected<Schedule> dietcode::parseSchedule(std::string_view name) {
  Schedule schedule;
  std::string_view text = name;
  bool ok = consumeInteger(text, schedule.blockM) && consume(text, "x") &&
            consumeInteger(text, schedule.blockN) && consume(text, "x") &&
            consumeInteger(text, schedule.blockK) && consume(text, "_") &&
            consumeInteger(text, schedule.threadM) && consume(text, "x") &&
            consumeInteger(text, schedule.threadN);
  if (ok && consume(text, "_s"))
    ok = consumeInteger(text, schedule.stages);
  if (ok && consume(text, "_k"))
    ok = consumeInteger(text, schedule.split);
  if (ok && consume(text, "_v"))
    ok = consumeInteger(text, schedule.vector);
  if (ok && consume(text, "_nm"))
    schedule.order = TileOrder::NFirst;
  if (!ok || !text.empty())
    return fail("'" + std::string(name) +
                "' is not a schedule; write one as "
                "<blockM>x<blockN>x<blockK>_<threadM>x<threadN>, for example "
                "128x128x8_8x8, followed by what is not as by default: "
                "_s<stages>, _k<split>, _v<vector>, _nm");
  return schedule;
}

//===----------------------------------------------------------------------===//
// Layout and resources
//===----------------------------------------------------------------------===//

/// The largest of 4, 2, 1, and at most `widest`, by which `elements` divide
/// evenly over the threads; 0 if none does.
static int64_t vectorOf(int64_t elements, int64_t threads, int64_t widest) {
  for (int64_t width = kMaxVectorWidth; width >= 1; width /= 2)
    if (width <= widest && elements % (threads * width) == 0)
      return width;
  return 0;
}

/// Finds the patch of threads that a warp covers. Lanes in one row or column of
/// the patch read the same address, so a compact patch has the fewest distinct
/// ones: 4 + 8 = 12 for 4 x 8 against 33 for 1 x 32. One always fits when the
/// threads are a multiple of the warp, as that is a power of two.
static bool chooseLanes(ScheduleLayout &layout, int warpSize) {
  for (int64_t lanesM : {4, 8, 2, 16, 1, 32, 64}) {
    int64_t lanesN = warpSize / lanesM;
    if (lanesN == 0 || layout.threadsM % lanesM || layout.threadsN % lanesN)
      continue;
    layout.lanesM = lanesM;
    layout.lanesN = lanesN;
    layout.warpsM = layout.threadsM / lanesM;
    layout.warpsN = layout.threadsN / lanesN;
    return true;
  }
  return false;
}

std::optional<ScheduleLayout> dietcode::layoutOf(const Schedule &schedule,
                                                 int warpSize) {
  for (int64_t extent : {schedule.blockM, schedule.blockN, schedule.blockK,
                         schedule.threadM, schedule.threadN})
    if (extent <= 0 || extent > kMaxTileExtent)
      return std::nullopt;
  if (schedule.blockM % schedule.threadM || schedule.blockN % schedule.threadN)
    return std::nullopt;

  ScheduleLayout layout{};
  layout.threadsM = schedule.blockM / schedule.threadM;
  layout.threadsN = schedule.blockN / schedule.threadN;
  layout.threads = layout.threadsM * layout.threadsN;
  layout.groupM = std::min(kMaxVectorWidth, schedule.threadM);
  layout.groupN = std::min(kMaxVectorWidth, schedule.threadN);
  if (!chooseLanes(layout, warpSize))
    return std::nullopt;

  int64_t elementsA = schedule.blockM * schedule.blockK;
  int64_t elementsB = schedule.blockN * schedule.blockK;
  layout.vectorA = vectorOf(elementsA, layout.threads, schedule.vector);
  layout.vectorB = vectorOf(elementsB, layout.threads, schedule.vector);
  if (layout.vectorA == 0 || layout.vectorB == 0)
    return std::nullopt;
  layout.copiesA = elementsA / (layout.threads * layout.vectorA);
  layout.copiesB = elementsB / (layout.threads * layout.vectorB);
  return layout;
}

int64_t dietcode::reductionVector(const Schedule &schedule, int warpSize) {
  return vectorOf(schedule.blockM * schedule.blockN, warpSize, kMaxVectorWidth);
}

std::vector<KernelStep> dietcode::stepsOf(const Schedule &schedule,
                                          int warpSize) {
  int64_t threadsM = schedule.blockM / schedule.threadM;
  int64_t threadsN = schedule.blockN / schedule.threadN;
  std::vector<KernelStep> steps = {{"", threadsM * threadsN, schedule.split}};
  if (schedule.split == 1)
    return steps;
  int64_t vectors =
      schedule.blockM * schedule.blockN / reductionVector(schedule, warpSize);
  int64_t threads = kReductionThreads / warpSize * warpSize;
  while (vectors % threads)
    threads -= warpSize;
  steps.push_back({"_reduction", threads, vectors / threads});
  return steps;
}

static int64_t roundUp(int64_t value, int64_t unit) {
  return unit <= 1 ? value : (value + unit - 1) / unit * unit;
}

/// Of any extents up to the largest.
static int64_t ceilDiv(int64_t value, int64_t by) {
  return value / by + (value % by != 0 ? 1 : 0);
}

int64_t dietcode::tilesOf(const Schedule &schedule, int64_t m, int64_t n) {
  return ceilDiv(m, schedule.blockM) * ceilDiv(n, schedule.blockN);
}

int64_t dietcode::blocksOf(const Schedule &schedule, int64_t m, int64_t n) {
  return tilesOf(schedule, m, n) * schedule.split;
}

int64_t dietcode::kTilesPerBlock(const Schedule &schedule, int64_t k) {
  return ceilDiv(ceilDiv(k, schedule.blockK), schedule.split);
}

int64_t dietcode::workspaceElements(const Schedule &schedule, int64_t m,
                                    int64_t n) {
  return schedule.split == 1 ? 0
                             : schedule.split * m * roundUp(n, kMaxVectorWidth);
}

static int64_t sharedBytesOf(const Schedule &schedule) {
  int64_t row = schedule.blockM + schedule.blockN + 2 * kSharedRowPadding;
  return schedule.stages * schedule.blockK * row * kBytesPerElement;
}

/// Elements that a thread holds on their way from global to shared memory.
static int64_t stagedElements(const ScheduleLayout &layout) {
  return layout.vectorA * layout.copiesA + layout.vectorB * layout.copiesB;
}

/// accumulators + one k step of fragments + the staged copies + bookkeeping.
static int64_t registersOf(const Schedule &schedule,
                           const ScheduleLayout &layout) {
  return schedule.threadM * schedule.threadN +
         (schedule.threadM + schedule.threadN) + stagedElements(layout) +
         kBookkeepingRegisters;
}

/// What the twin for any strides needs at most: it copies element by element,
/// each with a 64-bit address and an offset of its own. Fitted from above to
/// what ptxas 13.0 uses for sm_75 over the whole space; schedules.mlir of the
/// pipeline tests watches that nothing spills.
static int64_t generalRegistersOf(const Schedule &schedule,
                                  const ScheduleLayout &layout) {
  return schedule.threadM * schedule.threadN +
         (schedule.threadM + schedule.threadN) + 4 * stagedElements(layout) +
         kBookkeepingRegisters;
}

/// Registers that a block occupies: they are handed to whole warps in units.
static int64_t allocatedRegisters(int64_t threads, int64_t registers,
                                  const DeviceSpec &device) {
  int64_t warps = (threads + device.warpSize - 1) / device.warpSize;
  return warps *
         roundUp(registers * device.warpSize, device.registerAllocationUnit);
}

Resources dietcode::resourcesOf(const Schedule &schedule,
                                const DeviceSpec &device) {
  std::optional<ScheduleLayout> layout = layoutOf(schedule, device.warpSize);
  return layout ? resourcesOf(schedule, *layout, device) : Resources{};
}

Resources dietcode::resourcesOf(const Schedule &schedule,
                                const ScheduleLayout &layout,
                                const DeviceSpec &device,
                                std::optional<int> registers) {
  Resources use{};
  use.threads = static_cast<int>(layout.threads);
  use.sharedBytes = sharedBytesOf(schedule);
  use.registers =
      registers.value_or(static_cast<int>(registersOf(schedule, layout)));

  int64_t warps = layout.threads / device.warpSize;
  int64_t resident = device.maxBlocksPerSM;
  resident = std::min(resident, device.maxThreadsPerSM / layout.threads);
  resident = std::min(resident, device.maxWarpsPerSM / warps);
  resident = std::min(
      resident, device.registersPerSM /
                    allocatedRegisters(use.threads, use.registers, device));
  int64_t shared = roundUp(use.sharedBytes, device.sharedAllocationUnit);
  if (shared > 0)
    resident = std::min(resident, device.sharedPerSM / shared);
  use.blocksPerSM = static_cast<int>(resident);
  use.occupancy = static_cast<double>(resident * warps) / device.maxWarpsPerSM;
  return use;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

namespace {
/// What a constraint sees. The layout is all zero unless "staging" passes.
struct Subject {
  const Schedule &schedule;
  const DeviceSpec &device;
  ScheduleLayout layout;

  std::string deviceText() const { return "the " + std::string(device.name); }
};

using Message = std::optional<std::string>;

struct Constraint {
  std::string_view name;
  Message (*check)(const Subject &);
};
} // namespace

static std::string str(int64_t value) { return std::to_string(value); }

static std::string blockText(const Schedule &schedule) {
  return str(schedule.blockM) + "x" + str(schedule.blockN) + "x" +
         str(schedule.blockK);
}

static std::string threadText(const Schedule &schedule) {
  return str(schedule.threadM) + "x" + str(schedule.threadN);
}

static bool isPowerOfTwo(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
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
  for (int64_t extent : {schedule.threadM, schedule.threadN})
    if (!isPowerOfTwo(extent) || extent > kMaxThreadExtent)
      return "the " + threadText(schedule) + " thread tile has an extent of " +
             str(extent) + ", which is not a power of two between 1 and " +
             str(kMaxThreadExtent);
  if (schedule.blockM % schedule.threadM || schedule.blockN % schedule.threadN)
    return "the " + threadText(schedule) + " thread tile does not divide the " +
           str(schedule.blockM) + "x" + str(schedule.blockN) + " block";
  return std::nullopt;
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
  if (isPowerOfTwo(vector) && vector <= kMaxVectorWidth)
    return std::nullopt;
  return "vectors of " + str(vector) +
         " elements are not supported, threads copy 1, 2 or " +
         str(kMaxVectorWidth) + " at once";
}

static Message checkThreads(const Subject &subject) {
  const Schedule &schedule = subject.schedule;
  const DeviceSpec &device = subject.device;
  int64_t threads = (schedule.blockM / schedule.threadM) *
                    (schedule.blockN / schedule.threadN);
  std::string head = "the " + blockText(schedule) + " tile with " +
                     threadText(schedule) + " per thread needs " +
                     str(threads) + " threads";
  if (threads % device.warpSize)
    return head + ", which is not a multiple of the " + str(device.warpSize) +
           " of a warp";
  if (threads > device.maxThreadsPerBlock)
    return head + ", " + subject.deviceText() + " allows " +
           str(device.maxThreadsPerBlock) + " per block";
  return std::nullopt;
}

static Message checkStaging(const Subject &subject) {
  const Schedule &schedule = subject.schedule;
  int64_t threads = (schedule.blockM / schedule.threadM) *
                    (schedule.blockN / schedule.threadN);
  for (bool isA : {true, false}) {
    int64_t block = isA ? schedule.blockM : schedule.blockN;
    int64_t elements = block * schedule.blockK;
    if (vectorOf(elements, threads, kMaxVectorWidth) == 0)
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
         str(bytes) + " bytes of shared memory, " + subject.deviceText() +
         " allows " + str(subject.device.staticSharedPerBlock);
}

static Message checkRegisters(const Subject &subject) {
  int64_t registers = generalRegistersOf(subject.schedule, subject.layout);
  if (registers <= subject.device.maxRegistersPerThread)
    return std::nullopt;
  return "the " + threadText(subject.schedule) + " thread tile needs about " +
         str(registers) + " registers per thread, " + subject.deviceText() +
         " allows " + str(subject.device.maxRegistersPerThread);
}

static Message checkRegisterFile(const Subject &subject) {
  int64_t threads = subject.layout.threads;
  int64_t registers = generalRegistersOf(subject.schedule, subject.layout);
  int64_t allocated = allocatedRegisters(threads, registers, subject.device);
  if (allocated <= subject.device.registersPerSM)
    return std::nullopt;
  return str(threads) + " threads with about " + str(registers) +
         " registers each need " + str(allocated) + " registers, an SM of " +
         subject.deviceText() + " has " + str(subject.device.registersPerSM);
}

static Message checkResidency(const Subject &subject) {
  Resources use = resourcesOf(subject.schedule, subject.device);
  if (use.blocksPerSM >= 1)
    return std::nullopt;
  return "the block of " + str(use.threads) + " threads and " +
         str(use.sharedBytes) +
         " bytes of shared memory does not fit on an SM of " +
         subject.deviceText() + " with " + str(subject.device.maxThreadsPerSM) +
         " threads and " + str(subject.device.sharedPerSM) + " bytes";
}

/// In an order in which each may rely on those before it.
static constexpr Constraint kConstraints[] = {
    {"tile-size", checkTileSize},
    {"k-tile", checkKTile},
    {"thread-tile", checkThreadTile},
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
  Subject subject{
      schedule, device,
      layoutOf(schedule, device.warpSize).value_or(ScheduleLayout{})};
  for (const Constraint &constraint : kConstraints)
    if (Message message = constraint.check(subject))
      return Violation{constraint.name, std::move(*message)};
  return std::nullopt;
}

std::vector<std::string_view> dietcode::scheduleConstraintNames() {
  std::vector<std::string_view> names;
  for (const Constraint &constraint : kConstraints)
    names.push_back(constraint.name);
  return names;
}
