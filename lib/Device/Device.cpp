//===- Device.cpp - Devices by name ---------------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Device/Device.h"
#include "VirtualDevice.h"

using namespace dietcode;

static std::string knownNames() {
  std::string names;
  for (std::string_view name : knownDeviceNames())
    names += (names.empty() ? "" : ", ") + std::string(virtualDevicePrefix) +
             std::string(name);
  return names;
}

Expected<const DeviceSpec *>
dietcode::lookupDeviceByName(std::string_view name) {
  bool isCuda = name == "cuda" || name.substr(0, 5) == "cuda:";
  if (isCuda)
    return fail(std::string(name) +
                ": this build has no CUDA device; use one of " + knownNames());
  const DeviceSpec *spec = nullptr;
  if (name.substr(0, virtualDevicePrefix.size()) == virtualDevicePrefix)
    spec = lookupDevice(name.substr(virtualDevicePrefix.size()));
  if (!spec)
    return fail(std::string(name) + ": there is no such device; use one of " +
                knownNames());
  return spec;
}

Expected<std::unique_ptr<Device>> dietcode::openDevice(std::string_view name) {
  Expected<const DeviceSpec *> spec = lookupDeviceByName(name);
  if (!spec)
    return tl::unexpected(spec.error());
  return makeVirtualDevice(**spec);
}
