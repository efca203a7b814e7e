//===- MathKernel.h - Functions of f32 on the virtual GPU -------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles operations of the math dialect to PTX as kernels are compiled, and
// runs them on many numbers.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_MATH_MATHKERNEL_H
#define DIETCODE_TEST_UNIT_MATH_MATHKERNEL_H

#include "mlir/IR/MLIRContext.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

/// A kernel that computes y[i] = f(a[i], b[i]).
class MathKernel {
public:
  /// Compiles operations that define %y from %a and %b, all f32.
  static std::optional<MathKernel> compile(mlir::MLIRContext &context,
                                           std::string_view body);

  /// Whether it has instructions of which the PTX ISA gives only the error.
  bool approximates() const { return ptx.find(".approx") != ptx.npos; }

  /// The same kernel with the result of each approximate instruction of the
  /// hardware multiplied by `factor`: what a GPU with that error computes.
  MathKernel perturbed(float factor) const;

  std::vector<float> run(const std::vector<float> &a,
                         const std::vector<float> &b) const;

  /// Instructions of the kernel, branches not taken included.
  unsigned countInstructions() const;

private:
  explicit MathKernel(std::string ptx) : ptx(std::move(ptx)) {}

  std::string ptx;
};

} // namespace dietcode

#endif // DIETCODE_TEST_UNIT_MATH_MATHKERNEL_H
