//===- Arguments.h - Arguments for a run of a function ----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the arguments of one call of a function: sizes from types, options and
// shape bindings, values from files or a seed.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUN_ARGUMENTS_H
#define DIETCODE_RUN_ARGUMENTS_H

#include "dietcode/Run/HostTensor.h"
#include "dietcode/Run/ShapeOptions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <vector>

namespace mlir::dietcode {

/// A value that is passed to a function or comes back from one.
struct RunArgument {
  ::dietcode::ElementKind kind = ::dietcode::ElementKind::F32;
  /// The operand of a tensor or buffer; a scalar has none.
  std::optional<::dietcode::HostTensor> tensor;
  alignas(8) char scalar[8] = {};

  /// The same argument for a function in double precision: floats are f64, the
  /// layout is kept.
  ::dietcode::Expected<RunArgument> toDouble(bool absolute) const;
};

/// What the user says about one run.
struct RunRequest {
  ::dietcode::ShapeValues variables;
  std::optional<::dietcode::ArgumentShapes> shapes;
  /// For the shaped arguments in order; later ones are random.
  std::vector<::dietcode::NpyArray> inputs;
  uint64_t seed = 0;
};

/// The element type for `type`; nothing if no data of it can be made. An index
/// has 64 bits.
std::optional<::dietcode::ElementKind> getElementKind(Type type);

/// Whether the arguments for `request` can be made; emits one error if not.
LogicalResult checkRequest(func::FuncOp entry, const RunRequest &request);

/// Makes the arguments for one call of `entry`, or emits one error.
FailureOr<std::vector<RunArgument>> makeArguments(func::FuncOp entry,
                                                  const RunRequest &request);

} // namespace mlir::dietcode

#endif // DIETCODE_RUN_ARGUMENTS_H
