//===- ToolInput.h - The file of MLIR that a tool reads ---------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TOOLS_SUPPORT_TOOLINPUT_H
#define DIETCODE_TOOLS_SUPPORT_TOOLINPUT_H

#include "dietcode/Support/Expected.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::dietcode {

/// Opens `path`, the standard input if that is "-". An error if it is empty or
/// cannot be read.
::dietcode::Expected<llvm::SourceMgr> openInput(StringRef path);

/// Parses what was opened and hands it over; diagnostics show the line that
/// they are about. 1 if it is no module, what `run` returns otherwise.
int runOnModule(llvm::SourceMgr &sources, MLIRContext &context,
                function_ref<int(ModuleOp)> run);

} // namespace mlir::dietcode

#endif // DIETCODE_TOOLS_SUPPORT_TOOLINPUT_H
