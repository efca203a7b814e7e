//===- SelectMicroKernels.cpp - Select micro-kernels and build dispatches
//--===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorShapes.h"
#include "dietcode/CostModel/AnalyticalModel.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODESELECTMICROKERNELSPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::AnalyticalModel;
using ::dietcode::Box;
using ::dietcode::DispatchProblem;
using ::dietcode::DispatchResult;
using ::dietcode::Interval;
using ::dietcode::KernelProfile;
using ::dietcode::SamplePoint;
using ::dietcode::Schedule;

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

namespace {

/// Every schedule that the device can run, with its shape-generic cost.
struct Candidates {
  explicit Candidates(const ::dietcode::DeviceSpec &device) : model(device) {
    for (const Schedule &schedule : ::dietcode::enumerateSchedules(device))
      profiles.push_back(model.profile(schedule));
  }

  AnalyticalModel model;
  std::vector<KernelProfile> profiles;
};

} // namespace

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

namespace {

/// Selects for the operators of one function.
class Selector {
public:
  Selector(SymbolTable &symbols, const Candidates &candidates,
           unsigned maxKernels, double maxRegret)
      : symbols(symbols), candidates(candidates), maxKernels(maxKernels),
        maxRegret(maxRegret) {}

  LogicalResult select(OperatorOpInterface op, ShapeAnalysis &analysis);

private:
  FlatSymbolRefAttr getMicroKernel(Location loc, const Schedule &schedule);
  FlatSymbolRefAttr createDispatch(OperatorOpInterface op,
                                   const OperatorShapes &shapes,
                                   const DispatchProblem &problem,
                                   const DispatchResult &result);
  LogicalResult report(OperatorOpInterface op, const OperatorShapes &shapes,
                       const DispatchResult &result);
  Block::iterator getInsertionPoint() {
    return symbols.getOp()->getRegion(0).front().begin();
  }

  SymbolTable &symbols;
  const Candidates &candidates;
  unsigned maxKernels;
  double maxRegret;
};

} // namespace

/// Throughput of a micro-kernel where nothing of it is lost to the shape: many
/// full waves of full tiles.
static double getThroughput(const Candidates &candidates,
                            const KernelProfile &profile) {
  const Schedule &schedule = profile.schedule;
  return candidates.model
      .estimate(profile, {schedule.blockM * 64, schedule.blockN * 64, 4096})
      .flopsPerSecond;
}

FlatSymbolRefAttr Selector::getMicroKernel(Location loc,
                                           const Schedule &schedule) {
  std::string name = "simt_" + schedule.name();
  auto attr = ScheduleAttr::get(symbols.getOp()->getContext(), schedule);
  if (auto existing = symbols.lookup<MicroKernelOp>(name);
      existing && existing.getSchedule() == attr)
    return FlatSymbolRefAttr::get(existing);
  OpBuilder builder(symbols.getOp()->getContext());
  double throughput =
      getThroughput(candidates, candidates.model.profile(schedule));
  auto op = MicroKernelOp::create(builder, loc, name, attr,
                                  builder.getF64FloatAttr(throughput),
                                  /*measured=*/FloatAttr());
  return FlatSymbolRefAttr::get(symbols.insert(op, getInsertionPoint()));
}

FlatSymbolRefAttr Selector::createDispatch(OperatorOpInterface op,
                                           const OperatorShapes &shapes,
                                           const DispatchProblem &problem,
                                           const DispatchResult &result) {
  SmallVector<Attribute> microKernels;
  for (unsigned candidate : result.kernels)
    microKernels.push_back(
        getMicroKernel(op.getLoc(), candidates.profiles[candidate].schedule));
  SmallVector<StringRef> dims;
  SmallVector<int64_t> domain, boxes;
  for (unsigned dim : shapes.dynamicDims)
    dims.push_back(op.getProblemDimNames()[dim]);
  for (Interval interval : problem.domain)
    domain.append({interval.lower, interval.upper});
  SmallVector<Attribute> kernels;
  for (const ::dietcode::DispatchLeaf &leaf : result.leaves) {
    for (Interval interval : leaf.box)
      boxes.append({interval.lower, interval.upper});
    kernels.push_back(microKernels[leaf.kernel]);
  }
  OpBuilder builder(op->getContext());
  auto function = op->getParentOfType<FunctionOpInterface>();
  std::string name =
      (function.getName() + "_" + op->getName().stripDialect()).str();
  auto dispatch = DispatchOp::create(
      builder, op.getLoc(), builder.getStringAttr(name),
      builder.getStrArrayAttr(dims), builder.getDenseI64ArrayAttr(domain),
      builder.getDenseI64ArrayAttr(boxes), builder.getArrayAttr(kernels),
      cast<FlatSymbolRefAttr>(microKernels[result.general]));
  // After the micro-kernels, which it refers to.
  Block::iterator position = getInsertionPoint();
  while (isa<MicroKernelOp, ShapeVarOp, WorkloadOp, DispatchOp>(*position))
    ++position;
  return FlatSymbolRefAttr::get(symbols.insert(dispatch, position));
}

