//===- EntryPoints.h - Public functions of an artefact ----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_ARTEFACT_ENTRYPOINTS_H
#define DIETCODE_LIB_ARTEFACT_ENTRYPOINTS_H

#include "dietcode/Artefact/Signature.h"

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::dietcode {

/// Makes host code an artefact (Runtime/Entry.h): adds the tables and a public
/// C function for each entry, hides everything else, lets the runtime decide
/// when kernels are loaded, and allocates through it.
void addEntryPoints(llvm::Module &module, ArrayRef<EntrySignature> entries);

/// The symbol of the runtime::Entry of a function; not visible in a shared
/// library.
std::string getTableName(StringRef entry);

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_ARTEFACT_ENTRYPOINTS_H
