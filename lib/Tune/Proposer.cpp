//===- Proposer.cpp - Which micro-kernels to measure next -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/Proposer.h"
#include "dietcode/Search/ScheduleSpace.h"

#include "dietcode/Search/Dispatch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace dietcode;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One decision of a proposer.
class Proposal {
public:
  Proposal(const CandidatePool &pool,
           const std::vector<TuneInstance> &instances, const Adaption &adaption,
           const ProposerOptions &options)
      : pool(pool), instances(instances), adaption(adaption), options(options),
        taken(pool.space.size()) {
    estimate();
  }

  void takeGaining(size_t count);
  void takeMutations(size_t count, std::mt19937_64 &random);
  void takeRandom(size_t count, std::mt19937_64 &random);
  double gainOf(size_t candidate) const;
  std::vector<size_t> rankMeasured() const;
  bool isOpen(size_t candidate) const {
    return !taken[candidate] && !pool.excluded[candidate] &&
           pool.costs[candidate].valid &&
           pool.costs[candidate].source != CostSource::Measured;
  }

  std::vector<size_t> batch;
  std::vector<double>
      best; ///< Seconds of each instance, measured, taken or hoped for.

private:
  void estimate();
  void take(size_t candidate);
  double secondsOf(size_t candidate, size_t instance) const {
    return seconds[candidate * instances.size() + instance];
  }
  double scoreOf(size_t candidate) const;

  const CandidatePool &pool;
  const std::vector<TuneInstance> &instances;
  const Adaption &adaption;
  const ProposerOptions &options;
  std::vector<bool> taken;
  std::vector<double> seconds;
};

} // namespace

void Proposal::estimate() {
  best.assign(instances.size(), kInfinity);
  std::vector<double> hoped(instances.size(), kInfinity);
  for (size_t c = 0; c < pool.space.size(); ++c)
    for (size_t i = 0; i < instances.size(); ++i) {
      double t = adaption.estimate(pool.costs[c], instances[i].shape).seconds;
      bool measured = pool.costs[c].source == CostSource::Measured;
      if (measured && !pool.excluded[c])
        best[i] = std::min(best[i], t);
      seconds.push_back(measured ? t : t * (1 - options.optimism));
      hoped[i] = std::min(hoped[i], seconds.back());
    }
  // Where nothing was measured, whatever is near to the best gains.
  for (size_t i = 0; i < instances.size(); ++i)
    if (!std::isfinite(best[i]))
      best[i] = 2 * hoped[i];
}

/// What measuring a candidate may save of the loss that dispatches minimise,
/// over the weighted instances.
double Proposal::gainOf(size_t candidate) const {
  double gain = 0;
  for (size_t i = 0; i < instances.size(); ++i) {
    double t = secondsOf(candidate, i);
    if (t < best[i] && std::isfinite(best[i]))
      gain += instances[i].weight * regretLoss(best[i] / t - 1);
  }
  return gain;
}

/// How near a candidate comes to the best; for when none gains.
double Proposal::scoreOf(size_t candidate) const {
  double score = 0;
  for (size_t i = 0; i < instances.size(); ++i) {
    double t = secondsOf(candidate, i);
    if (std::isfinite(t) && std::isfinite(best[i]))
      score = std::max(score, best[i] / t);
  }
  return score;
}

void Proposal::take(size_t candidate) {
  taken[candidate] = true;
  batch.push_back(candidate);
  // What is being measured will probably be as good as predicted, so that the
  // next one should be good at something else.
  for (size_t i = 0; i < instances.size(); ++i)
    best[i] = std::min(best[i], secondsOf(candidate, i));
}

void Proposal::takeGaining(size_t count) {
  for (; count > 0; --count) {
    size_t chosen = pool.space.size();
    double most = 0, nearest = -1;
    for (size_t c = 0; c < pool.space.size(); ++c) {
      if (!isOpen(c))
        continue;
      double gain = gainOf(c), score = gain > 0 ? 0 : scoreOf(c);
      if (gain > most || (most == 0 && gain == 0 && score > nearest)) {
        chosen = c;
        most = std::max(most, gain);
        nearest = score;
      }
    }
    if (chosen == pool.space.size())
      return;
    take(chosen);
  }
}

