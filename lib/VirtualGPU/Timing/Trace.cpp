//===- Trace.cpp - What a block executed ----------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace.h"
#include <algorithm>
#include <array>

namespace dietcode::vgpu {

bool isTracedAccess(const Inst &inst) {
  return inst.pipe == Pipe::Global ||
         (inst.pipe == Pipe::Shared &&
          (readsMemory(inst.kind) || writesMemory(inst.kind)));
}

BlockMap::BlockMap(const Program &program) {
  const std::vector<Inst> &code = program.code;
  std::vector<bool> leader(code.size() + 1, false);
  leader[0] = true;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i].target != noTarget)
      leader[code[i].target] = true;
    if (code[i].reconverge != noTarget)
      leader[code[i].reconverge] = true;
    if (code[i].kind == Kind::Branch || code[i].kind == Kind::Exit)
      leader[i + 1] = true;
  }
  starts.assign(code.size(), noTarget);
  for (uint32_t i = 0; i < code.size(); ++i)
    if (leader[i]) {
      starts[i] = static_cast<uint32_t>(begins.size());
      begins.push_back(i);
    }
  begins.push_back(static_cast<uint32_t>(code.size()));
}

namespace {

/// What some lanes access: distinct chunks of the access's size, which is their
/// alignment too, and how many words of them lie in each bank.
class BankUse {
public:
  BankUse(unsigned banks, unsigned words)
      : banks(std::min(banks, 128u)), words(words) {}

  void add(uint64_t firstWord) {
    if (std::find(chunks.begin(), chunks.begin() + n, firstWord) !=
        chunks.begin() + n)
      return;
    chunks[n++] = firstWord;
    for (unsigned k = 0; k < words; ++k)
      degree = std::max<unsigned>(degree, ++perBank[(firstWord + k) % banks]);
  }
  unsigned degree = 0; ///< Wavefronts that it takes to serve them.

private:
  unsigned banks, words, n = 0;
  std::array<uint64_t, 32> chunks;
  std::array<uint8_t, 128> perBank = {};
};

/// Whether each lane that takes part asks for what its neighbour at `distance`
/// asks for, if that one takes part.
bool inPairs(const uint64_t *offsets, uint32_t mask, unsigned distance) {
  for (unsigned i = 0; i < 32; ++i) {
    unsigned other = i ^ distance;
    if ((mask >> i) & (mask >> other) & 1 && offsets[i] != offsets[other])
      return false;
  }
  return true;
}

} // namespace

Wavefronts countWavefronts(const uint64_t *offsets, uint32_t mask,
                           unsigned bytes, unsigned banks, bool isLoad) {
  unsigned words = std::max(1u, bytes / 4);
  unsigned lanesPerGroup = 32 / std::min(4u, words);
  if (isLoad && words > 1 &&
      (inPairs(offsets, mask, 1) || inPairs(offsets, mask, 2)))
    lanesPerGroup *= 2;
  Wavefronts total;
  for (unsigned first = 0; first < 32; first += lanesPerGroup) {
    BankUse group(banks, words);
    for (unsigned i = first; i < first + lanesPerGroup; ++i)
      if ((mask >> i) & 1)
        group.add(offsets[i] / 4);
    total.count += group.degree;
    total.ideal += group.degree > 0;
  }
  return total;
}

Tracer::Tracer(const BlockMap &map, size_t warps, unsigned banks,
               size_t maxRecords)
    : map(map), banks(banks), recordsLeft(maxRecords), patterns(256) {
  trace.warps.resize(warps);
}

void Tracer::enter(uint32_t warp, uint32_t block, uint32_t active) {
  WarpTrace &to = trace.warps[warp];
  size_t records = 1 + map.end(block) - map.begin(block);
  if (records > recordsLeft) {
    trace.overflow = true;
    recordsLeft = 0;
    return;
  }
  recordsLeft -= records;
  to.blocks.push_back(
      {block, active, static_cast<uint32_t>(to.accesses.size())});
}

void Tracer::shared(const uint64_t *offsets, uint32_t mask, unsigned bytes) {
  if (trace.warps[current].accesses.empty())
    return;
  TracedAccess &access = trace.warps[current].accesses.back();
  mask &= lanesThatRead;
  // Moving all lanes by words moves their banks alike, and the lanes that take
  // no part are not looked at.
  Pattern &last = patterns[currentPc % patterns.size()];
  uint64_t first = mask ? offsets[__builtin_ctz(mask)] : 0;
  std::array<int32_t, 32> relative;
  for (unsigned i = 0; i < 32; ++i)
    relative[i] =
        (mask >> i) & 1 ? static_cast<int32_t>(offsets[i] - first) : 0;
  auto kind = static_cast<uint32_t>(bytes << 9 | first % 4 << 1 |
                                    uint64_t(currentIsLoad));
  if (last.pc != currentPc || last.mask != mask || last.kind != kind ||
      last.offsets != relative)
    last = {currentPc, mask, kind, relative,
            countWavefronts(offsets, mask, bytes, banks, currentIsLoad)};
  Wavefronts n = last.wavefronts;
  access.wavefronts = static_cast<uint16_t>(access.wavefronts + n.count);
  access.idealWavefronts =
      static_cast<uint16_t>(access.idealWavefronts + n.ideal);
}

uint64_t Tracer::canonical(uint64_t sector) {
  uint64_t range = sector >> rangeShift;
  auto at = std::find(trace.ranges.begin(), trace.ranges.end(), range);
  auto number = static_cast<uint64_t>(at - trace.ranges.begin());
  if (at == trace.ranges.end())
    trace.ranges.push_back(range);
  return number << rangeShift | (sector & ((uint64_t(1) << rangeShift) - 1));
}

void Tracer::global(const uint64_t *sectors, unsigned n, uint32_t mask,
                    unsigned bytes) {
  if (trace.warps[current].accesses.empty())
    return;
  TracedAccess &access = trace.warps[current].accesses.back();
  if (access.sectors == 0)
    access.firstSector = static_cast<uint32_t>(trace.sectors.size());
  auto lanes = static_cast<unsigned>(__builtin_popcount(mask));
  for (unsigned i = 0; i < n; ++i)
    trace.sectors.push_back(canonical(sectors[i]));
  access.sectors = static_cast<uint16_t>(access.sectors + n);
  access.idealSectors = static_cast<uint16_t>(
      access.idealSectors + std::min(n, (lanes * bytes + 31) / 32));
}

} // namespace dietcode::vgpu
