//===- Reference.h - Reference results in double precision ------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a module should compute: the input itself, with every floating-point
// type replaced by f64, compiled for the host by MLIR's own passes. Besides the
// result, the same program on magnitudes gives the scale of the error that
// rounding may cause.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUN_REFERENCE_H
#define DIETCODE_RUN_REFERENCE_H

#include "dietcode/Run/JitFunction.h"

namespace mlir::dietcode {

/// Replaces every floating-point type, in types, constants and attributes, by
/// f64, and removes the conversions among them. Emits an error at an operation
/// that looks at the bits of a number.
///
///   %c = arith.constant 0.5 : f32          %c = arith.constant 0.5 : f64
///   %0 = arith.extf %h : f16 to f32   =>   %1 = arith.mulf %h, %c : f64
///   %1 = arith.mulf %0, %c : f32
LogicalResult widenToDouble(ModuleOp module);

/// Turns a module into one that computes magnitudes from the magnitudes of its
/// inputs: constants become their absolute values (but for infinities), a
/// difference becomes a sum and a negation nothing. For C = A B that is
/// |A| |B|, to which the rounding error of every element is proportional.
/// Dividing by something computed is left out, because a large divisor must
/// not make the bound small: 1 / (1 + exp(-x)) has the magnitude 1.
void makeMagnitudes(ModuleOp module);

/// Prepares contractions on buffers for the host: copies operands that are
/// transposed, puts a loop with unit strides innermost and tiles for the cache.
void orderLoopsForHost(ModuleOp module);

/// One output of the reference.
struct ReferenceOutput {
  std::vector<int64_t> sizes;
  std::vector<double> values;     ///< In C order.
  std::vector<double> magnitudes; ///< Scale of the rounding error.
};

/// Copies of the arguments of a call, in double precision.
struct ReferenceInputs {
  std::vector<RunArgument> values;
  std::vector<RunArgument> magnitudes;
};

/// The reference for one function.
class Reference {
public:
  /// Compiles the reference for `entry`, which is left as it is. Emits one
  /// error where that cannot be done.
  static FailureOr<Reference> create(func::FuncOp entry);

  /// Copies the arguments before a call changes them.
  static ::dietcode::Expected<ReferenceInputs>
  prepare(const std::vector<RunArgument> &arguments);

  /// The results of a call, followed by the contents of each buffer argument
  /// after it, in order. Sizes must be known to fit each other: unlike compiled
  /// code, the reference does not check them.
  std::vector<ReferenceOutput> evaluate(ReferenceInputs inputs);

private:
  std::unique_ptr<JitFunction> values;
  std::unique_ptr<JitFunction> magnitudes;
  SmallVector<bool> isBuffer; ///< Of each argument.
};

} // namespace mlir::dietcode

#endif // DIETCODE_RUN_REFERENCE_H
