//===- Context.cpp - Contexts of the C interface --------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"

#include "dietcode/Run/Runner.h"
#include "mlir/IR/Diagnostics.h"

using namespace dietcode;
using namespace dietcode::capi;
using namespace mlir;

static std::unique_ptr<MLIRContext> makeMLIRContext() {
  DialectRegistry registry;
  mlir::dietcode::registerRunDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry);
  context->printOpOnDiagnostic(false);
  return context;
}

Context::Context() : mlir(makeMLIRContext()) {}

/// "file:line:column: text", and the same of notes.
static std::string spell(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto print = [&](Diagnostic &one) {
    if (auto place = one.getLocation()->findInstanceOf<FileLineColLoc>())
      os << place.getFilename().getValue() << ":" << place.getLine() << ":"
         << place.getColumn() << ": ";
    os << one;
  };
  print(diagnostic);
  for (Diagnostic &note : diagnostic.getNotes()) {
    os << "\n";
    print(note);
  }
  return text;
}

void Context::handle(Diagnostic &diagnostic, std::string &errors) const {
  std::string text = spell(diagnostic);
  dietcode_severity severity = DIETCODE_REMARK;
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
    severity = DIETCODE_ERROR;
    errors += (errors.empty() ? "" : "\n") + text;
  } else if (diagnostic.getSeverity() == DiagnosticSeverity::Warning) {
    severity = DIETCODE_WARNING;
  }
  if (handler)
    handler(user, severity, text.c_str());
}

Outcome Context::run(dietcode_status status,
                     const std::function<bool()> &work) {
  std::lock_guard<std::mutex> lock(mutex);
  std::string errors;
  ScopedDiagnosticHandler diagnostics(mlir.get(), [&](Diagnostic &diagnostic) {
    handle(diagnostic, errors);
    return success();
  });
  if (work())
    return {};
  if (errors.empty())
    return failWith(DIETCODE_INTERNAL_ERROR, "failed without saying why");
  return failWith(status, std::move(errors));
}

void Context::exclude(const std::function<void()> &work) {
  std::lock_guard<std::mutex> lock(mutex);
  work();
}

void Context::setHandler(dietcode_diagnostic_handler function, void *data) {
  std::lock_guard<std::mutex> lock(mutex);
  handler = function;
  user = data;
}

//===----------------------------------------------------------------------===//
// C interface
//===----------------------------------------------------------------------===//

extern "C" {

DIETCODE_EXPORT dietcode_status
dietcode_context_create(dietcode_context **context) {
  return atBoundary(__func__, [&]() -> Outcome {
    if (!context)
      return failWith(DIETCODE_INVALID_ARGUMENT, "'context' is null");
    *context = nullptr;
    *context = Contexts::get().add(std::make_shared<Context>());
    return {};
  });
}

DIETCODE_EXPORT dietcode_status
dietcode_context_destroy(dietcode_context *context) {
  return atBoundary(__func__, [&]() -> Outcome {
    auto found = lookUp<Contexts>(context, "context");
    if (!found)
      return tl::unexpected(found.error());
    Contexts::get().remove(context);
    return {};
  });
}

DIETCODE_EXPORT dietcode_status dietcode_context_set_diagnostics(
    dietcode_context *context, dietcode_diagnostic_handler handler,
    void *user) {
  return atBoundary(__func__, [&]() -> Outcome {
    auto found = lookUp<Contexts>(context, "context");
    if (!found)
      return tl::unexpected(found.error());
    (*found)->setHandler(handler, user);
    return {};
  });
}

} // extern "C"
