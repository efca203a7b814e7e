//===- HostTensor.h - Operands inside guarded host memory -------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand of a run: a strided array inside a larger buffer whose every other
// byte is poisoned (NaN), so that a stray read spoils a result and a stray
// write is found.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUN_HOSTTENSOR_H
#define DIETCODE_RUN_HOSTTENSOR_H

#include "dietcode/Run/ElementKind.h"
#include "dietcode/Run/Npy.h"
#include "dietcode/Support/Expected.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dietcode {

/// Where the elements of an array are, in units of elements.
struct StridedLayout {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t offset = 0; ///< Of the first element from the base pointer.

  /// Product of the sizes; 1 for rank 0.
  int64_t numElements() const;

  /// Elements from the first to the last inclusive, gaps counted; 0 if empty.
  /// Nothing if that is no 64-bit number.
  std::optional<int64_t> span() const;

  /// The distance from the base pointer of element `index`, counted in C order.
  int64_t position(int64_t index) const;
};

/// The strides of a dense array in C order.
std::vector<int64_t> denseStrides(const std::vector<int64_t> &sizes);

/// e.g. "592x768"; "scalar" for rank 0.
std::string printSizes(const std::vector<int64_t> &sizes);

/// A strided array in guarded memory. Its base pointer is aligned to 256 bytes
/// as an allocation on a device is, displaced by `shift` elements.
class HostTensor {
public:
  static Expected<HostTensor> create(ElementKind kind, StridedLayout layout,
                                     int64_t shift = 0);

  ElementKind getKind() const { return kind; }
  const StridedLayout &getLayout() const { return layout; }
  int64_t getShift() const { return shift; }

  /// What a memref descriptor calls the aligned pointer.
  char *base() const { return basePointer; }
  /// The first element, and the bytes up to the end of the last one.
  char *first() const { return basePointer + layout.offset * elementSize(); }
  size_t spanBytes() const { return span * elementSize(); }

  /// Calls `visit(index in C order, pointer to the element)` for each element.
  template <typename Visitor>
  void forEach(Visitor &&visit) const;

  /// Fills with reproducible numbers: floats uniform in [-1, 1), integers
  /// of all values that their type has, or else 32 bits. The same whatever the
  /// layout.
  void fillRandom(uint64_t seed) const;
  /// Copies an array of the same type and sizes.
  void fillFrom(const NpyArray &array) const;
  /// Copies the values of a tensor of the same sizes.
  void fillFrom(const HostTensor &other) const;
  /// Replaces each element by its absolute value.
  void makeAbsolute() const;

  /// The values in C order, widened to double.
  std::vector<double> values() const;
  NpyArray toNpy() const;

  /// A sentence about the first byte outside of the elements that has changed,
  /// or nothing.
  std::optional<std::string> findStrayWrite() const;

private:
  int64_t elementSize() const { return byteSize(kind); }
  int64_t guardElements() const { return 4096 / elementSize(); }
  int64_t slotsBefore() const { return guardElements() + shift; }
  char *slot(int64_t index) const {
    return basePointer + (index - slotsBefore()) * elementSize();
  }

  ElementKind kind = ElementKind::F32;
  StridedLayout layout;
  int64_t shift = 0;
  int64_t span = 0;
  int64_t slots = 0; ///< Elements that would fit the whole buffer.
  std::unique_ptr<char[]> buffer;
  char *basePointer = nullptr;
};

template <typename Visitor>
void HostTensor::forEach(Visitor &&visit) const {
  int64_t count = layout.numElements();
  std::vector<int64_t> counter(layout.sizes.size(), 0);
  int64_t position = layout.offset;
  for (int64_t index = 0; index < count; ++index) {
    visit(index, basePointer + position * elementSize());
    for (size_t dim = counter.size(); dim-- > 0;) {
      position += layout.strides[dim];
      if (++counter[dim] < layout.sizes[dim])
        break;
      position -= layout.strides[dim] * layout.sizes[dim];
      counter[dim] = 0;
    }
  }
}

} // namespace dietcode

#endif // DIETCODE_RUN_HOSTTENSOR_H
