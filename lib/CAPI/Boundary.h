//===- Boundary.h - Between C and the compiler ------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_CAPI_BOUNDARY_H
#define DIETCODE_LIB_CAPI_BOUNDARY_H

#include "Handles.h"
#include "dietcode-c/Compiler.h"
#include "dietcode/Support/Expected.h"
#include "dietcode/Support/FunctionRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <mutex>

#define DIETCODE_EXPORT __attribute__((visibility("default")))

namespace dietcode::capi {

/// Why a function of the interface fails.
struct Failure {
  dietcode_status status;
  std::string message;
};
using Outcome = tl::expected<void, Failure>;

inline tl::unexpected<Failure> failWith(dietcode_status status,
                                        std::string message) {
  return tl::unexpected<Failure>({status, std::move(message)});
}

/// Runs the body of a function of the interface, whose name is `function`;
/// exceptions become a status, and failures the last error.
dietcode_status atBoundary(const char *function,
                           FunctionRef<Outcome()> body) noexcept;

/// Copies a text for the caller. Throws std::bad_alloc.
dietcode_text copyText(const std::string &text);

/// Whether a struct of the caller is of the size that this library knows.
Outcome checkStruct(const char *what, size_t size, size_t expected);

inline std::string orEmpty(const char *text) { return text ? text : ""; }

/// An MLIR context and what it says.
class Context {
public:
  Context();

  /// Runs `work`, which returns whether it succeeded, alone in this context.
  /// Errors that it emits become the failure, of this status.
  Outcome run(dietcode_status status, const std::function<bool()> &work);

  /// The same for what cannot fail.
  void exclude(const std::function<void()> &work);

  void setHandler(dietcode_diagnostic_handler function, void *data);
  mlir::MLIRContext &getMLIR() { return *mlir; }

private:
  void handle(mlir::Diagnostic &diagnostic, std::string &errors) const;

  std::mutex mutex;
  std::unique_ptr<mlir::MLIRContext> mlir;
  dietcode_diagnostic_handler handler = nullptr;
  void *user = nullptr;
};

/// Keeps its context, and is used in its turns only.
struct Module {
  Module(std::shared_ptr<Context> context, mlir::OwningOpRef<mlir::ModuleOp> op)
      : context(std::move(context)), op(std::move(op)) {}
  ~Module() {
    context->exclude([&] { op = {}; });
  }

  std::shared_ptr<Context> context;
  mlir::OwningOpRef<mlir::ModuleOp> op;
};

using Contexts = HandleTable<dietcode_context, Context>;
using Modules = HandleTable<dietcode_module, Module>;

/// The object of a handle, or a failure that says what it is no handle of.
template <typename Table, typename Handle>
auto lookUp(const Handle *handle, const char *kind)
    -> tl::expected<decltype(Table::get().find(handle)), Failure> {
  if (auto object = Table::get().find(handle))
    return object;
  return failWith(DIETCODE_INVALID_ARGUMENT,
                  std::string(handle ? "this is no " : "null is no ") + kind +
                      (handle ? ", or it was destroyed" : ""));
}

} // namespace dietcode::capi

#endif // DIETCODE_LIB_CAPI_BOUNDARY_H
