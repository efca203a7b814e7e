//===- Matrix.h - Fragments of the matrix instructions ----------*- C++ -*-===//
//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix instruction spreads each operand over the registers of a warp: its
// fragment. The layouts of mma are those of the PTX ISA, section 9.7.14.5
// ("Matrix Fragments for mma.m16n8k8", "... mma.m8n8k16" and so on). The PTX
// ISA leaves those of wmma unspecified; here, element e of lane l is element
// (l * n + e) mod (rows * columns) of the matrix in the order in which it was
// loaded (accumulators: always row by row), n being the elements a lane holds.
//
// Numerics, where the PTX ISA leaves a choice: products of f16 are exact; they
// are added to the accumulator in double precision in the order of k, and the
// sum is rounded once to the type of the result, to nearest even. A tensor core
// adds groups of four products with truncation, so its last bits can differ.
// Integer sums are exact, then clamped under .satfinite and wrapped otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_MATRIX_H
#define DIETCODE_LIB_VIRTUALGPU_MATRIX_H

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dietcode::vgpu {

enum class Element : uint8_t { F16, F32, S32, S8, U8, S4, U4, B1 };

std::optional<Element> parseElement(std::string_view name);
unsigned bitsOf(Element type);

enum class MatrixRole : uint8_t { A, B, C };

struct MatrixShape {
  uint8_t m = 0, n = 0, k = 0;
  unsigned rows(MatrixRole role) const { return role == MatrixRole::B ? k : m; }
  unsigned columns(MatrixRole role) const {
    return role == MatrixRole::A ? k : n;
  }
};

/// "m16n8k8" and the like, of shapes that exist.
std::optional<MatrixShape> parseMatrixShape(std::string_view name);

/// Where the elements of a fragment lie in their matrix.
struct FragmentLayout {
  unsigned perLane = 0; ///< Elements of one lane.
  /// row * columns + column of element e of lane l, at [l * perLane + e].
  std::vector<uint16_t> position;
};

FragmentLayout mmaLayout(MatrixShape shape, MatrixRole role);
FragmentLayout wmmaLayout(MatrixShape shape, MatrixRole role, unsigned perLane,
                          bool columnMajor);

/// One mma, or a wmma.load or wmma.store of a fragment. The registers are here
/// because there are more of them than an instruction holds.
struct MatrixOp {
  MatrixShape shape;
  std::array<Element, 4> types = {}; ///< Of D, A, B and C.
  /// Of A, B and C; D is like C. Fragments use the one of their role.
  std::array<FragmentLayout, 3> layouts;
  bool saturate = false;
  // Of loads and stores:
  MatrixRole role = MatrixRole::A;
  bool columnMajor = false;       ///< In memory.
  unsigned elementsPerAccess = 1; ///< That are adjacent in each lane.
  std::vector<uint32_t> dst;      ///< References to rows.
  std::vector<uint32_t> src;      ///< Of mma: A, then B, then C.
};

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_MATRIX_H
