//===- ArgumentLayout.h - Sizes and strides of arguments --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUN_ARGUMENTLAYOUT_H
#define DIETCODE_LIB_RUN_ARGUMENTLAYOUT_H

#include "dietcode/Run/Arguments.h"

namespace mlir::dietcode {

/// Sizes and strides of a shaped argument, and by how many elements its base
/// pointer is displaced.
struct ArgumentLayout {
  ::dietcode::StridedLayout layout;
  int64_t shift = 0;
};

/// Lays out argument `index` of `entry`; `given` and `input` are what the user
/// says about it, or null. Emits one error where that does not fit the type or
/// is not enough.
FailureOr<ArgumentLayout>
layOutArgument(func::FuncOp entry, unsigned index,
               const ::dietcode::ShapeValues &variables,
               const ::dietcode::ArgumentShape *given,
               const ::dietcode::NpyArray *input);

/// Emits an error at argument `index` that starts by naming it.
InFlightDiagnostic emitArgumentError(func::FuncOp entry, unsigned index);

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_RUN_ARGUMENTLAYOUT_H
