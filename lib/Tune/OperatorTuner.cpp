//===- OperatorTuner.cpp - The joint search of one operator ---------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/OperatorTuner.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace dietcode;

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// Empty if an extent is missing. Only batches have one of that name, and
/// operators on rows have no k.
static ContractionShape shapeOf(const RecordShape &recorded,
                                const OperatorTraits &traits) {
  ContractionShape shape{0, 0, traits.rows ? 1 : 0};
  for (const auto &[name, extent] : recorded)
    if (int64_t *at = findExtent(shape, name))
      *at = extent;
  return shape;
}

Expected<MeasuredKernel> dietcode::measuredKernelOf(const Record &record) {
  MeasuredKernel kernel;
  Expected<OperatorTraits> traits = parseSignature(record.op);
  if (!traits)
    return tl::unexpected(traits.error());
  kernel.traits = *traits;
  Expected<Schedule> schedule = parseSchedule(record.schedule);
  if (!schedule)
    return tl::unexpected(schedule.error());
  kernel.schedule = *schedule;
  kernel.registers = static_cast<int>(record.registers);
  if (record.status != RecordStatus::Ok)
    return kernel;
  for (const RecordRun &run : record.runs) {
    ContractionShape shape = shapeOf(run.shape, kernel.traits);
    if (!isEmpty(shape))
      kernel.runs.push_back({shape, run.blocks, run.seconds});
  }
  return kernel;
}

void TrainingSet::add(const std::vector<Record> &records) {
  for (const Record &record : records) {
    Expected<MeasuredKernel> kernel = measuredKernelOf(record);
    if (!kernel)
      continue;
    std::vector<KernelRun> runs = std::move(kernel->runs);
    kernel->runs.clear();
    for (const KernelRun &run : runs) {
      std::string key = record.op + '/' + record.schedule + '/' + record.twin +
                        '/' + std::to_string(run.shape.n) + '/' +
                        std::to_string(run.shape.k);
      kernels.try_emplace(key, *kernel).first->second.runs.push_back(run);
    }
  }
}

std::vector<MeasuredKernel> TrainingSet::getKernels() const {
  std::vector<MeasuredKernel> all;
  for (const auto &[key, kernel] : kernels)
    all.push_back(kernel);
  return all;
}

//===----------------------------------------------------------------------===//
// What to time
//===----------------------------------------------------------------------===//

/// The shape whose grid is nearest to `blocks` blocks, and no more of it, in
/// whole tiles.
static PlannedRun planBlocks(const Schedule &schedule, int64_t blocks,
                             const std::vector<ContractionShape> &points) {
  blocks = std::max<int64_t>(1, blocks / schedule.split) * schedule.split;
  PlannedRun best{points.front(), 0};
  double nearest = std::numeric_limits<double>::infinity();
  for (const ContractionShape &shape : points) {
    int64_t all = blocksOf(schedule, shape);
    double away = std::abs(std::log(double(all) / double(blocks)));
    // A grid that is cut reads more of its operands than it shares.
    if (all > blocks)
      away *= 2;
    if (away < nearest) {
      nearest = away;
      best = {shape, std::min(all, blocks)};
    }
  }
  return best;
}

void dietcode::addRun(std::vector<PlannedRun> &runs, const PlannedRun &run) {
  bool isThere = std::any_of(runs.begin(), runs.end(), [&](auto &other) {
    return other.blocks == run.blocks && other.shape == run.shape;
  });
  if (!isThere)
    runs.push_back(run);
}

