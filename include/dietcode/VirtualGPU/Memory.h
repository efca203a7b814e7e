//===- Memory.h - What a virtual GPU may access -----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_VIRTUALGPU_MEMORY_H
#define DIETCODE_VIRTUALGPU_MEMORY_H

#include "dietcode/Support/Expected.h"
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace dietcode::vgpu {

enum class RangeKind : uint8_t { Allocated, Registered, ModuleGlobal };

/// Which bytes of an allocation anybody has written. Thread-safe.
class WrittenBytes {
public:
  explicit WrittenBytes(uint64_t bytes);
  void mark(uint64_t offset, uint64_t bytes);
  bool test(uint64_t offset) const {
    return isComplete.load(std::memory_order_relaxed) ||
           (words[offset / 64].load(std::memory_order_relaxed) >>
            (offset % 64)) &
               1;
  }
  bool complete() const { return isComplete.load(std::memory_order_relaxed); }
  /// Sees whether all bytes have been written; `complete` then says so.
  void findComplete();

private:
  uint64_t size;
  std::unique_ptr<std::atomic<uint64_t>[]> words;
  std::atomic<bool> isComplete;
};

/// Bytes that kernels may access, with a name for messages.
struct MemoryRange {
  uint64_t base = 0;
  uint64_t size = 0;
  std::string label;
  RangeKind kind = RangeKind::Allocated;
  /// Null where every byte has a value from the start.
  std::shared_ptr<WrittenBytes> written = nullptr;
};

/// What was allocated in a while.
struct AllocationCounts {
  uint64_t allocations = 0; ///< But for empty ones.
  uint64_t peakBytes = 0;   ///< At the same time, beyond what there was before.
};

/// Ranges in the order of their addresses. They may overlap, since programs
/// register views of one buffer.
class RangeTable {
public:
  explicit RangeTable(std::vector<MemoryRange> ranges,
                      std::vector<MemoryRange> freed = {});

  /// The range that holds all of [address, address + size), or null.
  const MemoryRange *find(uint64_t address, uint64_t size) const;
  /// The range nearest to the address, or null if there is none.
  const MemoryRange *nearest(uint64_t address) const;
  /// The allocation that held all of [address, address + size) and that was
  /// freed last, or null.
  const MemoryRange *findFreed(uint64_t address, uint64_t size) const;
  const std::vector<MemoryRange> &ranges() const { return sorted; }

private:
  std::vector<MemoryRange> sorted;
  std::vector<uint64_t> highestEnd; ///< Over the ranges up to each.
  std::vector<MemoryRange> freed;   ///< The last one last.
};

/// The device's memory: device addresses are host addresses, and this table
/// says which of them a kernel may touch. Thread-safe.
class Memory {
public:
  Memory() = default;
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Memory filled with 0xff, so that floats read before they are written are
  /// NaN. Without a label it is called "allocation #n".
  Expected<void *> allocate(uint64_t bytes, std::string label = "");
  /// Makes memory of the caller an allocation, for one who cares where it lies.
  /// It keeps its contents, and `free` does not free it. Unless `isWritten`,
  /// reading it before it is written is a finding.
  Expected<bool> adopt(void *pointer, uint64_t bytes, std::string label,
                       bool isWritten);
  /// The addresses stay out of use for a while, so that accesses to them are
  /// known for what they are.
  Expected<bool> free(void *pointer);
  /// Says that the host has given [pointer, pointer + bytes) values: kernels
  /// that read bytes of an allocation which neither this nor a kernel has
  /// written get a finding. What lies in no allocation is of no interest.
  void markWritten(const void *pointer, uint64_t bytes);

  /// Lets kernels access host memory. A range that is already registered at
  /// this address is replaced if the new one is larger; each call needs its
  /// unregisterRange.
  Expected<bool> registerRange(void *pointer, uint64_t bytes,
                               std::string label = "");
  Expected<bool> unregisterRange(void *pointer);

  /// The ranges now, and those in `more`.
  RangeTable snapshot(std::vector<MemoryRange> more = {}) const;
  uint64_t allocatedBytes() const;

  void startCounting();
  /// Since startCounting, or since there is this memory.
  AllocationCounts counts() const;

private:
  struct Entry {
    MemoryRange range;
    unsigned uses = 1;
    bool isOwned = true;
  };
  void keepOutOfUse(MemoryRange range);
  void releaseQuarantine(uint64_t limit);

  mutable std::mutex mutex;
  std::map<uint64_t, Entry> allocations;
  std::deque<MemoryRange> quarantine; ///< Freed, the oldest first.
  uint64_t quarantineBytes = 0;
  std::map<uint64_t, Entry> registrations;
  unsigned counter = 0;
  AllocationCounts counted;
  int64_t bytesSinceStart = 0; ///< Allocated and not freed; or more was freed.
};

} // namespace dietcode::vgpu

#endif // DIETCODE_VIRTUALGPU_MEMORY_H
