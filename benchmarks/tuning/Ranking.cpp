//===- Ranking.cpp - How well the cost model ranks, and the search finds --===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bench-ranking RECORDS [N K]: RECORDS are of dietcode-tune --exhaustive, N and
// K the static extents of one operator; without them, of each in turn. Prints
//
//   - how the model ranks micro-kernels that it has not seen (5-fold):
//     Spearman's rank correlation and the coefficient of determination of their
//     throughput;
//   - the best of the model's first one and first eight choices, as a fraction
//     of the exhaustive best of each instance, before training and after;
//   - the trials that one joint search takes until it is within 2 % of the
//     exhaustive best at every instance, against one search for each instance
//     by the same engine that stops as soon as it is;
//   - what these searches have found after some budgets: who cannot know the
//     best stops after a budget.
//
//===----------------------------------------------------------------------===//

#include "Enumeration.h"
#include "dietcode/CostModel/CrossValidation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace dietcode;

/// By how much the DietCode paper's joint search is faster than one for each of
/// eight shapes.
static constexpr double kPaperFactor = 5.88;

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

namespace {

/// What a search has found: how far that is from the exhaustive best.
struct Outcome {
  double mean = 0, worst = 0; ///< Over the wanted instances.
};

/// A search that takes its measurements from the enumeration.
class Search {
public:
  static constexpr size_t kBatch = 16;
  Search(const Enumeration &all, const std::vector<size_t> &wanted,
         uint64_t seed)
      : all(all), wanted(wanted), seed(seed), model(*all.device),
        best(all.instances.size(), INFINITY),
        tuner(*all.device, all.traits, instancesOf(all, wanted), pointsOf(all),
              all.source, /*space=*/{}, /*rangeShare=*/0) {
    for (size_t c = 0; c < all.schedules.size(); ++c)
      indices[all.schedules[c].name()] = c;
    excludeOthers();
  }

  /// Measures one more batch. False if nothing is left.
  bool step();
  /// After each trial.
  const std::vector<Outcome> &getHistory() const { return history; }

private:
  static std::vector<TuneInstance>
  instancesOf(const Enumeration &all, const std::vector<size_t> &wanted);
  static std::vector<ContractionShape> pointsOf(const Enumeration &all);
  /// Keeps the search to what was enumerated.
  void excludeOthers();
  Record measure(size_t candidate);
  Outcome getOutcome() const;

  const Enumeration &all;
  std::vector<size_t> wanted;
  uint64_t seed;
  CostModel model;
  std::vector<double> best;
  OperatorTuner tuner;
  std::map<std::string, size_t> indices;
  std::vector<Outcome> history;
  unsigned round = 0;
};

} // namespace

std::vector<TuneInstance>
Search::instancesOf(const Enumeration &all, const std::vector<size_t> &wanted) {
  std::vector<TuneInstance> instances;
  for (size_t i : wanted)
    instances.push_back({all.instances[i].shape, 1.0 / double(wanted.size())});
  return instances;
}

std::vector<ContractionShape> Search::pointsOf(const Enumeration &all) {
  std::vector<ContractionShape> points;
  for (const TuneInstance &instance : all.instances)
    points.push_back(instance.shape);
  return points;
}

void Search::excludeOthers() {
  std::vector<Record> others;
  for (const Schedule &schedule : tuner.getPool().space) {
    if (indices.count(schedule.name()))
      continue;
    Record &record = others.emplace_back();
    record.op = all.traits.signature();
    record.source = all.source;
    record.schedule = schedule.name();
    record.status = RecordStatus::CompileError;
  }
  tuner.add(others);
}

/// The record that dietcode-tune would get.
Record Search::measure(size_t candidate) {
  auto at = indices.find(tuner.getPool().space[candidate].name());
  Record record = all.records[at->second];
  record.runs.clear();
  for (const KernelRun &run : all.measured[at->second].runs) {
    RecordRun entry;
    entry.shape = {{"m", run.shape.m}, {"n", run.shape.n}, {"k", run.shape.k}};
    entry.blocks = run.blocks;
    entry.seconds = run.seconds;
    record.runs.push_back(entry);
  }
  for (size_t i : wanted)
    best[i] = std::min(best[i], all.seconds[at->second][i]);
  history.push_back(getOutcome());
  return record;
}

bool Search::step() {
  ProposerOptions options;
  options.batch = kBatch;
  std::vector<size_t> batch = tuner.propose(seed + round++, options);
  std::vector<Record> records;
  for (size_t candidate : batch)
    records.push_back(measure(candidate));
  tuner.add(records);
  if (!model.train(tuner.getMeasurements(), seed))
    return false;
  tuner.update(model);
  return !batch.empty();
}

Outcome Search::getOutcome() const {
  Outcome outcome;
  for (size_t i : wanted) {
    double regret = best[i] / all.best(i) - 1;
    outcome.mean += regret / double(wanted.size());
    outcome.worst = std::max(outcome.worst, regret);
  }
  return outcome;
}

using History = std::vector<Outcome>;

static constexpr size_t kMostTrials = 200;
static constexpr double kSlack = 0.02;

