//===- Signature.h - What a function takes and returns ----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_PYTHON_SIGNATURE_H
#define DIETCODE_PYTHON_SIGNATURE_H

#include "dietcode-c/Artefact.h"

#include <string>
#include <vector>

namespace dietcode::python {

/// An argument or a result.
struct Parameter {
  std::string name;
  dietcode_dtype dtype;
  bool isTensor;
  std::vector<int64_t> sizes; ///< Negative where calls choose.
  std::string shapeText;      ///< The same for messages, e.g. "(16*T, 768)".
};

/// The name that NumPy has for an element type, e.g. "float32".
const char *nameOf(dietcode_dtype dtype);
dietcode_dtype dtypeOf(const std::string &name);
int64_t bytesOf(dietcode_dtype dtype);

/// e.g. "(3, 768)", and "(?, 768)" where calls choose.
std::string printShape(const int64_t *sizes, size_t rank);

} // namespace dietcode::python

#endif // DIETCODE_PYTHON_SIGNATURE_H
