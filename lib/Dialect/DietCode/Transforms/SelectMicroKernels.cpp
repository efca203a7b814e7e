//===- SelectMicroKernels.cpp - Select micro-kernels for operators --------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/AnalyticalModel.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "dietcode/Dialect/DietCode/Transforms/Selection.h"
#include "dietcode/Search/ScheduleSpace.h"
#include <cmath>
#include <map>

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODESELECTMICROKERNELSPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::MicroKernelCost;

/// The candidates for operators that the same instructions serve, that read and
/// write elements of the same sizes, and that leave as many registers; on rows,
/// for those of one signature.
using CandidateKey = std::tuple<std::vector<::dietcode::Instruction>, int, int,
                                ::dietcode::AddressNeeds, std::string>;
using Candidates = std::map<CandidateKey, std::vector<MicroKernelCost>>;

/// Every schedule that the device can run, with its cost by the device table.
static std::vector<MicroKernelCost>
costAnalytically(const ::dietcode::DeviceSpec &device,
                 const std::vector<::dietcode::Instruction> &instructions,
                 const ::dietcode::OperatorTraits &traits) {
  ::dietcode::AnalyticalModel model(device);
  std::vector<MicroKernelCost> costs;
  for (const ::dietcode::Schedule &schedule :
       ::dietcode::enumerateSchedules(device, {}, instructions))
    costs.push_back(model.cost(schedule, traits));
  return costs;
}

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
    Candidates candidates;
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
                         Candidates &candidates) {
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
    ::dietcode::Adaption adaption(device.getSpec());
    ShapeAnalysis analysis(function);
    for (OperatorOpInterface op : ops) {
      ::dietcode::OperatorTraits traits = op.getTraits();
      std::vector<::dietcode::Instruction> instructions = getInstructions(op);
      auto [at, isNew] = candidates.try_emplace(
          {instructions, traits.factorBytes(), traits.outBytes(),
           traits.addresses, traits.rows ? traits.signature() : ""});
      std::vector<MicroKernelCost> &costs = at->second;
      if (isNew)
        costs = costAnalytically(device.getSpec(), instructions, traits);
      FailureOr<::dietcode::DispatchResult> result = selectMicroKernels(
          op, analysis, adaption, costs, {maxKernels, maxRegret});
      if (failed(result) || failed(applySelection(op, analysis, symbols,
                                                  adaption, costs, *result)))
        return failure();
    }
    return success();
  }
};

} // namespace
