//===- TuningTask.h - The operators of a module as tuning problems *- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads from the IR what there is to tune: each distinct operator with the
// instances of its workload and the range of its shapes.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TUNE_TUNINGTASK_H
#define DIETCODE_TUNE_TUNINGTASK_H

#include "dietcode/Dialect/DietCode/Transforms/OperatorShapes.h"
#include "dietcode/Tune/CandidateCompiler.h"
#include "dietcode/Tune/OperatorTuner.h"

#include <memory>

namespace mlir::dietcode {

/// Operators that one search serves: their kernels are the same code, and they
/// occur in the same shapes.
struct TuningTask {
  std::string name; ///< e.g. "@qkv matmul".
  SmallVector<OperatorOpInterface> ops;
  std::shared_ptr<ShapeAnalysis> analysis; ///< Of the first one's function.
  OperatorShapes shapes;                   ///< Of the first one.
  std::vector<::dietcode::TuneInstance> instances;
  std::vector<::dietcode::ContractionShape> points; ///< Over the whole range.
  std::shared_ptr<CandidateCompiler> compiler;
  std::string twin; ///< Of the kernels that are measured; empty: either.

  /// Extents of the problem dimensions from within the range.
  SmallVector<int64_t> sizes;

  /// Extents of all problem dimensions for a shape of the cost model. Of
  /// several dimensions that are tiled as one, the inner ones are near to
  /// `sizes`; where static ones do not divide the extent, there is more of it.
  SmallVector<int64_t>
  problemShape(const ::dietcode::ContractionShape &shape) const;

  /// The shape that stands for `shape` when kernels are timed: those for
  /// aligned operands need it to be aligned.
  ::dietcode::ContractionShape
  measurable(const ::dietcode::ContractionShape &shape) const;
};

/// The tasks of `module`, in the order of the IR, or those of function `entry`
/// unless that is empty. Their operators lose the dispatch that they may have;
/// others keep theirs. Emits an error if there is nothing to tune, or if an
/// operator cannot be compiled with any schedule; instances without any work,
/// and operators without any other instance, are skipped with a note in
/// `notes`.
FailureOr<std::vector<TuningTask>>
collectTasks(ModuleOp module, StringRef entry, std::vector<std::string> &notes);

} // namespace mlir::dietcode

#endif // DIETCODE_TUNE_TUNINGTASK_H
