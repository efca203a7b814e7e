//===- Execution.h - The state of a running block ---------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_EXECUTION_H
#define DIETCODE_LIB_VIRTUALGPU_EXECUTION_H

#include "GlobalChecks.h"
#include "Program.h"
#include "SectorSet.h"
#include "SharedChecks.h"
#include "Timing/Registers.h"
#include "Timing/Trace.h"
#include "dietcode/VirtualGPU/VirtualGPU.h"
#include <algorithm>
#include <chrono>
#include <optional>
#include <unordered_set>

namespace dietcode::vgpu {

constexpr uint32_t fullMask = 0xffffffffu;

/// What all blocks of a launch share; immutable while they run.
struct LaunchState {
  const Program &program;
  const std::string &moduleName;
  const DeviceSpec &spec;
  const RangeTable &memory;
  std::array<uint32_t, 3> grid;
  std::array<uint32_t, 3> block;
  uint32_t threads;
  uint32_t sharedBytes; ///< Static and dynamic.
  uint32_t dynamicSharedBytes;
  std::vector<uint8_t> params;
  uint64_t instructionLimit;
  CheckOptions checks;
  GlobalChecks *global; ///< Null if global memory needs no shadow.
  RegisterCount registers;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::vector<WrittenRange> recent; ///< As in LaunchConfig.

  uint64_t gridBlocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
};

/// The coordinates of an index in a box, x fastest.
std::array<uint32_t, 3> unflatten(uint64_t index,
                                  const std::array<uint32_t, 3> &box);

/// Says who is in a race between blocks.
Finding raceFinding(const LaunchState &launch, const GlobalRace &race);

/// What the sampled blocks are watched for.
struct Sample {
  uint64_t sharedWavefronts = 0;
  uint64_t sharedAccesses = 0;
  uint64_t sectorsRead = 0;
  uint64_t sectorsWritten = 0;
  uint64_t uniqueSectorsRead = 0; ///< Within a block.
  uint64_t uniqueSectorsWritten = 0;
  double criticalCycles = 0;        ///< Of the slowest warp, latencies only.
  std::vector<uint32_t> rangesRead; ///< Indices of memory ranges, sorted.
  std::vector<uint32_t> rangesWritten;
  void add(const Sample &other);
};

/// Lanes that wait while others run: they continue at `pc`. The entry's lanes
/// are done once they reach `reconverge`.
struct Divergence {
  enum Wait : uint8_t { No, ForLanes, ForBlock };
  uint32_t pc;
  uint32_t reconverge;
  uint32_t mask;
  Wait wait = No;
  uint32_t members = 0; ///< That the lanes wait for, or the barrier's number.
  uint32_t threads = 0; ///< What the barrier waits for.
};

struct Warp {
  uint8_t *registers = nullptr;
  uint8_t *local = nullptr;
  uint32_t index = 0;
  uint32_t pc = 0;
  uint32_t active = 0; ///< Lanes that execute now.
  uint32_t alive = 0;  ///< Lanes that have not exited.
  uint32_t reconverge = noTarget;
  std::vector<Divergence> stack;
  bool lanesWait = false; ///< Perhaps; never false when some do.
  bool polls = false;     ///< In this turn: reads what others may change.
  enum Status : uint8_t { Ready, Waiting, Done, Failed } status = Ready;
  uint32_t barrier = 0;        ///< What a Waiting warp waits at.
  uint32_t barrierThreads = 0; ///< How many it waits for; 0 is the block.
  uint64_t issued = 0;
  double clock = 0; ///< Of the critical path, in sampled blocks.
};

/// Executes blocks, one at a time, on one host thread.
class Executor {
public:
  explicit Executor(const LaunchState &launch);
  ~Executor();
  Executor(const Executor &) = delete;

  /// Runs one block. False after a finding, which `finding` then holds.
  bool runBlock(uint64_t blockIndex, bool sampled);

