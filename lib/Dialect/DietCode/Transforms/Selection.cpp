//===- Selection.cpp - Choose micro-kernels for an operator ---------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/Transforms/Selection.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Adaption;
using ::dietcode::DispatchLeaf;
using ::dietcode::DispatchProblem;
using ::dietcode::DispatchResult;
using ::dietcode::Instruction;
using ::dietcode::Interval;
using ::dietcode::MicroKernelCost;
using ::dietcode::SamplePoint;

std::string mlir::dietcode::describeShape(OperatorOpInterface op,
                                          ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(
      llvm::zip_equal(op.getTiledDimNames(), shape), os, [&](auto entry) {
        os << std::get<0>(entry) << " = " << std::get<1>(entry);
      });
  return text;
}

std::vector<Instruction>
mlir::dietcode::getInstructions(OperatorOpInterface op) {
  std::vector<Instruction> instructions = op.getTraits().instructions();
  if (DeviceAttr device = getDevice(op)) {
    int capability =
        ::dietcode::lookupChip(device.getChip())->computeCapability;
    llvm::erase_if(instructions, [&](Instruction instruction) {
      return ::dietcode::infoOf(instruction).computeCapability > capability;
    });
  }
  if (instructions.empty())
    instructions.push_back(Instruction::Fma);
  return instructions;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// Says what was chosen, and whether that is good enough.
static LogicalResult report(OperatorOpInterface op,
                            const OperatorShapes &shapes,
                            const DispatchResult &result, double maxRegret) {
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

static bool canBeServed(const DispatchProblem &problem,
                        const std::vector<int64_t> &dims) {
  return llvm::any_of(llvm::seq(problem.numCandidates),
                      [&](unsigned candidate) {
                        return std::isfinite(problem.cost(candidate, dims));
                      });
}

/// Whether each shape variable may be at its upper end while the others are at
/// their lower ends. If not, the range of one alone is a mistake.
static bool areEndsServed(const DispatchProblem &problem,
                          const OperatorShapes &shapes) {
  SmallVector<int64_t> vars;
  for (Interval range : shapes.varRanges)
    vars.push_back(range.lower);
  for (auto [var, range] : llvm::zip_equal(vars, shapes.varRanges)) {
    var = range.upper;
    std::vector<int64_t> dims = shapes.evaluate(vars);
    bool isShape = llvm::all_of(dims, [](int64_t size) { return size >= 0; });
    if (isShape && !canBeServed(problem, dims))
      return false;
    var = range.lower;
  }
  return true;
}

/// Drops samples of the range that no candidate can serve: where several
/// dimensions are unknown, the largest of all of them together are nothing that
/// a memory holds.
static void dropHopeless(DispatchProblem &problem,
                         const OperatorShapes &shapes) {
  if (areEndsServed(problem, shapes))
    llvm::erase_if(problem.points, [&](const SamplePoint &point) {
      return !canBeServed(problem, point.dims);
    });
}

FailureOr<DispatchResult> mlir::dietcode::selectMicroKernels(
    OperatorOpInterface op, ShapeAnalysis &analysis, const Adaption &adaption,
    ArrayRef<MicroKernelCost> candidates, const SelectionOptions &options) {
  FailureOr<OperatorShapes> shapes = getOperatorShapes(op, analysis);
  if (failed(shapes))
    return failure();
  FailureOr<std::vector<SamplePoint>> points = sampleRange(op, *shapes);
  FailureOr<std::vector<SamplePoint>> instances =
      getInstances(op, analysis, *shapes);
  if (failed(points) || failed(instances))
    return failure();
  DispatchProblem problem;
  problem.points = std::move(*points);
  problem.domain = getDomain(*shapes);
  problem.numCandidates = candidates.size();
  problem.maxKernels = options.maxKernels;
  // The operator is asked once for each shape, and not for each candidate, too.
  std::map<std::vector<int64_t>, ::dietcode::ContractionShape> known;
  problem.cost = [&](unsigned candidate, const std::vector<int64_t> &dims) {
    auto it = known.find(dims);
    if (it == known.end())
      it = known.emplace(dims, op.getContractionShape(shapes->complete(dims)))
               .first;
    return adaption.estimate(candidates[candidate], it->second).seconds;
  };
  dropHopeless(problem, *shapes);
  llvm::append_range(problem.points, *instances);
  ::dietcode::Expected<DispatchResult> result =
      ::dietcode::selectDispatch(problem);
  if (!result)
    return op->emitOpError() << "has no dispatch: " << result.error().message;
  if (failed(report(op, *shapes, *result, options.maxRegret)))
    return failure();
  return *result;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Block::iterator getInsertionPoint(SymbolTable &symbols) {
  return symbols.getOp()->getRegion(0).front().begin();
}

static FlatSymbolRefAttr getMicroKernel(SymbolTable &symbols, Location loc,
                                        const Adaption &adaption,
                                        const MicroKernelCost &cost) {
  MLIRContext *context = symbols.getOp()->getContext();
  std::string name = cost.schedule.kernelName();
  auto attr = ScheduleAttr::get(context, cost.schedule);
  if (auto existing = symbols.lookup<MicroKernelOp>(name);
      existing && existing.getSchedule() == attr)
    return FlatSymbolRefAttr::get(existing);
  OpBuilder builder(context);
  FloatAttr throughput = builder.getF64FloatAttr(adaption.throughput(cost));
  bool measured = cost.source == ::dietcode::CostSource::Measured;
  auto op = MicroKernelOp::create(builder, loc, name, attr,
                                  measured ? FloatAttr() : throughput,
                                  measured ? throughput : FloatAttr());
  return FlatSymbolRefAttr::get(symbols.insert(op, getInsertionPoint(symbols)));
}

static DispatchOp createDispatch(OperatorOpInterface op,
                                 const OperatorShapes &shapes,
                                 ArrayRef<Interval> domain,
                                 const DispatchResult &result,
                                 ArrayRef<FlatSymbolRefAttr> microKernels) {
  SmallVector<StringRef> dims;
  SmallVector<int64_t> bounds, boxes;
  for (unsigned dim : shapes.dynamicDims)
    dims.push_back(op.getTiledDimNames()[dim]);
  for (Interval interval : domain)
    bounds.append({interval.lower, interval.upper});
  SmallVector<Attribute> kernels;
  for (const DispatchLeaf &leaf : result.leaves) {
    for (Interval interval : leaf.box)
      boxes.append({interval.lower, interval.upper});
    kernels.push_back(microKernels[leaf.kernel]);
  }
  OpBuilder builder(op->getContext());
  auto function = op->getParentOfType<FunctionOpInterface>();
  std::string name =
      (function.getName() + "_" + op->getName().stripDialect()).str();
  return DispatchOp::create(
      builder, op.getLoc(), builder.getStringAttr(name),
      builder.getStrArrayAttr(dims), builder.getDenseI64ArrayAttr(bounds),
      builder.getDenseI64ArrayAttr(boxes), builder.getArrayAttr(kernels),
      microKernels[result.general]);
}

LogicalResult
mlir::dietcode::applySelection(OperatorOpInterface op, ShapeAnalysis &analysis,
                               SymbolTable &symbols, const Adaption &adaption,
                               ArrayRef<MicroKernelCost> candidates,
                               const DispatchResult &result) {
  FailureOr<OperatorShapes> shapes = getOperatorShapes(op, analysis);
  if (failed(shapes))
    return failure();
  SmallVector<FlatSymbolRefAttr> microKernels;
  for (unsigned candidate : result.kernels)
    microKernels.push_back(
        getMicroKernel(symbols, op.getLoc(), adaption, candidates[candidate]));
  std::vector<Interval> domain = getDomain(*shapes);
  DispatchOp dispatch =
      createDispatch(op, *shapes, domain, result, microKernels);
  // After the micro-kernels, which it refers to.
  Block::iterator position = getInsertionPoint(symbols);
  while (isa<MicroKernelOp, ShapeVarOp, WorkloadOp, DispatchOp>(*position))
    ++position;
  op.setDispatchAttr(
      FlatSymbolRefAttr::get(symbols.insert(dispatch, position)));
  return success();
}
