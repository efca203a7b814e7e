//===- CallResults.h - What a call hands to its caller ----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_CALLRESULTS_H
#define DIETCODE_LIB_RUNTIME_CALLRESULTS_H

#include "CallContext.h"
#include <utility>

namespace dietcode::runtime {

struct ValueType;
struct SharedMemory;

/// Turns the memref descriptors that a call has returned into tensors of the
/// caller.
class CallResults {
public:
  CallResults(CallContext &context, const dietcode_call_options &options)
      : context(context), options(options) {}

  /// Fills in a tensor from its descriptor. One in memory that the call has
  /// allocated owns it, shared with others there; else it is a view of an
  /// argument or of a constant of the artefact. May throw std::bad_alloc.
  void add(const ValueType &type, const int64_t *descriptor,
           dietcode_tensor &tensor);

private:
  SharedMemory *takeOwnership(void *allocated);

  CallContext &context;
  const dietcode_call_options &options;
  std::vector<std::pair<void *, SharedMemory *>> owned;
};

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_CALLRESULTS_H
