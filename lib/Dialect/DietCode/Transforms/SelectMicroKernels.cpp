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

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODESELECTMICROKERNELSPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::MicroKernelCost;

/// Every schedule that the device can run, with its cost by the device table.
static std::vector<MicroKernelCost>
costAnalytically(const ::dietcode::DeviceSpec &device) {
  ::dietcode::AnalyticalModel model(device);
  std::vector<MicroKernelCost> costs;
  for (const ::dietcode::Schedule &schedule :
       ::dietcode::enumerateSchedules(device))
    costs.push_back(model.cost(schedule));
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
    std::vector<MicroKernelCost> candidates;
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
                         std::vector<MicroKernelCost> &candidates) {
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
    if (candidates.empty())
      candidates = costAnalytically(device.getSpec());
    ShapeAnalysis analysis(function);
    for (OperatorOpInterface op : ops) {
      FailureOr<::dietcode::DispatchResult> result = selectMicroKernels(
          op, analysis, adaption, candidates, {maxKernels, maxRegret});
      if (failed(result) ||
          failed(applySelection(op, analysis, symbols, adaption, candidates,
                                *result)))
        return failure();
    }
    return success();
  }
};

} // namespace
