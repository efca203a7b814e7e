//===- ResidentMemory.h - What a process holds ------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_RESIDENTMEMORY_H
#define DIETCODE_TEST_UNIT_RESIDENTMEMORY_H

#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool isSanitized = true;
#elif defined(__has_feature)
inline constexpr bool isSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool isSanitized = false;
#endif

/// Of this process, in bytes.
inline int64_t residentBytes() {
  int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

/// Memory has grown by less than `most` since residentBytes was `before`. A
/// sanitizer keeps what is freed, and reports leaks itself.
inline void expectFlat(int64_t before, int64_t most) {
  if (!isSanitized) {
    EXPECT_LT(residentBytes() - before, most);
  }
}

#endif // DIETCODE_TEST_UNIT_RESIDENTMEMORY_H
