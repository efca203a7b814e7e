//===- GuardedAccess.h - Accesses under a predicate -------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that a predicate guards, instead of branches: lanes of a warp
// stay together, and what comes after them need not wait.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_GUARDEDACCESS_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_GUARDEDACCESS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::dietcode {

/// Whether loadWhere has an instruction for a scalar or vector type.
bool canLoadWhere(Type type);

/// condition ? *address : 0, where `address` is one in global memory, aligned
/// to the size of `type`.
Value loadWhere(ImplicitLocOpBuilder &b, Type type, Value condition,
                Value address);

/// if (condition) *address = {first, second}, two i64 in shared memory; the
/// address is an i64, too.
void storePairWhere(ImplicitLocOpBuilder &b, Value condition, Value address,
                    Value first, Value second);

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_GUARDEDACCESS_H
