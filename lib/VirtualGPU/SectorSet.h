//===- SectorSet.h - Distinct sectors of memory -----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_SECTORSET_H
#define DIETCODE_LIB_VIRTUALGPU_SECTORSET_H

#include <array>
#include <cstdint>
#include <unordered_map>

namespace dietcode::vgpu {

/// A bit for each sector of the pages that any was inserted of: sectors come by
/// the million, and most are next to others.
class SectorSet {
public:
  /// Whether it is new.
  bool insert(uint64_t sector) {
    if (uint64_t number = sector / pageSectors; !page || number != pageNumber) {
      page = &pages[number];
      pageNumber = number;
    }
    uint64_t &word = (*page)[sector % pageSectors / 64];
    uint64_t bit = uint64_t(1) << sector % 64;
    bool isNew = !(word & bit);
    word |= bit;
    count += isNew;
    return isNew;
  }

  void insert(const uint64_t *begin, const uint64_t *end) {
    for (; begin != end; ++begin)
      insert(*begin);
  }

  bool contains(uint64_t sector) const {
    auto at = pages.find(sector / pageSectors);
    return at != pages.end() &&
           at->second[sector % pageSectors / 64] >> sector % 64 & 1;
  }

  uint64_t size() const { return count; }

  void clear() { *this = {}; }

private:
  static constexpr uint64_t pageSectors = 512;
  using Page = std::array<uint64_t, pageSectors / 64>;

  std::unordered_map<uint64_t, Page> pages;
  Page *page = nullptr; ///< The last one that was inserted into.
  uint64_t pageNumber = 0;
  uint64_t count = 0;
};

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_SECTORSET_H
