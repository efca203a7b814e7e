//===- GlobalChecks.cpp - Shadows of global memory ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalChecks.h"
#include <algorithm>
#include <cstdlib>

namespace dietcode::vgpu {
namespace {

using Slot = std::atomic<uint64_t>;

/// Slots keep complements, so that zeroed memory is empty and the lowest access
/// is the largest value.
uint64_t toSlot(GlobalAccess access) { return ~access.pack(); }
GlobalAccess fromSlot(uint64_t bits) { return GlobalAccess::unpack(~bits); }
uint32_t blockOf(uint64_t slot) { return fromSlot(slot).block; }

void raise(Slot &slot, uint64_t value) {
  uint64_t old = slot.load(std::memory_order_relaxed);
  while (old < value && !slot.compare_exchange_weak(old, value))
    ;
}

/// Enters a reader into the two lowest blocks. What leaves the first slot is in
/// the second before it is gone from the first. Whether anything was new.
bool addReader(Slot *slots, uint64_t mine) {
  uint64_t first = slots[0].load(std::memory_order_relaxed);
  while (first < mine) {
    if (first && blockOf(first) != blockOf(mine))
      raise(slots[1], first);
    if (slots[0].compare_exchange_weak(first, mine))
      return true;
  }
  if (blockOf(first) == blockOf(mine))
    return false;
  if (slots[1].load(std::memory_order_relaxed) >= mine)
    return false;
  raise(slots[1], mine);
  return true;
}

template <typename T>
T *zeroed(size_t count) {
  auto *data = static_cast<T *>(std::calloc(count, sizeof(T)));
  if (!data)
    std::abort(); // As operator new would, without exceptions.
  return data;
}

} // namespace

struct GlobalChecks::Page {
  std::atomic<Slot *> writers{nullptr}; ///< One per granule.
  std::atomic<Slot *> readers{nullptr}; ///< Two per granule.
};

GlobalChecks::GlobalChecks(const RangeTable &ranges, unsigned log2Granule,
                           bool races, uint64_t shadowBytes)
    : log2Granule(log2Granule), races(races), limit(shadowBytes) {
  for (const MemoryRange &range : ranges.ranges()) {
    if (range.size == 0 ||
        (!races && (!range.written || range.written->complete())))
      continue;
    uint64_t base = range.base & ~uint64_t(15), end = range.base + range.size;
    if (!spans.empty() && base < spans.back()->end) {
      spans.back()->end = std::max(spans.back()->end, end);
      continue;
    }
    spans.push_back(std::make_unique<Span>(Span{base, end, nullptr}));
  }
  for (auto &span : spans) {
    uint64_t granules = ((span->end - span->base) >> log2Granule) + 1;
    uint64_t count = (granules >> log2PageGranules) + 1;
    span->pages = std::make_unique<std::atomic<Page *>[]>(count);
    for (uint64_t i = 0; i < count; ++i)
      span->pages[i].store(nullptr, std::memory_order_relaxed);
  }
}

GlobalChecks::~GlobalChecks() {
  for (auto &span : spans) {
    uint64_t granules = ((span->end - span->base) >> log2Granule) + 1;
    for (uint64_t i = 0; i <= granules >> log2PageGranules; ++i)
      if (Page *page = span->pages[i].load()) {
        std::free(page->writers.load());
        std::free(page->readers.load());
        delete page;
      }
  }
}

GlobalChecks::Span *GlobalChecks::spanOf(uint64_t address) const {
  auto after = std::upper_bound(
      spans.begin(), spans.end(), address,
      [](uint64_t a, const auto &span) { return a < span->base; });
  if (after == spans.begin() || address >= (*--after)->end)
    return nullptr;
  return after->get();
}

/// Reserves memory for shadows, if there is some left.
bool GlobalChecks::take(uint64_t bytes) {
  if (used.fetch_add(bytes) + bytes <= limit)
    return true;
  used.fetch_sub(bytes);
  ++untracked;
  return false;
}

GlobalChecks::Page &GlobalChecks::page(const Span &span, uint64_t granule) {
  std::atomic<Page *> &slot = span.pages[granule >> log2PageGranules];
  Page *page = slot.load(std::memory_order_acquire);
  if (page)
    return *page;
  auto *fresh = new Page;
  if (slot.compare_exchange_strong(page, fresh))
    return *fresh;
  delete fresh;
  return *page;
}

/// The slots of a page, with so many per granule; null if there is no room.
std::atomic<uint64_t> *
GlobalChecks::slotsOf(std::atomic<std::atomic<uint64_t> *> &slots,
                      size_t perGranule) {
  Slot *found = slots.load();
  size_t count = perGranule << log2PageGranules;
  if (found || !take(count * sizeof(Slot)))
    return found;
  Slot *fresh = zeroed<Slot>(count);
  if (slots.compare_exchange_strong(found, fresh))
    return fresh;
  used.fetch_sub(count * sizeof(Slot));
  std::free(fresh);
  return found;
}

void GlobalChecks::report(const GlobalRace &unordered) {
  GlobalRace race = unordered;
  if (race.later.block < race.earlier.block) {
    std::swap(race.earlier, race.later);
    std::swap(race.earlierWrites, race.laterWrites);
  }
  if (race.later.block > lowest.load(std::memory_order_relaxed))
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (lowest != ~uint64_t(0) && best.key() <= race.key())
    return;
  best = race;
  lowest = race.later.block;
}

void GlobalChecks::read(const Span &span, uint64_t address, unsigned bytes,
                        GlobalAccess access) {
  uint64_t mine = toSlot(access);
  uint64_t granule = (address - span.base) >> log2Granule;
  uint64_t last = (address + bytes - 1 - span.base) >> log2Granule;
  while (granule <= last) {
    Page &p = page(span, granule);
    Slot *slots = slotsOf(p.readers, 2);
    uint64_t pageEnd = granule | pageMask;
    for (; granule <= std::min(last, pageEnd); ++granule) {
      if (slots)
        addReader(slots + 2 * (granule & pageMask), mine);
      // After the reader is known: a writer that this misses finds the reader.
      Slot *writers = slots ? p.writers.load() : nullptr;
      uint64_t writer = writers ? writers[granule & pageMask].load() : 0;
      if (writer && blockOf(writer) != access.block)
        report({fromSlot(writer), access, true, false,
                span.base + (granule << log2Granule)});
    }
  }
}

void GlobalChecks::write(const Span &span, uint64_t address, unsigned bytes,
                         GlobalAccess access) {
  uint64_t mine = toSlot(access);
  uint64_t granule = (address - span.base) >> log2Granule;
  uint64_t last = (address + bytes - 1 - span.base) >> log2Granule;
  for (; granule <= last; ++granule) {
    Page &p = page(span, granule);
    Slot *writers = slotsOf(p.writers, 1);
    if (!writers)
      continue;
    uint64_t index = granule & pageMask;
    uint64_t at = span.base + (granule << log2Granule);
    Slot &slot = writers[index];
    uint64_t old = slot.load(std::memory_order_relaxed);
    while (old < mine && !slot.compare_exchange_weak(old, mine))
      ;
    if (!races)
      continue;
    if (old && blockOf(old) != access.block)
      report({fromSlot(old), access, true, true, at});
    Slot *readers = p.readers.load();
    for (unsigned i = 0; readers && i < 2; ++i) {
      uint64_t reader = readers[2 * index + i].load();
      if (reader && blockOf(reader) != access.block)
        report({fromSlot(reader), access, false, true, at});
    }
  }
}

uint64_t GlobalChecks::firstUnwritten(const Span &span,
                                      const MemoryRange &range,
                                      uint64_t address, unsigned bytes,
                                      uint32_t block) const {
  if (!range.written || range.written->complete())
    return ~uint64_t(0);
  for (uint64_t at = address; at < address + bytes; ++at) {
    if (range.written->test(at - range.base))
      continue;
    uint64_t granule = (at - span.base) >> log2Granule;
    Page *p = span.pages[granule >> log2PageGranules].load();
    Slot *writers = p ? p->writers.load() : nullptr;
    if (!writers && used + (sizeof(Slot) << log2PageGranules) > limit)
      continue; // Perhaps it was written without a record.
    uint64_t slot = writers ? writers[granule & pageMask].load() : 0;
    if (!slot || blockOf(slot) > block)
      return at;
  }
  return ~uint64_t(0);
}

void GlobalChecks::finish(const RangeTable &ranges) const {
  for (const MemoryRange &range : ranges.ranges()) {
    if (!range.written || range.written->complete())
      continue;
    const Span *span = spanOf(range.base);
    if (!span)
      continue;
    uint64_t granules =
        ((range.base + range.size - span->base - 1) >> log2Granule) + 1;
    for (uint64_t g = (range.base - span->base) >> log2Granule; g < granules;) {
      Page *p = span->pages[g >> log2PageGranules].load();
      Slot *writers = p ? p->writers.load() : nullptr;
      uint64_t next = (g | pageMask) + 1;
      for (; writers && g < std::min(next, granules); ++g)
        if (writers[g & pageMask].load(std::memory_order_relaxed))
          range.written->mark(span->base + (g << log2Granule) - range.base,
                              uint64_t(1) << log2Granule);
      g = next;
    }
    range.written->findComplete();
  }
}

} // namespace dietcode::vgpu
