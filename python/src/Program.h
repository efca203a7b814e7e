//===- Program.h - Compiled programs ----------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_PYTHON_PROGRAM_H
#define DIETCODE_PYTHON_PROGRAM_H

#include "dietcode-c/Compiler.h"

#include <nanobind/nanobind.h>

namespace dietcode::python {

/// Owns a program of the C interface.
class Program {
public:
  explicit Program(dietcode_program *handle) : handle(handle) {}
  ~Program() { dietcode_program_destroy(handle); }
  Program(const Program &) = delete;

  dietcode_program *get() const { return handle; }

private:
  dietcode_program *handle;
};

void registerCompiler(nanobind::module_ &module);
void registerFunctions(nanobind::module_ &module);
void registerTuning(nanobind::module_ &module);

} // namespace dietcode::python

#endif // DIETCODE_PYTHON_PROGRAM_H
