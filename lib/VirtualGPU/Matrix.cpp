//===- Matrix.cpp - Layouts of fragments ----------------------------------===//
//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matrix.h"

namespace dietcode::vgpu {

std::optional<Element> parseElement(std::string_view name) {
  static constexpr std::pair<std::string_view, Element> names[] = {
      {"f16", Element::F16}, {"f32", Element::F32}, {"s32", Element::S32},
      {"s8", Element::S8},   {"u8", Element::U8},   {"s4", Element::S4},
      {"u4", Element::U4},   {"b1", Element::B1}};
  for (auto &[text, type] : names)
    if (text == name)
      return type;
  return std::nullopt;
}

unsigned bitsOf(Element type) {
  switch (type) {
  case Element::F16:
    return 16;
  case Element::S8:
  case Element::U8:
    return 8;
  case Element::S4:
  case Element::U4:
    return 4;
  case Element::B1:
    return 1;
  default:
    return 32;
  }
}

std::optional<MatrixShape> parseMatrixShape(std::string_view name) {
  static constexpr std::pair<std::string_view, MatrixShape> shapes[] = {
      {"m16n8k8", {16, 8, 8}},     {"m8n8k16", {8, 8, 16}},
      {"m8n8k32", {8, 8, 32}},     {"m8n8k128", {8, 8, 128}},
      {"m16n16k16", {16, 16, 16}}, {"m32n8k16", {32, 8, 16}},
      {"m8n32k16", {8, 32, 16}}};
  for (auto &[text, shape] : shapes)
    if (text == name)
      return shape;
  return std::nullopt;
}

/// With g = lane / 4 and t = lane % 4: a lane holds in A the row g (and g + 8)
/// and in B the column g, of each k / 4 adjacent elements from t * (k / 4) on;
/// in C the columns 2 t and 2 t + 1 of the row g (and g + 8).
FragmentLayout mmaLayout(MatrixShape shape, MatrixRole role) {
  unsigned columns = shape.columns(role);
  unsigned run = role == MatrixRole::C ? 2 : shape.k / 4u;
  FragmentLayout layout;
  layout.perLane = role == MatrixRole::B ? run : run * (shape.m / 8u);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned e = 0; e < layout.perLane; ++e) {
      unsigned outer = lane / 4 + e / run * 8, inner = lane % 4 * run + e % run;
      layout.position.push_back(static_cast<uint16_t>(
          role == MatrixRole::B ? inner * columns + outer
                                : outer * columns + inner));
    }
  return layout;
}

FragmentLayout wmmaLayout(MatrixShape shape, MatrixRole role, unsigned perLane,
                          bool columnMajor) {
  unsigned rows = shape.rows(role), columns = shape.columns(role);
  FragmentLayout layout;
  layout.perLane = perLane;
  for (unsigned slot = 0; slot < 32 * perLane; ++slot) {
    unsigned at = slot % (rows * columns);
    layout.position.push_back(static_cast<uint16_t>(
        columnMajor ? at % rows * columns + at / rows : at));
  }
  return layout;
}

} // namespace dietcode::vgpu