std::vector<PlannedRun>
dietcode::planRuns(const MicroKernelCost &cost,
                   const std::vector<TuneInstance> &instances,
                   const std::vector<ContractionShape> &points,
                   const Adaption &adaption, const DeviceSpec &device) {
  const Schedule &schedule = cost.schedule;
  std::vector<PlannedRun> runs;
  double most = -1;
  PlannedRun fit{points.front(), 0};
  for (const TuneInstance &instance : instances) {
    double useful = adaption.estimate(cost, instance.shape).flopsPerSecond;
    if (useful > most) {
      most = useful;
      fit = {instance.shape, blocksOf(schedule, instance.shape)};
    }
  }
  if (most > 0)
    runs.push_back(fit);
  for (int perSM : {1, cost.resources.blocksPerSM})
    addRun(runs, planBlocks(schedule, int64_t(perSM) * device.smCount, points));
  return runs;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// The instance with the most work: what measurements should be near to.
static ContractionShape largestOf(const std::vector<TuneInstance> &instances) {
  auto work = [](const TuneInstance &instance) {
    return double(instance.shape.m) * double(instance.shape.n) *
           double(instance.shape.k) * double(instance.shape.batch);
  };
  return std::max_element(instances.begin(), instances.end(),
                          [&](auto &a, auto &b) { return work(a) < work(b); })
      ->shape;
}

/// What candidates are wanted for: the instances, and the whole range, of which
/// no part may be served badly because no instance is near.
static std::vector<TuneInstance>
targetsOf(const std::vector<TuneInstance> &instances,
          const std::vector<ContractionShape> &points, double rangeShare) {
  std::vector<TuneInstance> targets;
  for (const TuneInstance &instance : instances)
    targets.push_back({instance.shape, instance.weight * (1 - rangeShare)});
  if (rangeShare > 0)
    for (const ContractionShape &point : points)
      targets.push_back({point, rangeShare / double(points.size())});
  return targets;
}

OperatorTuner::OperatorTuner(const DeviceSpec &device, OperatorTraits traits,
                             std::vector<TuneInstance> instances,
                             std::vector<ContractionShape> points,
                             std::string source, const ScheduleSpace &space,
                             double rangeShare)
    : device(device), adaption(device), traits(std::move(traits)),
      instances(std::move(instances)), points(std::move(points)),
      targets(targetsOf(this->instances, this->points, rangeShare)),
      source(std::move(source)), reference(largestOf(this->instances)) {
  pool.space = enumerateSchedules(device, space, this->traits.instructions());
  pool.excluded.resize(pool.space.size());
  for (size_t i = 0; i < pool.space.size(); ++i)
    indices[pool.space[i].name()] = i;
  update(CostModel(device));
}

/// Adds `run`, instead of an earlier one of the same launch.
static void setRun(std::vector<KernelRun> &runs, const KernelRun &run) {
  auto same = std::find_if(runs.begin(), runs.end(), [&](const auto &other) {
    return other.blocks == run.blocks && other.shape == run.shape;
  });
  if (same != runs.end())
    *same = run;
  else
    runs.push_back(run);
}

void OperatorTuner::add(const std::vector<Record> &records) {
  for (const Record &record : records) {
    if (record.op != traits.signature() || record.source != source)
      continue;
    auto index = indices.find(record.schedule);
    Expected<MeasuredKernel> kernel = measuredKernelOf(record);
    if (index == indices.end() || !kernel)
      continue;
    if (record.status != RecordStatus::Ok) {
      measurements.erase(index->second);
      failures[record.schedule] = std::string(nameOf(record.status)) +
                                  (record.error.empty() ? "" : ": ") +
                                  record.error;
      pool.excluded[index->second] = true;
      continue;
    }
    if (kernel->runs.empty())
      continue;
    failures.erase(record.schedule);
    pool.excluded[index->second] = false;
    auto [at, isNew] = measurements.emplace(index->second, *kernel);
    if (isNew)
      continue;
    at->second.registers = kernel->registers;
    for (const KernelRun &run : kernel->runs)
      setRun(at->second.runs, run);
  }
}

void OperatorTuner::update(const CostModel &model) {
  pool.costs = model.predict(pool.space, traits);
  for (const auto &[index, kernel] : measurements)
    pool.costs[index] = model.measured(kernel, reference);
  shareAmongSplits();
  leastSeconds.clear();
  for (const TuneInstance &instance : instances) {
    double least = std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < pool.costs.size(); ++c)
      if (!pool.excluded[c])
        least = std::min(
            least, adaption.estimate(pool.costs[c], instance.shape).seconds);
    leastSeconds.push_back(least);
  }
}

/// A split is an adaption: its main loop is that of the schedule without it. So
/// what was measured of one split predicts the others.
void OperatorTuner::shareAmongSplits() {
  auto nameWithoutSplit = [](Schedule schedule) {
    schedule.split = 1;
    return schedule.name();
  };
  std::map<std::string, size_t> known;
  for (const auto &[index, kernel] : measurements)
    if (pool.costs[index].source == CostSource::Measured)
      known.emplace(nameWithoutSplit(kernel.schedule), index);
  for (MicroKernelCost &cost : pool.costs) {
    if (cost.source == CostSource::Measured)
      continue;
    auto sibling = known.find(nameWithoutSplit(cost.schedule));
    if (sibling == known.end())
      continue;
    const MicroKernelCost &measured = pool.costs[sibling->second];
    cost.lone = measured.lone;
    cost.full = measured.full;
    cost.resources = measured.resources;
    cost.source = CostSource::Predicted;
  }
}

std::vector<size_t>
OperatorTuner::propose(uint64_t seed, const ProposerOptions &options) const {
  return proposeCandidates(pool, targets, adaption, seed, options);
}

double OperatorTuner::expectedGain(const ProposerOptions &options) const {
  return dietcode::expectedGain(pool, instances, adaption, options);
}

double OperatorTuner::weightedSeconds() const {
  return dietcode::weightedSeconds(pool, instances, adaption);
}

std::vector<MicroKernelCost> OperatorTuner::getUsableCosts() const {
  std::vector<MicroKernelCost> usable;
  for (bool measuredOnly : {true, false}) {
    for (size_t i = 0; i < pool.costs.size(); ++i)
      if (!pool.excluded[i] &&
          (!measuredOnly || pool.costs[i].source == CostSource::Measured))
        usable.push_back(pool.costs[i]);
    if (!usable.empty())
      break;
  }
  return usable;
}

size_t OperatorTuner::countMeasured() const { return measurements.size(); }

std::vector<MeasuredKernel> OperatorTuner::getMeasurements() const {
  std::vector<MeasuredKernel> kernels;
  for (const auto &[index, kernel] : measurements)
    kernels.push_back(kernel);
  return kernels;
}

const MeasuredKernel *OperatorTuner::findMeasurement(size_t candidate) const {
  auto at = measurements.find(candidate);
  return at == measurements.end() ? nullptr : &at->second;
}

std::vector<ContractionShape> OperatorTuner::findRivalries(size_t candidate,
                                                           double slack) const {
  std::vector<ContractionShape> shapes;
  for (size_t i = 0; i < instances.size(); ++i) {
    const ContractionShape &shape = instances[i].shape;
    double seconds = adaption.estimate(pool.costs[candidate], shape).seconds;
    if (seconds <= (1 + slack) * leastSeconds[i])
      shapes.push_back(shape);
  }
  return shapes;
}
