//===- Device.cpp - Devices by name ---------------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Device/Device.h"
#include "CudaDevice.h"
#include "VirtualDevice.h"

#include <charconv>

using namespace dietcode;

static std::string knownNames() {
  std::string names;
  for (std::string_view name : knownDeviceNames())
    names += (names.empty() ? "" : ", ") + std::string(virtualDevicePrefix) +
             std::string(name);
  return names;
}

std::optional<int> dietcode::parseCudaName(std::string_view name) {
  constexpr std::string_view kCuda = "cuda";
  if (name.substr(0, kCuda.size()) != kCuda)
    return std::nullopt;
  name.remove_prefix(kCuda.size());
  if (name.empty())
    return 0;
  int index = -1;
  const char *end = name.data() + name.size();
  if (name.front() != ':' || name.size() == 1 || name[1] == '-' ||
      std::from_chars(name.data() + 1, end, index).ptr != end)
    return std::nullopt;
  return index;
}

std::string dietcode::availableDeviceName() {
  return lookupCudaDevice(0) ? "cuda:0" : std::string(defaultDeviceName);
}

Expected<const DeviceSpec *>
dietcode::lookupDeviceByName(std::string_view name) {
  if (std::optional<int> index = parseCudaName(name))
    return lookupCudaDevice(*index);
  const DeviceSpec *spec = nullptr;
  if (name.substr(0, virtualDevicePrefix.size()) == virtualDevicePrefix)
    spec = lookupDevice(name.substr(virtualDevicePrefix.size()));
  if (!spec)
    return fail(std::string(name) + ": there is no such device; use one of " +
                knownNames() + ", or cuda:N");
  return spec;
}

Expected<std::string> dietcode::recordNameOf(std::string_view name) {
  if (std::optional<int> index = parseCudaName(name))
    return cudaRecordName(*index);
  if (auto known = lookupDeviceByName(name); !known)
    return tl::unexpected(known.error());
  return std::string(name);
}

Expected<std::unique_ptr<Device>> dietcode::openDevice(std::string_view name) {
  if (std::optional<int> index = parseCudaName(name))
    return makeCudaDevice(*index);
  Expected<const DeviceSpec *> spec = lookupDeviceByName(name);
  if (!spec)
    return tl::unexpected(spec.error());
  return makeVirtualDevice(**spec);
}
