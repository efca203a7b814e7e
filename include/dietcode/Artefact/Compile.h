//===- Compile.h - Ahead-of-time compilation --------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles functions of a module to what a program without LLVM can call: see
// docs/artefacts.md. The work of dietcode-compile.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_ARTEFACT_COMPILE_H
#define DIETCODE_ARTEFACT_COMPILE_H

#include "dietcode/Artefact/Signature.h"
#include "dietcode/Dialect/DietCode/Pipelines/Pipelines.h"
#include "mlir/Support/LogicalResult.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::dietcode {

/// The kernels of an artefact, compiled for one chip.
struct CompiledKernels {
  std::string chip;
  std::string ptx;
  std::string cubin; ///< Empty if it was not asked for or cannot be had.
};

/// Whether kernels are assembled to machine code, which needs ptxas.
enum class CubinMode {
  Never,
  IfPossible, ///< A warning says for which chip it is not.
  Always,
};

struct CompileOptions {
  /// Empty: all public functions.
  SmallVector<std::string> entries;
  /// Empty: that of the module or of the device.
  SmallVector<std::string> chips;
  CubinMode cubins = CubinMode::IfPossible;
  /// But for chips, which are above.
  DietCodeToLLVMOptions pipeline;
};

/// Compiled functions, before machine code for the host.
class CompiledModule {
public:
  ~CompiledModule();
  CompiledModule(CompiledModule &&);

  std::vector<EntrySignature> entries;
  SmallVector<CompiledKernels> kernels; ///< The oldest chip first.

  /// The host code with everything embedded, as LLVM IR.
  std::string printLLVM() const;
  /// As an object file of this machine's kind that can become part of a shared
  /// library.
  FailureOr<std::string> emitObject(Location loc) const;

private:
  friend FailureOr<CompiledModule> compileModule(ModuleOp,
                                                 const CompileOptions &);
  CompiledModule();
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> host;
};

/// Compiles `module`, which is lowered on the way. Emits one error where that
/// fails.
FailureOr<CompiledModule> compileModule(ModuleOp module,
                                        const CompileOptions &options);

} // namespace mlir::dietcode

#endif // DIETCODE_ARTEFACT_COMPILE_H
