//===- Overview.cpp - All decisions of a function as data -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/Overview.h"

#include "dietcode/CostModel/CrossValidation.h"
#include "dietcode/Tune/CandidateCompiler.h"
#include "dietcode/Tune/OperatorTuner.h"
#include "dietcode/Tune/TuneReport.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::CostModel;
using ::dietcode::CostSource;
using ::dietcode::Expected;
using ::dietcode::KernelRun;
using ::dietcode::MeasuredKernel;
using ::dietcode::MicroKernelCost;
using ::dietcode::Record;

//===----------------------------------------------------------------------===//
// Accuracy
//===----------------------------------------------------------------------===//

/// What was measured of `op` itself.
static std::vector<MeasuredKernel> findMeasured(OperatorOpInterface op,
                                                ArrayRef<Record> records) {
  std::vector<MeasuredKernel> kernels;
  std::string signature = op.getTraits().signature();
  std::string source = identifySource(op);
  for (const Record &record : records) {
    if (record.op != signature || record.source != source)
      continue;
    Expected<MeasuredKernel> kernel = ::dietcode::measuredKernelOf(record);
    if (kernel && !kernel->runs.empty() &&
        !::dietcode::checkSchedule(kernel->schedule, getDevice(op).getSpec()))
      kernels.push_back(std::move(*kernel));
  }
  return kernels;
}

FailureOr<std::vector<ModelledRun>>
mlir::dietcode::compareWithRecords(OperatorOpInterface op,
                                   ArrayRef<Record> records) {
  const ::dietcode::DeviceSpec &device = getDevice(op).getSpec();
  std::vector<MeasuredKernel> kernels = findMeasured(op, records);
  Expected<std::vector<MicroKernelCost>> unseen =
      ::dietcode::predictUnseen(device, kernels);
  if (!unseen)
    return op->emitOpError() << unseen.error().message;
  CostModel table(device);
  std::vector<ModelledRun> runs;
  for (auto [kernel, trained] : llvm::zip_equal(kernels, *unseen)) {
    MicroKernelCost known = table.predict(kernel.schedule, kernel.traits);
    for (const KernelRun &run : kernel.runs) {
      if (run.blocks != ::dietcode::blocksOf(kernel.schedule, run.shape))
        continue;
      ModelledRun entry{
          kernel.schedule.name(),
          run.shape,
          run.seconds,
          ::dietcode::boundSeconds(run.shape, kernel.traits, device),
          table.getAdaption().estimate(known, run.shape).seconds,
          std::nullopt};
      if (trained.source == CostSource::Predicted)
        entry.trainedSeconds =
            table.getAdaption().estimate(trained, run.shape).seconds;
      runs.push_back(std::move(entry));
    }
  }
  return runs;
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// Gives each operator the explanation of each instance.
static LogicalResult addInstances(func::FuncOp function, const Knowledge &known,
                                  std::vector<OperatorOverview> &operators) {
  std::vector<std::map<std::string, int64_t>> instances =
      listInstances(function);
  if (instances.empty())
    return function.emitError("has no workload whose instances could be "
                              "explained; give --shape");
  std::vector<double> weights(instances.size(), 1.0);
  if (std::optional<ArrayRef<double>> given =
          getWorkload(function).getWeights())
    weights = given->vec();
  for (auto [values, weight] : llvm::zip_equal(instances, weights)) {
    FailureOr<std::vector<OperatorExplanation>> explanations =
        explainShape(function, values, known.model, known.records);
    if (failed(explanations))
      return failure();
    for (auto [entry, explanation] : llvm::zip_equal(operators, *explanations))
      entry.instances.push_back({values, weight, std::move(explanation)});
  }
  return success();
}

static FailureOr<OperatorOverview>
lookAt(OperatorOpInterface op, func::FuncOp function, ShapeAnalysis &analysis,
       const Knowledge &known, const OverviewParts &parts) {
  OperatorOverview entry;
  entry.name = describeOperator(op, function);
  entry.signature = op.getTraits().signature();
  entry.source = identifySource(op);
  entry.dispatch = SymbolTable::lookupNearestSymbolFrom<DispatchOp>(
      op, op.getDispatchAttr());
  if (parts.curve) {
    FailureOr<std::vector<RegretPoint>> curve = computeRegretCurve(
        op, analysis, known.model, known.records, parts.mostKernels);
    if (failed(curve))
      return failure();
    entry.curve = std::move(*curve);
  }
  if (parts.accuracy) {
    FailureOr<std::vector<ModelledRun>> runs =
        compareWithRecords(op, known.records);
    if (failed(runs))
      return failure();
    entry.accuracy = std::move(*runs);
  }
  return entry;
}

FailureOr<std::vector<OperatorOverview>>
mlir::dietcode::makeOverview(func::FuncOp function, const Knowledge &known,
                             const OverviewParts &parts) {
  ShapeAnalysis analysis(function);
  std::vector<OperatorOverview> operators;
  WalkResult walked = function->walk([&](OperatorOpInterface op) {
    FailureOr<OperatorOverview> entry =
        lookAt(op, function, analysis, known, parts);
    if (failed(entry))
      return WalkResult::interrupt();
    operators.push_back(std::move(*entry));
    return WalkResult::advance();
  });
  if (walked.wasInterrupted() ||
      (parts.instances && failed(addInstances(function, known, operators))))
    return failure();
  return operators;
}
