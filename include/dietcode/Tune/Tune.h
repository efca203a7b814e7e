//===- Tune.h - Tune the operators of a module ------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work of `dietcode-tune`: reads the workload from the IR, searches for the
// micro-kernels of all of its operators, and writes them and their dispatch
// into the IR.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TUNE_TUNE_H
#define DIETCODE_TUNE_TUNE_H

#include "dietcode/Dialect/DietCode/Transforms/Selection.h"
#include "dietcode/Search/ScheduleSpace.h"
#include "dietcode/Tune/CandidateEvaluator.h"
#include "dietcode/Tune/TuneReport.h"

#include <functional>
#include <limits>

namespace mlir::dietcode {

struct TuneOptions {
  std::string entry; ///< Function to tune; empty: all.
  std::string device = "virtual:t4";
  std::string recordsFile; ///< JSON lines; empty: measurements are forgotten.
  std::string modelFile;   ///< Read if it exists, and written at the end.
  unsigned trials = 200; ///< Candidates to measure, of all operators together.
  double seconds = 0;    ///< Stop proposing after; 0: no limit.
  unsigned batch = 32;   ///< Candidates between two trainings.
  SelectionOptions selection;
  ::dietcode::ScheduleSpace space; ///< Of the candidates.
  bool modelOnly = false;          ///< Choose by the model; measure nothing.
  /// Measure every candidate on every instance: the truth that searches are
  /// compared with. Trials and seconds are no limits then.
  bool exhaustive = false;
  /// With `exhaustive`, leave out instances at which the model, with what the
  /// records know, puts a candidate further than this from the best.
  double slack = std::numeric_limits<double>::infinity();
  /// With `exhaustive`, so many candidates at random; 0: all.
  unsigned sample = 0;
  bool verify = true;
  uint64_t seed = 0;
  unsigned workers = 1;
  double timeoutSeconds = 60;
  std::string jobFolder;      ///< Keeps jobs and results; empty: nobody does.
  std::string measureProgram; ///< dietcode-measure; empty: found.
  /// Asked often, and by several threads, whether to stop early; may be null.
  std::function<bool()> interrupted;
  std::function<void(const ::dietcode::TuneProgress &)> progress;
};

/// From linalg to operators that are bound to shapes, for a device by its name:
/// what tuneModule takes. Emits one error where that fails.
LogicalResult raiseForTuning(ModuleOp module, const std::string &device);

/// Tunes `module`, to which the selection pipeline has not been applied yet:
/// the result holds a dispatch for each operator. Emits one error and leaves
/// files alone where that fails; none if it was interrupted.
FailureOr<::dietcode::TuneReport> tuneModule(ModuleOp module,
                                             const TuneOptions &options);

} // namespace mlir::dietcode

#endif // DIETCODE_TUNE_TUNE_H