/// Measured candidates, those that are nearest to the best at some instance
/// first.
std::vector<size_t> Proposal::rankMeasured() const {
  std::vector<size_t> measured;
  std::vector<double> scores(pool.space.size());
  for (size_t c = 0; c < pool.space.size(); ++c)
    if (pool.costs[c].source == CostSource::Measured && !pool.excluded[c]) {
      measured.push_back(c);
      scores[c] = scoreOf(c);
    }
  std::sort(measured.begin(), measured.end(), [&](size_t a, size_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  return measured;
}

void Proposal::takeMutations(size_t count, std::mt19937_64 &random) {
  std::vector<size_t> elites = rankMeasured();
  constexpr size_t kElites = 8;
  elites.resize(std::min(elites.size(), kElites));
  std::vector<size_t> neighbours;
  for (size_t c = 0; c < pool.space.size(); ++c)
    if (isOpen(c) && std::any_of(elites.begin(), elites.end(), [&](size_t e) {
          return areNeighbours(pool.space[e], pool.space[c]);
        }))
      neighbours.push_back(c);
  std::shuffle(neighbours.begin(), neighbours.end(), random);
  for (size_t i = 0; i < neighbours.size() && i < count; ++i)
    take(neighbours[i]);
}

void Proposal::takeRandom(size_t count, std::mt19937_64 &random) {
  std::vector<size_t> open;
  for (size_t c = 0; c < pool.space.size(); ++c)
    if (isOpen(c))
      open.push_back(c);
  std::shuffle(open.begin(), open.end(), random);
  for (size_t i = 0; i < open.size() && i < count; ++i)
    take(open[i]);
}

std::vector<size_t> dietcode::proposeCandidates(
    const CandidatePool &pool, const std::vector<TuneInstance> &instances,
    const Adaption &adaption, uint64_t seed, const ProposerOptions &options) {
  std::mt19937_64 random(seed);
  Proposal proposal(pool, instances, adaption, options);
  auto share = [&](double fraction) {
    return static_cast<size_t>(std::ceil(fraction * options.batch));
  };
  bool isFirst = proposal.rankMeasured().empty();
  size_t mutations = isFirst ? 0 : share(options.mutationFraction);
  size_t randoms =
      share(isFirst ? options.firstRandomFraction : options.randomFraction);
  size_t others = std::min<size_t>(mutations + randoms, options.batch);
  proposal.takeGaining(options.batch - others);
  proposal.takeMutations(std::min(mutations, others), random);
  proposal.takeRandom(options.batch - proposal.batch.size(), random);
  return proposal.batch;
}

double dietcode::weightedSeconds(const CandidatePool &pool,
                                 const std::vector<TuneInstance> &instances,
                                 const Adaption &adaption) {
  double sum = 0;
  for (const TuneInstance &instance : instances) {
    double best = kInfinity;
    for (size_t c = 0; c < pool.space.size(); ++c)
      if (pool.costs[c].source == CostSource::Measured && !pool.excluded[c])
        best = std::min(
            best, adaption.estimate(pool.costs[c], instance.shape).seconds);
    sum += instance.weight * best;
  }
  return sum;
}

double dietcode::expectedGain(const CandidatePool &pool,
                              const std::vector<TuneInstance> &instances,
                              const Adaption &adaption,
                              const ProposerOptions &options) {
  double before = weightedSeconds(pool, instances, adaption);
  if (!std::isfinite(before))
    return kInfinity;
  Proposal proposal(pool, instances, adaption, options);
  proposal.takeGaining(options.batch);
  double after = 0;
  for (size_t i = 0; i < instances.size(); ++i)
    after += instances[i].weight * proposal.best[i];
  return before - after;
}
