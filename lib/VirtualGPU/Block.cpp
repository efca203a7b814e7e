//===- Block.cpp - Running a block's warps --------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace dietcode::vgpu {
namespace {

constexpr size_t rowAlign = 64;

uint8_t *allocateRows(size_t bytes) {
  size_t rounded = (std::max(bytes, rowAlign) + rowAlign - 1) & ~(rowAlign - 1);
  auto *data = static_cast<uint8_t *>(std::aligned_alloc(rowAlign, rounded));
  if (!data)
    std::abort(); // As operator new would, without exceptions.
  return data;
}

bool dependsOnBlock(Special special) {
  return (special >= Special::CtaidX && special <= Special::CtaidZ) ||
         special == Special::SmId;
}

std::vector<uint32_t> united(const std::vector<uint32_t> &a,
                             const std::vector<uint32_t> &b) {
  std::vector<uint32_t> merged;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(merged));
  return merged;
}

} // namespace

void Sample::add(const Sample &other) {
  sharedWavefronts += other.sharedWavefronts;
  sharedAccesses += other.sharedAccesses;
  sectorsRead += other.sectorsRead;
  sectorsWritten += other.sectorsWritten;
  uniqueSectorsRead += other.uniqueSectorsRead;
  uniqueSectorsWritten += other.uniqueSectorsWritten;
  criticalCycles = std::max(criticalCycles, other.criticalCycles);
  rangesRead = united(rangesRead, other.rangesRead);
  rangesWritten = united(rangesWritten, other.rangesWritten);
}

Executor::Executor(const LaunchState &launch)
    : launch(launch), program(launch.program), lanes(laneTable()),
      countMarks(program.code.size() + 1), hits(program.code.size()) {
  warps.resize((launch.threads + 31) / 32);
  registerFiles = allocateRows(warps.size() * program.registerFileBytes);
  sharedMemory = allocateRows(launch.sharedBytes);
  localMemory.resize(warps.size() * 32 * size_t(program.localBytes));
  // Nothing writes through a reference to a constant.
  bases[1] = reinterpret_cast<uint8_t *>(
      const_cast<ConstantBytes *>(program.constants.data()));
  fillInitialFiles();
  createChecks();
}

Executor::~Executor() {
  std::free(registerFiles);
  std::free(initialFiles);
  std::free(sharedMemory);
}

std::vector<uint64_t> Executor::executionCounts() const {
  std::vector<uint64_t> counts;
  int64_t running = 0;
  for (size_t i = 0; i < program.code.size(); ++i) {
    running += countMarks[i];
    counts.push_back(static_cast<uint64_t>(running));
  }
  return counts;
}

void Executor::fillSpecial(Special special, uint32_t *out, const Warp &warp) {
  auto index = static_cast<unsigned>(special);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t value = 0;
    if (special <= Special::TidZ)
      value = unflatten(warp.index * 32 + lane, launch.block)[index];
    else if (special <= Special::NtidZ)
      value = launch.block[index - 3];
    else if (special <= Special::CtaidZ)
      value = blockId[index - 6];
    else if (special <= Special::NctaidZ)
      value = launch.grid[index - 9];
    else if (special == Special::LaneId)
      value = lane;
    else if (special == Special::WarpId)
      value = warp.index;
    else if (special == Special::NWarpId)
      value = static_cast<uint32_t>(launch.spec.maxWarpsPerSM);
    else if (special == Special::SmId)
      value = static_cast<uint32_t>(blockIndex %
                                    static_cast<uint64_t>(launch.spec.smCount));
    else if (special == Special::NSmId)
      value = static_cast<uint32_t>(launch.spec.smCount);
    else if (special == Special::MaskEq)
      value = 1u << lane;
    else if (special == Special::MaskLe)
      value = (2u << lane) - 1;
    else if (special == Special::MaskLt)
      value = (1u << lane) - 1;
    else if (special == Special::MaskGe)
      value = ~((1u << lane) - 1);
    else if (special == Special::MaskGt)
      value = ~((2u << lane) - 1);
    else if (special == Special::DynamicShared)
      value = launch.dynamicSharedBytes;
    else if (special == Special::TotalShared)
      value = launch.sharedBytes;
    out[lane] = value;
  }
}

void Executor::startWarp(Warp &warp) {
  uint32_t first = warp.index * 32;
  uint32_t lanesUsed = std::min(32u, launch.threads - first);
  warp.pc = 0;
  warp.alive = lanesUsed == 32 ? fullMask : (1u << lanesUsed) - 1;
  warp.active = warp.alive;
  warp.reconverge = noTarget;
  warp.stack.clear();
  warp.lanesWait = false;
  warp.status = Warp::Ready;
  warp.issued = 0;
  warp.clock = 0;
  warp.registers =
      registerFiles + size_t(warp.index) * program.registerFileBytes;
  warp.local = localMemory.data() + size_t(first) * program.localBytes;
  std::memcpy(warp.registers,
              initialFiles + size_t(warp.index) * program.registerFileBytes,
              program.registerFileBytes);
  for (auto &[special, ref] : program.specials)
    if (dependsOnBlock(special))
      fillSpecial(special, reinterpret_cast<uint32_t *>(warp.registers + ref),
                  warp);
}

