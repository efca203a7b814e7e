//===- CostModel.cpp - Costs from the device table, training and records --===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/CostModel.h"

#include <algorithm>
#include <cmath>

using namespace dietcode;

namespace {
/// What the two boosters of a family are called.
struct BoosterPair {
  KernelFamily family;
  const char *lone, *full;
};
} // namespace

static constexpr BoosterPair kPairs[] = {
    {KernelFamily::Products, "lone", "full"},
    {KernelFamily::Rows, "rows-lone", "rows-full"},
};

static const BoosterPair &pairOf(const OperatorTraits &traits) {
  return kPairs[static_cast<size_t>(familyOf(traits))];
}

static std::string schemaHash() {
  return featureSchemaHash(kernelFeatureNames());
}

//===----------------------------------------------------------------------===//
// Prediction
//===----------------------------------------------------------------------===//

/// Multiplies the analytical costs by what the boosters say they are off.
void CostModel::correct(std::vector<MicroKernelCost> &costs,
                        const OperatorTraits &traits) const {
  const BoosterPair &pair = pairOf(traits);
  FeatureMatrix matrix{kernelFeatureNames(pair.family).size(), {}};
  std::vector<size_t> rows;
  for (size_t i = 0; i < costs.size(); ++i) {
    if (!costs[i].valid)
      continue;
    std::vector<float> features = kernelFeatures(
        analytical.profile(costs[i].schedule, std::nullopt, traits), costs[i],
        traits, device);
    matrix.values.insert(matrix.values.end(), features.begin(), features.end());
    rows.push_back(i);
  }
  if (rows.empty())
    return;
  for (auto [name, round] : {std::pair(pair.lone, &MicroKernelCost::lone),
                             std::pair(pair.full, &MicroKernelCost::full)}) {
    auto booster = boosters.find(name);
    if (booster == boosters.end())
      return;
    Expected<std::vector<double>> logs = booster->second.predict(matrix);
    if (!logs)
      continue; // The schema was checked when the boosters were made.
    for (size_t row = 0; row < rows.size(); ++row) {
      MicroKernelCost &cost = costs[rows[row]];
      (cost.*round).perTile *= std::exp((*logs)[row]);
      cost.source = CostSource::Predicted;
    }
  }
  // Blocks that share an SM are not faster than one that has it to itself.
  for (size_t row : rows)
    costs[row].full.perTile =
        std::max(costs[row].full.perTile, costs[row].lone.perTile);
}

std::vector<MicroKernelCost>
CostModel::predict(const std::vector<Schedule> &schedules,
                   const OperatorTraits &traits) const {
  std::vector<MicroKernelCost> costs;
  for (const Schedule &schedule : schedules)
    costs.push_back(analytical.cost(schedule, traits));
  if (isTrained())
    correct(costs, traits);
  return costs;
}

MicroKernelCost CostModel::predict(const Schedule &schedule,
                                   const OperatorTraits &traits) const {
  return predict(std::vector<Schedule>{schedule}, traits).front();
}

//===----------------------------------------------------------------------===//
// Measurements
//===----------------------------------------------------------------------===//

namespace {
/// A run that tells the time of a round: all its blocks run together.
struct RoundRun {
  const KernelRun *run = nullptr;
  int blocksPerSM = 0; ///< On the busiest SM.
};
} // namespace

/// How far a run is from a reference shape; fewer is nearer.
static double distance(const KernelRun &run, const ContractionShape &to) {
  auto doublings = [](int64_t a, int64_t b) {
    return std::abs(std::log2(double(std::max<int64_t>(a, 1)) /
                              double(std::max<int64_t>(b, 1))));
  };
  // The depth decides how much of a run is the loop over k.
  return 4 * doublings(run.shape.k, to.k) + doublings(run.shape.n, to.n);
}

static bool isFullGrid(const KernelRun &run, const Schedule &schedule) {
  return run.blocks == blocksOf(schedule, run.shape);
}

/// The runs on one block per SM and on a full device that are nearest to
/// `reference`. Instead of a full device it may be nearly one, and where no
/// grid has a block for most SMs, a few blocks are as good.
static std::pair<RoundRun, RoundRun>
findRounds(const MeasuredKernel &kernel, int most, int smCount,
           const ContractionShape &reference) {
  RoundRun lone, full;
  auto isBetterLone = [&](const KernelRun &run, double here) {
    bool isWide = run.blocks * 2 > smCount;
    bool wasWide = lone.run && lone.run->blocks * 2 > smCount;
    if (!lone.run || isWide != wasWide)
      return !lone.run || isWide;
    double there = distance(*lone.run, reference);
    return here < there ||
           (!isWide && here == there && run.blocks > lone.run->blocks);
  };
  for (const KernelRun &run : kernel.runs) {
    int busiest = static_cast<int>((run.blocks + smCount - 1) / smCount);
    double here = distance(run, reference);
    if (busiest == 1 && isBetterLone(run, here))
      lone = {&run, 1};
    if (busiest > most || busiest * 4 < most * 3)
      continue;
    if (!full.run || here < distance(*full.run, reference) ||
        (here == distance(*full.run, reference) && busiest > full.blocksPerSM))
      full = {&run, busiest};
  }
  return {lone, full};
}

