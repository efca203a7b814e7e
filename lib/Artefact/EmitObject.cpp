//===- EmitObject.cpp - Machine code for the host -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Artefact/Compile.h"

#include "mlir/ExecutionEngine/OptUtils.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace mlir::dietcode;

/// For any processor of this machine's architecture: artefacts are shipped.
static std::unique_ptr<llvm::TargetMachine> createMachine(std::string &error) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, /*CPU=*/"generic", /*Features=*/"", llvm::TargetOptions(),
      llvm::Reloc::PIC_, /*CM=*/std::nullopt, llvm::CodeGenOptLevel::Default));
}

FailureOr<std::string> CompiledModule::emitObject(Location loc) const {
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(error);
  if (!machine)
    return emitError(loc) << "no code can be generated for this machine: "
                          << error;
  std::unique_ptr<llvm::Module> module = llvm::CloneModule(*host);
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  auto optimize = makeOptimizingTransformer(2, 0, machine.get());
  if (llvm::Error failed = optimize(module.get()))
    return emitError(loc) << "the host code cannot be optimized: "
                          << llvm::toString(std::move(failed));
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return emitError(loc) << "this machine has no object files";
  passes.run(*module);
  return std::string(bytes.begin(), bytes.end());
}