/// Zeros, and the special registers that are the same in every block.
void Executor::fillInitialFiles() {
  size_t bytes = warps.size() * program.registerFileBytes;
  initialFiles = allocateRows(bytes);
  std::memset(initialFiles, 0, bytes);
  for (uint32_t i = 0; i < warps.size(); ++i) {
    warps[i].index = i;
    uint8_t *file = initialFiles + size_t(i) * program.registerFileBytes;
    for (auto &[special, ref] : program.specials)
      fillSpecial(special, reinterpret_cast<uint32_t *>(file + ref), warps[i]);
  }
}

void Executor::startBlock(uint64_t index) {
  blockIndex = index;
  blockId = unflatten(index, launch.grid);
  // NaN as floats, and an unlikely index as integers.
  std::memset(sharedMemory, 0xff, launch.sharedBytes);
  std::fill(localMemory.begin(), localMemory.end(), 0xff);
  arrivals.fill(0);
  startChecks();
  for (Warp &warp : warps)
    startWarp(warp);
  if (isSampled) {
    sectorsRead.clear();
    sectorsWritten.clear();
    wordStamps.assign(launch.sharedBytes / 4 + 1, 0);
    sharedStamp = 0;
    readyAt.assign(warps.size() * (program.registerFileBytes / 64 + 1), 0);
  }
}

bool Executor::runBlock(uint64_t index, bool sampled) {
  isSampled = sampled;
  startBlock(index);
  while (true) {
    bool allDone = true, progress = false;
    for (Warp &warp : warps) {
      if (warp.status == Warp::Ready) {
        progress = true;
        runWarp(warp);
      }
      if (warp.status == Warp::Failed)
        return false;
      allDone &= warp.status == Warp::Done;
    }
    if (allDone)
      break;
    if (!releaseBarriers() && !progress)
      return reportDeadlock();
    if ((launch.instructionLimit || launch.deadline) && overLimit())
      return false;
  }
  if (isSampled)
    finishSample();
  return true;
}

/// Whether the block has reached a limit, which is a finding.
bool Executor::overLimit() {
  uint64_t issued = 0;
  for (const Warp &warp : warps)
    issued += warp.issued;
  std::string what;
  if (launch.instructionLimit && issued > launch.instructionLimit)
    what = "the block executed more than " +
           std::to_string(launch.instructionLimit) +
           " warp instructions; the kernel may not terminate "
           "(DIETCODE_VGPU_MAX_INSTRUCTIONS sets the limit, 0 lifts it)";
  else if (launch.deadline &&
           std::chrono::steady_clock::now() > *launch.deadline)
    what = "the launch takes longer than it may "
           "(DIETCODE_VGPU_MAX_SECONDS sets the limit)";
  else
    return false;
  auto running = std::find_if(warps.begin(), warps.end(), [](const Warp &w) {
    return w.status != Warp::Done;
  });
  fault(*running, program.code[running->pc],
        static_cast<unsigned>(__builtin_ctz(running->alive)),
        FindingKind::Limit, what);
  return true;
}

void Executor::finishSample() {
  samples.uniqueSectorsRead += sectorsRead.size();
  samples.uniqueSectorsWritten += sectorsWritten.size();
  for (const Warp &warp : warps)
    samples.criticalCycles = std::max(samples.criticalCycles, warp.clock);
}

/// Lets the warps at complete barriers go on. A barrier without a count waits
/// for all of the block; threads that have exited count as having arrived.
bool Executor::releaseBarriers() {
  bool released = false;
  for (uint32_t id = 0; id < 16; ++id) {
    uint32_t waiting = 0, exited = 0, expected = 0;
    uint32_t waitingMask = 0, exitedMask = 0;
    bool waitsForBlock = false;
    double latest = 0;
    for (const Warp &warp : warps) {
      exited += warp.status == Warp::Done;
      exitedMask |= uint32_t(warp.status == Warp::Done) << warp.index;
      if (warp.status != Warp::Waiting || warp.barrier != id)
        continue;
      ++waiting;
      waitingMask |= 1u << warp.index;
      latest = std::max(latest, warp.clock);
      waitsForBlock |= warp.barrierThreads == 0;
      expected = std::max(expected, warp.barrierThreads);
    }
    if (!waiting)
      continue;
    uint32_t arrived = 32 * waiting + arrivals[id];
    uint32_t all = 32 * static_cast<uint32_t>(warps.size());
    bool complete =
        waitsForBlock ? arrived + 32 * exited >= all : arrived >= expected;
    if (!complete)
      continue;
    released = true;
    arrivals[id] = 0;
    if (shared)
      shared->release(id, waitingMask, waitsForBlock ? exitedMask : 0);
    reduceAtBarrier(id);
    for (Warp &warp : warps)
      if (warp.status == Warp::Waiting && warp.barrier == id) {
        warp.status = Warp::Ready;
        warp.clock = latest;
        resumeLanes(warp);
      }
  }
  return released;
}

} // namespace dietcode::vgpu
