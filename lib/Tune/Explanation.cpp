//===- Explanation.cpp - Why a shape gets its micro-kernel ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/Explanation.h"

#include "dietcode/Device/Device.h"
#include "dietcode/Dialect/DietCode/Pipelines/Pipelines.h"
#include "dietcode/Dialect/DietCode/Transforms/Selection.h"
#include "dietcode/Record/RecordFile.h"
#include "dietcode/Run/Runner.h"
#include "dietcode/Search/ScheduleSpace.h"
#include "dietcode/Tune/CandidateCompiler.h"
#include "dietcode/Tune/OperatorTuner.h"
#include "dietcode/Tune/TuneReport.h"
#include "mlir/Pass/PassManager.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Adaption;
using ::dietcode::Box;
using ::dietcode::ContractionShape;
using ::dietcode::CostModel;
using ::dietcode::CostSource;
using ::dietcode::DecisionNode;
using ::dietcode::DecisionTree;
using ::dietcode::DispatchLeaf;
using ::dietcode::DispatchResult;
using ::dietcode::Expected;
using ::dietcode::MeasuredKernel;
using ::dietcode::MicroKernelCost;
using ::dietcode::Record;
using ::dietcode::Schedule;

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// What measurements of `op` should be near to: its static extents.
static ContractionShape getReference(OperatorOpInterface op) {
  SmallVector<int64_t> extents;
  SmallVector<int64_t> known = op.getStaticProblemShape();
  for (ArrayRef<unsigned> group : op.getTiledDimGroups()) {
    int64_t extent = 1;
    for (unsigned dim : group)
      extent = ShapedType::isDynamic(known[dim]) ? 1024 : extent * known[dim];
    extents.push_back(extent);
  }
  return op.getContractionShape(extents);
}

static Expected<Knowledge> loadKnowledge(const ::dietcode::DeviceSpec &device,
                                         const std::string &modelFile,
                                         const std::string &recordsFile) {
  std::string deviceName =
      std::string(::dietcode::virtualDevicePrefix) + std::string(device.name);
  Knowledge known(device);
  if (!modelFile.empty())
    if (auto loaded = known.model.load(modelFile, deviceName); !loaded)
      return tl::unexpected(loaded.error());
  if (recordsFile.empty())
    return known;
  auto loaded = ::dietcode::loadRecords(recordsFile, {deviceName});
  if (!loaded)
    return tl::unexpected(loaded.error());
  known.records = std::move(loaded->records);
  return known;
}

FailureOr<Explainable>
mlir::dietcode::prepareExplanation(ModuleOp module, StringRef entry,
                                   const std::string &modelFile,
                                   const std::string &recordsFile) {
  PassManager pm(module.getContext());
  buildSelectPipeline(pm, DietCodeToLLVMOptions());
  if (failed(pm.run(module)))
    return failure();
  FailureOr<func::FuncOp> function = findEntry(module, entry.str());
  if (failed(function))
    return failure();
  Expected<Knowledge> known =
      loadKnowledge(getDevice(*function).getSpec(), modelFile, recordsFile);
  if (!known)
    return emitError(function->getLoc()) << known.error().message;
  return Explainable{*function, std::move(*known)};
}

std::string mlir::dietcode::describeOperator(OperatorOpInterface op,
                                             FunctionOpInterface function) {
  return ("@" + function.getName() + " " + op->getName().stripDialect()).str();
}

