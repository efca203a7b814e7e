//===- Program.cpp - Compiled programs of the C interface -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "ProgramFile.h"

#include "dietcode/Artefact/Compile.h"
#include "dietcode/Artefact/Header.h"
#include "dietcode/Artefact/Load.h"
#include "dietcode/Runtime/ElementType.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace dietcode;
using namespace dietcode::capi;
using namespace mlir;
using mlir::dietcode::CompiledModule;
using mlir::dietcode::CompileOptions;
using mlir::dietcode::EntrySignature;
using mlir::dietcode::EntryValue;
using mlir::dietcode::LoadedArtefact;

namespace {

/// Does not change once it is made.
struct Program : ProgramParts {
  std::unique_ptr<LoadedArtefact> loaded;
};

using Programs = HandleTable<dietcode_program, Program>;

/// Makes the functions of a program callable.
Expected<std::shared_ptr<Program>> loadProgram(ProgramParts parts) {
  auto program = std::make_shared<Program>();
  static_cast<ProgramParts &>(*program) = std::move(parts);
  std::vector<std::string> names;
  for (const EntrySignature &entry : program->entries)
    names.push_back(entry.name);
  auto loaded = LoadedArtefact::load(program->object, names);
  if (!loaded)
    return tl::unexpected(loaded.error());
  program->loaded = std::move(*loaded);
  return program;
}

/// Compiles a copy of the module. Emits an error where that fails.
std::shared_ptr<Program> compile(Module &module,
                                 const dietcode_compile_options &given) {
  OwningOpRef<ModuleOp> copy(module.op->clone());
  CompileOptions options;
  if (given.entry)
    options.entries.push_back(given.entry);
  if (given.chip)
    options.chips.push_back(given.chip);
  options.cubins = mlir::dietcode::CubinMode::Never;
  options.pipeline.maxKernels = given.max_kernels;
  options.pipeline.maxRegret = given.max_regret;
  options.pipeline.reportMisses = given.report_misses != 0;
  Location loc = copy->getLoc();
  FailureOr<CompiledModule> compiled =
      mlir::dietcode::compileModule(*copy, options);
  if (failed(compiled))
    return nullptr;
  FailureOr<std::string> object = compiled->emitObject(loc);
  if (failed(object))
    return nullptr;
  ProgramParts parts = {std::move(compiled->entries), "", std::move(*object)};
  if (!compiled->kernels.empty())
    parts.ptx = std::move(compiled->kernels.front().ptx);
  Expected<std::shared_ptr<Program>> program = loadProgram(std::move(parts));
  if (!program) {
    emitError(loc) << program.error().message;
    return nullptr;
  }
  return std::move(*program);
}

Outcome checkOptions(const dietcode_compile_options &options) {
  if (Outcome known = checkStruct("options", options.struct_size,
                                  sizeof(dietcode_compile_options));
      !known)
    return known;
  if (options.max_kernels == 0)
    return failWith(DIETCODE_INVALID_ARGUMENT,
                    "options: max_kernels must be at least 1");
  if (options.max_regret != options.max_regret)
    return failWith(DIETCODE_INVALID_ARGUMENT,
                    "options: max_regret must be a number");
  return {};
}

llvm::json::Value toJson(ArrayRef<EntryValue> values) {
  llvm::json::Array array;
  for (const EntryValue &value : values) {
    llvm::json::Object object{
        {"dtype", runtime::findElementType(value.dtype)->name}};
    if (value.isTensor) {
      llvm::json::Array sizes;
      for (int64_t size : value.sizes)
        sizes.push_back(ShapedType::isDynamic(size) ? llvm::json::Value(nullptr)
                                                    : llvm::json::Value(size));
      object["sizes"] = std::move(sizes);
    }
    array.push_back(std::move(object));
  }
  return array;
}

std::string describe(const Program &program) {
  llvm::json::Array array;
  for (const EntrySignature &entry : program.entries)
    array.push_back(llvm::json::Object{{"name", entry.name},
                                       {"type", entry.type},
                                       {"arguments", toJson(entry.arguments)},
                                       {"results", toJson(entry.results)}});
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(array))).str();
}

Outcome call(const Program &program, const char *entry,
             const void *const *arguments, size_t argumentCount,
             void *const *results, size_t resultCount,
             const dietcode_call_options *options) {
  if (!entry && program.entries.size() > 1)
    return failWith(DIETCODE_INVALID_ARGUMENT,
                    "the program has several functions; name one");
  const char *name = entry ? entry : program.entries.front().name.c_str();
  const runtime::Entry *table = program.loaded->find(name);
  if (!table)
    return failWith(DIETCODE_INVALID_ARGUMENT,
                    "the program has no function '" + std::string(name) + "'");
  auto checkCount = [&](const char *what, size_t got, size_t want) -> Outcome {
    if (got == want)
      return {};
    return failWith(DIETCODE_INVALID_ARGUMENT,
                    std::string(name) + ": got " + std::to_string(got) + " " +
                        what + ", expected " + std::to_string(want));
  };
  if (Outcome right =
          checkCount("arguments", argumentCount, table->argumentCount);
      !right)
    return right;
  if (Outcome right = checkCount("results", resultCount, table->resultCount);
      !right)
    return right;
  if ((!arguments && argumentCount > 0) || (!results && resultCount > 0))
    return failWith(DIETCODE_INVALID_ARGUMENT,
                    std::string(name) + ": arguments or results are null");
  dietcode_status status = dietcodeInvoke(table, arguments, results, options);
  if (status == DIETCODE_OK)
    return {};
  return failWith(status, dietcode_last_error());
}

