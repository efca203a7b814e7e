//===- KnownDevices.cpp - Table of known GPUs -----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Devices.h"

using namespace dietcode;

/// All known devices. Data only: code elsewhere must not test for a name.
static const std::vector<DeviceSpec> &knownDevices() {
  static const std::vector<DeviceSpec> devices = {
      makeT4(), makeRtx2080Ti(), makeV100(), makeA100(), makeL4(), makeH100()};
  return devices;
}

const DeviceSpec *dietcode::lookupDevice(std::string_view name) {
  for (const DeviceSpec &device : knownDevices())
    if (device.name == name)
      return &device;
  return nullptr;
}

std::vector<std::string_view> dietcode::knownDeviceNames() {
  std::vector<std::string_view> names;
  for (const DeviceSpec &device : knownDevices())
    names.push_back(device.name);
  return names;
}

std::string dietcode::virtualName(const DeviceSpec &device) {
  return "virtual:" + std::string(device.name) +
         (device.calibrated ? "" : " (uncalibrated)");
}
