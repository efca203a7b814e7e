//===- Selection.h - Choose micro-kernels for an operator -------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The step from costs to IR: which of the micro-kernels that are known serve an
// operator, as a dietcode.dispatch. Where costs come from is up to the caller:
// from the analytical model, a trained one, or measurements.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DIALECT_DIETCODE_TRANSFORMS_SELECTION_H
#define DIETCODE_DIALECT_DIETCODE_TRANSFORMS_SELECTION_H

#include "dietcode/CostModel/Adaption.h"
#include "dietcode/Dialect/DietCode/Transforms/OperatorShapes.h"

namespace mlir::dietcode {

/// The limits of a selection.
struct SelectionOptions {
  unsigned maxKernels = 8;
  /// Largest regret that is accepted at any shape; negative: any.
  double maxRegret = -1.0;
};

/// What the micro-kernels of an operator may be built from: the instructions
/// that serve its element types and that its chip has; fma if there are none,
/// so that it is the generator that says so.
std::vector<::dietcode::Instruction> getInstructions(OperatorOpInterface op);

/// Chooses for one operator. An error if no candidate serves every shape, or if
/// the regret is above the limit.
FailureOr<::dietcode::DispatchResult>
selectMicroKernels(OperatorOpInterface op, ShapeAnalysis &analysis,
                   const ::dietcode::Adaption &adaption,
                   ArrayRef<::dietcode::MicroKernelCost> candidates,
                   const SelectionOptions &options);

/// Writes a selection into the module of `op`: a dietcode.micro_kernel for each
/// kernel unless there is one of that schedule, a dietcode.dispatch, and the
/// reference to it. `result.kernels` indexes `candidates`.
LogicalResult applySelection(OperatorOpInterface op, ShapeAnalysis &analysis,
                             SymbolTable &symbols,
                             const ::dietcode::Adaption &adaption,
                             ArrayRef<::dietcode::MicroKernelCost> candidates,
                             const ::dietcode::DispatchResult &result);

/// e.g. "m = 16, n = 2304, k = 768".
std::string describeShape(OperatorOpInterface op, ArrayRef<int64_t> shape);

} // namespace mlir::dietcode

#endif // DIETCODE_DIALECT_DIETCODE_TRANSFORMS_SELECTION_H
