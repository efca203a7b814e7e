//===- Module.cpp - Modules of the C interface ----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace dietcode;
using namespace dietcode::capi;
using namespace mlir;

static OwningOpRef<ModuleOp> parse(MLIRContext &context, StringRef text,
                                   StringRef name) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                             llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, &context);
}

extern "C" {

DIETCODE_EXPORT dietcode_status dietcode_module_parse(
    dietcode_context *context, const char *text, size_t length,
    const char *name, dietcode_module **module) {
  return atBoundary(__func__, [&]() -> Outcome {
    if (!module)
      return failWith(DIETCODE_INVALID_ARGUMENT, "'module' is null");
    *module = nullptr;
    if (!text)
      return failWith(DIETCODE_INVALID_ARGUMENT, "'text' is null");
    auto found = lookUp<Contexts>(context, "context");
    if (!found)
      return tl::unexpected(found.error());
    OwningOpRef<ModuleOp> op;
    Outcome outcome = (*found)->run(DIETCODE_COMPILE_ERROR, [&] {
      op = parse((*found)->getMLIR(), {text, length}, name ? name : "input");
      return bool(op);
    });
    if (outcome)
      *module = Modules::get().add(
          std::make_shared<Module>(std::move(*found), std::move(op)));
    return outcome;
  });
}

DIETCODE_EXPORT dietcode_status
dietcode_module_destroy(dietcode_module *module) {
  return atBoundary(__func__, [&]() -> Outcome {
    auto found = lookUp<Modules>(module, "module");
    if (!found)
      return tl::unexpected(found.error());
    Modules::get().remove(module);
    return {};
  });
}

DIETCODE_EXPORT dietcode_status dietcode_module_print(dietcode_module *module,
                                                      dietcode_text *text) {
  return atBoundary(__func__, [&]() -> Outcome {
    if (!text)
      return failWith(DIETCODE_INVALID_ARGUMENT, "'text' is null");
    *text = {};
    auto found = lookUp<Modules>(module, "module");
    if (!found)
      return tl::unexpected(found.error());
    std::string printed;
    llvm::raw_string_ostream os(printed);
    (*found)->context->exclude([&] {
      (*found)->op->print(os);
      os << "\n";
    });
    *text = copyText(printed);
    return {};
  });
}

} // extern "C"
