//===- ContractionShape.h - What micro-kernels are applied to ---*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_SEARCH_CONTRACTIONSHAPE_H
#define DIETCODE_SEARCH_CONTRACTIONSHAPE_H

#include "dietcode/Search/Schedule.h"

#include <cstdint>
#include <string_view>

namespace dietcode {

/// Extents of C[m, n] += A[m, k] B[k, n], for each of a batch. An operator on
/// rows has m of them, with n columns.
struct ContractionShape {
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t batch = 1;
  /// How many of the elements of A and of B are the same element of memory:
  /// above 1 for the image of a convolution, whose windows overlap.
  double reuseA = 1;
  double reuseB = 1;

  friend bool operator==(const ContractionShape &a, const ContractionShape &b) {
    return a.m == b.m && a.n == b.n && a.k == b.k && a.batch == b.batch;
  }
};

/// The extent that operators and records call "m", "n", "k", or "b" for the
/// batch; null for other names.
int64_t *findExtent(ContractionShape &shape, std::string_view name);
const int64_t *findExtent(const ContractionShape &shape, std::string_view name);

/// Whether there is nothing to multiply.
bool isEmpty(const ContractionShape &shape);

/// e.g. "m = 16, n = 2304, k = 768", and ", b = 12" for a batch.
std::string describe(const ContractionShape &shape);

/// Blocks of the first step for a shape.
int64_t blocksOf(const Schedule &schedule, const ContractionShape &shape);

/// Tiles that such a block goes through: the k tiles of a product, or the tiles
/// of its rows.
int64_t tilesPerBlock(const Schedule &schedule, const ContractionShape &shape);

} // namespace dietcode

#endif // DIETCODE_SEARCH_CONTRACTIONSHAPE_H
