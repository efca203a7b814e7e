//===- Schedule.cpp - How schedules cover a destination -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/Schedule.h"
#include "ScheduleImpl.h"

#include <algorithm>

using namespace dietcode;

/// Threads of a block of the reduction, if the tile has work for as many. It
/// waits for memory: small blocks spread the few rows of a small destination
/// over all SMs.
static constexpr int64_t kReductionThreads = 128;

/// How the sums of a matrix instruction lie over a warp: lane l has row l / 4
/// and columns 2 (l % 4) and 2 (l % 4) + 1 of each 8 x 8 part (PTX ISA,
/// "Matrix Fragments for mma.m16n8k8" and "for mma.m8n8k16").
static constexpr int64_t kMatrixLanesM = 8;
static constexpr int64_t kMatrixLanesN = 4;
static constexpr int64_t kMatrixGroupN = 2;

/// The largest of 4, 2, 1, and at most `widest`, by which `elements` divide
/// evenly over the threads; 0 if none does.
static int64_t vectorOf(int64_t elements, int64_t threads, int64_t widest) {
  for (int64_t width = kMaxVectorWidth; width >= 1; width /= 2)
    if (width <= widest && elements % (threads * width) == 0)
      return width;
  return 0;
}

int64_t dietcode::copiedAtOnce(const Schedule &schedule, int64_t elements,
                               int64_t threads, int64_t widest) {
  const InstructionInfo &info = infoOf(schedule.instruction);
  if (!info.isWarpWide)
    return vectorOf(elements, threads, widest);
  int64_t chunk = info.chunkElements();
  return elements % (threads * chunk) == 0 ? chunk : 0;
}

int64_t dietcode::threadsOf(const Schedule &schedule, int64_t warpSize) {
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
  if (!infoOf(schedule.instruction).isProduct)
    return std::nullopt;
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

/// Of any extents up to the largest.
static int64_t ceilDiv(int64_t value, int64_t by) {
  return value / by + (value % by != 0 ? 1 : 0);
}

int64_t dietcode::tilesOf(const Schedule &schedule, int64_t m, int64_t n) {
  int64_t along = schedule.instruction == Instruction::Rows
                      ? 1
                      : ceilDiv(n, schedule.blockN);
  return ceilDiv(m, schedule.blockM) * along;
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
