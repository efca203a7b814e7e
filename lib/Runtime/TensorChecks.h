//===- TensorChecks.h - Do tensors fit a function? --------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_TENSORCHECKS_H
#define DIETCODE_LIB_RUNTIME_TENSORCHECKS_H

#include "dietcode/Runtime/Entry.h"
#include "dietcode/Support/Expected.h"

namespace dietcode::runtime {

/// The words of a memref descriptor of this rank: allocated and aligned
/// pointer, offset, sizes, strides.
constexpr size_t descriptorWords(int32_t rank) {
  return 3 + 2 * static_cast<size_t>(rank);
}

/// The bytes of an element; 0 of what is no dietcode_dtype.
size_t elementBytes(uint32_t dtype);

/// Writes the memref descriptor of `tensor` to `words`, and returns the bytes
/// from its first element to its last. An error if it is not of `type`.
Expected<uint64_t> describeTensor(const ValueType &type,
                                  const dietcode_tensor &tensor,
                                  int64_t *words);

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_TENSORCHECKS_H
