//===- MissedShapes.h - Tune for shapes that nobody declared ----*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TUNE_MISSEDSHAPES_H
#define DIETCODE_TUNE_MISSEDSHAPES_H

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Runtime/ShapeMisses.h"

namespace mlir::dietcode {

/// Adds the shapes that a program was called with to the workloads of the
/// functions of `module`, and widens the ranges of shape variables to hold
/// them. The missed shapes of a workload weigh as much together as the
/// instances that it has, each by its calls. A function without a workload gets
/// one. Misses that fit no function, or no declaration, are skipped with a note
/// in `notes`. Run it after buildRaisePipeline, which declares the variables
/// that the source does not.
void addMissedShapes(ModuleOp module,
                     ArrayRef<::dietcode::runtime::ShapeMiss> misses,
                     std::vector<std::string> &notes);

} // namespace mlir::dietcode

#endif // DIETCODE_TUNE_MISSEDSHAPES_H
