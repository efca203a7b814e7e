//===- KernelLibrary.cpp - The micro-kernels of a module ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLibrary.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace mlir::dietcode;

/// Whether the same kernel serves both: types and maps of the operands and the
/// epilogue are equal; which operation it is and which dispatch it belongs to
/// does not matter.
static bool needSameKernel(ContractionOpInterface lhs,
                           ContractionOpInterface rhs) {
  if (lhs->getOperandTypes() != rhs->getOperandTypes() ||
      lhs.getAccumulate() != rhs.getAccumulate() ||
      lhs.getSumElementType() != rhs.getSumElementType() ||
      lhs.getOperandMaps() != rhs.getOperandMaps())
    return false;
  return OperationEquivalence::isRegionEquivalentTo(
      &lhs.getEpilogue(), &rhs.getEpilogue(),
      OperationEquivalence::IgnoreLocations);
}

gpu::GPUModuleOp KernelLibrary::getGPUModule() {
  if (gpuModule)
    return gpuModule;
  OpBuilder builder(module.getContext());
  gpuModule =
      gpu::GPUModuleOp::create(builder, module.getLoc(), "dietcode_kernels");
  SymbolTable(module).insert(gpuModule, module.getBody()->begin());
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  builder.getUnitAttr());
  return gpuModule;
}

gpu::GPUFuncOp KernelLibrary::getOrCreate(ContractionOpInterface op,
                                          MicroKernelOp microKernel,
                                          const ::dietcode::KernelStep &step,
                                          Twin twin) {
  for (const Entry &entry : entries)
    if (entry.microKernel == microKernel && entry.step == step.suffix &&
        entry.twin == twin && needSameKernel(entry.op, op))
      return entry.kernel;
  OpBuilder builder = OpBuilder::atBlockEnd(getGPUModule().getBody());
  std::string name =
      (op->getName().stripDialect() + "_" + microKernel.getSymName() +
       step.suffix + (twin == Twin::Aligned ? "_aligned" : "_general"))
          .str();
  KernelRequest request{op, microKernel.getSchedule().getSchedule(), step,
                        twin};
  gpu::GPUFuncOp kernel = step.suffix.empty()
                              ? buildContractionKernel(builder, request, name)
                              : buildReductionKernel(builder, request, name);
  // Makes the name unique among the kernels of other operators.
  kernel->remove();
  SymbolTable(getGPUModule()).insert(kernel);
  entries.push_back({op, microKernel, step.suffix, twin, kernel});
  return kernel;
}
