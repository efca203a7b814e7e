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

namespace {

struct AttachDevice
    : mlir::dietcode::impl::DietCodeAttachDevicePassBase<AttachDevice> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    StringRef name = DietCodeDialect::getDeviceAttrName();
    auto present = module->getAttrOfType<DeviceAttr>(name);
    if (present && chip.empty())
      return;
    StringRef deviceName = present ? present.getName() : device.getValue();
    // An unknown device is reported by the verifier of the attribute.
    std::string chipName = chip;
    if (chipName.empty())
      if (const auto *spec = ::dietcode::lookupDevice(deviceName))
        chipName = spec->chip;
    auto emitError = [&] { return mlir::emitError(module.getLoc()); };
    auto attr = DeviceAttr::getChecked(emitError, &getContext(), deviceName,
                                       StringRef(chipName));
    if (!attr)
      return signalPassFailure();
    module->setAttr(name, attr);
  }
};

} // namespace
