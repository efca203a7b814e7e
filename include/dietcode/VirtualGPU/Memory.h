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
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace dietcode::vgpu {

enum class RangeKind : uint8_t { Allocated, Registered, ModuleGlobal };

/// Bytes that kernels may access, with a name for messages.
struct MemoryRange {
  uint64_t base = 0;
  uint64_t size = 0;
  std::string label;
  RangeKind kind = RangeKind::Allocated;
};

/// Ranges in the order of their addresses. They may overlap, since programs
/// register views of one buffer.
class RangeTable {
public:
  explicit RangeTable(std::vector<MemoryRange> ranges);

  /// The range that holds all of [address, address + size), or null.
  const MemoryRange *find(uint64_t address, uint64_t size) const;
  /// The range nearest to the address, or null if there is none.
  const MemoryRange *nearest(uint64_t address) const;
  const std::vector<MemoryRange> &ranges() const { return sorted; }

private:
  std::vector<MemoryRange> sorted;
  std::vector<uint64_t> highestEnd; ///< Over the ranges up to each.
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
  Expected<bool> free(void *pointer);

  /// Lets kernels access host memory. A range that is already registered at
  /// this address is replaced if the new one is larger; each call needs its
  /// unregisterRange.
  Expected<bool> registerRange(void *pointer, uint64_t bytes,
                               std::string label = "");
  Expected<bool> unregisterRange(void *pointer);

  /// The ranges now, and those in `more`.
  RangeTable snapshot(std::vector<MemoryRange> more = {}) const;
  uint64_t allocatedBytes() const;

private:
  struct Entry {
    MemoryRange range;
    unsigned uses = 1;
  };
  mutable std::mutex mutex;
  std::map<uint64_t, Entry> allocations;
  std::map<uint64_t, Entry> registrations;
  unsigned counter = 0;
};

} // namespace dietcode::vgpu

#endif // DIETCODE_VIRTUALGPU_MEMORY_H
