//===- dietcode-explain.cpp - Says why a shape gets its micro-kernel ------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/ToolInput.h"
#include "dietcode/Run/Runner.h"
#include "dietcode/Run/ShapeOptions.h"
#include "dietcode/Tune/Overview.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::CostModel;
using ::dietcode::Expected;
using ::dietcode::Record;

namespace cl = llvm::cl;

static cl::OptionCategory category("Options of dietcode-explain");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<file>"),
                                      cl::cat(category));
static cl::opt<std::string>
    entry("entry",
          cl::desc("Function to explain (default: the only public "
                   "one)"),
          cl::cat(category));
static cl::opt<std::string>
    shape("shape", cl::desc("Values of the shape variables, e.g. T=37,H=768"),
          cl::cat(category));
static cl::opt<bool> instances(
    "instances",
    cl::desc("Print a line for each instance of the workload, and the "
             "regret over all of them"),
    cl::cat(category));
static cl::opt<bool>
    curve("curve", cl::desc("Print regret against the number of kernels"),
          cl::cat(category));
static cl::opt<bool> accuracy(
    "accuracy",
    cl::desc("Print what the cost model says to each measurement of --records, "
             "by the device table and trained on the other micro-kernels"),
    cl::cat(category));
static cl::opt<unsigned> maxKernels("max-kernels",
                                    cl::desc("Where --curve ends"),
                                    cl::init(16), cl::cat(category));
