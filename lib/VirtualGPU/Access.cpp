//===- Access.cpp - Checked loads and stores ------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every access is checked. What makes it cheap: one comparison of the lowest
// and highest address of the warp with the range that the instruction hit last.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include <algorithm>
#include <cstring>

namespace dietcode::vgpu {
namespace {

/// What lanes that do not take part read instead, wherever their registers
/// point.
alignas(64) uint8_t nowhere[64];

template <typename Fn>
void forEachLane(uint32_t mask, Fn fn) {
  for (; mask; mask &= mask - 1)
    fn(static_cast<unsigned>(__builtin_ctz(mask)));
}

} // namespace

void Executor::addressesOf(const Inst &inst, uint32_t mask,
                           AddressRange &range) {
  const uint8_t *base = row(inst.src[0]);
  lanes.address[inst.address64](hostAddresses, base, inst.offset, range);
  if (mask == fullMask)
    return;
  range = {~uint64_t(0), 0, 0};
  for (unsigned i = 0; i < 32; ++i) {
    if (!((mask >> i) & 1)) {
      hostAddresses[i] = reinterpret_cast<uint64_t>(nowhere);
      continue;
    }
    range.min = std::min(range.min, hostAddresses[i]);
    range.max = std::max(range.max, hostAddresses[i]);
    range.bits |= hostAddresses[i];
  }
}

bool Executor::resolve(Warp &warp, const Inst &inst, uint32_t mask,
                       unsigned bytes) {
  AddressRange range;
  addressesOf(inst, mask, range);
  return resolveAddresses(warp, inst, mask, bytes, range);
}

/// The same for addresses that are in `hostAddresses` already.
bool Executor::resolveAddresses(Warp &warp, const Inst &inst, uint32_t mask,
                                unsigned bytes, AddressRange range) {
  if (range.bits & (bytes - 1) &&
      (launch.checks.alignment || inst.kind == Kind::Atomic))
    return failAlignment(warp, inst, mask, bytes);
  Space space = inst.space;
  if (space == Space::Generic) {
    uint64_t low = range.min & windowMask, high = range.max & windowMask;
    bool isWindow =
        high == sharedWindow || high == localWindow || high == paramWindow;
    if (isWindow && low != high)
      return resolveMixed(warp, inst, mask, bytes);
    if (isWindow) {
      space = high == sharedWindow  ? Space::Shared
              : high == localWindow ? Space::Local
                                    : Space::Param;
      range.min -= high;
      range.max -= high;
      forEachLane(mask, [&](unsigned i) { hostAddresses[i] -= high; });
    }
  }
  if (space == Space::Shared || space == Space::Local || space == Space::Param)
    return resolveWindow(warp, inst, mask, bytes, range, space);
  return resolveGlobal(warp, inst, mask, bytes, range);
}

/// The range that holds an access, or one that holds nothing.
Executor::HitRange Executor::hitRange(uint64_t address, unsigned bytes) const {
  const MemoryRange *found = launch.memory.find(address, bytes);
  if (!found)
    return {};
  auto index = static_cast<uint64_t>(found - launch.memory.ranges().data());
  return {found->base, found->base + found->size, index};
}

bool Executor::resolveGlobal(Warp &warp, const Inst &inst, uint32_t mask,
                             unsigned bytes, const AddressRange &range) {
  HitRange &hit = hits[static_cast<size_t>(&inst - program.code.data())];
  // A hit has held this instruction's bytes before, so end - bytes is in it.
  if (range.min < hit.base || range.max > hit.end - bytes) {
    unsigned bad = 32;
    forEachLane(mask, [&](unsigned i) {
      HitRange found = hitRange(hostAddresses[i], bytes);
      if (found.base <= hostAddresses[i])
        hit = found;
      else if (bad == 32)
        bad = i;
    });
    if (bad != 32)
      return failAccess(warp, inst, bad, bytes);
  }
  if (isSampled)
    sampleGlobal(inst, mask, bytes);
  if (!launch.global)
    return true;
  // The range of the last lane that left the previous one, or of all.
  bool inOneRange = range.min >= hit.base && range.max <= hit.end - bytes;
  if (!writesMemory(inst.kind) && inOneRange && !needsShadow(hit))
    return true;
  return checkGlobal(warp, inst, mask, bytes);
}

/// Shared, local and parameter memory: offsets into a buffer of known size.
bool Executor::resolveWindow(Warp &warp, const Inst &inst, uint32_t mask,
                             unsigned bytes, const AddressRange &range,
                             Space space) {
  uint64_t size = space == Space::Shared  ? launch.sharedBytes
                  : space == Space::Local ? program.localBytes
                                          : launch.params.size();
  if (size < bytes || range.max > size - bytes) {
    unsigned bad = 32;
    forEachLane(mask, [&](unsigned i) {
      if (bad == 32 && (size < bytes || hostAddresses[i] > size - bytes))
        bad = i;
    });
    return failWindow(warp, inst, bad, bytes, space);
  }
  if (isSampled && space == Space::Shared)
    sampleShared(mask, bytes);
  if (shared && space == Space::Shared && !checkShared(warp, inst, mask, bytes))
    return false;
  uint64_t base = reinterpret_cast<uint64_t>(
      space == Space::Shared  ? sharedMemory
      : space == Space::Local ? warp.local
                              : launch.params.data());
  uint64_t perLane = space == Space::Local ? program.localBytes : 0;
  if (mask == fullMask) {
    for (unsigned i = 0; i < 32; ++i)
      hostAddresses[i] += base + i * perLane;
  } else {
    forEachLane(mask,
                [&](unsigned i) { hostAddresses[i] += base + i * perLane; });
  }
  return true;
}

/// Generic addresses that lie in several spaces: one lane after the other.
bool Executor::resolveMixed(Warp &warp, const Inst &inst, uint32_t mask,
                            unsigned bytes) {
  uint64_t resolved[32];
  uint64_t original[32];
  std::copy_n(hostAddresses, 32, original);
  std::copy_n(hostAddresses, 32, resolved);
  bool ok = true;
  forEachLane(mask, [&](unsigned i) {
    if (!ok)
      return;
    uint64_t window = original[i] & windowMask;
    std::copy_n(original, 32, hostAddresses);
    Space space = window == sharedWindow  ? Space::Shared
                  : window == localWindow ? Space::Local
                  : window == paramWindow ? Space::Param
                                          : Space::Global;
    if (space != Space::Global)
      hostAddresses[i] -= window;
    AddressRange range = {hostAddresses[i], hostAddresses[i], 0};
    ok = space == Space::Global
             ? resolveGlobal(warp, inst, 1u << i, bytes, range)
             : resolveWindow(warp, inst, 1u << i, bytes, range, space);
    resolved[i] = hostAddresses[i];
  });
  std::copy_n(resolved, 32, hostAddresses);
  return ok;
}

bool Executor::load(Warp &warp, const Inst &inst, uint32_t mask) {
  unsigned elementBytes = 1u << inst.blend, n = 1u << inst.log2Elements;
  if (!resolve(warp, inst, mask, elementBytes * n))
    return false;
  void *rows[4];
  for (unsigned k = 0; k < n; ++k)
    rows[k] = row(inst.dst[k]);
  if (mask == fullMask) {
    lanes.load[inst.blend][inst.log2Elements](rows, hostAddresses);
    return true;
  }
  forEachLane(mask, [&](unsigned i) {
    auto *from = reinterpret_cast<const uint8_t *>(hostAddresses[i]);
    for (unsigned k = 0; k < n; ++k)
      std::memcpy(static_cast<uint8_t *>(rows[k]) + size_t(i) * elementBytes,
                  from + size_t(k) * elementBytes, elementBytes);
  });
  return true;
}

bool Executor::store(Warp &warp, const Inst &inst, uint32_t mask) {
  unsigned elementBytes = 1u << inst.blend, n = 1u << inst.log2Elements;
  if (!resolve(warp, inst, mask, elementBytes * n))
    return false;
  const void *rows[4];
  for (unsigned k = 0; k < n; ++k)
    rows[k] = row(inst.src[k + 1]);
  if (mask == fullMask) {
    lanes.store[inst.blend][inst.log2Elements](rows, hostAddresses);
    return true;
  }
  forEachLane(mask, [&](unsigned i) {
    auto *to = reinterpret_cast<uint8_t *>(hostAddresses[i]);
    for (unsigned k = 0; k < n; ++k)
      std::memcpy(to + size_t(k) * elementBytes,
                  static_cast<const uint8_t *>(rows[k]) +
                      size_t(i) * elementBytes,
                  elementBytes);
  });
  return true;
}

//===----------------------------------------------------------------------===//
// Samples for the timing model
//===----------------------------------------------------------------------===//

/// A wavefront serves one word of each bank; lanes that read the same word are
/// served together. So an access takes as many wavefronts as the busiest bank
/// has distinct words. hostAddresses are offsets here.
void Executor::sampleShared(uint32_t mask, unsigned bytes) {
  unsigned banks = static_cast<unsigned>(launch.spec.sharedBanks);
  std::array<uint8_t, 128> perBank = {};
  uint8_t most = 0;
  ++sharedStamp;
  forEachLane(mask, [&](unsigned i) {
    for (unsigned k = 0; k < std::max(1u, bytes / 4); ++k) {
      uint64_t word = hostAddresses[i] / 4 + k;
      if (wordStamps[word] == sharedStamp)
        continue;
      wordStamps[word] = sharedStamp;
      most = std::max(most, ++perBank[word % banks % perBank.size()]);
    }
  });
  samples.sharedWavefronts += most;
  if (tracer)
    tracer->shared(hostAddresses, mask, bytes);
  ++samples.sharedAccesses;
}

/// Adds a value that a sorted list does not have yet.
static void insertSorted(std::vector<uint32_t> &list, uint32_t value) {
  auto at = std::lower_bound(list.begin(), list.end(), value);
  if (at == list.end() || *at != value)
    list.insert(at, value);
}

/// Sectors are counted from the start of each range, as if it were aligned like
/// device memory: where the host put it must not show in the model's results.
void Executor::sampleGlobal(const Inst &inst, uint32_t mask, unsigned bytes) {
  uint64_t sectors[64];
  unsigned n = 0;
  HitRange range = hits[static_cast<size_t>(&inst - program.code.data())];
  forEachLane(mask, [&](unsigned i) {
    uint64_t address = hostAddresses[i];
    if (address < range.base || address > range.end - bytes)
      range = hitRange(address, bytes);
    uint64_t offset = address - range.base;
    for (uint64_t at : {offset, offset + bytes - 1}) {
      uint64_t sector = range.index << 48 | at / 32;
      if (n == 0 || sectors[n - 1] != sector)
        sectors[n++] = sector;
    }
  });
  std::sort(sectors, sectors + n);
  n = static_cast<unsigned>(std::unique(sectors, sectors + n) - sectors);
  if (tracer)
    tracer->global(sectors, n, mask, bytes);
  if (readsMemory(inst.kind)) {
    samples.sectorsRead += n;
    sectorsRead.insert(sectors, sectors + n);
    insertSorted(samples.rangesRead, static_cast<uint32_t>(range.index));
  }
  if (writesMemory(inst.kind)) {
    samples.sectorsWritten += n;
    sectorsWritten.insert(sectors, sectors + n);
    insertSorted(samples.rangesWritten, static_cast<uint32_t>(range.index));
  }
}

} // namespace dietcode::vgpu
