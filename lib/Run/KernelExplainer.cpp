//===- KernelExplainer.cpp - Why a kernel was chosen ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/KernelExplainer.h"

#include "ShapeEvaluator.h"
#include "dietcode/CostModel/AnalyticalModel.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Box;
using ::dietcode::DispatchLeaf;

namespace {

/// An operator, and what its dispatch decides for the shape of this run.
struct Decision {
  StringRef microKernel;
  std::string why;
  size_t steps = 1; ///< That the micro-kernel launches.
  size_t taken = 0; ///< Of these, what was met.
};

class Explainer {
public:
  Explainer(func::FuncOp entry, ArrayRef<RunArgument> arguments)
      : module(entry->getParentOfType<ModuleOp>()), shapes(entry, arguments) {
    entry.walk([&](OperatorOpInterface op) { decide(op); });
  }

  KernelChoice explain(StringRef kernelName);

private:
  void decide(OperatorOpInterface op);
  std::string predict(OperatorOpInterface op, StringRef microKernel);
  StringRef findMicroKernel(StringRef kernelName);

  ModuleOp module;
  ShapeEvaluator shapes;
  SmallVector<Decision> decisions;
};

} // namespace

/// e.g. "m in [401, 2048]".
static std::string printBox(DispatchOp dispatch, const Box &box) {
  std::string text;
  for (auto [dim, interval] : llvm::zip(dispatch.getDims(), box))
    text += (text.empty() ? "" : ", ") + cast<StringAttr>(dim).str() + " in [" +
            std::to_string(interval.lower) + ", " +
            std::to_string(interval.upper) + "]";
  return text.empty() ? "static shape" : text;
}

/// What the analytical model says about an operator.
std::string Explainer::predict(OperatorOpInterface op, StringRef microKernel) {
  auto kernel = module.lookupSymbol<MicroKernelOp>(microKernel);
  DeviceAttr device = getDevice(op);
  if (!kernel || !device)
    return "";
  SmallVector<int64_t> extents;
  for (unsigned dim : llvm::seq(op.getTiledDimNames().size())) {
    std::optional<int64_t> extent = shapes.extentOf(op, dim);
    if (!extent)
      return "";
    extents.push_back(*extent);
  }
  ::dietcode::ContractionShape shape = op.getContractionShape(extents);
  // The sums are empty, but a kernel has to store them.
  if (shape.k == 0)
    return "k is 0, only the epilogue is computed";
  ::dietcode::AnalyticalModel model(device.getSpec());
  return ::dietcode::explain(model.estimate(kernel.getSchedule().getSchedule(),
                                            shape, op.getTraits()));
}

/// Follows the dispatch of `op` for the shape of this run.
void Explainer::decide(OperatorOpInterface op) {
  FlatSymbolRefAttr symbol = op.getDispatchAttr();
  auto dispatch =
      symbol ? module.lookupSymbol<DispatchOp>(symbol.getAttr()) : DispatchOp();
  if (!dispatch)
    return;
  SmallVector<StringRef> names = op.getTiledDimNames();
  std::vector<int64_t> point;
  for (Attribute dim : dispatch.getDims()) {
    size_t position =
        llvm::find(names, cast<StringAttr>(dim).getValue()) - names.begin();
    std::optional<int64_t> extent =
        position < names.size() ? shapes.extentOf(op, position) : std::nullopt;
    if (!extent)
      return;
    point.push_back(*extent);
  }
  SmallVector<FlatSymbolRefAttr> table = dispatch.getKernelTable();
  Decision decision{dispatch.getOtherwise(), "outside the declared range"};
  for (const DispatchLeaf &leaf : dispatch.getLeaves()) {
    if (!contains(leaf.box, point))
      continue;
    decision.microKernel = table[leaf.kernel].getValue();
    decision.why = printBox(dispatch, leaf.box);
    break;
  }
  std::string prediction = predict(op, decision.microKernel);
  if (!prediction.empty())
    decision.why += ": " + prediction;
  if (auto kernel = module.lookupSymbol<MicroKernelOp>(decision.microKernel))
    decision.steps =
        ::dietcode::stepsOf(kernel.getSchedule().getSchedule()).size();
  decisions.push_back(std::move(decision));
}

/// The micro-kernel with the longest symbol that is part of `kernelName`.
StringRef Explainer::findMicroKernel(StringRef kernelName) {
  StringRef found;
  for (auto kernel : module.getOps<MicroKernelOp>()) {
    StringRef symbol = kernel.getSymName();
    if (symbol.size() > found.size() && kernelName.contains(symbol))
      found = symbol;
  }
  return found;
}

/// Kernels are launched in the order of the operators, so the first operator
/// that has chosen this micro-kernel and of which a step was not yet met is the
/// one.
KernelChoice Explainer::explain(StringRef kernelName) {
  StringRef microKernel = findMicroKernel(kernelName);
  for (Decision &decision : decisions) {
    if (decision.taken == decision.steps || decision.microKernel != microKernel)
      continue;
    ++decision.taken;
    if (decision.taken == 1)
      return {microKernel.str(), decision.why};
    return {microKernel.str(), "step " + std::to_string(decision.taken) +
                                   " of " + std::to_string(decision.steps)};
  }
  return {microKernel.str(), ""};
}

std::vector<KernelChoice>
mlir::dietcode::explainKernels(func::FuncOp entry,
                               ArrayRef<RunArgument> arguments,
                               ArrayRef<std::string> kernelNames) {
  Explainer explainer(entry, arguments);
  std::vector<KernelChoice> choices;
  for (const std::string &name : kernelNames)
    choices.push_back(explainer.explain(name));
  return choices;
}