/// Seconds of the main kernel of a run. What is not its own is estimated, and
/// must not make it too small.
static double kernelSeconds(const KernelRun &run, const Schedule &schedule,
                            const Adaption &adaption) {
  constexpr double kLeastShare = 0.1;
  double other = adaption.otherSeconds(schedule, run.shape, double(run.blocks));
  return std::max(run.seconds - other, kLeastShare * run.seconds);
}

/// Seconds per k tile of a full SM and cycle that it is busy. Unlike those of
/// the round they do not depend much on how many blocks share the SM, which is
/// an estimate until a candidate is compiled.
static double perCycle(const MicroKernelCost &cost, const Adaption &adaption) {
  return cost.full.perTile /
         adaption.busyCycles(cost, cost.resources.blocksPerSM);
}

/// The assembler has the last word on how many blocks share an SM.
static void setResources(MicroKernelCost &cost, const Resources &resources,
                         const Adaption &adaption) {
  double before = cost.valid ? perCycle(cost, adaption) : 0;
  cost.resources = resources;
  if (before > 0 && resources.blocksPerSM > 0)
    cost.full.perTile =
        before * adaption.busyCycles(cost, resources.blocksPerSM);
}

/// Makes `round` take `seconds` over `tiles`, keeping what is not the loop
/// unless it would be most of it.
static void setRound(RoundCost &round, double seconds, double tiles) {
  round.overhead = std::min(round.overhead, seconds / 2);
  round.perTile = (seconds - round.overhead) / tiles;
}

/// A grid of many rounds tells best what a round takes in the long run: scales
/// the cost of full rounds until the estimate is what was measured.
void CostModel::fitToWholeGrid(MicroKernelCost &cost,
                               const MeasuredKernel &kernel,
                               const ContractionShape &reference) const {
  constexpr int kFewestRounds = 2, kIterations = 8;
  constexpr double kMostCorrection = 2;
  const KernelRun *best = nullptr;
  for (const KernelRun &run : kernel.runs) {
    bool isLong = run.blocks >= int64_t(kFewestRounds) * device.smCount *
                                    cost.resources.blocksPerSM;
    if (!isLong || !isFullGrid(run, kernel.schedule))
      continue;
    double here = distance(run, reference);
    if (!best || here < distance(*best, reference) ||
        (here == distance(*best, reference) && run.blocks > best->blocks))
      best = &run;
  }
  if (!best)
    return;
  cost.source = CostSource::Measured;
  double seconds = kernelSeconds(*best, kernel.schedule, adaption);
  double other =
      adaption.otherSeconds(kernel.schedule, best->shape, double(best->blocks));
  for (int i = 0; i < kIterations; ++i) {
    double before = cost.full.perTile;
    double estimated = adaption.estimate(cost, best->shape).seconds - other;
    double ratio = seconds / estimated;
    cost.full.perTile *=
        std::min(kMostCorrection, std::max(1 / kMostCorrection, ratio));
    // Where memory decides, faster rounds change nothing, and nothing is known
    // of them.
    if (ratio < 1 &&
        adaption.estimate(cost, best->shape).seconds - other == estimated) {
      cost.full.perTile = before;
      return;
    }
  }
}