std::vector<MicroKernelCost>
mlir::dietcode::costsFor(OperatorOpInterface op, const CostModel &model,
                         ArrayRef<Record> records) {
  ::dietcode::OperatorTraits traits = op.getTraits();
  std::vector<Schedule> space = ::dietcode::enumerateSchedules(
      getDevice(op).getSpec(), {}, getInstructions(op));
  llvm::StringMap<size_t> indices;
  for (auto [index, schedule] : llvm::enumerate(space))
    indices[schedule.name()] = index;
  std::map<size_t, MeasuredKernel> measured;
  std::string source = identifySource(op);
  for (const Record &record : records) {
    if (record.op != traits.signature() || record.source != source)
      continue;
    Expected<MeasuredKernel> kernel = measuredKernelOf(record);
    if (!kernel || kernel->runs.empty() ||
        ::dietcode::checkSchedule(kernel->schedule, getDevice(op).getSpec()))
      continue;
    // Somebody may have tuned in a larger space.
    auto [at, isNew] = indices.try_emplace(record.schedule, space.size());
    if (isNew)
      space.push_back(kernel->schedule);
    measured[at->second] = std::move(*kernel);
  }
  std::vector<MicroKernelCost> costs = model.predict(space, traits);
  for (const auto &[index, kernel] : measured)
    costs[index] = model.measured(kernel, getReference(op));
  return costs;
}

//===----------------------------------------------------------------------===//
// One shape
//===----------------------------------------------------------------------===//

namespace {

/// Explains the operators of one function.
class Explainer {
public:
  Explainer(FunctionOpInterface function, const CostModel &model,
            ArrayRef<Record> records)
      : function(function), model(model), records(records), analysis(function) {
  }

  LogicalResult assign(const std::map<std::string, int64_t> &values);
  FailureOr<OperatorExplanation> explain(OperatorOpInterface op);

private:
  FailureOr<SmallVector<int64_t>> evaluateShape(OperatorOpInterface op);
  void follow(DispatchOp dispatch, ArrayRef<int64_t> point,
              OperatorExplanation &result, StringRef &kernel);
  ExplainedKernel describe(StringRef name, const MicroKernelCost &cost,
                           const ContractionShape &shape) const;
  ExplainedKernel costKernel(OperatorOpInterface op, StringRef symbol,
                             ArrayRef<MicroKernelCost> costs,
                             const ContractionShape &shape);

  FunctionOpInterface function;
  const CostModel &model;
  ArrayRef<Record> records;
  ShapeAnalysis analysis;
  SmallVector<int64_t> vars;
};

} // namespace

LogicalResult Explainer::assign(const std::map<std::string, int64_t> &values) {
  // Variables are found as operators are looked at.
  function->walk(
      [&](OperatorOpInterface op) { (void)analysis.getProblemShape(op); });
  for (StringAttr name : analysis.getVars()) {
    auto value = values.find(name.str());
    if (value == values.end())
      return function.emitError()
             << "there is no value for the shape variable @" << name.getValue()
             << "; give --shape " << name.getValue() << "=...";
    vars.push_back(value->second);
  }
  for (const auto &entry : values)
    if (llvm::none_of(analysis.getVars(), [&](StringAttr var) {
          return var.getValue() == entry.first;
        }))
      return function.emitError()
             << "no operator depends on a shape variable @" << entry.first;
  return success();
}

FailureOr<SmallVector<int64_t>>
Explainer::evaluateShape(OperatorOpInterface op) {
  FailureOr<OperatorShapes> shapes = getOperatorShapes(op, analysis);
  if (failed(shapes))
    return failure();
  SmallVector<int64_t> sizes;
  for (AffineExpr extent : shapes->extents) {
    sizes.push_back(evaluateAt(extent, vars));
    if (sizes.back() < 0)
      return op->emitOpError()
             << "has the size " << sizes.back() << " at this shape";
  }
  return sizes;
}

static std::string describeBox(DispatchOp dispatch, const Box &box) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(
      llvm::zip_equal(dispatch.getDims().getAsValueRange<StringAttr>(), box),
      os, [&](auto entry) {
        auto [dim, interval] = entry;
        os << dim << " in [" << interval.lower << ", " << interval.upper << ']';
      });
  return text.empty() ? "the static shape" : text;
}