/// Searches for so many trials, and on until it is within the slack. Once it
/// has found the best, there is nothing more to see.
static History searchFor(const Enumeration &all,
                         const std::vector<size_t> &wanted, uint64_t seed) {
  Search search(all, wanted, seed);
  const History &history = search.getHistory();
  while (search.step() && history.back().worst > 0 &&
         (history.size() < kMostTrials || history.back().worst > kSlack))
    continue;
  return history;
}

static Outcome outcomeAfter(const History &history, size_t trials) {
  return history[std::min(std::max<size_t>(trials, 1), history.size()) - 1];
}

/// The trials, in whole batches, until a search is within the slack.
static size_t trialsUntil(const History &history) {
  size_t n = 0;
  while (n < history.size() && history[n].worst > kSlack)
    ++n;
  return std::min(n / Search::kBatch * Search::kBatch + Search::kBatch,
                  history.size());
}

namespace {
/// Of one seed.
struct Searches {
  History joint;
  std::vector<History> separate; ///< One for each instance.

  Outcome separateAfter(size_t trials) const;
};
} // namespace

/// One after the other, each after so many trials.
Outcome Searches::separateAfter(size_t trials) const {
  Outcome all;
  for (const History &history : separate) {
    Outcome one = outcomeAfter(history, trials);
    all.mean += one.mean / double(separate.size());
    all.worst = std::max(all.worst, one.worst);
  }
  return all;
}

static constexpr uint64_t kSeeds[] = {1000, 2000, 3000};

/// The average over all seeds, and the worst of them.
template <typename Get>
static void printOutcome(const std::vector<Searches> &searches, Get get) {
  Outcome sum;
  for (const Searches &of : searches) {
    Outcome one = get(of);
    sum.mean += one.mean / double(searches.size());
    sum.worst = std::max(sum.worst, one.worst);
  }
  std::printf("   %6.2f %% %6.2f %%", 100 * sum.mean, 100 * sum.worst);
}

static void printSearch(const Enumeration &all) {
  std::vector<size_t> everything;
  for (size_t i = 0; i < all.instances.size(); ++i)
    everything.push_back(i);
  double count = double(everything.size());
  std::vector<Searches> searches;
  for (uint64_t seed : kSeeds) {
    Searches of;
    of.joint = searchFor(all, everything, seed);
    size_t joint = trialsUntil(of.joint), separate = 0;
    for (size_t i : everything) {
      of.separate.push_back(searchFor(all, {i}, seed));
      separate += trialsUntil(of.separate.back());
    }
    std::printf("seed %llu: within 2 %% at all %zu instances after %zu trials "
                "jointly, %zu one by one: %.1fx\n",
                static_cast<unsigned long long>(seed), everything.size(), joint,
                separate, double(separate) / double(joint));
    searches.push_back(std::move(of));
  }
  std::printf(
      "regret, mean and worst of %zu seeds, jointly and one by one with "
      "1x, %.2fx and %.0fx the trials in all:\n",
      searches.size(), kPaperFactor, count);
  for (size_t budget : {16, 32, 48, 64, 128, 200}) {
    if (budget > all.schedules.size())
      break;
    std::printf("%8zu", budget);
    printOutcome(searches, [&](const Searches &of) {
      return outcomeAfter(of.joint, budget);
    });
    for (double factor : {1.0, kPaperFactor, count})
      printOutcome(searches, [&](const Searches &of) {
        return of.separateAfter(size_t(double(budget) * factor / count));
      });
    std::printf("\n");
  }
}

/// Prints everything about one operator; false after an error.
static bool printProblem(const std::string &path, int64_t n, int64_t k) {
  Expected<Enumeration> all = loadEnumeration(path, n, k);
  if (!all) {
    std::fprintf(stderr, "error: %s\n", all.error().message.c_str());
    return false;
  }
  std::printf("%zu candidates of '%s' on %s, n = %lld, k = %lld, %zu "
              "instances\n",
              all->schedules.size(), all->traits.signature().c_str(),
              all->records.front().device.c_str(),
              static_cast<long long>(all->instances.front().shape.n),
              static_cast<long long>(all->instances.front().shape.k),
              all->instances.size());
  std::vector<MicroKernelCost> truth = costMeasured(*all);
  std::vector<MicroKernelCost> analytical = costAnalytically(*all);
  Expected<std::vector<MicroKernelCost>> unseen =
      predictUnseen(*all->device, all->measured);
  if (!unseen) {
    std::fprintf(stderr, "error: %s\n", unseen.error().message.c_str());
    return false;
  }
  printThroughput("analytical", *all, analytical, truth);
  printThroughput("trained, unseen", *all, *unseen, truth);
  printChoices("analytical", *all, analytical);
  printChoices("trained, unseen", *all, *unseen);
  printChoices("measured", *all, truth);
  printSearch(*all);
  return true;
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 4) {
    std::fprintf(stderr, "usage: bench-ranking RECORDS [N K]\n");
    return 1;
  }
  if (argc == 4)
    return printProblem(argv[1], std::atoll(argv[2]), std::atoll(argv[3])) ? 0
                                                                           : 1;
  auto problems = listProblems(argv[1]);
  if (!problems) {
    std::fprintf(stderr, "error: %s\n", problems.error().message.c_str());
    return 1;
  }
  for (auto [n, k] : *problems)
    if (!printProblem(argv[1], n, k))
      return 1;
  return 0;
}