MicroKernelCost CostModel::measured(const MeasuredKernel &kernel,
                                    const ContractionShape &reference) const {
  const Schedule &schedule = kernel.schedule;
  MicroKernelCost cost = predict(schedule, kernel.traits);
  if (kernel.registers > 0)
    setResources(
        cost,
        analytical.profile(schedule, kernel.registers, kernel.traits).resources,
        adaption);
  cost.valid = cost.resources.blocksPerSM > 0;
  if (!cost.valid)
    return cost;
  int most = cost.resources.blocksPerSM;
  auto [lone, full] = findRounds(kernel, most, device.smCount, reference);
  if (lone.run)
    setRound(cost.lone, kernelSeconds(*lone.run, schedule, adaption),
             adaption.tilesOf(cost, lone.run->shape));
  if (full.run)
    setRound(cost.full,
             kernelSeconds(*full.run, schedule, adaption) *
                 adaption.busyCycles(cost, most) /
                 adaption.busyCycles(cost, full.blocksPerSM),
             adaption.tilesOf(cost, full.run->shape));
  if (full.run || lone.run)
    cost.source = CostSource::Measured;
  if (lone.run && !full.run)
    cost.full.perTile = std::max(cost.full.perTile, cost.lone.perTile);
  fitToWholeGrid(cost, kernel, reference);
  // A block that has an SM to itself is not slower than one that shares it; the
  // run that says so read more from DRAM than it shared.
  cost.lone.perTile = std::min(cost.lone.perTile, cost.full.perTile);
  std::vector<Calibration> calibrations;
  for (const KernelRun &run : kernel.runs) {
    if (!isFullGrid(run, schedule))
      continue;
    double other =
        adaption.otherSeconds(schedule, run.shape, double(run.blocks));
    double estimated = adaption.estimate(cost, run.shape).seconds - other;
    double seconds = kernelSeconds(run, schedule, adaption);
    if (estimated > 0 && seconds > 0)
      calibrations.push_back({run.shape, seconds / estimated});
  }
  cost.calibrations = std::move(calibrations);
  return cost;
}

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

namespace {
/// Rows that one booster is trained on.
struct TrainingRows {
  FeatureMatrix matrix;
  std::vector<double> labels;

  void add(const std::vector<float> &features, double measured,
           double expected) {
    matrix.columns = features.size();
    matrix.values.insert(matrix.values.end(), features.begin(), features.end());
    labels.push_back(std::log(measured / expected));
  }
};
} // namespace

Expected<void> CostModel::train(const std::vector<MeasuredKernel> &kernels,
                                uint64_t seed) {
  std::map<std::string, TrainingRows> rows;
  CostModel prior(device);
  for (const MeasuredKernel &kernel : kernels) {
    MicroKernelCost expected = analytical.cost(kernel.schedule, kernel.traits);
    if (!expected.valid || kernel.runs.empty())
      continue;
    const ContractionShape &reference = kernel.runs.front().shape;
    MicroKernelCost cost = prior.measured(kernel, reference);
    if (cost.source != CostSource::Measured)
      continue;
    std::vector<float> features = kernelFeatures(
        analytical.profile(kernel.schedule, std::nullopt, kernel.traits),
        expected, kernel.traits, device);
    // Without a run of its own, lone would be the prior's.
    auto [lone, full] = findRounds(kernel, cost.resources.blocksPerSM,
                                   device.smCount, reference);
    const BoosterPair &pair = pairOf(kernel.traits);
    if (lone.run)
      rows[pair.lone].add(features, cost.lone.perTile, expected.lone.perTile);
    rows[pair.full].add(features, perCycle(cost, adaption),
                        perCycle(expected, adaption));
  }
  BoosterOptions options;
  options.seed = seed;
  NamedBoosters trained;
  for (const BoosterPair &pair : kPairs) {
    if (rows[pair.lone].labels.size() < kFewestToTrain)
      continue;
    for (const char *name : {pair.lone, pair.full}) {
      const TrainingRows &part = rows[name];
      Expected<Booster> booster =
          Booster::train(part.matrix, part.labels, {}, options);
      if (!booster)
        return tl::unexpected(booster.error());
      trained.emplace(name, std::move(*booster));
    }
  }
  if (!trained.empty())
    boosters = std::move(trained);
  return {};
}

Expected<void> CostModel::save(const std::string &path,
                               const std::string &deviceName) const {
  return saveModel(path, boosters, {deviceName, schemaHash(), ""});
}

Expected<void> CostModel::load(const std::string &path,
                               const std::string &deviceName) {
  Expected<SavedModel> model = loadModel(path, deviceName, schemaHash());
  if (!model)
    return tl::unexpected(model.error());
  // Of a family that was not trained there is none, but of one at least.
  const char *lacking = kPairs[0].lone;
  for (const BoosterPair &pair : kPairs) {
    bool hasLone = model->boosters.count(pair.lone) > 0;
    bool hasFull = model->boosters.count(pair.full) > 0;
    lacking = hasLone && hasFull ? nullptr : lacking;
    if (hasLone != hasFull)
      return fail(path + ": the model lacks a booster named '" +
                  (hasLone ? pair.full : pair.lone) + "'");
  }
  if (lacking)
    return fail(path + ": the model lacks a booster named '" + lacking + "'");
  boosters = std::move(model->boosters);
  return {};
}
