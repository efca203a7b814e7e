//===- HostAccess.h - What host code does to buffers ------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_ARTEFACT_HOSTACCESS_H
#define DIETCODE_LIB_ARTEFACT_HOSTACCESS_H

namespace llvm {
class Function;
} // namespace llvm

namespace mlir::dietcode {

/// Whether compiled host code, or what it calls, may read or write elements of
/// a buffer by itself, and not only by kernels and copies of the runtime: then
/// it has to wait for the device. Where it cannot be known, it may.
bool mayAccessBuffers(const llvm::Function &function);

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_ARTEFACT_HOSTACCESS_H