/// Walks the tree that the host code is made from.
void Explainer::follow(DispatchOp dispatch, ArrayRef<int64_t> point,
                       OperatorExplanation &result, StringRef &kernel) {
  std::vector<DispatchLeaf> leaves = dispatch.getLeaves();
  DecisionTree tree =
      ::dietcode::buildDecisionTree(dispatch.getDomainBox(), leaves);
  bool inside =
      ::dietcode::contains(dispatch.getDomainBox(),
                           std::vector<int64_t>(point.begin(), point.end()));
  kernel = dispatch.getOtherwise();
  result.leaf = "otherwise";
  if (!inside) {
    result.path.push_back("outside of " +
                          describeBox(dispatch, dispatch.getDomainBox()));
    return;
  }
  const DecisionNode *node = &tree.nodes.front();
  while (!node->isLeaf) {
    bool isLow = point[node->dim] <= node->threshold;
    auto dim = cast<StringAttr>(dispatch.getDims()[node->dim]);
    result.path.push_back(dim.str() + " <= " + std::to_string(node->threshold) +
                          (isLow ? ": yes" : ": no"));
    node = &tree.nodes[isLow ? node->left : node->right];
  }
  if (node->leaf == ::dietcode::kGeneralLeaf)
    return;
  const DispatchLeaf &leaf = leaves[node->leaf];
  result.leaf = "case " + describeBox(dispatch, leaf.box);
  kernel = dispatch.getKernelTable()[leaf.kernel].getValue();
}

ExplainedKernel Explainer::describe(StringRef name, const MicroKernelCost &cost,
                                    const ContractionShape &shape) const {
  MicroKernelCost blind = cost;
  blind.calibrations.clear();
  const Adaption &adaption = model.getAdaption();
  return {name.str(), adaption.estimate(cost, shape), cost.source,
          cost.isMeasuredAt(shape), adaption.estimate(blind, shape).seconds};
}

ExplainedKernel Explainer::costKernel(OperatorOpInterface op, StringRef symbol,
                                      ArrayRef<MicroKernelCost> costs,
                                      const ContractionShape &shape) {
  auto microKernel = SymbolTable::lookupNearestSymbolFrom<MicroKernelOp>(
      op, StringAttr::get(op.getContext(), symbol));
  Schedule schedule = microKernel.getSchedule().getSchedule();
  const auto *known = llvm::find_if(costs, [&](const MicroKernelCost &cost) {
    return cost.schedule == schedule;
  });
  // A schedule written by hand may be outside of the space.
  MicroKernelCost cost =
      known != costs.end()
          ? *known
          : ::dietcode::AnalyticalModel(getDevice(op).getSpec())
                .cost(schedule, op.getTraits());
  return describe(symbol, cost, shape);
}

FailureOr<OperatorExplanation> Explainer::explain(OperatorOpInterface op) {
  FailureOr<SmallVector<int64_t>> sizes = evaluateShape(op);
  if (failed(sizes))
    return failure();
  OperatorExplanation result;
  result.name = describeOperator(op, function);
  result.shape = describeShape(op, *sizes);
  result.source = identifySource(op);
  auto dispatch = SymbolTable::lookupNearestSymbolFrom<DispatchOp>(
      op, op.getDispatchAttr());
  SmallVector<StringRef> names = op.getTiledDimNames();
  SmallVector<int64_t> point;
  for (StringRef dim : dispatch.getDims().getAsValueRange<StringAttr>()) {
    const auto *at = llvm::find(names, dim);
    if (at == names.end())
      return dispatch.emitOpError()
             << "is over '" << dim << "', which is no dimension of "
             << op->getName();
    point.push_back((*sizes)[at - names.begin()]);
  }
  StringRef chosen;
  follow(dispatch, point, result, chosen);
  ContractionShape shape = op.getContractionShape(*sizes);
  result.extents = shape;
  std::vector<MicroKernelCost> costs = costsFor(op, model, records);
  result.chosen = costKernel(op, chosen, costs, shape);
  result.boundSeconds =
      ::dietcode::boundSeconds(shape, op.getTraits(), getDevice(op).getSpec());
  if (shape.m == 0 || shape.n == 0 || shape.batch == 0)
    result.nothing = "nothing to compute, no kernel is launched";
  else if (shape.k == 0) // The sums are empty, but a kernel has to store them.
    result.nothing = "k is 0, only the epilogue is computed";
  for (FlatSymbolRefAttr other : dispatch.getKernelTable()) {
    if (other.getValue() == chosen)
      continue;
    ExplainedKernel rival = costKernel(op, other.getValue(), costs, shape);
    if (result.runnerUp.symbol.empty() ||
        rival.estimate.seconds < result.runnerUp.estimate.seconds)
      result.runnerUp = std::move(rival);
  }
  // Predictions are no match for what was measured.
  bool knowsMeasured = llvm::any_of(costs, [](const MicroKernelCost &cost) {
    return cost.source == CostSource::Measured;
  });
  for (const MicroKernelCost &cost : costs) {
    if (knowsMeasured && cost.source != CostSource::Measured)
      continue;
    double seconds = model.getAdaption().estimate(cost, shape).seconds;
    if (result.best.symbol.empty() || seconds < result.best.estimate.seconds)
      result.best = describe(cost.schedule.name(), cost, shape);
  }
  return result;
}

