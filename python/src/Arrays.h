//===- Arrays.h - Tensors of other libraries --------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_PYTHON_ARRAYS_H
#define DIETCODE_PYTHON_ARRAYS_H

#include "Signature.h"

#include <memory>
#include <nanobind/nanobind.h>

struct DLManagedTensor;

namespace dietcode::python {

/// How calls take their arguments.
struct CallOptions {
  bool copiesReadOnly = true; ///< The function may write to its arguments.
  void *stream = nullptr;     ///< Of the caller, if it gave one.
};

/// The CUDA device that kernels run on; -1 if that is none.
int currentCudaIndex();

/// An argument while a call lasts: a view of an array of NumPy, or of anything
/// that has the buffer protocol or DLPack, or a copy of it where the layout,
/// the byte order or the alignment are not those of the function. Used with the
/// GIL.
class Argument {
public:
  Argument() = default;
  ~Argument();
  Argument(const Argument &) = delete;

  /// Raises a TypeError or a ValueError that names the parameter and what is
  /// wrong with `value`.
  void import(const Parameter &parameter, nanobind::handle value,
              const CallOptions &options);

  /// What the C interface takes.
  const void *get() const { return pointer; }
  bool isOnCuda() const { return tensor.memory == DIETCODE_DEVICE; }
  /// Whether memory of it is at `data`.
  bool contains(const void *data) const;

private:
  union Scalar {
    uint8_t i1;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint16_t half;
    float f32;
    double f64;
  };

  void importScalar(const Parameter &parameter, nanobind::handle value);
  void importBuffer(const Parameter &parameter, nanobind::handle value,
                    const CallOptions &options);
  void importDLPack(const Parameter &parameter, nanobind::handle value,
                    const CallOptions &options);
  void importCopy(const Parameter &parameter, nanobind::handle value,
                  const char *how);
  bool takeBuffer(const Parameter &parameter, nanobind::handle value);
  void checkTensor(const Parameter &parameter, dietcode_dtype dtype) const;
  bool isDense() const;
  void release();

  const void *pointer = nullptr;
  dietcode_tensor tensor = {};
  std::vector<int64_t> extents; ///< Sizes, then strides, of a buffer.
  Scalar scalar = {};
  Py_buffer buffer = {};
  bool hasBuffer = false;
  bool hasBits = false; ///< The buffer holds the bits of bfloat16.
  DLManagedTensor *managed = nullptr;
  nanobind::object copy;
};

} // namespace dietcode::python

#endif // DIETCODE_PYTHON_ARRAYS_H