  /// How often each instruction was executed, so far.
  std::vector<uint64_t> executionCounts() const;
  const Sample &sample() const { return samples; }
  Finding finding;
  /// Records the next block if it is sampled; may be null.
  Tracer *tracer = nullptr;

private:
  /// A range of memory that an access lay in.
  struct HitRange {
    uint64_t base = ~uint64_t(0); // Nothing lies in it.
    uint64_t end = ~uint64_t(0);
    uint64_t index = 0;
  };

  // Block.cpp
  void startBlock(uint64_t blockIndex);
  void startWarp(Warp &warp);
  void fillInitialFiles();
  void fillSpecial(Special special, uint32_t *row, const Warp &warp);
  bool releaseBarriers();
  bool overLimit();
  void finishSample();

  // Warp.cpp
  bool execute(Warp &warp, const Inst &inst, uint32_t mask, uint32_t active,
               uint32_t sinceBranch);
  void runWarp(Warp &warp);
  template <bool Sampled, bool Watched>
  void runWarp(Warp &warp);
  void runLanes(Warp &warp, const Inst &inst, uint32_t mask);
  void compare(const Inst &inst, uint32_t mask);
  void loadParam(const Inst &inst, uint32_t mask);
  bool shuffle(Warp &warp, const Inst &inst, uint32_t mask);
  bool vote(Warp &warp, const Inst &inst, uint32_t mask);
  bool checkMembers(Warp &warp, const Inst &inst, Ref members, uint32_t mask);
  bool trap(Warp &warp, const Inst &inst, uint32_t mask);
  std::string textAt(uint64_t address) const;
  void readClock(uint64_t now, const Inst &inst, uint32_t mask);
  void writeRow(const Inst &inst, Ref dst, const void *row, uint32_t mask);
  void writePredicate(Ref dst, uint32_t value, uint32_t mask);
  struct Turn;
  bool nextLanes(Turn &turn);
  bool control(Turn &turn, const Inst &inst, uint32_t mask);
  void observe(Warp &warp, const Inst &inst, uint32_t active);

  // Divergence.cpp
  enum class Arrival : uint8_t { GoesOn, LanesWait, WarpWaits, Failed };
  Arrival arrive(Warp &warp, const Inst &inst, uint32_t mask, uint32_t pc);
  Arrival meet(Warp &warp, const Inst &inst, uint32_t mask, uint32_t pc);
  Warp::Status waitForLanes(Warp &warp, uint32_t &pc);
  void releaseLanes(Warp &warp);
  void resumeLanes(Warp &warp);
  void yieldLanes(Warp &warp);
  /// Continues with lanes of the stack; false when none of them can go on.
  bool popDivergence(Warp &warp, uint32_t &pc, uint32_t &active);
  void diverge(Warp &warp, const Inst &inst, uint32_t taken, uint32_t &pc,
               uint32_t &active);

  // Access.cpp
  bool load(Warp &warp, const Inst &inst, uint32_t mask);
  bool store(Warp &warp, const Inst &inst, uint32_t mask);
  /// Checks the addresses of an access of `bytes` per lane and turns them into
  /// host addresses in `hostAddresses`.
  bool resolve(Warp &warp, const Inst &inst, uint32_t mask, unsigned bytes);
  bool resolveAddresses(Warp &warp, const Inst &inst, uint32_t mask,
                        unsigned bytes, AddressRange range);
  bool resolveGlobal(Warp &warp, const Inst &inst, uint32_t mask,
                     unsigned bytes, const AddressRange &range);
  bool resolveWindow(Warp &warp, const Inst &inst, uint32_t mask,
                     unsigned bytes, const AddressRange &range, Space space);
  bool resolveMixed(Warp &warp, const Inst &inst, uint32_t mask,
                    unsigned bytes);
  void addressesOf(const Inst &inst, uint32_t mask, AddressRange &range);
  void sampleShared(uint32_t mask, unsigned bytes);
  void sampleGlobal(const Inst &inst, uint32_t mask, unsigned bytes);
  HitRange hitRange(uint64_t address, unsigned bytes) const;

