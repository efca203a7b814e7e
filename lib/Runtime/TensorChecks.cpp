//===- TensorChecks.cpp - Do tensors fit a function? ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorChecks.h"
#include "dietcode/Runtime/ElementType.h"

using namespace dietcode;
using namespace dietcode::runtime;

namespace {

const char *nameOf(uint32_t dtype) {
  if (dtype == 0)
    return "no type";
  const ElementType *type = findElementType(dtype);
  return type ? type->name : "unknown";
}

/// Of one tensor.
class Describer {
public:
  Describer(const ValueType &type, const dietcode_tensor &tensor,
            int64_t *words)
      : type(type), tensor(tensor), words(words), sizes(words + 3),
        strides(sizes + type.rank) {}

  Expected<uint64_t> run();

private:
  Expected<void> checkKind() const;
  Expected<void> takeSizes();
  Expected<void> takeStrides();
  Expected<void> takeStride(int32_t dim);
  Expected<uint64_t> measure() const;

  const ValueType &type;
  const dietcode_tensor &tensor;
  int64_t *words;
  int64_t *sizes;
  int64_t *strides;
  bool isEmpty = false;
};

std::string inDimension(const char *what, int64_t value, int32_t dim) {
  return std::string("has ") + what + " " + std::to_string(value) +
         " in dimension " + std::to_string(dim);
}

} // namespace

size_t runtime::elementBytes(uint32_t dtype) {
  const ElementType *type = findElementType(dtype);
  return type ? type->bytes : 0;
}

Expected<void> Describer::checkKind() const {
  if (tensor.rank != type.rank)
    return fail("has rank " + std::to_string(tensor.rank) + " instead of " +
                std::to_string(type.rank));
  if (tensor.dtype != type.dtype)
    return fail(std::string("has elements of ") + nameOf(tensor.dtype) +
                " instead of " + nameOf(type.dtype));
  if (type.rank > 0 && !tensor.sizes)
    return fail("has no sizes: they are a null pointer");
  if (tensor.memory != DIETCODE_HOST && tensor.memory != DIETCODE_DEVICE)
    return fail("is in memory of the unknown kind " +
                std::to_string(tensor.memory) +
                "; use DIETCODE_HOST or DIETCODE_DEVICE");
  return {};
}

Expected<void> Describer::takeSizes() {
  for (int32_t dim = 0; dim < type.rank; ++dim) {
    int64_t size = tensor.sizes[dim];
    if (size < 0)
      return fail(inDimension("size", size, dim) + "; sizes are not negative");
    if (type.sizes[dim] != dynamicExtent && type.sizes[dim] != size)
      return fail(inDimension("size", size, dim) + " instead of " +
                  std::to_string(type.sizes[dim]));
    sizes[dim] = size;
    isEmpty |= size == 0;
  }
  return {};
}

/// `strides[dim]` is the one that a dense tensor has.
Expected<void> Describer::takeStride(int32_t dim) {
  int64_t given = tensor.strides ? tensor.strides[dim] : strides[dim];
  int64_t needed = type.strides ? type.strides[dim] : strides[dim];
  // What is never added to an address may be anything.
  bool matters = !isEmpty && sizes[dim] > 1;
  if (needed == dynamicExtent)
    needed = given;
  if (matters && given < 0)
    return fail(inDimension("stride", given, dim) +
                "; strides are not negative");
  if (matters && given != needed)
    return fail(inDimension("stride", given, dim) + " instead of " +
                std::to_string(needed) +
                (type.strides ? "" : "; the function takes dense tensors"));
  strides[dim] = needed;
  return {};
}

Expected<void> Describer::takeStrides() {
  int64_t dense = 1;
  for (int32_t dim = type.rank; dim-- > 0;) {
    strides[dim] = dense;
    if (__builtin_mul_overflow(dense, isEmpty ? 1 : sizes[dim], &dense))
      return fail("has more elements than 64 bits can count");
    if (Expected<void> taken = takeStride(dim); !taken)
      return taken;
  }
  return {};
}

Expected<uint64_t> Describer::measure() const {
  if (isEmpty)
    return 0;
  auto elementSize = static_cast<int64_t>(elementBytes(type.dtype));
  int64_t last = 0, bytes;
  for (int32_t dim = 0; dim < type.rank; ++dim) {
    int64_t extent;
    if (__builtin_mul_overflow(sizes[dim] - 1,
                               sizes[dim] > 1 ? strides[dim] : 0, &extent) ||
        __builtin_add_overflow(last, extent, &last))
      return fail("spans more than 64 bits can count");
  }
  if (__builtin_add_overflow(last, int64_t(1), &last) ||
      __builtin_mul_overflow(last, elementSize, &bytes))
    return fail("spans more than 64 bits can count");
  if (!tensor.data)
    return fail("has elements, but its data is a null pointer");
  if (reinterpret_cast<uint64_t>(tensor.data) % elementBytes(type.dtype))
    return fail("is at an address that is no multiple of its " +
                std::to_string(elementSize) + "-byte elements");
  return static_cast<uint64_t>(bytes);
}

Expected<uint64_t> Describer::run() {
  if (Expected<void> ok = checkKind(); !ok)
    return tl::unexpected(ok.error());
  if (Expected<void> ok = takeSizes(); !ok)
    return tl::unexpected(ok.error());
  if (Expected<void> ok = takeStrides(); !ok)
    return tl::unexpected(ok.error());
  int64_t offset =
      type.strides && type.offset != dynamicExtent ? type.offset : 0;
  auto first = reinterpret_cast<int64_t>(tensor.data);
  words[0] = first;
  words[1] = first - offset * static_cast<int64_t>(elementBytes(type.dtype));
  words[2] = offset;
  return measure();
}

Expected<uint64_t> runtime::describeTensor(const ValueType &type,
                                           const dietcode_tensor &tensor,
                                           int64_t *words) {
  return Describer(type, tensor, words).run();
}
