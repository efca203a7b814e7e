//===- Pipelines.cpp - Pipelines of DietCode ------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/Pipelines/Pipelines.h"
#include "dietcode/Conversion/Passes.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "dietcode/Target/DeviceSpec.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::dietcode;

//===----------------------------------------------------------------------===//
// Select
//===----------------------------------------------------------------------===//

void mlir::dietcode::buildRaisePipeline(OpPassManager &pm,
                                        const DietCodeToLLVMOptions &options) {
  DietCodeAttachDevicePassOptions device;
  device.device = options.device;
  device.chip = options.chip;
  pm.addPass(createDietCodeAttachDevicePass(device));
  // Front ends compute sizes as integers that might be negative, such as those
  // of a view: what no size can be is folded, so that sizes are seen to be
  // equal.
  pm.addPass(arith::createIntRangeOptimizationsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // So that arith and math on whole tensors become kernels, too.
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(createConvertLinalgToDietCodePass());
  pm.addPass(createConvertLinalgToRowwisePass());
  pm.addPass(createDietCodeFuseRowwisePass());
  pm.addPass(createDietCodeBindShapesPass());
}

void mlir::dietcode::buildSelectPipeline(OpPassManager &pm,
                                         const DietCodeToLLVMOptions &options) {
  buildRaisePipeline(pm, options);
  DietCodeSelectMicroKernelsPassOptions select;
  select.maxKernels = options.maxKernels;
  select.maxRegret = options.maxRegret;
  pm.addPass(createDietCodeSelectMicroKernelsPass(select));
}

//===----------------------------------------------------------------------===//
// Generate kernels
//===----------------------------------------------------------------------===//

void mlir::dietcode::buildGenerateKernelsPipeline(
    OpPassManager &pm, const DietCodeToLLVMOptions &options) {
  // Bindings are facts about tensors, so they are checked before buffers.
  DietCodeInsertShapeChecksPassOptions checks;
  checks.reportMisses = options.reportMisses;
  pm.addPass(createDietCodeInsertShapeChecksPass(checks));
  // Bufferization has no notion of arith and math on whole tensors.
  pm.addPass(createConvertElementwiseToLinalgPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // A loop may carry the result of an operator to its next iteration.
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // Before there are kernels, so that nothing walks through them.
  pm.addPass(createDietCodeAllocateOnDevicePass());
  pm.addPass(createConvertDietCodeToGPUPass());
  if (options.planMemory) {
    OpPassManager &functions = pm.nest<func::FuncOp>();
    // Sizes are equal where values are.
    functions.addPass(createCanonicalizerPass());
    functions.addPass(createCSEPass());
    functions.addPass(createDietCodePlanMemoryPass());
  }
  pm.addPass(createConvertDietCodeDispatchToSCFPass());
}

//===----------------------------------------------------------------------===//
// Lower to LLVM
//===----------------------------------------------------------------------===//

/// To NVVM in gpu.module.
static void buildKernelPipeline(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createDietCodeExpandMathPass());
  kernels.addPass(createSCFToControlFlowPass());
  ConvertGpuOpsToNVVMOpsOptions nvvm;
  nvvm.indexBitwidth = 64;
  kernels.addPass(createConvertGpuOpsToNVVMOps(nvvm));
  kernels.addPass(createReconcileUnrealizedCastsPass());
}

/// What is left of other dialects on the host, to what the LLVM conversions
/// know.
static void buildHostPipeline(OpPassManager &pm) {
  pm.addPass(createDietCodeLowerAssertionsPass());
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createDietCodeLowerCopiesPass());
  functions.addPass(createDietCodeLowerReshapesPass());
  functions.addPass(createConvertLinalgToLoopsPass());
  functions.addPass(createLowerAffinePass());
  functions.addPass(createSCFToControlFlowPass());
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  math::MathExpandOpsPassOptions expand;
  expand.opMnemonics = {"fpowi"}; // LLVM has those of i32 exponents only.
  functions.addPass(math::createMathExpandOpsPass(expand));
  // Of types less precise than f32 there are no functions, and of bf16 no
  // arithmetic either.
  functions.addPass(math::createMathExtendToSupportedTypes());
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16"};
  functions.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  functions.addPass(createDietCodeExpandBFloat16Pass());
  functions.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
}

void mlir::dietcode::buildLowerToLLVMPipeline(
    OpPassManager &pm, const DietCodeToLLVMOptions &options) {
  pm.addPass(createDietCodeCheckGeneratedPass());
  buildKernelPipeline(pm);
  buildHostPipeline(pm);
  DietCodeAttachNVVMTargetPassOptions target;
  target.ptxVersion = options.ptxVersion;
  target.optLevel = options.optLevel;
  target.moreChips.assign(options.moreChips.begin(), options.moreChips.end());
  pm.addPass(createDietCodeAttachNVVMTargetPass(target));
  pm.addPass(createGpuToLLVMConversionPass());
  GpuModuleToBinaryPassOptions binary;
  binary.compilationTarget =
      options.format == KernelFormat::Cubin ? "bin" : "isa";
  pm.addPass(createGpuModuleToBinaryPass(binary));
  pm.addPass(createDietCodeDropCompileTimesPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createDietCodeCheckLoweredPass());
}

void mlir::dietcode::buildDietCodeToLLVMPipeline(
    OpPassManager &pm, const DietCodeToLLVMOptions &options) {
  buildSelectPipeline(pm, options);
  buildGenerateKernelsPipeline(pm, options);
  buildLowerToLLVMPipeline(pm, options);
}

void mlir::dietcode::registerDietCodePipelines() {
  PassPipelineRegistration<DietCodeToLLVMOptions>(
      "dietcode-select",
      "Raise to dietcode operators and select micro-kernels for them",
      buildSelectPipeline);
  PassPipelineRegistration<DietCodeToLLVMOptions>(
      "dietcode-generate-kernels",
      "Bufferize, generate micro-kernels and launch them",
      buildGenerateKernelsPipeline);
  PassPipelineRegistration<DietCodeToLLVMOptions>(
      "dietcode-lower-to-llvm",
      "Lower generated kernels to PTX and their host code to the LLVM dialect",
      buildLowerToLLVMPipeline);
  PassPipelineRegistration<DietCodeToLLVMOptions>(
      "dietcode-to-llvm",
      "Compile linalg or dietcode operators to PTX and the LLVM dialect",
      buildDietCodeToLLVMPipeline);
}
