//===- KernelExplainer.h - Why a kernel was chosen --------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Relates the kernels that a run launched to the operators and the dispatch
// that chose them.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUN_KERNELEXPLAINER_H
#define DIETCODE_RUN_KERNELEXPLAINER_H

#include "dietcode/Run/Arguments.h"

#include <string>
#include <vector>

namespace mlir::dietcode {

/// The micro-kernel of a launch and why it was chosen.
struct KernelChoice {
  std::string microKernel; ///< Its symbol; empty if there is none.
  std::string why;         ///< e.g. "m in [401, 2048]: 144 blocks, ...".
};

/// Explains the kernels that `entry`, a function with selected micro-kernels,
/// has launched for `arguments`, in the order of `kernelNames`. The name of a
/// kernel holds the symbol of its micro-kernel.
std::vector<KernelChoice> explainKernels(func::FuncOp entry,
                                         ArrayRef<RunArgument> arguments,
                                         ArrayRef<std::string> kernelNames);

} // namespace mlir::dietcode

#endif // DIETCODE_RUN_KERNELEXPLAINER_H
