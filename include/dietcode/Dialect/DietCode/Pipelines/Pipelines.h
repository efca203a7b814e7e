//===- Pipelines.h - Pipelines of DietCode ----------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way from operators to host code and PTX as one pipeline, for compilers
// that add it to their own pass manager and for `dietcode-opt`.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DIALECT_DIETCODE_PIPELINES_PIPELINES_H
#define DIETCODE_DIALECT_DIETCODE_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::dietcode {

/// What kernels are shipped as.
enum class KernelFormat { PTX, Cubin };

/// The options of `dietcode-to-llvm`.
struct DietCodeToLLVMOptions : PassPipelineOptions<DietCodeToLLVMOptions> {
  Option<std::string> device{
      *this, "device",
      llvm::cl::desc("Device to select micro-kernels for (default: the "
                     "module's, or else t4)")};
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("Architecture to generate code for, e.g. sm_75 (default: "
                     "the module's, or else that of the device)")};
  ListOption<std::string> moreChips{
      *this, "more-chips",
      llvm::cl::desc("Newer architectures that the kernels are compiled for as "
                     "well, e.g. sm_80,sm_86")};
  Option<unsigned> ptxVersion{
      *this, "ptx-version",
      llvm::cl::desc("PTX ISA of the kernels, e.g. 65 for 6.5 (default: the "
                     "first that knows the chip, at least 6.5)"),
      llvm::cl::init(0)};
  Option<KernelFormat> format{
      *this, "format", llvm::cl::desc("What the kernels are shipped as"),
      llvm::cl::init(KernelFormat::PTX),
      llvm::cl::values(
          clEnumValN(KernelFormat::PTX, "ptx",
                     "PTX, which the driver compiles"),
          clEnumValN(KernelFormat::Cubin, "cubin",
                     "Machine code of the chip, which needs ptxas"))};
  Option<unsigned> maxKernels{
      *this, "max-kernels",
      llvm::cl::desc("Most micro-kernels that one operator may use"),
      llvm::cl::init(8)};
  Option<double> maxRegret{
      *this, "max-regret",
      llvm::cl::desc("Largest predicted regret that is accepted at any shape "
                     "of the range, e.g. 0.25 (default: any)"),
      llvm::cl::init(-1.0)};
  Option<bool> reportMisses{
      *this, "report-misses",
      llvm::cl::desc("Count calls with shapes outside of the declared ranges, "
                     "for dietcode-tune --misses"),
      llvm::cl::init(false)};
  Option<bool> planMemory{
      *this, "plan-memory",
      llvm::cl::desc("Allocate the buffers of a call at once; without, "
                     "checkers of the virtual GPU see each of them"),
      llvm::cl::init(true)};
  Option<unsigned> optLevel{
      *this, "opt-level",
      llvm::cl::desc("Optimization level of the kernels, 0 to 3"),
      llvm::cl::init(2)};
};

/// From linalg and tensors to operators whose dimensions are bound to shape
/// variables: the input of tuning.
void buildRaisePipeline(OpPassManager &pm,
                        const DietCodeToLLVMOptions &options);

/// From linalg and tensors to operators with a dispatch: what a tuned file
/// holds, still readable and independent of how it is lowered.
void buildSelectPipeline(OpPassManager &pm,
                         const DietCodeToLLVMOptions &options);

/// From operators with a dispatch to kernels and the host code that launches
/// them, on buffers.
void buildGenerateKernelsPipeline(OpPassManager &pm,
                                  const DietCodeToLLVMOptions &options);

/// From kernels and launches to PTX and the LLVM dialect, with MLIR's passes.
void buildLowerToLLVMPipeline(OpPassManager &pm,
                              const DietCodeToLLVMOptions &options);

/// All three in a row: `dietcode-to-llvm`.
void buildDietCodeToLLVMPipeline(OpPassManager &pm,
                                 const DietCodeToLLVMOptions &options);

/// Registers the pipelines under their command-line names.
void registerDietCodePipelines();

/// Registers what the pipelines need to know about operations of other
/// dialects: how they bufferize, convert to LLVM, and translate to PTX. A
/// subset of MLIR's `registerAllExtensions`; without it, bufferization and
/// conversions skip what they do not know, and fail later.
void registerDietCodePipelineExtensions(DialectRegistry &registry);

} // namespace mlir::dietcode

#endif // DIETCODE_DIALECT_DIETCODE_PIPELINES_PIPELINES_H
