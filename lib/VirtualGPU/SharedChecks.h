//===- SharedChecks.h - Races and uninitialised shared memory ---*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Orders the accesses of a block's warps by vector clocks that barriers join.
// docs/checkers.md has the rule. The common case, a granule whose last writer
// and readers are ordered before everything the warp does now, takes a few
// vector operations per access.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_SHAREDCHECKS_H
#define DIETCODE_LIB_VIRTUALGPU_SHAREDCHECKS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dietcode::vgpu {

/// What a warp does to shared memory in one instruction.
struct SharedAccess {
  enum Kind : uint8_t { Load, Store, Atomic } kind = Load;
  /// Volatile, relaxed and stronger accesses do not race with each other.
  bool strong = false;
  /// An exchange does not care what was there.
  bool readsOld = true;
  uint32_t warp = 0;
  uint32_t inst = 0;
  uint32_t mask = 0;
  unsigned bytes = 0;
  const uint64_t *offsets = nullptr; ///< Of the lanes.
  /// Of stores: a row per element, to tell whether two lanes agree.
  const uint8_t *rows[4] = {nullptr, nullptr, nullptr, nullptr};
  unsigned elementBytes = 0;
};

/// Why an access is wrong.
struct SharedFault {
  enum Kind : uint8_t {
    None,
    Uninitialized,
    ReadAfterWrite,
    WriteAfterRead,
    WriteAfterWrite,
    SameInstruction ///< Lanes that store different values at once.
  } kind = None;
  unsigned lane = 0;
  uint64_t offset = 0;
  uint32_t otherInst = 0;
  uint32_t otherWarp = 0;
  unsigned otherLane = 32; ///< 32 if several may be meant.
};

class SharedChecks {
public:
  /// Granules of 1 << log2Granule bytes are the smallest that the kernel
  /// accesses.
  SharedChecks(uint32_t sharedBytes, uint32_t warps, unsigned log2Granule,
               bool races, bool uninitialized);

  void startBlock();
  /// Records an access, or says what is wrong with it.
  SharedFault access(const SharedAccess &access);
  /// The warp passes bar.warp.sync or another instruction that waits for lanes.
  void warpSync(uint32_t warp);
  /// The warp goes on without waiting for the barrier.
  void arrive(uint32_t barrier, uint32_t warp);
  /// The warps in `waiting` go on; those in `gone` have exited.
  void release(uint32_t barrier, uint32_t waiting, uint32_t gone);
  /// A warp's atomic or strong access in a kernel with fences: it may see what
  /// all others did before theirs.
  void synchronize(uint32_t warp);

private:
  using Clock = int32_t;
  using Clocks = std::array<Clock, 32>;
  /// Who wrote a granule last: instruction, warp and lane.
  static constexpr unsigned instShift = 10;

  template <unsigned N>
  SharedFault read(const SharedAccess &access);
  template <unsigned N>
  SharedFault write(const SharedAccess &access);
  bool readSlow(const SharedAccess &access, size_t granule, uint32_t lanes,
                SharedFault &fault);
  bool writeSlow(const SharedAccess &access, size_t granule, unsigned lane,
                 SharedFault &fault);
  bool writerOrdered(const SharedAccess &access, size_t granule,
                     uint32_t lanes) const;
  bool checkReaders(const SharedAccess &access, size_t granule, unsigned lane,
                    SharedFault &fault) const;
  bool sameValue(const SharedAccess &access, unsigned a, unsigned b) const;
  void nameWriter(size_t granule, SharedFault &fault) const;
  void updateSeen(uint32_t warp);

  uint32_t warps;
  unsigned log2Granule;
  bool races;
  bool uninitialized;
  Clock tick = 1;
  uint32_t step = 0;            ///< Counts accesses of all warps.
  std::vector<Clock> clock;     ///< Of each warp's interval.
  std::vector<Clocks> seen;     ///< Intervals of others that ended before.
  std::vector<Clock> seenOfAll; ///< The least of them.
  std::vector<uint32_t> syncStep;
  Clocks published = {};                ///< For synchronize().
  std::array<Clocks, 16> arrivals = {}; ///< By barrier.

  // Per granule.
  std::vector<Clock> writeClock; ///< 0: never written.
  std::vector<uint32_t> writeInfo;
  std::vector<uint32_t> writeStep;
  enum : uint8_t { AtomicWrite = 1, ManyLanes = 2, ManyWarps = 4 };
  std::vector<uint8_t> writeFlags;
  std::vector<Clock> readClock;
  std::vector<uint32_t> readWarps; ///< That read it in interval readClock.
  std::vector<uint32_t> readInfo;  ///< The last one and its instruction.
  std::vector<uint32_t> readLanes; ///< Of that one, since its last warpSync.
  std::vector<uint32_t> readStep;
};

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_SHAREDCHECKS_H
