//===- Explanation.h - Why a shape gets its micro-kernel --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work of `dietcode-explain`: follows the dispatch of an operator for one
// shape, and says what the cost model thinks of the choice and of its rivals.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TUNE_EXPLANATION_H
#define DIETCODE_TUNE_EXPLANATION_H

#include "dietcode/CostModel/CostModel.h"
#include "dietcode/Dialect/DietCode/Transforms/Selection.h"
#include "dietcode/Record/Record.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <optional>

namespace mlir::dietcode {

/// What is known of a device's micro-kernels besides its table.
struct Knowledge {
  explicit Knowledge(const ::dietcode::DeviceSpec &device) : model(device) {}

  ::dietcode::CostModel model;
  std::vector<::dietcode::Record> records;
};

/// A function of which every operator has a dispatch.
struct Explainable {
  func::FuncOp function;
  Knowledge known; ///< Of the virtual device that it is for.
};

/// Gives the operators of `module` that have no dispatch one by the device
/// table, finds the function `entry`, or the only public one if that is empty,
/// and reads a trained model and records unless their names are empty. Emits an
/// error if any of it fails.
FailureOr<Explainable> prepareExplanation(ModuleOp module, StringRef entry,
                                          const std::string &modelFile,
                                          const std::string &recordsFile);

/// A micro-kernel at a shape.
struct ExplainedKernel {
  std::string symbol; ///< Of the IR; the schedule's name if it is in none.
  ::dietcode::CostEstimate estimate;
  ::dietcode::CostSource source = ::dietcode::CostSource::Analytical;
  bool isMeasuredHere = false; ///< At this very shape.
  /// By f_MK alone, without what is known of whole grids.
  double predictedSeconds = 0;
};

/// What happens to one operator.
struct OperatorExplanation {
  std::string name;                     ///< e.g. "@qkv matmul".
  std::string source;                   ///< Of its records (`identifySource`).
  std::string shape;                    ///< e.g. "m = 592, n = 2304, k = 768".
  ::dietcode::ContractionShape extents; ///< The same, as micro-kernels see it.
  /// The comparisons from the root of the decision tree, e.g. "m <= 960: yes".
  std::vector<std::string> path;
  std::string leaf; ///< e.g. "case m in [577, 960]".
  /// Why there is nothing to predict, e.g. "nothing to compute"; mostly empty.
  std::string nothing;
  /// No kernel takes less on this device; a launch is not in it (boundSeconds).
  double boundSeconds = 0;
  ExplainedKernel chosen;
  /// The best of the other kernels of the dispatch; no symbol if there is none.
  ExplainedKernel runnerUp;
  /// The best of all candidates that were measured, or of all that the cost
  /// model knows if none was.
  ExplainedKernel best;
};

/// Several lines for a terminal, and an array with an object for each operator:
/// what OperatorExplanation holds, times in seconds.
std::string printText(ArrayRef<OperatorExplanation> explanations);
std::string printJson(ArrayRef<OperatorExplanation> explanations);

/// How much is lost with few kernels.
struct RegretPoint {
  unsigned kernels = 0;
  unsigned cases = 0;
  double mean = 0, weighted = 0, max = 0;
};

/// e.g. "@qkv matmul".
std::string describeOperator(OperatorOpInterface op,
                             FunctionOpInterface function);

/// The costs of all micro-kernels for `op`: measured where `records` know them,
/// else by `model`.
std::vector<::dietcode::MicroKernelCost>
costsFor(OperatorOpInterface op, const ::dietcode::CostModel &model,
         ArrayRef<::dietcode::Record> records);

/// Explains each operator of `function`, which has a dispatch, where the shape
/// variables have these values. An error if one is not a variable, is missing,
/// or gives a negative size.
FailureOr<std::vector<OperatorExplanation>> explainShape(
    FunctionOpInterface function, const std::map<std::string, int64_t> &values,
    const ::dietcode::CostModel &model, ArrayRef<::dietcode::Record> records);

/// The workload of `function`; null if it has none.
WorkloadOp getWorkload(FunctionOpInterface function);

/// The instances of the workload of `function`, as values of its variables;
/// those that the workload does not list are left out. Empty without one.
std::vector<std::map<std::string, int64_t>>
listInstances(FunctionOpInterface function);

/// Regret against the number of kernels, 1 to `mostKernels`, chosen from what
/// was measured if there is something.
FailureOr<std::vector<RegretPoint>>
computeRegretCurve(OperatorOpInterface op, ShapeAnalysis &analysis,
                   const ::dietcode::CostModel &model,
                   ArrayRef<::dietcode::Record> records, unsigned mostKernels);

} // namespace mlir::dietcode

#endif // DIETCODE_TUNE_EXPLANATION_H