FailureOr<std::vector<OperatorExplanation>>
mlir::dietcode::explainShape(FunctionOpInterface function,
                             const std::map<std::string, int64_t> &values,
                             const CostModel &model, ArrayRef<Record> records) {
  Explainer explainer(function, model, records);
  if (failed(explainer.assign(values)))
    return failure();
  std::vector<OperatorExplanation> explanations;
  WalkResult walked = function->walk([&](OperatorOpInterface op) {
    FailureOr<OperatorExplanation> explanation = explainer.explain(op);
    if (failed(explanation))
      return WalkResult::interrupt();
    explanations.push_back(std::move(*explanation));
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  return std::move(explanations);
}

WorkloadOp mlir::dietcode::getWorkload(FunctionOpInterface function) {
  auto symbol = function->getAttrOfType<FlatSymbolRefAttr>(
      DietCodeDialect::getWorkloadAttrName());
  return symbol ? SymbolTable::lookupNearestSymbolFrom<WorkloadOp>(function,
                                                                   symbol)
                : WorkloadOp();
}

std::vector<std::map<std::string, int64_t>>
mlir::dietcode::listInstances(FunctionOpInterface function) {
  std::vector<std::map<std::string, int64_t>> instances;
  WorkloadOp workload = getWorkload(function);
  if (!workload)
    return instances;
  for (auto row : workload.getInstances().getAsRange<DenseI64ArrayAttr>()) {
    std::map<std::string, int64_t> &values = instances.emplace_back();
    for (auto [var, value] :
         llvm::zip_equal(workload.getVars().getAsRange<FlatSymbolRefAttr>(),
                         row.asArrayRef()))
      values[var.getValue().str()] = value;
  }
  return instances;
}

//===----------------------------------------------------------------------===//
// Regret against the number of kernels
//===----------------------------------------------------------------------===//

FailureOr<std::vector<RegretPoint>> mlir::dietcode::computeRegretCurve(
    OperatorOpInterface op, ShapeAnalysis &analysis, const CostModel &model,
    ArrayRef<Record> records, unsigned mostKernels) {
  std::vector<MicroKernelCost> costs = costsFor(op, model, records);
  auto isMeasured = [](const MicroKernelCost &cost) {
    return cost.source == CostSource::Measured;
  };
  if (llvm::any_of(costs, isMeasured))
    llvm::erase_if(costs, [&](auto &cost) { return !isMeasured(cost); });
  std::vector<RegretPoint> curve;
  for (unsigned kernels = 1; kernels <= mostKernels; ++kernels) {
    FailureOr<DispatchResult> result = selectMicroKernels(
        op, analysis, model.getAdaption(), costs, {kernels, -1});
    if (failed(result))
      return failure();
    curve.push_back({static_cast<unsigned>(result->kernels.size()),
                     static_cast<unsigned>(result->leaves.size()),
                     result->meanRegret, result->weightedRegret,
                     result->maxRegret});
    // More would not be used.
    if (result->kernels.size() < kernels)
      break;
  }
  return curve;
}
