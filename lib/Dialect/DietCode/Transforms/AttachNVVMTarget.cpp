//===- AttachNVVMTarget.cpp - Say how kernels are compiled ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODEATTACHNVVMTARGETPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

/// PTX ISA 6.5 is the first with the instructions that kernels may use
/// (mma.m16n8k8).
static constexpr unsigned kMinimumPtxVersion = 65;

/// The newest PTX ISA that the back end of LLVM 22 writes.
static constexpr unsigned kMaximumPtxVersion = 90;

namespace {

struct AttachNVVMTarget
    : mlir::dietcode::impl::DietCodeAttachNVVMTargetPassBase<AttachNVVMTarget> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto gpuModule : module.getOps<gpu::GPUModuleOp>()) {
      if (gpuModule.getTargetsAttr())
        continue;
      DeviceAttr device = getDevice(gpuModule);
      if (!device) {
        gpuModule.emitError("the module does not say which device it is for; "
                            "run dietcode-attach-device");
        return signalPassFailure();
      }
      if (failed(attachTarget(gpuModule, device)))
        return signalPassFailure();
    }
    // The targets say it now, in terms that tools without DietCode know.
    module->removeAttr(DietCodeDialect::getDeviceAttrName());
  }

private:
  LogicalResult attachTarget(gpu::GPUModuleOp gpuModule, DeviceAttr device) {
    const auto *chip = ::dietcode::lookupChip(device.getChip());
    unsigned least = chip->minimumPtxVersion;
    unsigned version =
        ptxVersion ? ptxVersion : std::max(least, kMinimumPtxVersion);
    // The back end aborts on a version that it does not know or that does not
    // know the chip.
    if (version < least || version > kMaximumPtxVersion)
      return gpuModule.emitError()
             << "PTX ISA " << version / 10 << '.' << version % 10
             << " cannot be used for " << device.getChip() << "; use "
             << least / 10 << '.' << least % 10 << " to "
             << kMaximumPtxVersion / 10 << '.' << kMaximumPtxVersion % 10;
    if (optLevel > 3)
      return gpuModule.emitError()
             << "opt-level must be 0 to 3, got " << optLevel;
    auto target = NVVM::NVVMTargetAttr::get(
        &getContext(), optLevel, "nvptx64-nvidia-cuda", device.getChip(),
        llvm::formatv("+ptx{0}", version).str());
    gpuModule.setTargetsAttr(ArrayAttr::get(&getContext(), target));
    return success();
  }
};

} // namespace
