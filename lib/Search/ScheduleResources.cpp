//===- ScheduleResources.cpp - What schedules use of a device -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Residency.h"
#include "ScheduleImpl.h"

#include <algorithm>

using namespace dietcode;

/// Registers for addresses, loop counters, bounds and the epilogue. An
/// allowance, not a measurement: ptxas's report replaces the estimate later.
static constexpr int64_t kBookkeepingRegisters = 40;

static constexpr int64_t kBytesPerWord = 4;

/// Of a lane, of which a warp multiplies 64 x 64.
static constexpr int64_t kManySums = 128;

int64_t dietcode::sharedBytesOf(const Schedule &schedule) {
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

/// With fma it copies element by
/// element, each with a 64-bit address and an offset of its own; with matrix
/// instructions, it stages less at once. Fitted from above to what ptxas 13.0
/// uses for sm_75 over the whole space; schedules.mlir of the pipeline tests
/// watches that nothing spills.
int64_t dietcode::generalRegistersOf(const Schedule &schedule,
                                     const ScheduleLayout &layout,
                                     int64_t warpSize) {
  int64_t registers = registersOf(schedule, layout, warpSize);
  return infoOf(schedule.instruction).isWarpWide
             ? registers
             : registers + 3 * stagedWords(schedule, layout);
}

/// A dimension of a warp's product has an extent, and a stride in each of two
/// operands, of 64 bits each, and the positions of very many sums do not fit
/// beside them; with fma, the estimate has room for both. A copy
/// keeps where in its windows it is, in 64 bits, and with fma it may be taken
/// apart to elements that have rows of their own, which are moved all at once
/// to where the next tile has them; a table knows the positions, and the
/// estimate has room for what it leaves. From above what ptxas 13.0 uses for
/// sm_75 of products and convolutions of which nothing is static; the sweep of
/// docs/accuracy.md watches that nothing spills.
static int64_t addressRegistersOf(const Schedule &schedule,
                                  const ScheduleLayout &layout,
                                  const AddressNeeds &needs) {
  if (infoOf(schedule.instruction).isWarpWide) {
    int64_t positions = needs.dims ? (layout.sums - kManySums) / 16 : 0;
    return 6 * needs.dims + std::max<int64_t>(0, positions) +
           5 * (needs.windowsA * layout.copiesA +
                needs.windowsB * layout.copiesB);
  }
  int64_t windowsA = needs.tableA ? 0 : needs.windowsA;
  int64_t windowsB = needs.tableB ? 0 : needs.windowsB;
  return 4 * (windowsA * layout.copiesA * layout.vectorA +
              windowsB * layout.copiesB * layout.vectorB);
}

bool dietcode::hasRegistersFor(const AddressNeeds &needs,
                               const Schedule &schedule,
                               const ScheduleLayout &layout,
                               const DeviceSpec &device) {
  // Whether there are any left without them is a limit of the schedule.
  int64_t addresses = addressRegistersOf(schedule, layout, needs);
  return addresses == 0 ||
         generalRegistersOf(schedule, layout, device.warpSize) + addresses <=
             device.maxRegistersPerThread;
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
  setResidency(use, device);
  return use;
}
