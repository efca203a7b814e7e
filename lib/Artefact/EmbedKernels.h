//===- EmbedKernels.h - Kernels for several chips in one --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_ARTEFACT_EMBEDKERNELS_H
#define DIETCODE_LIB_ARTEFACT_EMBEDKERNELS_H

#include "dietcode/Artefact/Compile.h"

namespace mlir::dietcode {

/// Replaces the objects of each gpu.binary, PTX for a chip each, by one with
/// all of them (Target/KernelImages.h) and their machine code. Appends them to
/// `kernels`.
LogicalResult embedKernels(ModuleOp module, CubinMode cubins,
                           SmallVectorImpl<CompiledKernels> &kernels);

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_ARTEFACT_EMBEDKERNELS_H
