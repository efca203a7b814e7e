//===- Compare.h - Comparison with the reference ----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUN_COMPARE_H
#define DIETCODE_RUN_COMPARE_H

#include "dietcode/Run/Reference.h"

#include <optional>
#include <string>

namespace mlir::dietcode {

/// How far an output is from its reference.
struct Comparison {
  /// The largest |got - reference| / magnitude over all elements; infinite for
  /// a NaN where there should be none. Magnitudes are at least the smallest
  /// normal number of the type. Of an output in f16, what rounding the
  /// reference to it may change is no error: 2^-11 of it, or 2^-25.
  double maxError = 0;
  /// What is wrong with which element, if the error exceeds the tolerance.
  std::optional<std::string> mistake;
};

/// Compares an output, called `name` in messages, with its reference.
Comparison compare(const ::dietcode::NpyArray &got,
                   const ReferenceOutput &reference, double tolerance,
                   StringRef name);

} // namespace mlir::dietcode

#endif // DIETCODE_RUN_COMPARE_H