/// Gives the caller a text that `get` makes of a program.
template <typename Get>
dietcode_status giveText(const char *function, const dietcode_program *program,
                         dietcode_text *text, Get get) {
  return atBoundary(function, [&]() -> Outcome {
    if (!text)
      return failWith(DIETCODE_INVALID_ARGUMENT, "'text' is null");
    *text = {};
    auto found = lookUp<Programs>(program, "program");
    if (!found)
      return tl::unexpected(found.error());
    *text = copyText(get(**found));
    return {};
  });
}

} // namespace

extern "C" {

DIETCODE_EXPORT dietcode_status dietcode_module_compile(
    dietcode_module *module, const dietcode_compile_options *options,
    dietcode_program **program) {
  return atBoundary(__func__, [&]() -> Outcome {
    if (!program)
      return failWith(DIETCODE_INVALID_ARGUMENT, "'program' is null");
    *program = nullptr;
    auto found = lookUp<Modules>(module, "module");
    if (!found)
      return tl::unexpected(found.error());
    dietcode_compile_options given = DIETCODE_COMPILE_OPTIONS_INIT;
    if (options)
      given = *options;
    if (Outcome valid = checkOptions(given); !valid)
      return valid;
    std::shared_ptr<Program> compiled;
    Outcome outcome = (*found)->context->run(DIETCODE_COMPILE_ERROR, [&] {
      compiled = compile(**found, given);
      return compiled != nullptr;
    });
    if (outcome)
      *program = Programs::get().add(std::move(compiled));
    return outcome;
  });
}

DIETCODE_EXPORT dietcode_status
dietcode_program_destroy(dietcode_program *program) {
  return atBoundary(__func__, [&]() -> Outcome {
    auto found = lookUp<Programs>(program, "program");
    if (!found)
      return tl::unexpected(found.error());
    Programs::get().remove(program);
    return {};
  });
}

DIETCODE_EXPORT dietcode_status dietcode_program_call(
    dietcode_program *program, const char *entry, const void *const *arguments,
    size_t argument_count, void *const *results, size_t result_count,
    const dietcode_call_options *options) {
  return atBoundary(__func__, [&]() -> Outcome {
    auto found = lookUp<Programs>(program, "program");
    if (!found)
      return tl::unexpected(found.error());
    return call(**found, entry, arguments, argument_count, results,
                result_count, options);
  });
}

DIETCODE_EXPORT dietcode_status dietcode_program_ptx(dietcode_program *program,
                                                     dietcode_text *text) {
  return giveText(__func__, program, text,
                  [](const Program &of) { return of.ptx; });
}

DIETCODE_EXPORT dietcode_status
dietcode_program_describe(dietcode_program *program, dietcode_text *text) {
  return giveText(__func__, program, text, describe);
}

DIETCODE_EXPORT dietcode_status dietcode_program_save(dietcode_program *program,
                                                      dietcode_text *text) {
  return giveText(__func__, program, text,
                  [](const Program &of) { return packProgram(of); });
}

DIETCODE_EXPORT dietcode_status dietcode_program_load(
    const void *bytes, size_t length, dietcode_program **program) {
  return atBoundary(__func__, [&]() -> Outcome {
    if (!program)
      return failWith(DIETCODE_INVALID_ARGUMENT, "'program' is null");
    *program = nullptr;
    if (!bytes)
      return failWith(DIETCODE_INVALID_ARGUMENT, "'bytes' is null");
    Expected<ProgramParts> parts =
        unpackProgram({static_cast<const char *>(bytes), length});
    if (!parts)
      return failWith(DIETCODE_COMPILE_ERROR, parts.error().message);
    Expected<std::shared_ptr<Program>> loaded = loadProgram(std::move(*parts));
    if (!loaded)
      return failWith(DIETCODE_COMPILE_ERROR, loaded.error().message);
    *program = Programs::get().add(std::move(*loaded));
    return {};
  });
}

DIETCODE_EXPORT dietcode_status
dietcode_program_object(dietcode_program *program, dietcode_text *text) {
  return giveText(__func__, program, text,
                  [](const Program &of) { return of.object; });
}

DIETCODE_EXPORT dietcode_status
dietcode_program_header(dietcode_program *program, dietcode_text *text) {
  return giveText(__func__, program, text, [](const Program &of) {
    return mlir::dietcode::printHeader(of.entries);
  });
}

} // extern "C"
