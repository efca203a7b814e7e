//===- ToolInput.cpp - The file of MLIR that a tool reads -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/ToolInput.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

::dietcode::Expected<llvm::SourceMgr>
mlir::dietcode::openInput(StringRef path) {
  if (path.empty())
    return ::dietcode::fail("there is no input; give a file of MLIR, or - for "
                            "the standard input");
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file)
    return ::dietcode::fail(message);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  return sources;
}

int mlir::dietcode::runOnModule(llvm::SourceMgr &sources, MLIRContext &context,
                                function_ref<int(ModuleOp)> run) {
  context.printOpOnDiagnostic(false);
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  return module ? run(*module) : 1;
}
