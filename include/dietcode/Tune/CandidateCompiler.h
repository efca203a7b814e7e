//===- CandidateCompiler.h - Kernels of one operator to measure -*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles an operator with one schedule to the PTX that ships, by the pipeline
// that ships: what is measured is what is dispatched later.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TUNE_CANDIDATECOMPILER_H
#define DIETCODE_TUNE_CANDIDATECOMPILER_H

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Search/Schedule.h"
#include "dietcode/Support/Expected.h"
#include "mlir/IR/DialectRegistry.h"

#include <string>
#include <vector>

namespace mlir::dietcode {

/// The kernels of a schedule.
struct CompiledCandidate {
  std::string ptx; ///< Holds all of them.
  /// Names of the kernels for aligned operands, in the order in which they are
  /// launched; empty where static sizes rule them out.
  std::vector<std::string> aligned;
  /// Those for any operands; empty where static sizes make all operands
  /// aligned.
  std::vector<std::string> general;

  /// Those that are measured.
  const std::vector<std::string> &getMeasured() const {
    return aligned.empty() ? general : aligned;
  }
};

/// Identifies what the code of the micro-kernels of `op` is made from: its
/// body, and all that is known of its sizes and layouts, but no ranges. Sixteen
/// hexadecimal digits.
std::string identifySource(OperatorOpInterface op);

/// Compiles candidates of one operator. It owns a copy of the operator as text
/// and makes a context for each candidate, so one compiler may be used from
/// several threads at once.
class CandidateCompiler {
public:
  /// `op` is bound to shapes in a module that says which device it is for.
  explicit CandidateCompiler(OperatorOpInterface op);

  /// The error, if any, is the first diagnostic of the pipeline.
  ::dietcode::Expected<CompiledCandidate>
  compile(const ::dietcode::Schedule &schedule) const;

  /// The operator alone in a function `@candidate`, as MLIR text.
  const std::string &getSource() const { return source; }
  /// `identifySource` of the operator.
  std::string getSourceId() const;

private:
  DialectRegistry registry;
  std::string source;
};

} // namespace mlir::dietcode

#endif // DIETCODE_TUNE_CANDIDATECOMPILER_H
