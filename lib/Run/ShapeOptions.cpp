//===- ShapeOptions.cpp - Shapes given on the command line ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/ShapeOptions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using llvm::StringRef;

namespace dietcode {
namespace {

std::string quote(StringRef text) { return "'" + text.str() + "'"; }

/// Parses a size of `lowest` or more; `whole` is the text it is part of.
Expected<int64_t> parseSize(StringRef text, int64_t lowest, StringRef whole,
                            const char *what) {
  int64_t value;
  if (text.getAsInteger(10, value))
    return fail(quote(text) + " in " + quote(whole) + " is not " + what);
  if (value < lowest)
    return fail(quote(text) + " in " + quote(whole) + " is less than " +
                std::to_string(lowest) + " and so is not " + what);
  return value;
}

/// Parses numbers separated by 'x'.
Expected<std::vector<int64_t>> parseList(StringRef text, int64_t lowest,
                                         StringRef whole, const char *what) {
  std::vector<int64_t> values;
  for (StringRef piece : llvm::split(text, 'x')) {
    Expected<int64_t> value = parseSize(piece, lowest, whole, what);
    if (!value)
      return fail(value.error().message);
    values.push_back(*value);
  }
  return values;
}

Expected<ArgumentShape> parseArgumentShape(StringRef text) {
  ArgumentShape shape;
  auto [layout, offset] = text.split('+');
  auto [sizes, strides] = layout.split(':');
  if (layout.size() != text.size()) {
    Expected<int64_t> value = parseSize(offset, 0, text, "an offset");
    if (!value)
      return fail(value.error().message);
    shape.offset = *value;
  }
  if (sizes != "scalar") {
    Expected<std::vector<int64_t>> values = parseList(sizes, 0, text, "a size");
    if (!values)
      return fail(values.error().message);
    shape.sizes = std::move(*values);
  }
  if (sizes.size() == layout.size())
    return shape;
  Expected<std::vector<int64_t>> values =
      parseList(strides, 1, text, "a stride");
  if (!values)
    return fail(values.error().message);
  if (values->size() != shape.sizes.size())
    return fail(quote(text) + " has " + std::to_string(shape.sizes.size()) +
                " sizes but " + std::to_string(values->size()) + " strides");
  shape.strides = std::move(*values);
  return shape;
}

} // namespace

Expected<ShapeValues> parseShapeValues(std::string_view text) {
  ShapeValues values;
  for (StringRef piece : llvm::split(StringRef(text), ',')) {
    auto [name, number] = piece.split('=');
    name = name.trim();
    name.consume_front("@");
    if (name.empty() || !piece.contains('='))
      return fail("--shape: " + quote(piece) +
                  " is not of the form NAME=VALUE, e.g. T=37");
    Expected<int64_t> value = parseSize(number.trim(), 0, piece, "a size");
    if (!value)
      return fail("--shape: " + value.error().message);
    if (!values.emplace(name.str(), *value).second)
      return fail("--shape: " + quote(name) + " is given twice");
  }
  return values;
}

Expected<ArgumentShapes> parseArgumentShapes(std::string_view text) {
  ArgumentShapes result;
  for (StringRef piece : llvm::split(StringRef(text), ',')) {
    piece = piece.trim();
    if (piece.consume_front("=")) {
      double value;
      if (piece.getAsDouble(value))
        return fail("--arg-shapes: " + quote(piece) + " is not a number");
      result.scalars.push_back(value);
      continue;
    }
    Expected<ArgumentShape> shape = parseArgumentShape(piece);
    if (!shape)
      return fail("--arg-shapes: " + shape.error().message);
    result.shapes.push_back(std::move(*shape));
  }
  return result;
}

} // namespace dietcode
