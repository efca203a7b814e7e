//===- Npy.h - Arrays in NumPy's file format --------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes `.npy` files (versions 1 to 3) of little-endian numbers in C
// order. Format:
// numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUN_NPY_H
#define DIETCODE_RUN_NPY_H

#include "dietcode/Run/ElementKind.h"
#include "dietcode/Support/Expected.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

/// A dense array in C order.
struct NpyArray {
  ElementKind kind = ElementKind::F32;
  std::vector<int64_t> sizes;
  std::vector<char> data;
};

/// Decodes the contents of a file; `name` is what messages call it.
Expected<NpyArray> decodeNpy(std::string_view bytes, const std::string &name);

/// The contents of a file that holds `array`.
std::string encodeNpy(const NpyArray &array);

/// Reads the file `path`.
Expected<NpyArray> readNpy(const std::string &path);

/// Writes the file `path`, which never exists half-written.
Expected<void> writeNpy(const std::string &path, const NpyArray &array);

} // namespace dietcode

#endif // DIETCODE_RUN_NPY_H
