//===- Results.h - Tensors that calls return --------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_PYTHON_RESULTS_H
#define DIETCODE_PYTHON_RESULTS_H

#include "dietcode-c/Artefact.h"

#include <memory>
#include <nanobind/nanobind.h>

namespace dietcode::python {

/// A tensor that a call has returned, which whoever holds it last gives back.
/// Other libraries take it without a copy: NumPy as a buffer, the others
/// through DLPack.
class Result {
public:
  /// Takes `tensor` over; it is on `device` for DLPack. What it is a view of,
  /// if anything, is kept by `holder`. With `stream`, it is complete when that
  /// is.
  Result(const dietcode_tensor &tensor, std::pair<int, int> device,
         void *stream, std::shared_ptr<void> holder = nullptr);

  const dietcode_tensor &get() const { return *tensor; }
  std::pair<int, int> getDevice() const { return device; }
  /// For who uses it on `stream`, a number as DLPack has it, or None.
  nanobind::object exportCapsule(nanobind::handle stream) const;
  int fillBuffer(PyObject *self, Py_buffer *view, int flags) const;
  /// Until it is complete. May throw a Failure.
  void wait() const;

private:
  std::shared_ptr<dietcode_tensor> tensor;
  std::pair<int, int> device;
  mutable void *pending; ///< What it is computed on, until that was waited for.
};

/// A copy of a tensor of the host, whose memory is the copy's own.
dietcode_tensor copyTensor(const dietcode_tensor &tensor);

void registerResults(nanobind::module_ &module);

/// The result as an array of NumPy.
nanobind::object asNumpy(const nanobind::object &result, dietcode_dtype dtype);

} // namespace dietcode::python

#endif // DIETCODE_PYTHON_RESULTS_H
