//===- LinkShared.h - From objects to shared libraries ----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_ARTEFACT_LINKSHARED_H
#define DIETCODE_ARTEFACT_LINKSHARED_H

#include "dietcode/Artefact/Signature.h"
#include "dietcode/Support/Expected.h"

namespace mlir::dietcode {

struct LinkOptions {
  /// The compiler driver that links; empty: the first of c++, clang++ and g++
  /// that there is.
  std::string driver;
  /// The folder of libdietcode_runtime.a and .so.
  std::string runtimeFolder;
  /// Whether the library refers to libdietcode_runtime.so rather than having
  /// the runtime in it.
  bool useSharedRuntime = false;
  std::string soname; ///< Of the library.
};

/// Links an object of CompiledModule::emitObject, and returns the bytes of the
/// library.
::dietcode::Expected<std::string> linkShared(const std::string &object,
                                             ArrayRef<EntrySignature> entries,
                                             const LinkOptions &options);

} // namespace mlir::dietcode

#endif // DIETCODE_ARTEFACT_LINKSHARED_H
