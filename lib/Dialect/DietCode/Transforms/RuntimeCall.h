//===- RuntimeCall.h - Calls of the runtime that carry a message -*- C++ -*-==//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What checks of run-time values share: a message with its location, as a
// constant of the module, and the declaration of whom it is passed to.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_DIALECT_DIETCODE_TRANSFORMS_RUNTIMECALL_H
#define DIETCODE_LIB_DIALECT_DIETCODE_TRANSFORMS_RUNTIMECALL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::dietcode {

/// `f.mlir:3:8: `, which is how the runtime's callers find the location in a
/// message; nothing where the location is in no file.
std::string getLocationPrefix(Location loc);

/// The address of a constant, called `name` or something like it, that holds
/// the characters of `message` and a zero.
Value createRuntimeMessage(ImplicitLocOpBuilder &b, ModuleOp module,
                           StringRef name, StringRef message);

/// Declares a function of the runtime that returns nothing, unless `module` has
/// it.
void declareRuntimeFunction(ModuleOp module, StringRef name,
                            ArrayRef<Type> parameters);

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_DIALECT_DIETCODE_TRANSFORMS_RUNTIMECALL_H
