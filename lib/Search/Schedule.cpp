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
static constexpr int64_t kMaxWarpExtent = 128;
static constexpr int64_t kMinBlockK = 4;
static constexpr int64_t kMaxBlockK = 64;

/// Threads of a block of the reduction, if the tile has work for as many. It
/// waits for memory: small blocks spread the few rows of a small destination
/// over all SMs.
static constexpr int64_t kReductionThreads = 128;

/// Registers for addresses, loop counters, bounds and the epilogue. An
/// allowance, not a measurement: ptxas's report replaces the estimate later.
static constexpr int64_t kBookkeepingRegisters = 40;

static constexpr int64_t kBytesPerWord = 4;

/// How the sums of a matrix instruction lie over a warp: lane l has row l / 4
/// and columns 2 (l % 4) and 2 (l % 4) + 1 of each 8 x 8 part (PTX ISA,
/// "Matrix Fragments for mma.m16n8k8" and "for mma.m8n8k16").
static constexpr int64_t kMatrixLanesM = 8;
static constexpr int64_t kMatrixLanesN = 4;
static constexpr int64_t kMatrixGroupN = 2;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string Schedule::name() const {
  std::string text = std::to_string(blockM) + "x" + std::to_string(blockN) +
                     "x" + std::to_string(blockK) + "_" +
                     std::to_string(threadM) + "x" + std::to_string(threadN);
  text += infoOf(instruction).suffix;
  if (stages != 2)
    text += "_s" + std::to_string(stages);
  if (split != 1)
    text += "_k" + std::to_string(split);
  if (vector != kMaxVectorWidth)
    text += "_v" + std::to_string(vector);
  if (order == TileOrder::NFirst)
    text += "_nm";
  if (order == TileOrder::Bands)
    text += "_mnm";
  return text;
}

