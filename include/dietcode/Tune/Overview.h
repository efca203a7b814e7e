//===- Overview.h - All decisions of a function as data ---------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `dietcode-explain --json` prints without --shape: the dispatch of each
// operator, its instances, its regret curve, and how far off the cost model is.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TUNE_OVERVIEW_H
#define DIETCODE_TUNE_OVERVIEW_H

#include "dietcode/Tune/Explanation.h"

namespace mlir::dietcode {

/// What to look at besides the dispatch.
struct OverviewParts {
  bool instances = false;
  bool curve = false;
  bool accuracy = false;
  unsigned mostKernels = 16; ///< Where the curve ends.
};

/// An instance of the workload.
struct InstanceOverview {
  std::map<std::string, int64_t> values; ///< Of the shape variables.
  double weight = 1;                     ///< As the workload has it.
  OperatorExplanation explanation;
};

/// A launch of a whole grid that records know, and what the cost model says to
/// it without knowing that micro-kernel.
struct ModelledRun {
  std::string schedule;
  ::dietcode::ContractionShape shape;
  double measuredSeconds = 0;
  double boundSeconds = 0; ///< As of OperatorExplanation.
  double tableSeconds = 0; ///< By the device table.
  /// By a model that is trained on the other micro-kernels
  /// (::dietcode::predictUnseen); none if there are too few of them.
  std::optional<double> trainedSeconds;
};

/// Everything about one operator.
struct OperatorOverview {
  std::string name;      ///< e.g. "@qkv matmul".
  std::string signature; ///< As records call it.
  std::string source;    ///< Of its records (`identifySource`).
  DispatchOp dispatch;
  std::vector<InstanceOverview> instances;
  std::vector<RegretPoint> curve;
  std::vector<ModelledRun> accuracy;
};

/// Looks at each operator of a function. An error if it has no instances and
/// they are asked for.
FailureOr<std::vector<OperatorOverview>>
makeOverview(func::FuncOp function, const Knowledge &known,
             const OverviewParts &parts);

/// How far off the cost model is at what `records` know of `op`, in the order
/// of the records.
FailureOr<std::vector<ModelledRun>>
compareWithRecords(OperatorOpInterface op,
                   ArrayRef<::dietcode::Record> records);

/// One object, with the parts that were asked for; times in seconds.
std::string printJson(func::FuncOp function,
                      ArrayRef<OperatorOverview> operators,
                      const OverviewParts &parts);

} // namespace mlir::dietcode

#endif // DIETCODE_TUNE_OVERVIEW_H
