//===- Ranking.cpp - How well the cost model ranks, and the search finds --===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bench-ranking RECORDS [N K]: RECORDS are of dietcode-tune --exhaustive on one
// operator, N and K its static extents if the file has several. Prints
//
//   - how the model ranks micro-kernels that it has not seen (5-fold):
//   Spearman's
//     rank correlation and the coefficient of determination of their
//     throughput;
//   - the best of the model's first one and first eight choices, as a fraction
//   of
//     the exhaustive best of each instance, before training and after (5-fold);
//   - the trials that one joint search takes until it is within 2 % of the
//     exhaustive best at every instance, against one search for each instance
//     by the same engine.
//
//===----------------------------------------------------------------------===//

#include "Enumeration.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace dietcode;

static constexpr size_t kFolds = 5;

/// A fixed permutation: every fifth of a linear congruence.
static size_t foldOf(size_t candidate) {
  return (candidate * 2654435761u >> 7) % kFolds;
}

/// f_MK of each candidate by a model that has not seen it.
static Expected<std::vector<MicroKernelCost>>
predictUnseen(const Enumeration &all) {
  std::vector<MicroKernelCost> costs(all.schedules.size());
  for (size_t fold = 0; fold < kFolds; ++fold) {
    CostModel model(*all.device);
    std::vector<MeasuredKernel> seen;
    for (size_t c = 0; c < costs.size(); ++c)
      if (foldOf(c) != fold)
        seen.push_back(all.measured[c]);
    if (Expected<void> trained = model.train(seen); !trained)
      return tl::unexpected(trained.error());
    for (size_t c = 0; c < costs.size(); ++c)
      if (foldOf(c) == fold)
        costs[c] = model.predict(all.schedules[c], all.traits);
  }
  return costs;
}

static std::vector<MicroKernelCost> costAnalytically(const Enumeration &all) {
  return CostModel(*all.device).predict(all.schedules, all.traits);
}

static std::vector<MicroKernelCost> costMeasured(const Enumeration &all) {
  std::vector<MicroKernelCost> costs;
  for (const MeasuredKernel &kernel : all.measured)
    costs.push_back(
        CostModel(*all.device).measured(kernel, all.instances.back().shape));
  return costs;
}

static void printThroughput(const char *what, const Enumeration &all,
                            const std::vector<MicroKernelCost> &costs,
                            const std::vector<MicroKernelCost> &truth) {
  Adaption adaption(*all.device);
  std::vector<double> predicted, actual;
  for (size_t c = 0; c < costs.size(); ++c) {
    predicted.push_back(adaption.throughput(costs[c]));
    actual.push_back(adaption.throughput(truth[c]));
  }
  std::printf("%-22s Spearman %.3f  R2 %.3f\n", what,
              rankCorrelation(predicted, actual),
              determination(predicted, actual));
}

/// The best time among the first `count` choices of the model.
static double firstChoices(const Enumeration &all,
                           const std::vector<MicroKernelCost> &costs,
                           size_t instance, size_t count) {
  Adaption adaption(*all.device);
  std::vector<std::pair<double, size_t>> order;
  for (size_t c = 0; c < costs.size(); ++c)
    order.push_back(
        {adaption.estimate(costs[c], all.instances[instance].shape).seconds,
         c});
  std::sort(order.begin(), order.end());
  double least = all.seconds[order.front().second][instance];
  for (size_t i = 0; i < std::min(count, order.size()); ++i)
    least = std::min(least, all.seconds[order[i].second][instance]);
  return least;
}

static void printChoices(const char *what, const Enumeration &all,
                         const std::vector<MicroKernelCost> &costs) {
  double worst1 = 1, worst8 = 1, sum1 = 0, sum8 = 0;
  for (size_t i = 0; i < all.instances.size(); ++i) {
    double top1 = all.best(i) / firstChoices(all, costs, i, 1);
    double top8 = all.best(i) / firstChoices(all, costs, i, 8);
    worst1 = std::min(worst1, top1);
    worst8 = std::min(worst8, top8);
    sum1 += top1 / double(all.instances.size());
    sum8 += top8 / double(all.instances.size());
  }
  std::printf("%-22s top-1 mean %5.1f %% worst %5.1f %%  top-8 mean %5.1f %% "
              "worst %5.1f %%\n",
              what, 100 * sum1, 100 * worst1, 100 * sum8, 100 * worst8);
}

