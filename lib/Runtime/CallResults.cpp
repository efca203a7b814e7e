//===- CallResults.cpp - What a call hands to its caller ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallResults.h"
#include "TensorChecks.h"
#include "dietcode/Runtime/Runtime.h"
#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

using namespace dietcode;
using namespace dietcode::runtime;

/// Memory of one or more results; the last one that is released frees it.
struct runtime::SharedMemory {
  CallMemory memory;
  std::atomic<uint32_t> uses{0};

  void drop() {
    if (--uses != 0)
      return;
    guardedCall([&] { memory.release(); }, nullptr);
    delete this;
  }
};

namespace {

/// What dietcode_tensor::owner is: the extents of the tensor follow.
struct ResultOwner {
  SharedMemory *shared; ///< Null of a view.

  int64_t *extents() { return reinterpret_cast<int64_t *>(this + 1); }
  static ResultOwner *create(size_t extentCount) {
    void *bytes =
        ::operator new(sizeof(ResultOwner) + extentCount * sizeof(int64_t));
    return new (bytes) ResultOwner{nullptr};
  }
};

void releaseResult(dietcode_tensor *tensor) {
  auto *owner = static_cast<ResultOwner *>(tensor->owner);
  *tensor = {};
  if (owner->shared)
    owner->shared->drop();
  ::operator delete(owner);
}

} // namespace

SharedMemory *CallResults::takeOwnership(void *allocated) {
  for (auto &[pointer, shared] : owned)
    if (pointer == allocated)
      return shared;
  owned.reserve(owned.size() + 1);
  auto shared = std::make_unique<SharedMemory>();
  if (!context.take(allocated, shared->memory))
    return nullptr;
  owned.push_back({allocated, shared.get()});
  return shared.release();
}

void CallResults::add(const ValueType &type, const int64_t *descriptor,
                      dietcode_tensor &tensor) {
  auto rank = static_cast<size_t>(type.rank);
  ResultOwner *owner = ResultOwner::create(2 * rank);
  std::copy_n(descriptor + 3, 2 * rank, owner->extents());
  auto elementSize = static_cast<int64_t>(elementBytes(type.dtype));
  tensor.data =
      reinterpret_cast<void *>(descriptor[1] + descriptor[2] * elementSize);
  tensor.dtype = static_cast<dietcode_dtype>(type.dtype);
  tensor.rank = type.rank;
  tensor.sizes = owner->extents();
  tensor.strides = owner->extents() + rank;
  tensor.release = releaseResult;
  tensor.owner = owner;
  // From here on the tensor releases what it has.
  SharedMemory *shared = takeOwnership(reinterpret_cast<void *>(descriptor[0]));
  if (!shared)
    return;
  ++shared->uses;
  owner->shared = shared;
  bool isOfDevice = shared->memory.source == CallMemory::Source::Device;
  bool isOfCaller = shared->memory.source == CallMemory::Source::Caller;
  tensor.memory = isOfDevice   ? DIETCODE_DEVICE
                  : isOfCaller ? options.allocated_memory
                               : DIETCODE_HOST;
}
