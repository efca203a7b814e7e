//===- Failure.h - Failures of the C interface as exceptions ----*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_PYTHON_FAILURE_H
#define DIETCODE_PYTHON_FAILURE_H

#include "dietcode-c/Compiler.h"

#include <nanobind/nanobind.h>
#include <string>

namespace dietcode::python {

/// A failure of the C interface. In Python, an exception of dietcode.errors.
struct Failure {
  dietcode_status status;
  std::string message;
};

/// Throws a Failure with the last error of this thread unless all is well.
void check(dietcode_status status);

/// Makes a Failure the exception that Python code sees, where C++ ones must not
/// get.
void setError(const Failure &failure);

/// Does so wherever a function of the module throws one.
void registerFailures(nanobind::module_ &module);

/// Raises a TypeError or a ValueError.
[[noreturn]] void raiseTypeError(const std::string &message);
[[noreturn]] void raiseValueError(const std::string &message);

/// Takes a text of the C interface over.
std::string take(dietcode_text &text);

} // namespace dietcode::python

#endif // DIETCODE_PYTHON_FAILURE_H
