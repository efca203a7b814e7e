//===- JitFunction.h - A compiled function that can be called ---*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a module of the LLVM dialect for the host and calls one function of
// it with data whose types are known at run time only.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUN_JITFUNCTION_H
#define DIETCODE_RUN_JITFUNCTION_H

#include "dietcode/Run/Arguments.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"

#include <memory>

namespace mlir::dietcode {

/// What a function returned. A tensor or buffer is a view into memory that the
/// caller owns if `allocated` is not memory of an argument.
struct RunResult {
  ::dietcode::ElementKind kind = ::dietcode::ElementKind::F32;
  bool isShaped = false;
  void *allocated = nullptr;
  char *aligned = nullptr;
  ::dietcode::StridedLayout layout;
  alignas(8) char scalar[8] = {};

  /// The elements in C order, or the scalar, as an array.
  ::dietcode::NpyArray toNpy() const;
};

/// The values of an array, widened to double.
std::vector<double> toDoubles(const ::dietcode::NpyArray &array);

/// The buffers that a call has allocated for its results, each once: those that
/// are not buffers of its arguments.
SmallVector<void *> getOwnedBuffers(const std::vector<RunResult> &results,
                                    const std::vector<RunArgument> &arguments);

/// A function of a module, compiled for the host.
class JitFunction {
public:
  /// Compiles `module`, in which the function `name`, of the type `type` before
  /// its lowering, has a C interface. Emits one error where that fails.
  static FailureOr<std::unique_ptr<JitFunction>>
  create(ModuleOp module, StringRef name, FunctionType type);

  /// Runs the global constructors of the module.
  void initialize() { engine->initialize(); }

  /// Runs a call and says whether it came to its end.
  using Guard = llvm::function_ref<bool(llvm::function_ref<void()>)>;

  /// Calls the function. Nothing is returned where `guard` says that the call
  /// did not come to its end; the guarded frames own nothing.
  std::optional<std::vector<RunResult>>
  call(std::vector<RunArgument> &arguments, Guard guard = callDirectly);

private:
  JitFunction() = default;
  static bool callDirectly(llvm::function_ref<void()> body) {
    body();
    return true;
  }

  std::unique_ptr<ExecutionEngine> engine;
  void (*entry)(void **) = nullptr;
  SmallVector<RunResult> resultTypes; ///< Only type and rank are set.
};

} // namespace mlir::dietcode

#endif // DIETCODE_RUN_JITFUNCTION_H
