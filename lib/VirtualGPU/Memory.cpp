//===- Memory.cpp - What a virtual GPU may access -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/VirtualGPU/Memory.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace dietcode::vgpu {
namespace {

/// What cudaMalloc guarantees.
constexpr uint64_t allocationAlign = 256;

/// Freed memory whose addresses are kept out of use, at most.
constexpr uint64_t quarantineLimit = 64u << 20;
constexpr size_t quarantineCount = 256;

std::string hex(const void *pointer) {
  char text[32];
  std::snprintf(text, sizeof(text), "%p", pointer);
  return text;
}

} // namespace

WrittenBytes::WrittenBytes(uint64_t bytes)
    : size(bytes), words(new std::atomic<uint64_t>[bytes / 64 + 1]),
      isComplete(bytes == 0) {
  for (uint64_t i = 0; i <= bytes / 64; ++i)
    words[i].store(0, std::memory_order_relaxed);
}

void WrittenBytes::mark(uint64_t offset, uint64_t bytes) {
  if (complete() || offset >= size)
    return;
  uint64_t end = offset + std::min(bytes, size - offset);
  if (offset == 0 && end == size) {
    isComplete = true;
    return;
  }
  while (offset < end) {
    uint64_t bit = offset % 64, n = std::min(64 - bit, end - offset);
    uint64_t mask = (n == 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1) << bit;
    words[offset / 64].fetch_or(mask, std::memory_order_relaxed);
    offset += n;
  }
}

void WrittenBytes::findComplete() {
  for (uint64_t i = 0; i < size / 64; ++i)
    if (words[i].load(std::memory_order_relaxed) != ~uint64_t(0))
      return;
  uint64_t rest = (uint64_t(1) << (size % 64)) - 1;
  if ((words[size / 64].load(std::memory_order_relaxed) & rest) == rest)
    isComplete = true;
}

RangeTable::RangeTable(std::vector<MemoryRange> ranges,
                       std::vector<MemoryRange> freedRanges)
    : sorted(std::move(ranges)), freed(std::move(freedRanges)) {
  std::sort(sorted.begin(), sorted.end(),
            [](const MemoryRange &a, const MemoryRange &b) {
              return a.base != b.base ? a.base < b.base : a.size < b.size;
            });
  uint64_t highest = 0;
  for (const MemoryRange &range : sorted) {
    highest = std::max(highest, range.base + range.size);
    highestEnd.push_back(highest);
  }
}

const MemoryRange *RangeTable::find(uint64_t address, uint64_t size) const {
  auto after = std::upper_bound(
      sorted.begin(), sorted.end(), address,
      [](uint64_t a, const MemoryRange &range) { return a < range.base; });
  for (size_t i = static_cast<size_t>(after - sorted.begin()); i-- > 0;) {
    if (highestEnd[i] <= address)
      break;
    const MemoryRange &range = sorted[i];
    uint64_t offset = address - range.base;
    if (offset <= range.size && size <= range.size - offset)
      return &range;
  }
  return nullptr;
}

const MemoryRange *RangeTable::findFreed(uint64_t address,
                                         uint64_t size) const {
  for (size_t i = freed.size(); i-- > 0;) {
    uint64_t offset = address - freed[i].base;
    if (offset <= freed[i].size && size <= freed[i].size - offset)
      return &freed[i];
  }
  return nullptr;
}

const MemoryRange *RangeTable::nearest(uint64_t address) const {
  const MemoryRange *best = nullptr;
  uint64_t bestDistance = ~uint64_t(0);
  for (const MemoryRange &range : sorted) {
    uint64_t end = range.base + range.size;
    uint64_t distance = address < range.base ? range.base - address
                        : address >= end     ? address - end
                                             : 0;
    if (distance < bestDistance) {
      best = &range;
      bestDistance = distance;
    }
  }
  return best;
}

Memory::~Memory() {
  for (auto &[base, entry] : allocations)
    if (entry.isOwned)
      std::free(reinterpret_cast<void *>(base));
  releaseQuarantine(0);
}

/// Gives the oldest freed memory back until the rest is within the limit.
void Memory::releaseQuarantine(uint64_t limit) {
  while (!quarantine.empty() && (quarantineBytes > limit || limit == 0 ||
                                 quarantine.size() > quarantineCount)) {
    quarantineBytes -= quarantine.front().size;
    std::free(reinterpret_cast<void *>(quarantine.front().base));
    quarantine.pop_front();
  }
}

