//===- Search.cpp - What a session measures -------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include <numeric>
#include <random>

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::ContractionShape;
using ::dietcode::Expected;
using ::dietcode::MeasuredKernel;
using ::dietcode::MicroKernelCost;
using ::dietcode::OperatorTuner;
using ::dietcode::PlannedRun;
using ::dietcode::ProposerOptions;
using ::dietcode::Record;
using ::dietcode::Schedule;

using Clock = std::chrono::steady_clock;

CandidateEvaluator::Plan Session::makePlan(size_t task) {
  return [this, task](const Schedule &schedule, int registers) {
    ::dietcode::AnalyticalModel analytical(device);
    std::optional<int> known;
    if (registers > 0)
      known = registers;
    MicroKernelCost cost = analytical.cost(
        analytical.profile(schedule, known, tuners[task].getTraits()));
    return planRuns(cost, tuners[task].getInstances(), tuners[task].getPoints(),
                    adaption, device);
  };
}

/// Operators of one source share records, as they do when a later run reads the
/// file: what that finds must be what this one has used.
LogicalResult Session::append(const std::vector<Record> &records) {
  if (writer)
    if (Expected<bool> done = writer->append(records); !done)
      return fail(done.error());
  known.insert(known.end(), records.begin(), records.end());
  known = ::dietcode::mergeRecords(std::move(known));
  for (OperatorTuner &tuner : tuners)
    tuner.add(known);
  return failure(isInterrupted());
}

/// The trials that a batch of `task` may use: operators that had none yet get
/// their share before others get more.
size_t Session::getShare(size_t task) const {
  size_t left = options.trials - report.trials;
  size_t waiting = llvm::count(batches, 0u);
  if (batches[task] > 0)
    return left;
  return std::max<size_t>(1, left / waiting);
}

/// When a batch of `task` has to end. Time is shared as trials are.
CandidateEvaluator::Deadline Session::getDeadline(size_t task) const {
  if (options.seconds <= 0)
    return std::nullopt;
  double now = secondsSince(start), left = options.seconds - now;
  if (batches[task] == 0)
    left /= static_cast<double>(llvm::count(batches, 0u));
  return start + std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(now + std::max(left, 0.0)));
}

FailureOr<bool> Session::measureBatch(size_t task) {
  ProposerOptions proposer;
  proposer.batch =
      static_cast<unsigned>(std::min<size_t>(options.batch, getShare(task)));
  Clock::time_point began = Clock::now();
  std::vector<size_t> batch =
      tuners[task].propose(options.seed * 1000003 + round, proposer);
  report.modelSeconds += secondsSince(began);
  SmallVector<Schedule> schedules;
  for (size_t index : batch)
    schedules.push_back(tuners[task].getPool().space[index]);
  Expected<std::vector<Record>> records = evaluator->evaluate(
      tasks[task], schedules, makePlan(task), getDeadline(task));
  if (!records)
    return fail(records.error());
  report.trials += records->size();
  ++batches[task];
  ++round;
  if (failed(append(*records)) || failed(learn()))
    return failure();
  return !batch.empty();
}

/// Operators without a batch come first, and those of which nothing could be
/// measured last once they had a few: they must not use up the budget.
int Session::getPriority(size_t task) const {
  constexpr unsigned kFruitlessBatches = 3;
  if (batches[task] == 0)
    return 2;
  if (tuners[task].countMeasured() > 0)
    return 0;
  return batches[task] < kFruitlessBatches ? 1 : -1;
}

/// The operator where one more batch is expected to save most, weighted by how
/// often it occurs.
size_t Session::chooseTask(ArrayRef<bool> exhausted) {
  size_t chosen = tasks.size();
  std::pair<int, double> most;
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (exhausted[i])
      continue;
    double gain =
        tuners[i].expectedGain({}) * static_cast<double>(tasks[i].ops.size());
    std::pair<int, double> here(getPriority(i), gain);
    if (chosen == tasks.size() || here > most) {
      most = here;
      chosen = i;
    }
  }
  return chosen;
}

