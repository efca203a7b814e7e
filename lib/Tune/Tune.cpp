//===- Tune.cpp - Tune the operators of a module --------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/Tune.h"

#include "dietcode/Device/Device.h"
#include "dietcode/Record/RecordFile.h"
#include "dietcode/Support/File.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <cmath>
#include <tuple>

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Adaption;
using ::dietcode::ContractionShape;
using ::dietcode::CostModel;
using ::dietcode::CostSource;
using ::dietcode::DeviceSpec;
using ::dietcode::DispatchResult;
using ::dietcode::Expected;
using ::dietcode::LoadedRecords;
using ::dietcode::MeasuredKernel;
using ::dietcode::MicroKernelCost;
using ::dietcode::OperatorTuner;
using ::dietcode::PlannedRun;
using ::dietcode::ProposerOptions;
using ::dietcode::Record;
using ::dietcode::RecordWriter;
using ::dietcode::Schedule;
using ::dietcode::TaskReport;
using ::dietcode::TuneInstance;
using ::dietcode::TuneReport;
using ::dietcode::TuneRow;

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

namespace {

/// One run of the tuner.
class Session {
public:
  Session(ModuleOp module, const TuneOptions &options, const DeviceSpec &device)
      : module(module), options(options), device(device), adaption(device),
        model(device) {}

  FailureOr<TuneReport> run();

private:
  InFlightDiagnostic error() { return emitError(module.getLoc()); }
  /// Silent once interrupted: whoever did that knows, and what fails is a
  /// consequence.
  LogicalResult fail(const ::dietcode::Error &why) {
    if (isInterrupted())
      return failure();
    return error() << why.message;
  }
  LogicalResult load();
  LogicalResult search();
  LogicalResult measureBatch(size_t task);
  std::vector<PlannedRun> findMissingRuns(size_t task, size_t candidate);
  LogicalResult enumerate(size_t task);
  std::vector<ContractionShape> findProbes(size_t task,
                                           const DispatchResult &result,
                                           ArrayRef<MicroKernelCost> costs);
  LogicalResult refine(size_t task);
  size_t getShare(size_t task) const;
  int getPriority(size_t task) const;
  const MicroKernelCost &findServing(size_t task, const DispatchResult &result,
                                     ArrayRef<MicroKernelCost> costs,
                                     const ContractionShape &shape);
  LogicalResult select();
  LogicalResult save();
  size_t chooseTask(ArrayRef<bool> exhausted);
  LogicalResult append(const std::vector<Record> &records);
  LogicalResult learn();
  CandidateEvaluator::Plan makePlan(size_t task);
  void reportTask(size_t task, const DispatchResult &result,
                  ArrayRef<MicroKernelCost> costs);
  bool isInterrupted() const {
    return options.interrupted && *options.interrupted;
  }
  bool isOver() const {
    return report.trials >= options.trials ||
           (options.seconds > 0 && secondsSince(start) >= options.seconds);
  }

