//===- Verification.h - What candidates of an operator must compute *- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every candidate is compared with a reference before it is timed: some columns
// or rows of tiles, ragged ends included, of one shape that is larger than any
// tile.
// The reference is the operator itself in double precision, evaluated once.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TUNE_VERIFICATION_H
#define DIETCODE_TUNE_VERIFICATION_H

#include "dietcode/Measure/JobFolder.h"
#include "dietcode/Run/Reference.h"
#include "dietcode/Tune/TuningTask.h"

#include <mutex>
#include <set>

namespace mlir::dietcode {

/// The inputs and expected results of one task. May be used from several
/// threads at once.
class Verification {
public:
  /// Evaluates the reference and writes the inputs to data/`prefix`... of the
  /// folder, which must outlive this.
  static ::dietcode::Expected<std::unique_ptr<Verification>>
  create(const TuningTask &task, ::dietcode::JobFolder &folder,
         const std::string &prefix);

  /// Adds buffers and a run to a job whose kernels have this schedule.
  ::dietcode::Expected<bool> addTo(::dietcode::Job &job,
                                   const ::dietcode::Schedule &schedule);

private:
  Verification(const TuningTask &task, ::dietcode::JobFolder &folder,
               std::string prefix)
      : task(task), folder(folder), prefix(std::move(prefix)) {}

  ::dietcode::Expected<bool> evaluate();
  /// A result of the operator.
  struct Output {
    unsigned operand; ///< That is written.
    ReferenceOutput expected;
  };
  ::dietcode::Expected<std::string> writeCorner(const Output &output,
                                                StringRef what,
                                                ArrayRef<double> values,
                                                int64_t rows, int64_t columns);

  const TuningTask &task;
  ::dietcode::JobFolder &folder;
  std::string prefix;
  SmallVector<int64_t> shape; ///< Of the problem dimensions.
  std::vector<::dietcode::JobBuffer> buffers;
  std::vector<Output> outputs;
  std::mutex mutex;
  std::set<std::string> written;
};

} // namespace mlir::dietcode

#endif // DIETCODE_TUNE_VERIFICATION_H
