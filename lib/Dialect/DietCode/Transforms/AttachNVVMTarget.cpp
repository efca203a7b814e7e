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
#include "llvm/ADT/StringExtras.h"
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

/// The PTX ISAs that the back end of LLVM 22 writes (source: `llc
/// -march=nvptx64 -mattr=help`). It ignores others and falls back to the
/// oldest.
static constexpr unsigned kPtxVersions[] = {
    32, 40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73,
    74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

static std::string formatPtxVersion(unsigned version) {
  return llvm::formatv("{0}.{1}", version / 10, version % 10).str();
}

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
      if (failed(attachTargets(gpuModule, device)))
        return signalPassFailure();
    }
    // The targets say it now, in terms that tools without DietCode know.
    module->removeAttr(DietCodeDialect::getDeviceAttrName());
  }

private:
  LogicalResult attachTargets(gpu::GPUModuleOp gpuModule, DeviceAttr device);
  FailureOr<Attribute> makeTarget(Location loc, StringRef chip);
};

} // namespace

FailureOr<Attribute> AttachNVVMTarget::makeTarget(Location loc,
                                                  StringRef chip) {
  unsigned least = ::dietcode::lookupChip(chip)->minimumPtxVersion;
  unsigned version =
      ptxVersion ? ptxVersion : std::max(least, kMinimumPtxVersion);
  // The back end aborts on a version that does not know the chip.
  if (version < least || !llvm::is_contained(kPtxVersions, version)) {
    auto usable = llvm::make_filter_range(
        kPtxVersions, [&](unsigned known) { return known >= least; });
    return emitError(loc) << "PTX ISA " << formatPtxVersion(version)
                          << " cannot be used for " << chip << "; use one of "
                          << llvm::join(
                                 llvm::map_range(usable, formatPtxVersion),
                                 ", ");
  }
  return Attribute(
      NVVM::NVVMTargetAttr::get(&getContext(), optLevel, "nvptx64-nvidia-cuda",
                                chip, llvm::formatv("+ptx{0}", version).str()));
}

LogicalResult AttachNVVMTarget::attachTargets(gpu::GPUModuleOp gpuModule,
                                              DeviceAttr device) {
  Location loc = gpuModule.getLoc();
  if (optLevel > 3)
    return emitError(loc) << "opt-level must be 0 to 3, got "
                          << optLevel.getValue();
  const auto *base = ::dietcode::lookupChip(device.getChip());
  SmallVector<StringRef> chips = {device.getChip()};
  for (StringRef name : moreChips) {
    const auto *chip = ::dietcode::lookupChip(name);
    if (!chip)
      return emitError(loc)
             << "more-chips: unknown chip '" << name << "'; known are "
             << llvm::join(::dietcode::knownChipNames(), ", ");
    if (chip->computeCapability < base->computeCapability)
      return emitError(loc)
             << "more-chips: " << name << " is older than " << device.getChip()
             << ", which the kernels were generated for";
    if (!llvm::is_contained(chips, name))
      chips.push_back(name);
  }
  SmallVector<Attribute> targets;
  for (StringRef chip : chips) {
    FailureOr<Attribute> target = makeTarget(loc, chip);
    if (failed(target))
      return failure();
    targets.push_back(*target);
  }
  gpuModule.setTargetsAttr(ArrayAttr::get(&getContext(), targets));
  return success();
}