std::string Schedule::kernelName() const {
  return (infoOf(instruction).isWarpWide ? "warp_" : "simt_") + name();
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

/// The longest suffix counts.
static Instruction consumeInstruction(std::string_view &text) {
  Instruction found = Instruction::Fma;
  for (Instruction instruction : allInstructions()) {
    std::string_view suffix = infoOf(instruction).suffix;
    if (suffix.size() > infoOf(found).suffix.size() &&
        text.substr(0, suffix.size()) == suffix)
      found = instruction;
  }
  consume(text, infoOf(found).suffix);
  return found;
}

Expected<Schedule> dietcode::parseSchedule(std::string_view name) {
  Schedule schedule;
  std::string_view text = name;
  bool ok = consumeInteger(text, schedule.blockM) && consume(text, "x") &&
            consumeInteger(text, schedule.blockN) && consume(text, "x") &&
            consumeInteger(text, schedule.blockK) && consume(text, "_") &&
            consumeInteger(text, schedule.threadM) && consume(text, "x") &&
            consumeInteger(text, schedule.threadN);
  if (ok)
    schedule.instruction = consumeInstruction(text);
  if (ok && consume(text, "_s"))
    ok = consumeInteger(text, schedule.stages);
  if (ok && consume(text, "_k"))
    ok = consumeInteger(text, schedule.split);
  if (ok && consume(text, "_v"))
    ok = consumeInteger(text, schedule.vector);
  if (ok && consume(text, "_nm"))
    schedule.order = TileOrder::NFirst;
  else if (ok && consume(text, "_mnm"))
    schedule.order = TileOrder::Bands;
  if (!ok || !text.empty())
    return fail("'" + std::string(name) +
                "' is not a schedule; write one as "
                "<blockM>x<blockN>x<blockK>_<threadM>x<threadN>, for example "
                "128x128x8_8x8, followed by what is not as by default: "
                "_mma, _mma16 or _mma8, _s<stages>, _k<split>, _v<vector>, _nm "
                "or _mnm");
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

/// As many as a thread copies at once, so that each copies the same number; 0
/// if that does not work out.
static int64_t copiedAtOnce(const Schedule &schedule, int64_t elements,
                            int64_t threads, int64_t widest) {
  const InstructionInfo &info = infoOf(schedule.instruction);
  if (!info.isWarpWide)
    return vectorOf(elements, threads, widest);
  int64_t chunk = info.chunkElements();
  return elements % (threads * chunk) == 0 ? chunk : 0;
}

/// The threads of a block whose thread tile divides it.
static int64_t threadsOf(const Schedule &schedule, int64_t warpSize) {
  int64_t tiles = (schedule.blockM / schedule.threadM) *
                  (schedule.blockN / schedule.threadN);
  return infoOf(schedule.instruction).isWarpWide ? tiles * warpSize : tiles;
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

static bool layOutThreads(ScheduleLayout &layout, const Schedule &schedule,
                          int warpSize) {
  const InstructionInfo &info = infoOf(schedule.instruction);
  if (!info.isWarpWide) {
    layout.threadsM = schedule.blockM / schedule.threadM;
    layout.threadsN = schedule.blockN / schedule.threadN;
    layout.groupM = std::min(kMaxVectorWidth, schedule.threadM);
    layout.groupN = std::min(kMaxVectorWidth, schedule.threadN);
    return chooseLanes(layout, warpSize);
  }
  if (schedule.threadM % info.m || schedule.threadN % info.n ||
      schedule.blockK % info.k)
    return false;
  layout.lanesM = kMatrixLanesM;
  layout.lanesN = kMatrixLanesN;
  layout.warpsM = schedule.blockM / schedule.threadM;
  layout.warpsN = schedule.blockN / schedule.threadN;
  layout.threadsM = layout.warpsM * layout.lanesM;
  layout.threadsN = layout.warpsN * layout.lanesN;
  layout.groupM = 1;
  layout.groupN = kMatrixGroupN;
  return true;
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
  if (!layOutThreads(layout, schedule, warpSize))
    return std::nullopt;
  layout.threads = layout.threadsM * layout.threadsN;
  layout.sums = schedule.blockM * schedule.blockN / layout.threads;

  int64_t elementsA = schedule.blockM * schedule.blockK;
  int64_t elementsB = schedule.blockN * schedule.blockK;
  layout.vectorA =
      copiedAtOnce(schedule, elementsA, layout.threads, schedule.vector);
  layout.vectorB =
      copiedAtOnce(schedule, elementsB, layout.threads, schedule.vector);
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
  std::vector<KernelStep> steps = {
      {"", threadsOf(schedule, warpSize), schedule.split}};
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

int64_t dietcode::bandTiles(const Schedule &schedule) {
  return std::max<int64_t>(1, kBandRows / schedule.blockM);
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
  const InstructionInfo &info = infoOf(schedule.instruction);
  int64_t padding = info.isWarpWide ? 0 : kSharedRowPadding;
  int64_t row = schedule.blockM + schedule.blockN + 2 * padding;
  return schedule.stages * schedule.blockK * row * info.elementBytes;
}

static int64_t wordsOf(int64_t elements, int64_t bytes) {
  return (elements * bytes + kBytesPerWord - 1) / kBytesPerWord;
}

/// Registers that a thread holds elements in on their way from global to shared
/// memory.
static int64_t stagedWords(const Schedule &schedule,
                           const ScheduleLayout &layout) {
  return wordsOf(layout.vectorA * layout.copiesA +
                     layout.vectorB * layout.copiesB,
                 infoOf(schedule.instruction).elementBytes);
}

/// Registers of the factors of one step along k of a thread's tile; or of two
/// steps, of which a warp loads one and multiplies the other, in each lane.
static int64_t fragmentWords(const Schedule &schedule, int64_t warpSize) {
  const InstructionInfo &info = infoOf(schedule.instruction);
  int64_t elements = (schedule.threadM + schedule.threadN) * info.k;
  return wordsOf(info.isWarpWide ? 2 * elements / warpSize : elements,
                 info.elementBytes);
}

static int64_t sumWords(const Schedule &schedule,
                        const ScheduleLayout &layout) {
  return wordsOf(layout.sums, infoOf(schedule.instruction).sumBytes);
}

/// accumulators + fragments + the staged copies + bookkeeping. The copies of
/// warps, which are spread over the product, have an address of 64 bits each,
/// and those of the two stages differ.
static int64_t registersOf(const Schedule &schedule,
                           const ScheduleLayout &layout, int64_t warpSize) {
  int64_t addresses = infoOf(schedule.instruction).isWarpWide
                          ? 2 * (layout.copiesA + layout.copiesB + 2)
                          : 0;
  return sumWords(schedule, layout) + fragmentWords(schedule, warpSize) +
         stagedWords(schedule, layout) + addresses + kBookkeepingRegisters;
}

/// What the twin for any strides needs at most. With fma it copies element by
/// element, each with a 64-bit address and an offset of its own; with matrix
/// instructions, it stages less at once. Fitted from above to what ptxas 13.0
/// uses for sm_75 over the whole space; schedules.mlir of the pipeline tests
/// watches that nothing spills.
static int64_t generalRegistersOf(const Schedule &schedule,
                                  const ScheduleLayout &layout,
                                  int64_t warpSize) {
  int64_t registers = registersOf(schedule, layout, warpSize);
  return infoOf(schedule.instruction).isWarpWide
             ? registers
             : registers + 3 * stagedWords(schedule, layout);
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
  use.registers = registers.value_or(
      static_cast<int>(registersOf(schedule, layout, device.warpSize)));

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

static std::string_view ownerOf(const Schedule &schedule) {
  return infoOf(schedule.instruction).isWarpWide ? "warp" : "thread";
}

/// " thread" or " warp".
static std::string ownerText(const Schedule &schedule) {
  return " " + std::string(ownerOf(schedule));
}

static bool isPowerOfTwo(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

/// Where a chip is not known, nothing but fma can be relied on.
static Message checkInstruction(const Subject &subject) {
  const InstructionInfo &info = infoOf(subject.schedule.instruction);
  const ChipSpec *chip = lookupChip(subject.device.chip);
  int capability = chip ? chip->computeCapability : 0;
  if (capability >= info.computeCapability)
    return std::nullopt;
  return subject.deviceText() + ", which is " +
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
    return head + ", " + subject.deviceText() + " allows " +
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
         str(bytes) + " bytes of shared memory, " + subject.deviceText() +
         " allows " + str(subject.device.staticSharedPerBlock);
}

static Message checkRegisters(const Subject &subject) {
  int64_t registers = generalRegistersOf(subject.schedule, subject.layout,
                                         subject.device.warpSize);
  if (registers <= subject.device.maxRegistersPerThread)
    return std::nullopt;
  return "the " + threadText(subject.schedule) + ownerText(subject.schedule) +
         " tile needs about " + str(registers) + " registers per thread, " +
         subject.deviceText() + " allows " +
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