static cl::opt<std::string>
    records("records", cl::desc("JSON lines of measurements to tell times by"),
            cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    modelFile("model", cl::desc("Trained cost model to tell times by"),
              cl::value_desc("file"), cl::cat(category));
static cl::opt<bool>
    json("json",
         cl::desc("Print JSON: an array of what --shape asks for, or else one "
                  "object with what the other options do, and all dispatches"),
         cl::cat(category));

static int failWith(const Twine &message) {
  llvm::errs() << "error: " << message << "\n";
  return 1;
}

static void print(StringRef name, ArrayRef<RegretPoint> points) {
  llvm::outs() << name << "\n"
               << llvm::formatv("{0,8}{1,8}{2,10}{3,10}{4,10}\n", "kernels",
                                "cases", "mean", "weighted", "max");
  for (const RegretPoint &point : points)
    llvm::outs() << llvm::formatv("{0,8}{1,8}{2,10}{3,10}{4,10}\n",
                                  point.kernels, point.cases,
                                  llvm::formatv("{0:P1}", point.mean).str(),
                                  llvm::formatv("{0:P1}", point.weighted).str(),
                                  llvm::formatv("{0:P1}", point.max).str());
}

/// A line for each instance and operator, and what the dispatch loses over all.
static LogicalResult printInstances(func::FuncOp function,
                                    const CostModel &model,
                                    ArrayRef<Record> known) {
  struct Sum {
    size_t count = 0, measured = 0;
    double regret = 0, worst = 0;
    std::string worstShape;
  };
  llvm::MapVector<StringRef, Sum> sums;
  std::vector<std::map<std::string, int64_t>> all = listInstances(function);
  if (all.empty())
    return function.emitError("has no workload whose instances could be "
                              "explained; give --shape");
  for (const std::map<std::string, int64_t> &values : all) {
    FailureOr<std::vector<OperatorExplanation>> explanations =
        explainShape(function, values, model, known);
    if (failed(explanations))
      return failure();
    for (OperatorExplanation &explanation : *explanations) {
      double seconds = explanation.chosen.estimate.seconds;
      double best = explanation.best.estimate.seconds;
      double regret = best > 0 ? seconds / best - 1 : 0;
      llvm::outs() << llvm::formatv(
          "{0}: {1}: {2} {3:F1} us, best known {4} {5:F1} us, regret {6:P1}\n",
          explanation.name, explanation.shape, explanation.chosen.symbol,
          1e6 * seconds, explanation.best.symbol, 1e6 * best, regret);
      auto name = StringAttr::get(function.getContext(), explanation.name);
      Sum &sum = sums[name.getValue()];
      ++sum.count;
      sum.measured +=
          explanation.chosen.isMeasuredHere && explanation.best.isMeasuredHere;
      sum.regret += regret;
      if (regret >= sum.worst) {
        sum.worst = regret;
        sum.worstShape = explanation.shape;
      }
    }
  }
  for (auto &[name, sum] : sums)
    llvm::outs() << llvm::formatv(
        "{0}: {1} instances, at {2} of them both measured: regret mean "
        "{3:P2}, max {4:P2} at {5}\n",
        name, sum.count, sum.measured, sum.regret / double(sum.count),
        sum.worst, sum.worstShape);
  return success();
}

static LogicalResult printCurves(func::FuncOp function, const CostModel &model,
                                 ArrayRef<Record> known) {
  ShapeAnalysis analysis(function);
  WalkResult walked = function->walk([&](OperatorOpInterface op) {
    FailureOr<std::vector<RegretPoint>> points =
        computeRegretCurve(op, analysis, model, known, maxKernels);
    if (failed(points))
      return WalkResult::interrupt();
    print(describeOperator(op, function), *points);
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

static LogicalResult printAccuracy(func::FuncOp function,
                                   const Knowledge &known) {
  FailureOr<std::vector<OperatorOverview>> operators =
      makeOverview(function, known, {false, false, /*accuracy=*/true});
  if (failed(operators))
    return failure();
  for (const OperatorOverview &entry : *operators) {
    llvm::outs() << entry.name << "\n"
                 << llvm::formatv("{0,8}{1,8}{2,8}{3,8}  {4,-24}{5,12}{6,12}"
                                  "{7,12}\n",
                                  "b", "m", "n", "k", "kernel", "measured us",
                                  "table us", "trained us");
    for (const ModelledRun &run : entry.accuracy)
      llvm::outs() << llvm::formatv(
          "{0,8}{1,8}{2,8}{3,8}  {4,-24}{5,12:F1}{6,12:F1}{7,12}\n",
          run.shape.batch, run.shape.m, run.shape.n, run.shape.k, run.schedule,
          1e6 * run.measuredSeconds, 1e6 * run.tableSeconds,
          run.trainedSeconds
              ? llvm::formatv("{0:F1}", 1e6 * *run.trainedSeconds).str()
              : "-");
  }
  return success();
}

/// All that was asked for as one object.
static LogicalResult printOverview(func::FuncOp function,
                                   const Knowledge &known) {
  OverviewParts parts{instances, curve, accuracy, maxKernels};
  FailureOr<std::vector<OperatorOverview>> operators =
      makeOverview(function, known, parts);
  if (failed(operators))
    return failure();
  llvm::outs() << printJson(function, *operators, parts);
  return success();
}

static int run(ModuleOp module) {
  FailureOr<Explainable> subject =
      prepareExplanation(module, entry, modelFile, records);
  if (failed(subject))
    return 1;
  auto &[function, known] = *subject;
  if (json && shape.getNumOccurrences() == 0)
    return failed(printOverview(function, known));
  if (curve && failed(printCurves(function, known.model, known.records)))
    return 1;
  if (instances && failed(printInstances(function, known.model, known.records)))
    return 1;
  if (accuracy && failed(printAccuracy(function, known)))
    return 1;
  if (shape.getNumOccurrences() == 0)
    return 0;
  Expected<::dietcode::ShapeValues> values =
      shape.empty() ? ::dietcode::ShapeValues()
                    : ::dietcode::parseShapeValues(shape);
  if (!values)
    return failWith(values.error().message);
  FailureOr<std::vector<OperatorExplanation>> explanations =
      explainShape(function, *values, known.model, known.records);
  if (failed(explanations))
    return 1;
  if (explanations->empty())
    return failWith("there is no operator in @" + function.getSymName().str());
  llvm::outs() << (json ? printJson(*explanations) : printText(*explanations));
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Says which micro-kernel serves a shape, why, and what else there is.\n");
  bool isShape = shape.getNumOccurrences() != 0;
  bool isOverview = curve || instances || accuracy;
  if (!isShape && !isOverview)
    return failWith("there is nothing to explain; give --shape T=37, --shape= "
                    "where all is static, --instances, --curve, or --accuracy");
  if (json && isShape && isOverview)
    return failWith("--json prints what --shape asks for, or what --instances, "
                    "--curve and --accuracy do; give --shape without them");
  if (accuracy && records.empty())
    return failWith("--accuracy compares with measurements; give --records");
  if (maxKernels == 0)
    return failWith("--max-kernels must be at least 1");
  auto sources = openInput(inputFile);
  if (!sources)
    return failWith(sources.error().message);
  DialectRegistry registry;
  registerRunDialects(registry);
  MLIRContext context(registry);
  return runOnModule(*sources, context, run);
}
