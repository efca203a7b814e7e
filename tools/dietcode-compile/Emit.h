//===- Emit.h - What dietcode-compile writes --------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TOOLS_DIETCODE_COMPILE_EMIT_H
#define DIETCODE_TOOLS_DIETCODE_COMPILE_EMIT_H

#include "dietcode/Artefact/Compile.h"
#include "dietcode/Artefact/LinkShared.h"

namespace mlir::dietcode {

enum class EmitKind { Ptx, Cubin, Llvm, Object, Header, Shared, Bundle };

/// Writes what was compiled from `module` to `output`, as a whole or not at
/// all. Emits an error where that fails.
LogicalResult emit(ModuleOp module, const CompiledModule &compiled,
                   EmitKind kind, const std::string &output,
                   const LinkOptions &link);

} // namespace mlir::dietcode

#endif // DIETCODE_TOOLS_DIETCODE_COMPILE_EMIT_H
