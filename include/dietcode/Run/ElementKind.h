//===- ElementKind.h - Element types of host data ---------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types that `dietcode-run` can make, read, write and compare.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUN_ELEMENTKIND_H
#define DIETCODE_RUN_ELEMENTKIND_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dietcode {

/// The type of an element of host data.
enum class ElementKind { F16, F32, F64, I8, I16, I32, I64 };

/// The size of an element.
size_t byteSize(ElementKind kind);

/// The name that MLIR gives to the type, e.g. "f32".
std::string_view nameOf(ElementKind kind);

/// Whether the type is floating point.
inline bool isFloat(ElementKind kind) { return kind <= ElementKind::F64; }

/// The largest finite value of the type.
double largestOf(ElementKind kind);

/// The smallest positive number that has all digits of the type; 0 of integers.
double smallestNormalOf(ElementKind kind);

/// The element at `data`, which may be unaligned. A 64-bit integer is rounded.
double loadElement(ElementKind kind, const void *data);

/// Writes `value`, rounded to the type, to `data`, which may be unaligned.
void storeElement(ElementKind kind, void *data, double value);

/// Writes a bit pattern that no computation yields: a quiet NaN with a payload,
/// or the bytes 0xA5 for integers.
void storePoison(ElementKind kind, void *data);

} // namespace dietcode

#endif // DIETCODE_RUN_ELEMENTKIND_H
