//===- VirtualDevice.h - The virtual GPU as a device ------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_DEVICE_VIRTUALDEVICE_H
#define DIETCODE_LIB_DEVICE_VIRTUALDEVICE_H

#include "dietcode/Device/Device.h"

namespace dietcode {

/// A virtual GPU with the limits of instructions that the environment sets.
Expected<std::unique_ptr<Device>> makeVirtualDevice(const DeviceSpec &spec);

} // namespace dietcode

#endif // DIETCODE_LIB_DEVICE_VIRTUALDEVICE_H
