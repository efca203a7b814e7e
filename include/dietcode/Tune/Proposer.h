//===- Proposer.h - Which micro-kernels to measure next ---------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search: candidates are proposed in batches by what the cost model expects
// them to gain over what has been measured, weighted by the instances of the
// workload, by mutation of the best, and at random.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TUNE_PROPOSER_H
#define DIETCODE_TUNE_PROPOSER_H

#include "dietcode/CostModel/CostModel.h"

#include <cstdint>
#include <vector>

namespace dietcode {

/// A shape that counts, and how much.
struct TuneInstance {
  ContractionShape shape;
  double weight = 1; ///< Of all instances of an operator they sum up to one.
};

/// The micro-kernels that are known of one operator. `costs[i]` belongs to
/// `space[i]`; its source says whether it was measured.
struct CandidatePool {
  std::vector<Schedule> space;
  std::vector<MicroKernelCost> costs;
  std::vector<bool> excluded; ///< Failed, or being measured.
};

struct ProposerOptions {
  unsigned batch = 32;
  double randomFraction = 0.1; ///< Of a batch, chosen uniformly.
  /// The same of the first batch, which has only the device table to go by.
  double firstRandomFraction = 0.5;
  double mutationFraction = 0.2; ///< Of a batch, next to the best measured.
  /// Factor by which the model may be wrong: a candidate is worth measuring if
  /// it might be faster by as much.
  double optimism = 0.1;
};

/// The next candidates to measure, as indices into the pool; fewer than a batch
/// if the space is used up. The same arguments give the same batch.
std::vector<size_t>
proposeCandidates(const CandidatePool &pool,
                  const std::vector<TuneInstance> &instances,
                  const Adaption &adaption, uint64_t seed,
                  const ProposerOptions &options = {});

/// Sum over the instances of weight * seconds of the best measured candidate:
/// the time of an average call. Infinite if nothing was measured.
double weightedSeconds(const CandidatePool &pool,
                       const std::vector<TuneInstance> &instances,
                       const Adaption &adaption);

/// By how much the model expects `weightedSeconds` to sink with one more batch.
double expectedGain(const CandidatePool &pool,
                    const std::vector<TuneInstance> &instances,
                    const Adaption &adaption,
                    const ProposerOptions &options = {});

} // namespace dietcode

#endif // DIETCODE_TUNE_PROPOSER_H
