//===- dietcode-compile.cpp - Ahead-of-time compiler ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Support/PipelineFlags.h"
#include "Support/ToolInput.h"
#include "dietcode/InitAllDietCode.h"
#include "dietcode/Support/File.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;
using namespace mlir::dietcode;

namespace {

namespace cl = llvm::cl;

cl::OptionCategory category("dietcode-compile options");

cl::opt<std::string> inputFile(cl::Positional, cl::cat(category),
                               cl::desc("<file of MLIR, or - for stdin>"));
cl::opt<std::string> outputFile("o", cl::value_desc("path"), cl::cat(category),
                                cl::desc("Where to write to; - is the "
                                         "standard output"));
cl::opt<EmitKind> emitKind(
    "emit", cl::cat(category), cl::desc("What to write (default: shared)"),
    cl::init(EmitKind::Shared),
    cl::values(
        clEnumValN(EmitKind::Ptx, "ptx", "The kernels, as PTX for one chip"),
        clEnumValN(EmitKind::Cubin, "cubin",
                   "The kernels, as machine code of one chip; needs ptxas"),
        clEnumValN(EmitKind::Llvm, "llvm",
                   "The host code with the kernels, as LLVM IR"),
        clEnumValN(EmitKind::Object, "object",
                   "The same as an object file; link it with "
                   "libdietcode_runtime"),
        clEnumValN(EmitKind::Header, "header",
                   "A C header that declares the functions"),
        clEnumValN(EmitKind::Shared, "shared", "A shared library"),
        clEnumValN(EmitKind::Bundle, "bundle",
                   "A folder with the library, the object, the headers, the "
                   "runtime and the kernels")));
cl::list<std::string> entries("entry", cl::value_desc("function,..."),
                              cl::CommaSeparated, cl::cat(category),
                              cl::desc("Functions that can be called from C "
                                       "(default: all public ones)"));
cl::list<std::string>
    chips("chip", cl::value_desc("sm_75,..."), cl::CommaSeparated,
          cl::cat(category),
          cl::desc("Architectures to compile the kernels for; those that run "
                   "are picked at run time (default: that of the device)"));
cl::opt<bool> noCubin("no-cubin", cl::cat(category),
                      cl::desc("Embed PTX alone, whether there is ptxas or "
                               "not"));
PipelineFlags pipelineFlags(category);
cl::opt<bool> reportMisses(
    "report-misses", cl::cat(category),
    cl::desc("Count calls with shapes outside of the declared ranges, for "
             "dietcode-tune --misses"));
cl::opt<std::string> linker("linker", cl::value_desc("program"),
                            cl::cat(category),
                            cl::desc("Compiler driver that links (default: the "
                                     "first of c++, clang++, g++ in PATH)"));
enum class RuntimeKind { Static, Shared };
cl::opt<RuntimeKind> runtimeKind(
    "runtime", cl::cat(category), cl::init(RuntimeKind::Static),
    cl::desc("How a shared library gets the runtime (default: static)"),
    cl::values(clEnumValN(RuntimeKind::Static, "static", "It is in it"),
               clEnumValN(RuntimeKind::Shared, "shared",
                          "It refers to libdietcode_runtime.so by rpath, so "
                          "that several of them share one")));
cl::opt<std::string>
    runtimeDir("runtime-dir", cl::value_desc("folder"), cl::cat(category),
               cl::desc("Folder of the runtime (default: lib, next to the "
                        "folder of this program)"));
cl::opt<unsigned> threads("jobs", cl::cat(category), cl::init(0),
                          cl::desc("Threads that compile (default: as many as "
                                   "there are processors); what is compiled "
                                   "does not depend on it"));

int failWith(const Twine &message) {
  llvm::errs() << "dietcode-compile: error: " << message << "\n";
  return 1;
}

/// Mistakes on the command line that are known before anything is compiled.
std::string checkOptions() {
  if (outputFile.empty())
    return "there is no output; give -o PATH";
  if (emitKind == EmitKind::Bundle) {
    if (outputFile == "-")
      return "a bundle is a folder and cannot be written to the standard "
             "output";
    return "";
  }
  if (emitKind == EmitKind::Cubin && noCubin)
    return "--emit=cubin and --no-cubin exclude each other";
  if (auto writable = ::dietcode::checkWritable(outputFile); !writable)
    return writable.error().message;
  return "";
}

void setCompileOptions(CompileOptions &options) {
  options.entries.assign(entries.begin(), entries.end());
  options.chips.assign(chips.begin(), chips.end());
  bool usesCubins = emitKind != EmitKind::Ptx && emitKind != EmitKind::Header;
  if (emitKind == EmitKind::Cubin)
    options.cubins = CubinMode::Always;
  else if (noCubin || !usesCubins)
    options.cubins = CubinMode::Never;
  pipelineFlags.apply(options.pipeline);
  options.pipeline.reportMisses = reportMisses;
}

LinkOptions makeLinkOptions(const char *program) {
  LinkOptions options;
  options.driver = linker;
  options.useSharedRuntime = runtimeKind == RuntimeKind::Shared;
  options.soname = llvm::sys::path::filename(outputFile).str();
  options.runtimeFolder = runtimeDir;
  if (runtimeDir.empty()) {
    // Only its address matters.
    static int anchor;
    SmallString<128> folder(llvm::sys::fs::getMainExecutable(program, &anchor));
    llvm::sys::path::remove_filename(folder);
    llvm::sys::path::append(folder, "..", "lib");
    llvm::sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
    options.runtimeFolder = folder.str().str();
  }
  return options;
}

int compile(ModuleOp module, const char *program) {
  CompileOptions options;
  setCompileOptions(options);
  FailureOr<CompiledModule> compiled = compileModule(module, options);
  if (failed(compiled) || failed(emit(module, *compiled, emitKind, outputFile,
                                      makeLinkOptions(program))))
    return 1;
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles functions to something that C programs call and that needs no "
      "LLVM (docs/artefacts.md).\n");
  if (std::string mistake = checkOptions(); !mistake.empty())
    return failWith(mistake);
  auto sources = openInput(inputFile);
  if (!sources)
    return failWith(sources.error().message);
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registerAllDietCodeDialects(registry);
  // The context refers to the pool, so that must go last.
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(threads.getValue()));
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  if (threads != 1)
    context.setThreadPool(pool);
  return runOnModule(*sources, context,
                     [&](ModuleOp module) { return compile(module, argv[0]); });
}
