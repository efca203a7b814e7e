//===- EmbedKernels.cpp - Kernels for several chips in one ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmbedKernels.h"

#include "dietcode/Target/KernelImages.h"
#include "dietcode/Target/Ptxas.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::KernelImage;
using ::dietcode::KernelImageKind;
using ::dietcode::PtxasOutcome;
using ::dietcode::PtxasStatus;

/// Fills in the machine code of kernels, or says why there is none.
static LogicalResult assemble(gpu::BinaryOp binary, CubinMode mode,
                              CompiledKernels &kernels) {
  if (mode == CubinMode::Never)
    return success();
  PtxasOutcome outcome = ::dietcode::assembleCubin(
      kernels.ptx, kernels.chip, binary.getName().str(), kernels.cubin);
  if (outcome.status == PtxasStatus::Ok)
    return success();
  // A machine without ptxas is no reason to warn.
  if (mode == CubinMode::IfPossible && outcome.status == PtxasStatus::Absent)
    return success();
  InFlightDiagnostic diag = mode == CubinMode::Always
                                ? emitError(binary.getLoc())
                                : emitWarning(binary.getLoc());
  diag << "no machine code for " << kernels.chip << ": " << outcome.message;
  return mode == CubinMode::Always ? failure() : success();
}

static LogicalResult embed(gpu::BinaryOp binary, CubinMode mode,
                           SmallVectorImpl<CompiledKernels> &kernels) {
  size_t first = kernels.size();
  for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
    auto target = cast<NVVM::NVVMTargetAttr>(object.getTarget());
    CompiledKernels compiled;
    compiled.chip = target.getChip().str();
    compiled.ptx = object.getObject().getValue().rtrim('\0').str();
    if (failed(assemble(binary, mode, compiled)))
      return failure();
    kernels.push_back(std::move(compiled));
  }
  std::vector<KernelImage> images;
  for (const CompiledKernels &compiled : ArrayRef(kernels).drop_front(first)) {
    images.push_back({compiled.chip, KernelImageKind::Ptx, compiled.ptx});
    if (!compiled.cubin.empty())
      images.push_back({compiled.chip, KernelImageKind::Cubin, compiled.cubin});
  }
  auto packed = ::dietcode::packKernelImages(images);
  if (!packed)
    return emitError(binary.getLoc()) << packed.error().message;
  auto old = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
  // As machine code, of which the runtime is told the size.
  auto object =
      gpu::ObjectAttr::get(old.getTarget(), gpu::CompilationTarget::Binary,
                           StringAttr::get(binary.getContext(), *packed),
                           old.getProperties(), old.getKernels());
  binary.setObjectsAttr(ArrayAttr::get(binary.getContext(), object));
  return success();
}

LogicalResult
mlir::dietcode::embedKernels(ModuleOp module, CubinMode cubins,
                             SmallVectorImpl<CompiledKernels> &kernels) {
  for (auto binary : module.getOps<gpu::BinaryOp>())
    if (failed(embed(binary, cubins, kernels)))
      return failure();
  return success();
}
