//===- EntryModule.h - A module of one function -----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUN_ENTRYMODULE_H
#define DIETCODE_LIB_RUN_ENTRYMODULE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::dietcode {

/// A copy of the module around `entry` with only the functions that it needs.
/// The copy of `entry` is public and gets a C interface.
FailureOr<OwningOpRef<ModuleOp>> copyForEntry(func::FuncOp entry);

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_RUN_ENTRYMODULE_H
