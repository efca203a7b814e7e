//===- CrossValidation.cpp - Predictions of what was held out -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/CrossValidation.h"

using namespace dietcode;

static constexpr size_t kFolds = 5;

/// A fixed permutation: every fifth of a linear congruence.
static size_t foldOf(size_t kernel) {
  return (kernel * 2654435761u >> 7) % kFolds;
}

Expected<std::vector<MicroKernelCost>>
dietcode::predictUnseen(const DeviceSpec &device,
                        const std::vector<MeasuredKernel> &kernels) {
  std::vector<MicroKernelCost> costs(kernels.size());
  for (size_t fold = 0; fold < kFolds; ++fold) {
    CostModel model(device);
    std::vector<MeasuredKernel> seen;
    for (size_t i = 0; i < kernels.size(); ++i)
      if (foldOf(i) != fold)
        seen.push_back(kernels[i]);
    if (Expected<void> trained = model.train(seen); !trained)
      return tl::unexpected(trained.error());
    for (size_t i = 0; i < kernels.size(); ++i)
      if (foldOf(i) == fold)
        costs[i] = model.predict(kernels[i].schedule, kernels[i].traits);
  }
  return costs;
}
