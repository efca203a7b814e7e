//===- Tune.cpp - Tune the operators of a module --------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "dietcode/Device/Device.h"
#include "dietcode/Dialect/DietCode/Pipelines/Pipelines.h"
#include "dietcode/Support/File.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::ContractionShape;
using ::dietcode::DeviceSpec;
using ::dietcode::Expected;
using ::dietcode::LoadedRecords;
using ::dietcode::OperatorTuner;
using ::dietcode::RecordWriter;
using ::dietcode::TuneInstance;
using ::dietcode::TuneReport;

using Clock = std::chrono::steady_clock;

double mlir::dietcode::secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Reads what is known already, before anything takes time.
LogicalResult Session::load() {
  FailureOr<std::vector<TuningTask>> collected =
      collectTasks(module, options.entry, report.notes);
  if (failed(collected))
    return failure();
  tasks = std::move(*collected);
  for (const TuningTask &task : tasks)
    if (::dietcode::enumerateSchedules(
            device, options.space,
            OperatorOpInterface(task.ops.front()).getTraits().instructions())
            .empty())
      return error() << "no schedule of the space can run on the "
                     << device.name;
  for (const TuningTask &task : tasks) {
    std::vector<TuneInstance> instances = task.instances;
    for (TuneInstance &instance : instances)
      instance.shape = task.measurable(instance.shape);
    std::vector<ContractionShape> points;
    for (const ContractionShape &point : task.points)
      points.push_back(task.measurable(point));
    tuners.emplace_back(device,
                        OperatorOpInterface(task.ops.front()).getTraits(),
                        std::move(instances), std::move(points),
                        task.compiler->getSourceId(), options.space);
  }
  batches.assign(tasks.size(), 0);
  if (!options.modelOnly && !options.exhaustive &&
      options.trials < tasks.size())
    return error() << "there are " << tasks.size() << " operators to tune, but "
                   << options.trials << " trials";
  if (!options.modelFile.empty())
    if (Expected<bool> can = ::dietcode::checkWritable(options.modelFile); !can)
      return fail(can.error());
  if (!options.modelFile.empty() && llvm::sys::fs::exists(options.modelFile))
    if (auto loaded = model.load(options.modelFile, recordName); !loaded)
      return fail(loaded.error());
  if (!options.recordsFile.empty()) {
    Expected<LoadedRecords> records = ::dietcode::loadRecords(
        options.recordsFile, {recordName, /*mayBeMissing=*/true});
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
  if (Expected<void> saved = model.save(options.modelFile, recordName); !saved)
    return fail(saved.error());
  return success();
}

FailureOr<TuneReport> Session::run() {
  report.device = recordName;
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

LogicalResult mlir::dietcode::raiseForTuning(ModuleOp module,
                                             const std::string &device) {
  Expected<const DeviceSpec *> spec = ::dietcode::lookupDeviceByName(device);
  if (!spec)
    return emitError(module.getLoc()) << spec.error().message;
  DietCodeToLLVMOptions pipeline;
  pipeline.device = std::string((*spec)->name);
  PassManager pm(module.getContext());
  buildRaisePipeline(pm, pipeline);
  return pm.run(module);
}

FailureOr<TuneReport> mlir::dietcode::tuneModule(ModuleOp module,
                                                 const TuneOptions &options) {
  Expected<const DeviceSpec *> device =
      ::dietcode::lookupDeviceByName(options.device);
  if (!device)
    return emitError(module.getLoc()) << device.error().message;
  Expected<std::string> recordName = ::dietcode::recordNameOf(options.device);
  if (!recordName)
    return emitError(module.getLoc()) << recordName.error().message;
  return Session(module, options, **device, *recordName).run();
}
