//===- Trace.h - What a block executed --------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between the interpreter and the replay: for each warp the basic
// blocks it went through, and for each of their memory instructions what it
// asked for. Dispatching and arithmetic leave nothing else that costs time.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_TIMING_TRACE_H
#define DIETCODE_LIB_VIRTUALGPU_TIMING_TRACE_H

#include "../Program.h"
#include <array>
#include <cstdint>
#include <vector>

namespace dietcode::vgpu {

/// One warp's memory instruction. Nothing, if no lane took part.
struct TracedAccess {
  uint32_t firstSector = 0; ///< In BlockTrace::sectors.
  uint16_t sectors = 0;     ///< Distinct ones, of 32 bytes.
  uint16_t idealSectors = 0;
  uint16_t wavefronts = 0;      ///< Of shared memory.
  uint16_t idealWavefronts = 0; ///< What they would be without conflicts.
};

/// One execution of a basic block. Its accesses are those from firstAccess on,
/// one for each memory instruction, in the order of the program.
struct TracedBlock {
  uint32_t block = 0;
  uint32_t mask = 0;
  uint32_t firstAccess = 0;
};

struct WarpTrace {
  std::vector<TracedBlock> blocks;
  std::vector<TracedAccess> accesses;
};

constexpr unsigned rangeShift = 48;

struct BlockTrace {
  std::vector<WarpTrace> warps;
  /// Number of a range of memory << rangeShift | sector. Ranges are numbered as
  /// they are met: where the host put them must not show.
  std::vector<uint64_t> sectors;
  std::vector<uint64_t>
      ranges;            ///< By number, the index in the table of memory.
  bool overflow = false; ///< It was too long to be recorded.
};

/// The basic blocks of a program: straight code that control enters at the top
/// only.
class BlockMap {
public:
  explicit BlockMap(const Program &program);
  uint32_t size() const { return static_cast<uint32_t>(begins.size() - 1); }
  uint32_t begin(uint32_t block) const { return begins[block]; }
  uint32_t end(uint32_t block) const { return begins[block + 1]; }
  /// The block that starts at an instruction, or noTarget.
  uint32_t startingAt(uint32_t pc) const { return starts[pc]; }

private:
  std::vector<uint32_t> begins;
  std::vector<uint32_t> starts;
};

/// Whether an instruction leaves a TracedAccess.
bool isTracedAccess(const Inst &inst);

/// Of shared memory.
struct Wavefronts {
  unsigned count = 0;
  unsigned ideal = 0; ///< What it would be if no two words shared a bank.
};

/// Wavefronts that shared memory takes for an access of `bytes` per lane at
/// the offsets of the lanes in `mask`. A wavefront serves one word of each
/// bank; lanes that access the same word are served together.
///
/// A wavefront returns a register of each lane, so that a load of 8 bytes takes
/// one for each half of a warp, and a load of 16 one for each quarter, however
/// few distinct words there are: all lanes at lane % 4 * 16 take 4. Only if all
/// lanes n and n ^ 1, or all n and n ^ 2, load from the same address, two parts
/// are packed into one: 1 for 8 bytes, 2 for 16. [An engineer of NVIDIA, for
/// 7.0 to 7.5: forums.developer.nvidia.com/t/77228; S. Gray, maxas issue 8, has
/// the least of 2 for Maxwell]. Stores return nothing and are not packed.
Wavefronts countWavefronts(const uint64_t *offsets, uint32_t mask,
                           unsigned bytes, unsigned banks, bool isLoad);

/// Records a block while it runs.
class Tracer {
public:
  /// `maxRecords` bounds what one block may leave.
  Tracer(const BlockMap &map, size_t warps, unsigned banks, size_t maxRecords);

  /// Before each instruction of a warp.
  void step(uint32_t warp, uint32_t pc, const Inst &inst, uint32_t active) {
    uint32_t block = map.startingAt(pc);
    if (block != noTarget)
      enter(warp, block, active);
    if (isTracedAccess(inst))
      trace.warps[warp].accesses.emplace_back();
    current = warp;
    currentPc = pc;
    currentIsLoad = inst.kind == Kind::Load;
    lanesThatRead = ~0u;
    if (inst.kind == Kind::LoadMatrix) // 8 for each matrix.
      lanesThatRead = inst.dst[1] == noRef   ? 0xff
                      : inst.dst[2] == noRef ? 0xffff
                                             : ~0u;
  }
  /// The offsets, or sorted distinct sectors, of the current instruction.
  void shared(const uint64_t *offsets, uint32_t mask, unsigned bytes);
  void global(const uint64_t *sectors, unsigned n, uint32_t mask,
              unsigned bytes);

  BlockTrace take() { return std::move(trace); }

private:
  void enter(uint32_t warp, uint32_t block, uint32_t active);
  uint64_t canonical(uint64_t sector);

  const BlockMap &map;
  unsigned banks;
  size_t recordsLeft;
  uint32_t current = 0;
  uint32_t lanesThatRead = ~0u;
  uint32_t currentPc = 0;
  bool currentIsLoad = false;
  /// An instruction's lanes tend to lie alike, wherever the first one is: the
  /// wavefronts of the last time, by the low bits of the instruction's number.
  struct Pattern {
    uint32_t pc = noTarget, mask = 0;
    uint32_t kind = 0;               ///< Bytes, place in a word, load.
    std::array<int32_t, 32> offsets; ///< From the first lane's.
    Wavefronts wavefronts;
  };
  std::vector<Pattern> patterns;
  BlockTrace trace;
};

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_TIMING_TRACE_H
