//===- GlobalChecks.h - Shadows of global memory ----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who wrote and read each granule of global memory during a launch. All host
// threads share it, and what it reports does not depend on their timing: it
// keeps the lowest writer and the two lowest readers of each granule, which are
// enough to find the lowest pair of blocks that conflict in whatever order they
// come.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_GLOBALCHECKS_H
#define DIETCODE_LIB_VIRTUALGPU_GLOBALCHECKS_H

#include "dietcode/VirtualGPU/Memory.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <tuple>

namespace dietcode::vgpu {

/// A block's access: block, instruction and thread, ordered like them.
struct GlobalAccess {
  static constexpr unsigned instBits = 22, threadBits = 10;
  uint32_t block = 0;
  uint32_t inst = 0;
  uint32_t thread = 0;

  uint64_t pack() const {
    return uint64_t(block) << (instBits + threadBits) |
           uint64_t(inst) << threadBits | thread;
  }
  static GlobalAccess unpack(uint64_t bits) {
    return {static_cast<uint32_t>(bits >> (instBits + threadBits)),
            static_cast<uint32_t>(bits >> threadBits) & ((1u << instBits) - 1),
            static_cast<uint32_t>(bits) & ((1u << threadBits) - 1)};
  }
};

/// Two blocks whose accesses conflict; `later` is the higher block.
struct GlobalRace {
  GlobalAccess earlier, later;
  bool earlierWrites = false, laterWrites = false;
  uint64_t address = 0;

  auto key() const {
    return std::make_tuple(later.block, later.pack(), earlier.pack(), address,
                           earlierWrites, laterWrites);
  }
};

class GlobalChecks {
public:
  /// `log2Granule` is the smallest access of the kernel; a shadow is kept for
  /// the pages of these ranges that the kernel touches.
  GlobalChecks(const RangeTable &ranges, unsigned log2Granule, bool races,
               uint64_t shadowBytes);
  ~GlobalChecks();
  GlobalChecks(const GlobalChecks &) = delete;

  /// Memory from the first granule of a page on, and who accessed it.
  struct Page;
  struct Span {
    uint64_t base;
    uint64_t end;
    std::unique_ptr<std::atomic<Page *>[]> pages;
  };

  Span *spanOf(uint64_t address) const;
  void read(const Span &span, uint64_t address, unsigned bytes,
            GlobalAccess access);
  void write(const Span &span, uint64_t address, unsigned bytes,
             GlobalAccess access);
  /// The first byte of the access that nobody has written, or ~0: neither an
  /// earlier launch or copy nor a block up to this one.
  uint64_t firstUnwritten(const Span &span, const MemoryRange &range,
                          uint64_t address, unsigned bytes,
                          uint32_t block) const;
  /// Hands what was written to the allocations; after the last block.
  void finish(const RangeTable &ranges) const;

  bool tracksReads() const { return races; }
  /// The lowest block that is in a race, or ~0.
  uint64_t lowestRacing() const {
    return lowest.load(std::memory_order_relaxed);
  }
  /// The race of that block.
  GlobalRace race() const { return best; }
  /// Pages that the limit left without a shadow.
  uint64_t untrackedPages() const { return untracked; }

private:
  static constexpr unsigned log2PageGranules = 12;
  static constexpr uint64_t pageMask = (uint64_t(1) << log2PageGranules) - 1;
  Page &page(const Span &span, uint64_t granule);
  std::atomic<uint64_t> *slotsOf(std::atomic<std::atomic<uint64_t> *> &slots,
                                 size_t perGranule);
  bool take(uint64_t bytes);
  void report(const GlobalRace &race);

  unsigned log2Granule;
  bool races;
  uint64_t limit;
  std::vector<std::unique_ptr<Span>> spans; ///< Disjoint, by address.
  std::atomic<uint64_t> used{0};
  std::atomic<uint64_t> untracked{0};
  std::atomic<uint64_t> lowest{~uint64_t(0)};
  std::mutex mutex;
  GlobalRace best;
};

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_GLOBALCHECKS_H
