//===- Compile.cpp - Ahead-of-time compilation ----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Artefact/Compile.h"

#include "EmbedKernels.h"
#include "EntryPoints.h"
#include "dietcode/Target/DeviceSpec.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::dietcode;

CompiledModule::CompiledModule() = default;
CompiledModule::CompiledModule(CompiledModule &&) = default;
CompiledModule::~CompiledModule() {
  // Before the context that it is in.
  host.reset();
}

std::string CompiledModule::printLLVM() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  host->print(os, /*AAW=*/nullptr);
  return text;
}

/// Kernels are generated for the oldest chip, and compiled for the others, too.
static LogicalResult setChips(ModuleOp module, ArrayRef<std::string> names,
                              DietCodeToLLVMOptions &pipeline) {
  SmallVector<const ::dietcode::ChipSpec *> chips;
  for (const std::string &name : names) {
    const auto *chip = ::dietcode::lookupChip(name);
    if (!chip)
      return emitError(module.getLoc())
             << "unknown chip '" << name << "'; known are "
             << llvm::join(::dietcode::knownChipNames(), ", ");
    if (llvm::is_contained(chips, chip))
      return emitError(module.getLoc()) << "chip " << name << " is given twice";
    chips.push_back(chip);
  }
  llvm::sort(chips, [](const auto *a, const auto *b) {
    return std::pair(a->computeCapability, a->name) <
           std::pair(b->computeCapability, b->name);
  });
  if (!chips.empty())
    pipeline.chip = std::string(chips.front()->name);
  for (const auto *chip : ArrayRef(chips).drop_front(!chips.empty()))
    pipeline.moreChips.push_back(std::string(chip->name));
  return success();
}

/// Drops what no entry needs.
static LogicalResult keepEntries(ModuleOp module,
                                 ArrayRef<EntrySignature> entries) {
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isEntry = llvm::any_of(entries, [&](const EntrySignature &entry) {
      return entry.name == function.getSymName();
    });
    if (isEntry)
      function.setPublic();
    else
      function.setPrivate();
  }
  PassManager pm(module.getContext());
  pm.addPass(createSymbolDCEPass());
  return pm.run(module);
}

FailureOr<CompiledModule>
mlir::dietcode::compileModule(ModuleOp module, const CompileOptions &options) {
  CompiledModule compiled;
  auto entries = readSignatures(module, options.entries);
  if (failed(entries))
    return failure();
  compiled.entries = std::move(*entries);
  DietCodeToLLVMOptions pipeline;
  pipeline.copyOptionValuesFrom(options.pipeline);
  if (failed(setChips(module, options.chips, pipeline)) ||
      failed(keepEntries(module, compiled.entries)))
    return failure();
  PassManager pm(module.getContext());
  buildDietCodeToLLVMPipeline(pm, pipeline);
  if (failed(pm.run(module)) ||
      failed(embedKernels(module, options.cubins, compiled.kernels)))
    return failure();
  compiled.context = std::make_unique<llvm::LLVMContext>();
  compiled.host =
      translateModuleToLLVMIR(module, *compiled.context, "artefact");
  if (!compiled.host)
    return emitError(module.getLoc())
           << "the host code cannot be translated to LLVM IR";
  addEntryPoints(*compiled.host, compiled.entries);
  return compiled;
}