/// `m = 16, n = 2304`.
static std::string describeShape(OperatorOpInterface op,
                                 ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(
      llvm::zip_equal(op.getProblemDimNames(), shape), os, [&](auto entry) {
        os << std::get<0>(entry) << " = " << std::get<1>(entry);
      });
  return text;
}

LogicalResult Selector::report(OperatorOpInterface op,
                               const OperatorShapes &shapes,
                               const DispatchResult &result) {
  std::string worst = describeShape(op, shapes.complete(result.worstPoint));
  remark::passed(
      op.getLoc(),
      remark::RemarkOpts::name("select-micro-kernels").category("dietcode"))
      << llvm::formatv("{0} micro-kernels in {1} cases; predicted regret mean "
                       "{2:P1}, weighted {3:P1}, max {4:P1} at {5}",
                       result.kernels.size(), result.leaves.size(),
                       result.meanRegret, result.weightedRegret,
                       result.maxRegret, worst)
             .str();
  if (maxRegret >= 0.0 && result.maxRegret > maxRegret)
    return op->emitOpError()
           << llvm::formatv(
                  "predicted regret {0:P1} at {1} is above max-regret "
                  "{2:P1}; allow more micro-kernels or more regret",
                  result.maxRegret, worst, maxRegret)
                  .str();
  return success();
}

LogicalResult Selector::select(OperatorOpInterface op,
                               ShapeAnalysis &analysis) {
  FailureOr<OperatorShapes> shapes = getOperatorShapes(op, analysis);
  if (failed(shapes))
    return failure();
  FailureOr<std::vector<SamplePoint>> points =
      sampleShapes(op, analysis, *shapes);
  if (failed(points))
    return failure();
  DispatchProblem problem;
  problem.points = std::move(*points);
  problem.domain = getDomain(*shapes);
  problem.numCandidates = candidates.profiles.size();
  problem.maxKernels = maxKernels;
  problem.cost = [&](unsigned candidate, const std::vector<int64_t> &dims) {
    return candidates.model
        .estimate(candidates.profiles[candidate],
                  op.getContractionShape(shapes->complete(dims)))
        .seconds;
  };
  ::dietcode::Expected<DispatchResult> result =
      ::dietcode::selectDispatch(problem);
  if (!result)
    return op->emitOpError() << "has no dispatch: " << result.error().message;
  if (failed(report(op, *shapes, *result)))
    return failure();
  op.setDispatchAttr(createDispatch(op, *shapes, problem, *result));
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {

struct SelectMicroKernels
    : mlir::dietcode::impl::DietCodeSelectMicroKernelsPassBase<
          SelectMicroKernels> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (maxKernels == 0) {
      emitError(module.getLoc(), "max-kernels must be at least 1");
      return signalPassFailure();
    }
    if (std::isnan(maxRegret)) {
      emitError(module.getLoc(), "max-regret must be a number, got nan");
      return signalPassFailure();
    }
    std::optional<Candidates> candidates;
    SymbolTable symbols(module);
    WalkResult result = module.walk([&](FunctionOpInterface function) {
      if (function.isExternal())
        return WalkResult::advance();
      return WalkResult(selectIn(function, symbols, candidates));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult selectIn(FunctionOpInterface function, SymbolTable &symbols,
                         std::optional<Candidates> &candidates) {
    SmallVector<OperatorOpInterface> ops;
    function->walk([&](OperatorOpInterface op) {
      if (!op.getDispatchAttr())
        ops.push_back(op);
    });
    if (ops.empty())
      return success();
    DeviceAttr device = getDevice(function);
    if (!device)
      return function.emitError("the module does not say which device it is "
                                "for; run dietcode-attach-device");
    if (!candidates)
      candidates.emplace(device.getSpec());
    ShapeAnalysis analysis(function);
    Selector selector(symbols, *candidates, maxKernels, maxRegret);
    for (OperatorOpInterface op : ops)
      if (failed(selector.select(op, analysis)))
        return failure();
    return success();
  }
};

} // namespace