/// The launches of an enumeration that no record has. Of a candidate that was
/// never measured, the model knows less: it may be out by as much again.
std::vector<PlannedRun> Session::findMissingRuns(size_t task,
                                                 size_t candidate) {
  const OperatorTuner &tuner = tuners[task];
  const MeasuredKernel *known = tuner.findMeasurement(candidate);
  const Schedule &schedule = tuner.getPool().space[candidate];
  std::vector<ContractionShape> rivalries =
      tuner.findRivalries(candidate, (known ? 1 : 2) * options.slack);
  std::vector<PlannedRun> runs;
  if (!known && !rivalries.empty())
    runs = makePlan(task)(schedule, 0);
  for (const ContractionShape &shape : rivalries) {
    PlannedRun run{shape, blocksOf(schedule, shape)};
    bool isKnown = known && llvm::any_of(known->runs, [&](const auto &other) {
                     return other.blocks == run.blocks && other.shape == shape;
                   });
    if (!isKnown)
      addRun(runs, run);
  }
  return runs;
}

/// The candidates that an enumeration measures, in the order of the space. The
/// draw depends on the space and the seed alone, so that it can be continued.
std::vector<size_t> Session::drawCandidates(size_t task) const {
  std::vector<size_t> drawn(tuners[task].getPool().space.size());
  std::iota(drawn.begin(), drawn.end(), 0);
  if (options.sample == 0 || options.sample >= drawn.size())
    return drawn;
  std::mt19937_64 random(options.seed);
  // Not std::shuffle, which is another one in each library.
  for (size_t i = 0; i < options.sample; ++i)
    std::swap(drawn[i], drawn[i + random() % (drawn.size() - i)]);
  drawn.resize(options.sample);
  llvm::sort(drawn);
  return drawn;
}

LogicalResult Session::enumerate(size_t task) {
  OperatorTuner &tuner = tuners[task];
  std::vector<size_t> drawn = drawCandidates(task);
  for (size_t next = 0; next < drawn.size();) {
    SmallVector<Schedule> schedules;
    std::map<std::string, std::vector<PlannedRun>> missing;
    for (; next < drawn.size() && schedules.size() < options.batch; ++next) {
      const Schedule &schedule = tuner.getPool().space[drawn[next]];
      std::vector<PlannedRun> runs = findMissingRuns(task, drawn[next]);
      if (tuner.getPool().excluded[drawn[next]] || runs.empty())
        continue;
      schedules.push_back(schedule);
      missing[schedule.name()] = std::move(runs);
    }
    if (isInterrupted())
      return fail({"interrupted"});
    Expected<std::vector<Record>> records = evaluator->evaluate(
        tasks[task], schedules, [&](const Schedule &schedule, int) {
          return missing.at(schedule.name());
        });
    if (!records)
      return fail(records.error());
    report.trials += schedules.size();
    if (failed(append(*records)))
      return failure();
    tuner.update(model);
    if (options.progress)
      options.progress({tasks[task].name, next, drawn.size(),
                        secondsSince(start), tuner.weightedSeconds()});
  }
  return learn();
}

LogicalResult Session::search() {
  EvaluatorOptions evaluation;
  evaluation.device = options.device;
  evaluation.recordName = recordName;
  evaluation.workers = options.workers;
  evaluation.timeoutSeconds = options.timeoutSeconds;
  evaluation.verify = options.verify;
  evaluation.jobFolder = options.jobFolder;
  evaluation.measureProgram = options.measureProgram;
  evaluation.interrupted = options.interrupted;
  auto made = CandidateEvaluator::create(evaluation);
  if (!made)
    return fail(made.error());
  evaluator = std::move(*made);
  if (options.exhaustive) {
    for (size_t i = 0; i < tasks.size(); ++i)
      if (failed(enumerate(i)))
        return failure();
    return success();
  }
  SmallVector<bool> exhausted(tasks.size(), false);
  while (!isOver()) {
    if (isInterrupted())
      return fail({"interrupted"});
    size_t task = chooseTask(exhausted);
    if (task == tasks.size())
      break;
    FailureOr<bool> hadCandidates = measureBatch(task);
    if (failed(hadCandidates))
      return failure();
    exhausted[task] = !*hadCandidates;
    if (options.progress)
      options.progress({tasks[task].name, report.trials, options.trials,
                        secondsSince(start), tuners[task].weightedSeconds()});
  }
  return success();
}
