//===- AddressNeeds.h - What operands are found by --------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_SEARCH_ADDRESSNEEDS_H
#define DIETCODE_SEARCH_ADDRESSNEEDS_H

#include <cstdint>
#include <tuple>

namespace dietcode {

/// What the addresses of an operator's elements depend on beyond those of a
/// product of two matrices. All of it takes registers of a kernel.
struct AddressNeeds {
  int64_t dims = 0;     ///< Problem dimensions besides m, n and k.
  int64_t windowsA = 0; ///< Dimensions of A that are windows.
  int64_t windowsB = 0;
  bool tableA = false; ///< Threads that multiply read A by a table of taps.
  bool tableB = false;

  friend bool operator<(const AddressNeeds &a, const AddressNeeds &b) {
    return std::tie(a.dims, a.windowsA, a.windowsB, a.tableA, a.tableB) <
           std::tie(b.dims, b.windowsA, b.windowsB, b.tableA, b.tableB);
  }
};

} // namespace dietcode

#endif // DIETCODE_SEARCH_ADDRESSNEEDS_H
