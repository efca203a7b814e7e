//===- ScheduleImpl.h - What layout, resources and limits share -*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_SEARCH_SCHEDULEIMPL_H
#define DIETCODE_LIB_SEARCH_SCHEDULEIMPL_H

#include "dietcode/Search/Schedule.h"

namespace dietcode {

/// Largest tile extent that is worth a message of its own; everything computed
/// from extents up to it fits in 64 bits with room to spare.
inline constexpr int64_t kMaxTileExtent = 1024;

inline int64_t roundUp(int64_t value, int64_t unit) {
  return unit <= 1 ? value : (value + unit - 1) / unit * unit;
}

/// As many of `elements` as a thread copies at once, so that each copies the
/// same number; 0 if that does not work out.
int64_t copiedAtOnce(const Schedule &schedule, int64_t elements,
                     int64_t threads, int64_t widest);

/// The threads of a block whose thread tile divides it.
int64_t threadsOf(const Schedule &schedule, int64_t warpSize);

int64_t sharedBytesOf(const Schedule &schedule);

/// What the twin for any strides needs at most.
int64_t generalRegistersOf(const Schedule &schedule,
                           const ScheduleLayout &layout, int64_t warpSize);

} // namespace dietcode

#endif // DIETCODE_LIB_SEARCH_SCHEDULEIMPL_H
