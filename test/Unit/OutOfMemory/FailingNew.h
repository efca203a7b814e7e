//===- FailingNew.h - Memory that runs out when tests want it ---*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program with FailingNew.cpp in it has its own operator new, for itself and
// for the shared libraries that it loads.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_OUTOFMEMORY_FAILINGNEW_H
#define DIETCODE_TEST_UNIT_OUTOFMEMORY_FAILINGNEW_H

#include "../ResidentMemory.h"

#include <cstdint>
#include <gtest/gtest.h>

namespace outofmemory {

/// What there is after the allocation that fails.
enum class Afterwards : uint8_t { Memory, Nothing };

/// While it lives, the nth allocation of any thread fails, 1 being the next.
class FailingNew {
public:
  explicit FailingNew(uint64_t nth, Afterwards afterwards);
  ~FailingNew() { stop(); }
  FailingNew(const FailingNew &) = delete;
  FailingNew &operator=(const FailingNew &) = delete;

  /// Allocations succeed from now on. Returns whether one has failed.
  bool stop();
};

/// Allocations succeed where this says so, as in a stand-in for a library that
/// does not use ours.
void exempt(bool (*isExempt)());

/// What operator new has given and not got back.
int64_t liveObjects();

/// Runs a test for the first allocation that fails, the second, and so on:
/// `attempt(nth, afterwards)` returns false once nothing has failed. With a
/// sanitizer, which makes it slow, only some of the later ones.
template <typename Attempt>
void forEachAllocation(Attempt attempt) {
  for (Afterwards afterwards : {Afterwards::Memory, Afterwards::Nothing}) {
    uint64_t nth = 1;
    while (attempt(nth, afterwards) && !testing::Test::HasFailure())
      nth += isSanitized ? 1 + nth / 8 : 1;
    EXPECT_GT(nth, 1u) << "nothing was allocated";
  }
}

} // namespace outofmemory

#endif // DIETCODE_TEST_UNIT_OUTOFMEMORY_FAILINGNEW_H
