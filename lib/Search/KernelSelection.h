//===- KernelSelection.h - A few kernels for many shapes --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_SEARCH_KERNELSELECTION_H
#define DIETCODE_LIB_SEARCH_KERNELSELECTION_H

#include "dietcode/Search/Dispatch.h"

namespace dietcode::detail {

/// Stands for a kernel that cannot serve a point. Finite, so that sums order
/// choices by how many points they leave unserved.
inline constexpr double kUnserved = 1e9;

/// Regret of candidates at points; one row per candidate.
struct RegretTable {
  size_t numPoints = 0;
  std::vector<unsigned> candidates;
  std::vector<double> regret;
  std::vector<double> loss;   ///< What choices minimise, see lossOf.
  std::vector<double> weight; ///< Of the points.
  double totalWeight = 0;

  const double *row(size_t index) const {
    return regret.data() + index * numPoints;
  }
  const double *lossRow(size_t index) const {
    return loss.data() + index * numPoints;
  }
};

/// Asks for the cost of all candidates at all points and keeps candidates that
/// may matter: the nearly best ones of some point and the best on the whole.
Expected<RegretTable> buildRegretTable(const DispatchProblem &problem);

/// Rows of at most `maxKernels` candidates with a small weighted sum over the
/// points of the least loss among them: greedy, then exchanges of one.
std::vector<size_t> chooseKernels(const RegretTable &table,
                                  unsigned maxKernels);

} // namespace dietcode::detail

#endif // DIETCODE_LIB_SEARCH_KERNELSELECTION_H
