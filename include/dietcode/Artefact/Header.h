//===- Header.h - The C header of an artefact -------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_ARTEFACT_HEADER_H
#define DIETCODE_ARTEFACT_HEADER_H

#include "dietcode/Artefact/Signature.h"

namespace mlir::dietcode {

/// A C header that declares the functions of an artefact.
std::string printHeader(ArrayRef<EntrySignature> entries);

} // namespace mlir::dietcode

#endif // DIETCODE_ARTEFACT_HEADER_H
