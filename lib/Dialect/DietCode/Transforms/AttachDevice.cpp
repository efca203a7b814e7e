//===- AttachDevice.cpp - Say which device a module is for ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODEATTACHDEVICEPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

/// The device that a module is for unless anything else is said.
static constexpr StringLiteral kDefaultDevice = "t4";

namespace {

struct AttachDevice
    : mlir::dietcode::impl::DietCodeAttachDevicePassBase<AttachDevice> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto existing =
        module->getAttrOfType<DeviceAttr>(DietCodeDialect::getDeviceAttrName());
    if (failed(existing ? checkOptions(existing) : attach()))
      signalPassFailure();
  }

private:
  /// A module that says which device it is for is not for another one.
  LogicalResult checkOptions(DeviceAttr existing) {
    if ((device.empty() || device.getValue() == existing.getName()) &&
        (chip.empty() || chip.getValue() == existing.getChip()))
      return success();
    return emitError(getOperation().getLoc())
           << "the module is for " << existing << ", but the options ask for "
           << (device.empty() ? existing.getName() : StringRef(device)) << ", "
           << (chip.empty() ? existing.getChip() : StringRef(chip))
           << "; drop its attribute dietcode.device to compile it for another "
              "device";
  }

  LogicalResult attach() {
    StringRef name =
        device.empty() ? StringRef(kDefaultDevice) : StringRef(device);
    // An unknown device is reported by the verifier of the attribute.
    std::string chipName = chip;
    if (chipName.empty())
      if (const auto *spec = ::dietcode::lookupDevice(name))
        chipName = spec->chip;
    Location loc = getOperation().getLoc();
    auto attr =
        DeviceAttr::getChecked([&] { return emitError(loc); }, &getContext(),
                               name, StringRef(chipName));
    if (!attr)
      return failure();
    getOperation()->setAttr(DietCodeDialect::getDeviceAttrName(), attr);
    return success();
  }
};

} // namespace