/// Candidates measured by a search for some of the instances until what it has
/// found is within `slack` of the exhaustive best of each.
static size_t countTrials(const Enumeration &all,
                          const std::vector<size_t> &wanted, double slack,
                          uint64_t seed) {
  std::vector<TuneInstance> instances;
  for (size_t i : wanted)
    instances.push_back({all.instances[i].shape, 1.0 / double(wanted.size())});
  std::vector<ContractionShape> points;
  for (const TuneInstance &instance : all.instances)
    points.push_back(instance.shape);
  OperatorTuner tuner(*all.device, all.traits, instances, points);
  std::map<std::string, size_t> indices;
  for (size_t c = 0; c < all.schedules.size(); ++c)
    indices[all.schedules[c].name()] = c;
  std::vector<double> best(all.instances.size(), INFINITY);
  CostModel model(*all.device);
  size_t trials = 0;
  for (unsigned round = 0; trials < all.schedules.size(); ++round) {
    ProposerOptions options;
    options.batch = 16;
    if (round == 0)
      options.randomFraction = 0.5;
    std::vector<size_t> batch = tuner.propose(seed + round, options);
    if (batch.empty())
      break;
    std::vector<Record> records;
    for (size_t index : batch) {
      auto at = indices.find(tuner.getPool().space[index].name());
      ++trials;
      if (at == indices.end()) {
        Record failed;
        failed.op = all.traits.signature();
        failed.schedule = tuner.getPool().space[index].name();
        failed.status = RecordStatus::Spills;
        records.push_back(failed);
        continue;
      }
      records.push_back(all.records[at->second]);
      records.back().runs.clear();
      for (const KernelRun &run : all.measured[at->second].runs) {
        RecordRun entry;
        entry.shape = {
            {"m", run.shape.m}, {"n", run.shape.n}, {"k", run.shape.k}};
        entry.blocks = run.blocks;
        entry.seconds = run.seconds;
        records.back().runs.push_back(entry);
      }
      for (size_t i : wanted)
        best[i] = std::min(best[i], all.seconds[at->second][i]);
    }
    bool found = std::all_of(wanted.begin(), wanted.end(), [&](size_t i) {
      return best[i] <= (1 + slack) * all.best(i);
    });
    if (found)
      break;
    tuner.add(records);
    if (!model.train(tuner.getMeasurements(), seed))
      break;
    tuner.update(model);
  }
  return trials;
}

static void printSearch(const Enumeration &all) {
  constexpr double kSlack = 0.02;
  std::vector<size_t> everything;
  for (size_t i = 0; i < all.instances.size(); ++i)
    everything.push_back(i);
  for (uint64_t seed : {1, 2, 3}) {
    size_t joint = countTrials(all, everything, kSlack, seed * 1000);
    size_t separate = 0;
    for (size_t i : everything)
      separate += countTrials(all, {i}, kSlack, seed * 1000);
    std::printf("seed %llu: within 2 %% at all %zu instances after %zu trials "
                "jointly, %zu one by one (%.2fx; %.0fx for 128 shapes)\n",
                static_cast<unsigned long long>(seed), everything.size(), joint,
                separate, double(separate) / double(joint),
                double(separate) / double(everything.size()) * 128 /
                    double(joint));
  }
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 4) {
    std::fprintf(stderr, "usage: bench-ranking RECORDS [N K]\n");
    return 1;
  }
  Expected<Enumeration> all =
      loadEnumeration(argv[1], argc > 2 ? std::atoll(argv[2]) : 0,
                      argc > 2 ? std::atoll(argv[3]) : 0);
  if (!all) {
    std::fprintf(stderr, "error: %s\n", all.error().message.c_str());
    return 1;
  }
  std::printf("%zu candidates of '%s' on %s, %zu instances\n",
              all->schedules.size(), all->traits.signature().c_str(),
              all->records.front().device.c_str(), all->instances.size());
  std::vector<MicroKernelCost> truth = costMeasured(*all);
  std::vector<MicroKernelCost> analytical = costAnalytically(*all);
  Expected<std::vector<MicroKernelCost>> unseen = predictUnseen(*all);
  if (!unseen) {
    std::fprintf(stderr, "error: %s\n", unseen.error().message.c_str());
    return 1;
  }
  printThroughput("analytical", *all, analytical, truth);
  printThroughput("trained, unseen", *all, *unseen, truth);
  printChoices("analytical", *all, analytical);
  printChoices("trained, unseen", *all, *unseen);
  printChoices("measured", *all, truth);
  printSearch(*all);
  return 0;
}
