//===- HostTensor.cpp - Operands inside guarded host memory ---------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/HostTensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

namespace dietcode {
namespace {

constexpr uintptr_t kBaseAlignment = 256;

/// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a hash
/// whose outputs for successive inputs pass for random.
uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

} // namespace

int64_t StridedLayout::numElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

std::optional<int64_t> StridedLayout::span() const {
  int64_t last = 0;
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end())
    return 0;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    int64_t step;
    if (__builtin_mul_overflow(sizes[dim] - 1, strides[dim], &step) ||
        __builtin_add_overflow(last, step, &last))
      return std::nullopt;
  }
  if (__builtin_add_overflow(last, 1, &last))
    return std::nullopt;
  return last;
}

int64_t StridedLayout::position(int64_t index) const {
  int64_t result = offset;
  for (size_t dim = sizes.size(); dim-- > 0; index /= sizes[dim])
    result += index % sizes[dim] * strides[dim];
  return result;
}

std::vector<int64_t> denseStrides(const std::vector<int64_t> &sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t dim = sizes.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * std::max<int64_t>(sizes[dim], 1);
  return strides;
}

std::string printSizes(const std::vector<int64_t> &sizes) {
  if (sizes.empty())
    return "scalar";
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

Expected<HostTensor> HostTensor::create(ElementKind kind, StridedLayout layout,
                                        int64_t shift) {
  HostTensor tensor;
  tensor.kind = kind;
  tensor.shift = shift;
  std::optional<int64_t> span = layout.span();
  constexpr int64_t kMostElements = int64_t(1) << 40;
  bool fits = span && *span < kMostElements && layout.offset < kMostElements &&
              shift < kMostElements;
  if (fits) {
    tensor.span = *span;
    tensor.slots = 2 * tensor.guardElements() + shift + layout.offset + *span;
    tensor.buffer.reset(
        new (std::nothrow) char[tensor.slots * tensor.elementSize() +
                                kBaseAlignment]);
  }
  if (!tensor.buffer)
    return fail("an operand of " + printSizes(layout.sizes) + " " +
                std::string(nameOf(kind)) +
                " elements does not fit the memory "
                "of the host");
  tensor.layout = std::move(layout);
  auto start = reinterpret_cast<uintptr_t>(tensor.buffer.get());
  size_t padding = -start % kBaseAlignment;
  tensor.basePointer = tensor.buffer.get() + padding +
                       tensor.slotsBefore() * tensor.elementSize();
  for (int64_t i = 0; i < tensor.slots; ++i)
    storePoison(kind, tensor.slot(i));
  return tensor;
}

void HostTensor::fillRandom(uint64_t seed) const {
  uint64_t key = mix(seed);
  size_t width = std::min<size_t>(8 * elementSize(), 32);
  forEach([&](int64_t index, char *element) {
    uint64_t bits = mix(key ^ static_cast<uint64_t>(index));
    double value = isFloat(kind)
                       ? static_cast<double>(bits >> 40) * 0x1p-23 - 1.0
                       : static_cast<double>(bits >> (64 - width)) -
                             static_cast<double>(uint64_t(1) << (width - 1));
    storeElement(kind, element, value);
  });
}

void HostTensor::fillFrom(const NpyArray &array) const {
  forEach([&](int64_t index, char *element) {
    std::memcpy(element, array.data.data() + index * elementSize(),
                elementSize());
  });
}

void HostTensor::fillFrom(const HostTensor &other) const {
  std::vector<double> source = other.values();
  forEach([&](int64_t index, char *element) {
    storeElement(kind, element, source[index]);
  });
}

void HostTensor::makeAbsolute() const {
  forEach([&](int64_t, char *element) {
    storeElement(kind, element, std::fabs(loadElement(kind, element)));
  });
}

std::vector<double> HostTensor::values() const {
  std::vector<double> result(layout.numElements());
  forEach([&](int64_t index, char *element) {
    result[index] = loadElement(kind, element);
  });
  return result;
}

NpyArray HostTensor::toNpy() const {
  NpyArray array{kind, layout.sizes, {}};
  array.data.resize(layout.numElements() * elementSize());
  forEach([&](int64_t index, char *element) {
    std::memcpy(array.data.data() + index * elementSize(), element,
                elementSize());
  });
  return array;
}

std::optional<std::string> HostTensor::findStrayWrite() const {
  std::vector<bool> isElement(slots, false);
  forEach([&](int64_t, char *element) {
    isElement[(element - slot(0)) / elementSize()] = true;
  });
  char poison[8];
  storePoison(kind, poison);
  for (int64_t i = 0; i < slots; ++i) {
    if (isElement[i] || std::memcmp(slot(i), poison, elementSize()) == 0)
      continue;
    int64_t distance = i - slotsBefore() - layout.offset;
    return "memory was written " + std::to_string(distance) +
           " elements from the start of the operand, where it has no element";
  }
  return std::nullopt;
}

} // namespace dietcode
