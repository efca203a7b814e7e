//===- ShapeOptions.h - Shapes given on the command line --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The syntax of `--shape T=37,H=768` and `--arg-shapes
// 592x768,768x2304:1x768+1`.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUN_SHAPEOPTIONS_H
#define DIETCODE_RUN_SHAPEOPTIONS_H

#include "dietcode/Support/Expected.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

/// The values of shape variables.
using ShapeValues = std::map<std::string, int64_t>;

/// Parses e.g. "T=37,H=768".
Expected<ShapeValues> parseShapeValues(std::string_view text);

/// One entry of `--arg-shapes`.
struct ArgumentShape {
  std::vector<int64_t> sizes;
  std::optional<std::vector<int64_t>> strides;
  std::optional<int64_t> offset;
};

/// All of `--arg-shapes`: shapes for the shaped arguments and values for the
/// scalar ones, each in the order of the arguments.
struct ArgumentShapes {
  std::vector<ArgumentShape> shapes;
  std::vector<double> scalars;
};

/// Parses e.g. "592x768:771x1+1,=3": sizes, then optionally strides and offset
/// in elements; or the value of a scalar. "scalar" is a shape of rank 0.
Expected<ArgumentShapes> parseArgumentShapes(std::string_view text);

} // namespace dietcode

#endif // DIETCODE_RUN_SHAPEOPTIONS_H
