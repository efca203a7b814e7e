//===- EntryModule.cpp - A module of one function -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryModule.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

FailureOr<OwningOpRef<ModuleOp>>
mlir::dietcode::copyForEntry(func::FuncOp entry) {
  OwningOpRef<ModuleOp> module(entry->getParentOfType<ModuleOp>().clone());
  for (auto function : module->getOps<func::FuncOp>()) {
    if (function.getSymName() != entry.getSymName()) {
      function.setPrivate();
      continue;
    }
    function.setPublic();
    function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                      UnitAttr::get(function.getContext()));
  }
  PassManager pm(module->getContext());
  pm.addPass(createSymbolDCEPass());
  if (failed(pm.run(*module)))
    return failure();
  return module;
}
