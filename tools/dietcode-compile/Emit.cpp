//===- Emit.cpp - What dietcode-compile writes ----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "dietcode/Artefact/Bundle.h"
#include "dietcode/Artefact/Header.h"
#include "dietcode/Support/File.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Expected;
using ::dietcode::fail;

/// The text of dietcode-c/Artefact.h, which goes into bundles.
static constexpr const char *kArtefactHeader =
#include "ArtefactHeader.inc"
    ;

/// The PTX or the machine code, of which there must be one.
static Expected<std::string> getKernels(const CompiledModule &compiled,
                                        EmitKind kind) {
  StringRef option = kind == EmitKind::Ptx ? "--emit=ptx" : "--emit=cubin";
  if (compiled.kernels.empty())
    return fail(option.str() + ": the functions launch no kernels");
  if (compiled.kernels.size() > 1)
    return fail(option.str() +
                " writes the kernels of one module for one "
                "chip, but there are " +
                std::to_string(compiled.kernels.size()) +
                "; give one --chip, or use --emit=bundle");
  const CompiledKernels &only = compiled.kernels.front();
  return kind == EmitKind::Ptx ? only.ptx : only.cubin;
}

static FailureOr<std::string> emitShared(ModuleOp module,
                                         const CompiledModule &compiled,
                                         const std::string &object,
                                         const LinkOptions &link) {
  Expected<std::string> library = linkShared(object, compiled.entries, link);
  if (!library)
    return emitError(module.getLoc()) << library.error().message;
  return *library;
}

static LogicalResult emitBundle(ModuleOp module, const CompiledModule &compiled,
                                const std::string &output,
                                const LinkOptions &link) {
  StringRef trimmed = StringRef(output).rtrim('/');
  std::string name = llvm::sys::path::stem(trimmed).str();
  FailureOr<std::string> object = compiled.emitObject(module.getLoc());
  if (failed(object))
    return failure();
  LinkOptions options = link;
  options.soname = "lib" + name + ".so";
  FailureOr<std::string> library =
      emitShared(module, compiled, *object, options);
  if (failed(library))
    return failure();
  Expected<std::string> runtime = ::dietcode::readFile(
      link.runtimeFolder + (link.useSharedRuntime ? "/libdietcode_runtime.so"
                                                  : "/libdietcode_runtime.a"));
  if (!runtime)
    return emitError(module.getLoc()) << runtime.error().message;
  std::vector<BundleFile> files = {
      {"include/" + name + ".h", printHeader(compiled.entries)},
      {"include/dietcode-c/Artefact.h", kArtefactHeader},
      {"lib/" + name + ".o", *object},
      {"lib/" + options.soname, *library},
      {link.useSharedRuntime ? "lib/libdietcode_runtime.so"
                             : "lib/libdietcode_runtime.a",
       *runtime}};
  for (auto [index, kernels] : llvm::enumerate(compiled.kernels)) {
    std::string stem = "kernels/" + std::to_string(index) + "." + kernels.chip;
    files.push_back({stem + ".ptx", kernels.ptx});
    if (!kernels.cubin.empty())
      files.push_back({stem + ".cubin", kernels.cubin});
  }
  if (Expected<void> written = writeBundle(output, files); !written)
    return emitError(module.getLoc()) << written.error().message;
  return success();
}

static FailureOr<std::string> makeFile(ModuleOp module,
                                       const CompiledModule &compiled,
                                       EmitKind kind, const LinkOptions &link) {
  switch (kind) {
  case EmitKind::Ptx:
  case EmitKind::Cubin: {
    Expected<std::string> kernels = getKernels(compiled, kind);
    if (!kernels)
      return emitError(module.getLoc()) << kernels.error().message;
    return *kernels;
  }
  case EmitKind::Llvm:
    return compiled.printLLVM();
  case EmitKind::Header:
    return printHeader(compiled.entries);
  case EmitKind::Object:
    return compiled.emitObject(module.getLoc());
  case EmitKind::Shared: {
    FailureOr<std::string> object = compiled.emitObject(module.getLoc());
    if (failed(object))
      return failure();
    return emitShared(module, compiled, *object, link);
  }
  case EmitKind::Bundle:
    break;
  }
  llvm_unreachable("not a file");
}

LogicalResult mlir::dietcode::emit(ModuleOp module,
                                   const CompiledModule &compiled,
                                   EmitKind kind, const std::string &output,
                                   const LinkOptions &link) {
  if (kind == EmitKind::Bundle)
    return emitBundle(module, compiled, output, link);
  FailureOr<std::string> bytes = makeFile(module, compiled, kind, link);
  if (failed(bytes))
    return failure();
  if (auto written = ::dietcode::writeFileAtomically(
          output, *bytes, ::dietcode::Durability::Process);
      !written)
    return emitError(module.getLoc()) << written.error().message;
  return success();
}
