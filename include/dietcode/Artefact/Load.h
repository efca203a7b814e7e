//===- Load.h - Compiled functions in this process --------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_ARTEFACT_LOAD_H
#define DIETCODE_ARTEFACT_LOAD_H

#include "dietcode/Runtime/Entry.h"
#include "dietcode/Support/Expected.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir::dietcode {

/// An object of CompiledModule::emitObject that was linked into this process.
/// Any thread may call its functions; nobody may while it is destroyed.
class LoadedArtefact {
public:
  /// `entries` are the names of its functions.
  static ::dietcode::Expected<std::unique_ptr<LoadedArtefact>>
  load(const std::string &object, const std::vector<std::string> &entries);

  /// Takes the kernels off the device.
  ~LoadedArtefact();

  /// What dietcodeInvoke calls; null if there is no such function.
  const ::dietcode::runtime::Entry *find(llvm::StringRef name) const {
    return entries.lookup(name);
  }

private:
  LoadedArtefact();

  std::unique_ptr<llvm::orc::LLJIT> jit;
  llvm::StringMap<const ::dietcode::runtime::Entry *> entries;
};

} // namespace mlir::dietcode

#endif // DIETCODE_ARTEFACT_LOAD_H
