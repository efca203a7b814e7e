//===- InitAllDietCode.h - Registration of all of DietCode ------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a compiler that uses DietCode calls once. Nothing else need be
// registered for DietCode: the dialects that its passes create are loaded by
// them. What the compiler's own input consists of, it registers itself.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_INITALLDIETCODE_H
#define DIETCODE_INITALLDIETCODE_H

#include "dietcode/Conversion/Passes.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Dialect/DietCode/Pipelines/Pipelines.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"

namespace mlir::dietcode {

/// Registers the dialect and how other dialects' passes treat its operations.
inline void registerAllDietCodeDialects(DialectRegistry &registry) {
  registry.insert<DietCodeDialect>();
  registerBufferizableOpInterfaceExternalModels(registry);
}

/// Registers what the pipelines need to know about operations of other
/// dialects, unless MLIR's `registerAllExtensions` and
/// `registerAllGPUToLLVMIRTranslations` have done that.
inline void registerAllDietCodeExtensions(DialectRegistry &registry) {
  registerDietCodePipelineExtensions(registry);
}

/// Registers every pass and pipeline under its command-line name.
inline void registerAllDietCodePasses() {
  registerDietCodeTransformsPasses();
  registerDietCodeConversionPasses();
  registerDietCodePipelines();
}

} // namespace mlir::dietcode

#endif // DIETCODE_INITALLDIETCODE_H