  // Checks.cpp
  void createChecks();
  void startChecks();
  bool checkRegisters(Warp &warp, const Inst &inst, uint32_t mask,
                      uint32_t active);
  bool checkShared(Warp &warp, const Inst &inst, uint32_t mask, unsigned bytes);
  bool checkGlobal(Warp &warp, const Inst &inst, uint32_t mask, unsigned bytes);
  bool needsShadow(const HitRange &hit) const;
  bool checkWritten(Warp &warp, const Inst &inst, unsigned lane,
                    unsigned bytes);
  void markWritten(uint64_t address, unsigned bytes) const;

  // Findings.cpp: each returns false. Those of accesses find the address of the
  // lane in `hostAddresses`.
  bool fault(Warp &warp, const Inst &inst, unsigned lane, FindingKind kind,
             const std::string &what);
  bool faultAt(uint64_t address, unsigned bytes, const MemoryRange *range);
  bool failAlignment(Warp &warp, const Inst &inst, uint32_t mask,
                     unsigned bytes);
  bool failAccess(Warp &warp, const Inst &inst, unsigned lane, unsigned bytes);
  bool failWindow(Warp &warp, const Inst &inst, unsigned lane, unsigned bytes,
                  Space space);
  bool failRegister(Warp &warp, const Inst &inst, unsigned lane,
                    const char *what);
  bool failUnwritten(Warp &warp, const Inst &inst, unsigned lane,
                     unsigned bytes, const MemoryRange &range);
  bool failShared(Warp &warp, const Inst &inst, unsigned bytes,
                  const SharedFault &found);
  bool reportDeadlock();

  // MatrixExecution.cpp
  bool matrix(Warp &warp, const Inst &inst, uint32_t mask);
  void multiply(const MatrixOp &op);
  void multiplyIntegers(const MatrixOp &op);
  bool accessFragment(Warp &warp, const Inst &inst);
  bool loadMatrix(Warp &warp, const Inst &inst);
  void moveMatrix(const Inst &inst);

  // Exchange.cpp
  bool match(Warp &warp, const Inst &inst, uint32_t mask);
  void carry(const Inst &inst, uint32_t mask);
  void reduceAtBarrier(uint32_t id);

  // Print.cpp
  bool print(Warp &warp, const Inst &inst, uint32_t mask);
  const uint8_t *readable(const Warp &warp, unsigned lane, uint64_t address,
                          uint64_t bytes) const;

  // Atomics.cpp
  bool atomic(Warp &warp, const Inst &inst, uint32_t mask);

  uint8_t *row(Ref ref) { return bases[ref >> 31] + (ref & ~constantBit); }

  const LaunchState &launch;
  const Program &program;
  const LaneTable &lanes;
  uint8_t *bases[2] = {nullptr, nullptr}; ///< Registers and constants.
  std::vector<Warp> warps;
  uint8_t *registerFiles = nullptr;
  uint8_t *initialFiles = nullptr; ///< What the files hold as a block starts.
  uint8_t *sharedMemory = nullptr;
  std::vector<uint8_t> localMemory;
  std::array<uint32_t, 3> blockId = {0, 0, 0};
  uint64_t blockIndex = 0;
  /// executed[i] - executed[i-1]: each straight run adds two marks.
  std::vector<int64_t> countMarks;
  std::vector<HitRange> hits;             ///< The last one of each instruction.
  std::array<uint32_t, 16> arrivals = {}; ///< Threads from bar.arrive.
  bool isSampled = false;
  Sample samples;
  SectorSet sectorsRead, sectorsWritten;
  std::vector<uint32_t>
      wordStamps; ///< Which access touched a shared word last.
  uint32_t sharedStamp = 0;
  std::vector<float> readyAt;           ///< Per 64 bytes of all register files.
  std::unique_ptr<SharedChecks> shared; ///< Null if nothing needs it.
  /// The lanes in which each watched register has a value, warp by warp.
  std::vector<uint32_t> defined;
  const GlobalChecks::Span *lastSpan = nullptr;
  bool hasSynchronized = false; ///< With other blocks, by fences and atomics.
  alignas(64) uint64_t hostAddresses[32];
  alignas(64) uint8_t scratch[256];
};

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_EXECUTION_H
