//===- Choice.cpp - What a session makes of its measurements --------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Adaption;
using ::dietcode::ContractionShape;
using ::dietcode::CostSource;
using ::dietcode::DispatchResult;
using ::dietcode::Expected;
using ::dietcode::MeasuredKernel;
using ::dietcode::MicroKernelCost;
using ::dietcode::OperatorTuner;
using ::dietcode::PlannedRun;
using ::dietcode::Record;
using ::dietcode::Schedule;
using ::dietcode::TaskReport;
using ::dietcode::TuneInstance;
using ::dietcode::TuneRow;

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
  SmallVector<int64_t> sizes = tasks[task].ops.front().getTiledShape(shape);
  std::vector<int64_t> point;
  for (unsigned dim : tasks[task].shapes.dynamicDims)
    point.push_back(sizes[dim]);
  auto holds = [&](const ::dietcode::DispatchLeaf &leaf) {
    return ::dietcode::contains(leaf.box, point);
  };
  auto leaf = llvm::find_if(result.leaves, holds);
  return costs[result.kernels[leaf == result.leaves.end() ? result.general
                                                          : leaf->kernel]];
}

/// Times the kernels that the dispatch would use all over the range, those of
/// them that may be as good, and the best candidates, where that was not done
/// yet: between kernels that are there anyway, the right one costs nothing.
/// Where what is measured is near to the bound of the device, no other is. A
/// prediction that was too good does not survive it, and so may the ones that
/// come next: what was measured is believed at once, and what it says of others
/// once all that is used has been measured.
LogicalResult Session::refine(size_t task) {
  OperatorTuner &tuner = tuners[task];
  constexpr unsigned kRefinements = 32;
  constexpr double kDoubt = 0.15; // Of a prediction for a measured kernel.
  constexpr double kNear = 0.05;  // To the bound.
  bool isStale = false; // The model has not seen the last measurements.
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
      if (cost.isMeasuredAt(shape))
        return;
      auto &entry = open[cost.schedule.name()];
      entry.first = cost.schedule;
      addRun(entry.second, {shape, blocksOf(cost.schedule, shape)});
    };
    std::vector<MicroKernelCost> chosen;
    for (unsigned kernel : result->kernels)
      chosen.push_back(costs[kernel]);
    for (const ContractionShape &shape : tuner.getPoints()) {
      const MicroKernelCost &serving = findServing(task, *result, costs, shape);
      want(serving, shape);
      double bound = device.launchSeconds +
                     ::dietcode::boundSeconds(shape, tuner.getTraits(), device);
      if (serving.isMeasuredAt(shape) &&
          adaption.estimate(serving, shape).seconds <= (1 + kNear) * bound)
        continue;
      double best =
          adaption.estimate(findBest(chosen, adaption, shape), shape).seconds;
      for (const MicroKernelCost &cost : chosen)
        if (adaption.estimate(cost, shape).seconds <= (1 + kDoubt) * best)
          want(cost, shape);
      want(findBest(costs, adaption, shape), shape);
    }
    if (open.empty() && !isStale)
      return success();
    if (open.empty()) {
      if (failed(learn()))
        return failure();
      isStale = false;
      continue;
    }
    SmallVector<Schedule> schedules;
    for (auto &[name, entry] : open)
      schedules.push_back(entry.first);
    Expected<std::vector<Record>> records = evaluator->evaluate(
        tasks[task], schedules, [&](const Schedule &schedule, int) {
          return open.at(schedule.name()).second;
        });
    if (!records)
      return fail(records.error());
    if (failed(append(*records)))
      return failure();
    tuner.update(model);
    isStale = true;
  }
  return isStale ? learn() : success();
}

/// The measured time of a shape, or 0.
static double measuredSeconds(const OperatorTuner &tuner,
                              const Schedule &schedule,
                              const ContractionShape &shape) {
  for (const MeasuredKernel &kernel : tuner.getMeasurements()) {
    if (kernel.schedule != schedule)
      continue;
    int64_t all = blocksOf(schedule, shape);
    for (const ::dietcode::KernelRun &run : kernel.runs)
      if (run.shape == shape && run.blocks == all)
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
  for (const auto &[instance, timed] :
       llvm::zip_equal(tasks[task].instances, tuner.getInstances())) {
    const ContractionShape &shape = timed.shape;
    const MicroKernelCost *kernel =
        &findServing(task, result, costs, instance.shape);
    TuneRow row;
    row.shape = instance.shape;
    row.weight = instance.weight;
    row.kernel = kernel->schedule.name();
    MicroKernelCost blind = *kernel;
    blind.calibrations.clear();
    row.predicted = adaption.estimate(blind, shape).seconds;
    row.measured = measuredSeconds(tuner, kernel->schedule, shape);
    row.bound =
        ::dietcode::boundSeconds(instance.shape, tuner.getTraits(), device);
    double here = adaption.estimate(*kernel, shape).seconds;
    double best =
        adaption.estimate(findBest(costs, adaption, shape), shape).seconds;
    row.regret = std::max(0.0, here / best - 1);
    entry.rows.push_back(std::move(row));
  }
  report.tasks.push_back(std::move(entry));
}

/// What was not reached in time is chosen by the model, if the time was enough
/// for anything. What failed is an error.
LogicalResult Session::checkMeasured(size_t task) {
  ArrayRef<MicroKernelCost> costs = usable[task];
  if (options.modelOnly ||
      (!costs.empty() && costs.front().source == CostSource::Measured))
    return success();
  const auto &failures = tuners[task].getFailures();
  if (!failures.empty())
    return tasks[task].ops.front()->emitOpError()
           << "has no candidate that could be measured; the first of "
           << failures.size() << " failures, of " << failures.begin()->first
           << ": " << failures.begin()->second;
  if (costs.empty() || report.trials == 0)
    return error() << "nothing could be measured in the "
                   << llvm::formatv("{0}", options.seconds)
                   << " seconds of --seconds; allow more, or use --model-only";
  report.notes.push_back(tasks[task].name +
                         ": there was no time to measure anything; chosen by "
                         "the model");
  return success();
}

/// Chooses for every task before the first one is written, so that an error
/// leaves the module as it was.
LogicalResult Session::select() {
  for (size_t i = 0; i < tasks.size(); ++i) {
    usable.push_back(tuners[i].getUsableCosts());
    if (failed(checkMeasured(i)))
      return failure();
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
