//===- Nvml.cpp - Clocks and power of NVIDIA GPUs -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nvml.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace dietcode;

namespace {

using Handle = struct NvmlDeviceTag *;
constexpr int kSuccess = 0;

/// nvmlClockType_t and nvmlTemperatureSensors_t.
enum ClockType : int { kClockSM = 1, kClockMemory = 2 };
enum Sensor : int { kSensorGpu = 0 };

/// The part of the library that is used, as its documentation declares it. A
/// function that is missing tells nothing.
struct Library {
  int (*init)() = nullptr;
  int (*find)(const char *busId, Handle *) = nullptr;
  int (*clock)(Handle, ClockType, unsigned *megahertz) = nullptr;
  int (*power)(Handle, unsigned *milliwatts) = nullptr;
  int (*temperature)(Handle, Sensor, unsigned *celsius) = nullptr;
};

} // namespace

/// Never closed: the next measurement asks again.
static Library openLibrary() {
  const char *named = std::getenv("DIETCODE_LIBNVML");
  void *file = ::dlopen(named && *named ? named : "libnvidia-ml.so.1",
                        RTLD_NOW | RTLD_LOCAL);
  Library library;
  auto find = [&](auto &function, const char *name) {
    if (file)
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          ::dlsym(file, name));
  };
  find(library.init, "nvmlInit_v2");
  find(library.find, "nvmlDeviceGetHandleByPciBusId_v2");
  find(library.clock, "nvmlDeviceGetClockInfo");
  find(library.power, "nvmlDeviceGetPowerUsage");
  find(library.temperature, "nvmlDeviceGetTemperature");
  if (!library.init || !library.find || library.init() != kSuccess)
    return Library();
  return library;
}

DeviceConditions dietcode::askConditions(const std::string &busId) {
  static const Library library = openLibrary();
  DeviceConditions conditions;
  Handle device = nullptr;
  if (!library.find || library.find(busId.c_str(), &device) != kSuccess)
    return conditions;
  auto ask = [&](auto function, auto... arguments) {
    unsigned value = 0;
    return function && function(device, arguments..., &value) == kSuccess
               ? value
               : 0u;
  };
  conditions.smMegahertz = ask(library.clock, kClockSM);
  conditions.memoryMegahertz = ask(library.clock, kClockMemory);
  conditions.watts = 1e-3 * ask(library.power);
  conditions.celsius = ask(library.temperature, kSensorGpu);
  return conditions;
}
