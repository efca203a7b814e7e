//===- ElementType.h - The element types of the C interface -----*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is to be known of each dietcode_dtype, in one table: the runtime and the
// compiler read it.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUNTIME_ELEMENTTYPE_H
#define DIETCODE_RUNTIME_ELEMENTTYPE_H

#include "dietcode-c/Artefact.h"

#include <cstdint>

namespace dietcode::runtime {

struct ElementType {
  dietcode_dtype dtype;
  const char *name; ///< As MLIR spells it.
  unsigned bytes;
  const char *scalar; ///< How C passes one.
};

inline constexpr ElementType elementTypes[] = {
    {DIETCODE_F16, "f16", 2, "uint16_t"},
    {DIETCODE_BF16, "bf16", 2, "uint16_t"},
    {DIETCODE_F32, "f32", 4, "float"},
    {DIETCODE_F64, "f64", 8, "double"},
    {DIETCODE_I1, "i1", 1, "uint8_t"},
    {DIETCODE_I8, "i8", 1, "int8_t"},
    {DIETCODE_I16, "i16", 2, "int16_t"},
    {DIETCODE_I32, "i32", 4, "int32_t"},
    {DIETCODE_I64, "i64", 8, "int64_t"},
};

/// Null for a number that is no dietcode_dtype.
constexpr const ElementType *findElementType(uint32_t dtype) {
  for (const ElementType &type : elementTypes)
    if (static_cast<uint32_t>(type.dtype) == dtype)
      return &type;
  return nullptr;
}

} // namespace dietcode::runtime

#endif // DIETCODE_RUNTIME_ELEMENTTYPE_H