Expected<void *> Memory::allocate(uint64_t bytes, std::string label) {
  // Even an empty allocation has an address of its own.
  uint64_t rounded = (std::max<uint64_t>(bytes, 1) + allocationAlign - 1) &
                     ~(allocationAlign - 1);
  std::unique_ptr<void, decltype(&std::free)> pointer(
      rounded < bytes ? nullptr : std::aligned_alloc(allocationAlign, rounded),
      std::free);
  if (!pointer)
    return fail("out of memory: cannot allocate " + std::to_string(bytes) +
                " bytes of device memory");
  std::memset(pointer.get(), 0xff, rounded);
  std::lock_guard<std::mutex> lock(mutex);
  if (label.empty())
    label = "allocation #" + std::to_string(++counter);
  uint64_t base = reinterpret_cast<uint64_t>(pointer.get());
  allocations[base] = {{base, bytes, std::move(label), RangeKind::Allocated,
                        std::make_shared<WrittenBytes>(bytes)}};
  counted.allocations += bytes > 0;
  bytesSinceStart += static_cast<int64_t>(bytes);
  if (bytesSinceStart > static_cast<int64_t>(counted.peakBytes))
    counted.peakBytes = static_cast<uint64_t>(bytesSinceStart);
  return pointer.release();
}

Expected<bool> Memory::adopt(void *pointer, uint64_t bytes, std::string label,
                             bool isWritten) {
  uint64_t base = reinterpret_cast<uint64_t>(pointer);
  MemoryRange range = {base, bytes, std::move(label), RangeKind::Allocated,
                       nullptr};
  if (!isWritten)
    range.written = std::make_shared<WrittenBytes>(bytes);
  std::lock_guard<std::mutex> lock(mutex);
  if (!allocations.try_emplace(base, Entry{std::move(range), 1, false}).second)
    return fail("cannot adopt " + hex(pointer) + ": it is an allocation");
  return true;
}

Expected<bool> Memory::free(void *pointer) {
  if (!pointer)
    return true;
  std::lock_guard<std::mutex> lock(mutex);
  auto it = allocations.find(reinterpret_cast<uint64_t>(pointer));
  if (it == allocations.end()) {
    for (auto old = quarantine.rbegin(); old != quarantine.rend(); ++old)
      if (old->base == reinterpret_cast<uint64_t>(pointer))
        return fail("cannot free " + hex(pointer) + ": allocation '" +
                    old->label + "' of " + std::to_string(old->size) +
                    " bytes was freed before");
    return fail("cannot free " + hex(pointer) +
                ": it is not a device allocation, or it was freed before");
  }
  if (!it->second.isOwned) {
    allocations.erase(it);
    return true;
  }
  MemoryRange range = std::move(it->second.range);
  allocations.erase(it);
  range.written = nullptr;
  bytesSinceStart -= static_cast<int64_t>(range.size);
  keepOutOfUse(std::move(range));
  return true;
}

/// Without memory to remember it by, freed memory is given back at once.
void Memory::keepOutOfUse(MemoryRange range) {
  uint64_t base = range.base, size = range.size;
  try {
    quarantine.push_back(std::move(range));
  } catch (const std::bad_alloc &) {
    return std::free(reinterpret_cast<void *>(base));
  }
  quarantineBytes += size;
  releaseQuarantine(quarantineLimit);
}

void Memory::markWritten(const void *pointer, uint64_t bytes) {
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  std::lock_guard<std::mutex> lock(mutex);
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return;
  MemoryRange &range = (--after)->second.range;
  if (range.written && address - range.base < range.size)
    range.written->mark(address - range.base, bytes);
}

Expected<bool> Memory::registerRange(void *pointer, uint64_t bytes,
                                     std::string label) {
  uint64_t base = reinterpret_cast<uint64_t>(pointer);
  if (bytes > ~uint64_t(0) - base)
    return fail("cannot register " + std::to_string(bytes) + " bytes at " +
                hex(pointer) + ": the range wraps around");
  std::lock_guard<std::mutex> lock(mutex);
  if (label.empty())
    label = "host memory #" + std::to_string(++counter);
  auto [it, isNew] = registrations.try_emplace(base);
  Entry &entry = it->second;
  if (isNew) {
    entry.range = {base, bytes, std::move(label), RangeKind::Registered,
                   nullptr};
    return true;
  }
  ++entry.uses;
  entry.range.size = std::max(entry.range.size, bytes);
  return true;
}

Expected<bool> Memory::unregisterRange(void *pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = registrations.find(reinterpret_cast<uint64_t>(pointer));
  if (it == registrations.end())
    return fail("cannot unregister " + hex(pointer) +
                ": no host memory is registered at this address");
  if (--it->second.uses == 0)
    registrations.erase(it);
  return true;
}

RangeTable Memory::snapshot(std::vector<MemoryRange> more) const {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[base, entry] : allocations)
    more.push_back(entry.range);
  for (auto &[base, entry] : registrations)
    more.push_back(entry.range);
  return RangeTable(std::move(more), {quarantine.begin(), quarantine.end()});
}

uint64_t Memory::allocatedBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t total = 0;
  for (auto &[base, entry] : allocations)
    total += entry.range.size;
  return total;
}

void Memory::startCounting() {
  std::lock_guard<std::mutex> lock(mutex);
  counted = {};
  bytesSinceStart = 0;
}

AllocationCounts Memory::counts() const {
  std::lock_guard<std::mutex> lock(mutex);
  return counted;
}

} // namespace dietcode::vgpu
