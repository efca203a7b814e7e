//===- ProgramFile.h - Compiled programs as bytes ---------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What dietcode_program_save makes. All numbers are little-endian:
//
//   offset  bytes
//        0      8  "DIETPROG"
//        8      4  version of the format, 1
//       12      4  DIETCODE_ABI_VERSION of the runtime that the object is for
//       16      8  hash (xxh3, 64 bits) of everything from offset 24 on
//       24   3 x 8  bytes of the declarations, of the PTX and of the object
//       48         these three: the functions as MLIR that declares them
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_CAPI_PROGRAMFILE_H
#define DIETCODE_LIB_CAPI_PROGRAMFILE_H

#include "dietcode/Artefact/Signature.h"
#include "dietcode/Support/Expected.h"

#include <string>

namespace dietcode::capi {

/// A program without what this process has made of it.
struct ProgramParts {
  std::vector<mlir::dietcode::EntrySignature> entries;
  std::string ptx, object;
};

std::string packProgram(const ProgramParts &parts);

/// The reverse. An error if the bytes are truncated, changed, or of another
/// version.
Expected<ProgramParts> unpackProgram(llvm::StringRef bytes);

} // namespace dietcode::capi

#endif // DIETCODE_LIB_CAPI_PROGRAMFILE_H
