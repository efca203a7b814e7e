//===- Load.cpp - Compiled functions in this process ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Artefact/Load.h"

#include "EntryPoints.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

#include <dlfcn.h>

using namespace mlir::dietcode;
using ::dietcode::Expected;
namespace orc = llvm::orc;
namespace runtime = ::dietcode::runtime;

LoadedArtefact::LoadedArtefact() = default;

LoadedArtefact::~LoadedArtefact() {
  if (!entries.empty())
    dietcodeUnload(entries.begin()->second->artefact);
}

/// Where this process has the runtime. Its symbols may be visible to those
/// only who link it, as where an interpreter has loaded a module.
static llvm::Error linkRuntime(orc::LLJIT &jit) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&dietcodeInvoke), &info))
    return llvm::createStringError("the runtime is not in this process");
  auto symbols = orc::DynamicLibrarySearchGenerator::Load(
      info.dli_fname, jit.getDataLayout().getGlobalPrefix());
  if (!symbols)
    return symbols.takeError();
  jit.getMainJITDylib().addGenerator(std::move(*symbols));
  return llvm::Error::success();
}

Expected<std::unique_ptr<LoadedArtefact>>
LoadedArtefact::load(const std::string &object,
                     const std::vector<std::string> &names) {
  auto failed = [](llvm::Error error) {
    return ::dietcode::fail("the host code cannot be linked: " +
                            llvm::toString(std::move(error)));
  };
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto jit = orc::LLJITBuilder().create();
  if (!jit)
    return failed(jit.takeError());
  std::unique_ptr<LoadedArtefact> loaded(new LoadedArtefact);
  loaded->jit = std::move(*jit);
  if (llvm::Error error = linkRuntime(*loaded->jit))
    return failed(std::move(error));
  if (llvm::Error error = loaded->jit->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(object, "artefact")))
    return failed(std::move(error));
  for (const std::string &name : names) {
    auto table = loaded->jit->lookup(getTableName(name));
    if (!table)
      return failed(table.takeError());
    loaded->entries[name] = table->toPtr<const runtime::Entry *>();
  }
  return loaded;
}
