//===- ElementKind.cpp - Element types of host data -----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/ElementKind.h"

#include "llvm/ADT/APFloat.h"

#include <cstring>
#include <limits>

namespace dietcode {
namespace {

struct KindInfo {
  std::string_view name;
  size_t bytes;
  uint64_t poison; ///< Its low bytes, as the host is little-endian.
  double largest, smallestNormal;
};

template <typename T>
constexpr double kLargest = static_cast<double>(std::numeric_limits<T>::max());

template <typename T>
constexpr double kSmallest = static_cast<double>(std::numeric_limits<T>::min());

constexpr KindInfo kKinds[] = {
    {"f16", 2, 0x7E5A, 65504, 0x1p-14},
    {"f32", 4, 0x7FC0DEAD, kLargest<float>, kSmallest<float>},
    {"f64", 8, 0x7FF8DEADDEADDEAD, kLargest<double>, kSmallest<double>},
    {"i8", 1, 0xA5, kLargest<int8_t>, 0},
    {"i16", 2, 0xA5A5, kLargest<int16_t>, 0},
    {"i32", 4, 0xA5A5A5A5, kLargest<int32_t>, 0},
    {"i64", 8, 0xA5A5A5A5A5A5A5A5, kLargest<int64_t>, 0},
};

const KindInfo &infoOf(ElementKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

template <typename T>
double loadAs(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return static_cast<double>(value);
}

template <typename T>
void storeAs(void *data, double value) {
  T converted = static_cast<T>(value);
  std::memcpy(data, &converted, sizeof(T));
}

double loadHalf(const void *data) {
  uint16_t bits;
  std::memcpy(&bits, data, sizeof(bits));
  llvm::APFloat value(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

void storeHalf(void *data, double value) {
  llvm::APFloat half(value);
  bool losesInfo;
  half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven,
               &losesInfo);
  auto bits = static_cast<uint16_t>(half.bitcastToAPInt().getZExtValue());
  std::memcpy(data, &bits, sizeof(bits));
}

} // namespace

size_t byteSize(ElementKind kind) { return infoOf(kind).bytes; }

std::string_view nameOf(ElementKind kind) { return infoOf(kind).name; }

double largestOf(ElementKind kind) { return infoOf(kind).largest; }

double smallestNormalOf(ElementKind kind) {
  return infoOf(kind).smallestNormal;
}

double loadElement(ElementKind kind, const void *data) {
  switch (kind) {
  case ElementKind::F16:
    return loadHalf(data);
  case ElementKind::F32:
    return loadAs<float>(data);
  case ElementKind::F64:
    return loadAs<double>(data);
  case ElementKind::I8:
    return loadAs<int8_t>(data);
  case ElementKind::I16:
    return loadAs<int16_t>(data);
  case ElementKind::I32:
    return loadAs<int32_t>(data);
  case ElementKind::I64:
    return loadAs<int64_t>(data);
  }
  return 0;
}

void storeElement(ElementKind kind, void *data, double value) {
  switch (kind) {
  case ElementKind::F16:
    return storeHalf(data, value);
  case ElementKind::F32:
    return storeAs<float>(data, value);
  case ElementKind::F64:
    return storeAs<double>(data, value);
  case ElementKind::I8:
    return storeAs<int8_t>(data, value);
  case ElementKind::I16:
    return storeAs<int16_t>(data, value);
  case ElementKind::I32:
    return storeAs<int32_t>(data, value);
  case ElementKind::I64:
    return storeAs<int64_t>(data, value);
  }
}

void storePoison(ElementKind kind, void *data) {
  const KindInfo &info = infoOf(kind);
  std::memcpy(data, &info.poison, info.bytes);
}

} // namespace dietcode