  ModuleOp module;
  const TuneOptions &options;
  const DeviceSpec &device;
  Adaption adaption;
  CostModel model;
  Clock::time_point start = Clock::now();
  std::vector<TuningTask> tasks;
  std::vector<OperatorTuner> tuners;
  /// Of earlier runs and of this one, any operator: what the model learns from.
  /// In the order of the file, so that whoever reads that learns the same.
  std::vector<Record> known;
  std::optional<RecordWriter> writer;
  std::unique_ptr<CandidateEvaluator> evaluator;
  std::vector<DispatchResult> results;
  std::vector<std::vector<MicroKernelCost>> usable;
  TuneReport report;
  std::vector<unsigned> batches; ///< That each task had.
  unsigned round = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Before and after
//===----------------------------------------------------------------------===//

/// Reads what is known already, before anything takes time.
LogicalResult Session::load() {
  FailureOr<std::vector<TuningTask>> collected =
      collectTasks(module, options.entry, report.notes);
  if (failed(collected))
    return failure();
  tasks = std::move(*collected);
  for (const TuningTask &task : tasks)
    tuners.emplace_back(device,
                        OperatorOpInterface(task.ops.front()).getTraits(),
                        task.instances, task.points, task.twin);
  batches.assign(tasks.size(), 0);
  if (!options.modelOnly && !options.exhaustive &&
      options.trials < tasks.size())
    return error() << "there are " << tasks.size() << " operators to tune, but "
                   << options.trials << " trials";
  if (!options.modelFile.empty())
    if (Expected<bool> can = ::dietcode::checkWritable(options.modelFile); !can)
      return fail(can.error());
  if (!options.modelFile.empty() && llvm::sys::fs::exists(options.modelFile))
    if (auto loaded = model.load(options.modelFile, options.device); !loaded)
      return fail(loaded.error());
  if (!options.recordsFile.empty()) {
    Expected<LoadedRecords> records = ::dietcode::loadRecords(
        options.recordsFile, {options.device, /*mayBeMissing=*/true});
    if (!records)
      return fail(records.error());
    if (records->stats.lines > 0)
      report.notes.push_back(options.recordsFile + ": " +
                             ::dietcode::summarize(records->stats));
    for (OperatorTuner &tuner : tuners)
      tuner.add(records->records);
    known = std::move(records->records);
    if (!options.modelOnly) {
      Expected<RecordWriter> opened = RecordWriter::open(options.recordsFile);
      if (!opened)
        return fail(opened.error());
      writer.emplace(std::move(*opened));
    }
  }
  return learn();
}

/// Fits the model to all measurements and costs every candidate again.
LogicalResult Session::learn() {
  Clock::time_point began = Clock::now();
  ::dietcode::TrainingSet learnt;
  learnt.add(known);
  if (Expected<void> trained = model.train(learnt.getKernels(), options.seed);
      !trained)
    return fail(trained.error());
  for (OperatorTuner &tuner : tuners)
    tuner.update(model);
  report.modelSeconds += secondsSince(began);
  return success();
}

LogicalResult Session::save() {
  if (options.modelFile.empty())
    return success();
  if (!model.isTrained()) {
    report.notes.push_back(options.modelFile +
                           ": not written, since there are too few "
                           "measurements to train a model");
    return success();
  }
  if (Expected<void> saved = model.save(options.modelFile, options.device);
      !saved)
    return fail(saved.error());
  return success();
}

//===----------------------------------------------------------------------===//
// Searching
//===----------------------------------------------------------------------===//

CandidateEvaluator::Plan Session::makePlan(size_t task) {
  return [this, task](const Schedule &schedule, int registers) {
    ::dietcode::AnalyticalModel analytical(device);
    std::optional<int> known;
    if (registers > 0)
      known = registers;
    MicroKernelCost cost = analytical.cost(analytical.profile(schedule, known));
    return planRuns(cost, tuners[task].getInstances(), tuners[task].getPoints(),
                    adaption, device);
  };
}

/// Operators of equal signatures share records, as they do when a later run
/// reads the file: what that finds must be what this one has used.
LogicalResult Session::append(const std::vector<Record> &records) {
  if (writer)
    if (Expected<bool> done = writer->append(records); !done)
      return fail(done.error());
  known.insert(known.end(), records.begin(), records.end());
  known = ::dietcode::mergeRecords(std::move(known));
  for (OperatorTuner &tuner : tuners)
    tuner.add(known);
  return success();
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

LogicalResult Session::measureBatch(size_t task) {
  ProposerOptions proposer;
  proposer.batch =
      static_cast<unsigned>(std::min<size_t>(options.batch, getShare(task)));
  // The first batch has only the analytical model to go by, so it explores.
  if (tuners[task].countMeasured() == 0)
    proposer.randomFraction = 0.5;
  Clock::time_point began = Clock::now();
  std::vector<size_t> batch =
      tuners[task].propose(options.seed * 1000003 + round, proposer);
  report.modelSeconds += secondsSince(began);
  SmallVector<Schedule> schedules;
  for (size_t index : batch)
    schedules.push_back(tuners[task].getPool().space[index]);
  Expected<std::vector<Record>> records =
      evaluator->evaluate(tasks[task], schedules, makePlan(task));
  if (!records)
    return fail(records.error());
  report.trials += batch.size();
  ++batches[task];
  ++round;
  if (failed(append(*records)))
    return failure();
  return learn();
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

/// The launches of an enumeration that no record has.
std::vector<PlannedRun> Session::findMissingRuns(size_t task,
                                                 size_t candidate) {
  const OperatorTuner &tuner = tuners[task];
  const MeasuredKernel *known = tuner.findMeasurement(candidate);
  const Schedule &schedule = tuner.getPool().space[candidate];
  std::vector<PlannedRun> runs;
  if (!known)
    runs = makePlan(task)(schedule, 0);
  for (const ContractionShape &shape :
       tuner.findRivalries(candidate, options.slack)) {
    PlannedRun run{shape, blocksOf(schedule, shape.m, shape.n)};
    bool isKnown =
        known && llvm::any_of(known->runs, [&](const auto &other) {
          return other.blocks == run.blocks && other.shape.m == shape.m &&
                 other.shape.n == shape.n && other.shape.k == shape.k;
        });
    if (!isKnown)
      addRun(runs, run);
  }
  return runs;
}

LogicalResult Session::enumerate(size_t task) {
  OperatorTuner &tuner = tuners[task];
  size_t size = tuner.getPool().space.size();
  for (size_t next = 0; next < size;) {
    SmallVector<Schedule> schedules;
    std::map<std::string, std::vector<PlannedRun>> missing;
    for (; next < size && schedules.size() < options.batch; ++next) {
      const Schedule &schedule = tuner.getPool().space[next];
      std::vector<PlannedRun> runs = findMissingRuns(task, next);
      if (tuner.getPool().excluded[next] || runs.empty())
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
      options.progress({tasks[task].name, next, size, secondsSince(start),
                        tuner.weightedSeconds()});
  }
  return learn();
}

LogicalResult Session::search() {
  EvaluatorOptions evaluation;
  evaluation.device = options.device;
  evaluation.workers = options.workers;
  evaluation.timeoutSeconds = options.timeoutSeconds;
  evaluation.verify = options.verify;
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
    size_t before = report.trials;
    if (failed(measureBatch(task)))
      return failure();
    exhausted[task] = report.trials == before;
    if (options.progress)
      options.progress({tasks[task].name, report.trials, options.trials,
                        secondsSince(start), tuners[task].weightedSeconds()});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

static const MicroKernelCost &findBest(ArrayRef<MicroKernelCost> costs,
                                       const Adaption &adaption,
                                       const ContractionShape &shape) {
  return *std::min_element(costs.begin(), costs.end(), [&](auto &a, auto &b) {
    return adaption.estimate(a, shape).seconds <
           adaption.estimate(b, shape).seconds;
  });
}

/// The micro-kernel that the dispatch has for `shape`.
const MicroKernelCost &Session::findServing(size_t task,
                                            const DispatchResult &result,
                                            ArrayRef<MicroKernelCost> costs,
                                            const ContractionShape &shape) {
  SmallVector<int64_t> problem = tasks[task].problemShape(shape);
  auto holds = [&](const ::dietcode::DispatchLeaf &leaf) {
    return llvm::all_of(
        llvm::zip_equal(tasks[task].shapes.dynamicDims, leaf.box),
        [&](auto pair) {
          auto [dim, interval] = pair;
          return interval.lower <= problem[dim] &&
                 problem[dim] <= interval.upper;
        });
  };
  auto leaf = llvm::find_if(result.leaves, holds);
  return costs[result.kernels[leaf == result.leaves.end() ? result.general
                                                          : leaf->kernel]];
}

/// The shapes that a choice is checked at: the instances, and where the range
/// or a case of the dispatch begins or ends, since predictions are worst far
/// from what was measured.
std::vector<ContractionShape>
Session::findProbes(size_t task, const DispatchResult &result,
                    ArrayRef<MicroKernelCost> costs) {
  std::vector<ContractionShape> probes, points = tuners[task].getPoints();
  for (const TuneInstance &instance : tuners[task].getInstances())
    probes.push_back(instance.shape);
  auto rank = [](const ContractionShape &point) {
    return std::tuple(double(point.m) * double(point.n) * double(point.k),
                      point.m, point.n);
  };
  llvm::sort(points,
             [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
  SmallVector<const MicroKernelCost *> serving;
  for (const ContractionShape &point : points)
    serving.push_back(&findServing(task, result, costs, point));
  for (size_t i = 0; i < points.size(); ++i)
    if (i == 0 || i + 1 == points.size() || serving[i] != serving[i - 1] ||
        serving[i] != serving[i + 1])
      probes.push_back(points[i]);
  return probes;
}

/// Times the kernels that the dispatch would use on its probes, the best of
/// them and the best candidates, where that was not done yet. A prediction that
/// was too good does not survive it.
LogicalResult Session::refine(size_t task) {
  OperatorTuner &tuner = tuners[task];
  constexpr unsigned kRefinements = 6;
  for (unsigned pass = 0; pass < kRefinements; ++pass) {
    std::vector<MicroKernelCost> costs = tuner.getUsableCosts();
    FailureOr<DispatchResult> result =
        selectMicroKernels(tasks[task].ops.front(), *tasks[task].analysis,
                           adaption, costs, {options.selection.maxKernels, -1});
    if (failed(result))
      return failure();
    // What each schedule is still to be timed on.
    std::map<std::string, std::pair<Schedule, std::vector<PlannedRun>>> open;
    auto want = [&](const MicroKernelCost &cost,
                    const ContractionShape &shape) {
      for (const ::dietcode::Calibration &known : cost.calibrations)
        if (known.shape.m == shape.m && known.shape.n == shape.n &&
            known.shape.k == shape.k)
          return;
      auto &entry = open[cost.schedule.name()];
      entry.first = cost.schedule;
      addRun(entry.second, {shape, blocksOf(cost.schedule, shape.m, shape.n)});
    };
    std::vector<MicroKernelCost> chosen;
    for (unsigned kernel : result->kernels)
      chosen.push_back(costs[kernel]);
    for (const ContractionShape &shape : findProbes(task, *result, costs)) {
      want(findServing(task, *result, costs, shape), shape);
      want(findBest(chosen, adaption, shape), shape);
      want(findBest(costs, adaption, shape), shape);
    }
    if (open.empty())
      return success();
    SmallVector<Schedule> schedules;
    for (auto &[name, entry] : open)
      schedules.push_back(entry.first);
    Expected<std::vector<Record>> records = evaluator->evaluate(
        tasks[task], schedules, [&](const Schedule &schedule, int) {
          return open.at(schedule.name()).second;
        });
    if (!records)
      return fail(records.error());
    if (failed(append(*records)) || failed(learn()))
      return failure();
  }
  return success();
}

/// The measured time of a shape, or 0.
static double measuredSeconds(const OperatorTuner &tuner,
                              const Schedule &schedule,
                              const ContractionShape &shape) {
  for (const MeasuredKernel &kernel : tuner.getMeasurements()) {
    if (kernel.schedule != schedule)
      continue;
    int64_t all = blocksOf(schedule, shape.m, shape.n);
    for (const ::dietcode::KernelRun &run : kernel.runs)
      if (run.shape.m == shape.m && run.shape.n == shape.n &&
          run.shape.k == shape.k && run.blocks == all)
        return run.seconds;
  }
  return 0;
}

void Session::reportTask(size_t task, const DispatchResult &result,
                         ArrayRef<MicroKernelCost> costs) {
  const OperatorTuner &tuner = tuners[task];
  TaskReport entry;
  entry.name = tasks[task].name;
  entry.op = tuner.getTraits().signature();
  entry.space = tuner.getPool().space.size();
  entry.measured = tuner.countMeasured();
  entry.kernels = result.kernels.size();
  entry.meanRegret = result.meanRegret;
  entry.maxRegret = result.maxRegret;
  entry.failures = tuner.getFailures();
  for (const TuneInstance &instance : tuner.getInstances()) {
    const MicroKernelCost *kernel =
        &findServing(task, result, costs, instance.shape);
    TuneRow row;
    row.shape = instance.shape;
    row.weight = instance.weight;
    row.kernel = kernel->schedule.name();
    MicroKernelCost blind = *kernel;
    blind.calibrations.clear();
    row.predicted = adaption.estimate(blind, instance.shape).seconds;
    row.measured = measuredSeconds(tuner, kernel->schedule, instance.shape);
    row.bound = ::dietcode::boundSeconds(instance.shape, device);
    double here = adaption.estimate(*kernel, instance.shape).seconds;
    double best =
        adaption
            .estimate(findBest(costs, adaption, instance.shape), instance.shape)
            .seconds;
    row.regret = std::max(0.0, here / best - 1);
    entry.rows.push_back(std::move(row));
  }
  report.tasks.push_back(std::move(entry));
}

/// Chooses for every task before the first one is written, so that an error
/// leaves the module as it was.
LogicalResult Session::select() {
  for (size_t i = 0; i < tasks.size(); ++i) {
    usable.push_back(tuners[i].getUsableCosts());
    if (usable.back().empty() ||
        (usable.back().front().source != CostSource::Measured &&
         !options.modelOnly)) {
      const auto &failures = tuners[i].getFailures();
      return tasks[i].ops.front()->emitOpError()
             << "has no candidate that could be measured"
             << (failures.empty()
                     ? std::string("; allow more trials or more time")
                     : "; the first of " + std::to_string(failures.size()) +
                           " failures, of " + failures.begin()->first + ": " +
                           failures.begin()->second);
    }
    FailureOr<DispatchResult> result =
        selectMicroKernels(tasks[i].ops.front(), *tasks[i].analysis, adaption,
                           usable.back(), options.selection);
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }
  SymbolTable symbols(module);
  for (size_t i = 0; i < tasks.size(); ++i) {
    FlatSymbolRefAttr dispatch;
    for (OperatorOpInterface op : tasks[i].ops) {
      if (dispatch)
        op.setDispatchAttr(dispatch);
      else if (failed(applySelection(op, *tasks[i].analysis, symbols, adaption,
                                     usable[i], results[i])))
        return failure();
      dispatch = op.getDispatchAttr();
    }
    reportTask(i, results[i], usable[i]);
  }
  return success();
}

FailureOr<TuneReport> Session::run() {
  report.device = options.device;
  if (failed(load()))
    return failure();
  if (!options.modelOnly) {
    if (failed(search()))
      return failure();
    for (size_t i = 0; i < tasks.size(); ++i)
      if (tuners[i].countMeasured() > 0 && failed(refine(i)))
        return failure();
    if (Expected<bool> finished = evaluator->finish(); !finished)
      return fail(finished.error());
    report.buildSeconds = evaluator->getTimes().build;
    report.ptxasSeconds = evaluator->getTimes().ptxas;
    report.measureSeconds = evaluator->getTimes().measure;
  }
  if (failed(select()) || failed(save()))
    return failure();
  report.seconds = secondsSince(start);
  return std::move(report);
}

FailureOr<TuneReport> mlir::dietcode::tuneModule(ModuleOp module,
                                                 const TuneOptions &options) {
  Expected<const DeviceSpec *> device =
      ::dietcode::lookupDeviceByName(options.device);
  if (!device)
    return emitError(module.getLoc()) << device.error().message;
  return Session(module, options, **device).run();
}
