//===- FakeNvml.cpp - NVIDIA's management library without a GPU -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It knows the GPU of the fake driver, or the one with the bus id that
// FAKE_NVML_BUS names.
//
//===----------------------------------------------------------------------===//

#include <cstdlib>
#include <cstring>

static bool isStarted = false;
static int theGpu = 0;

enum : int { kSuccess = 0, kUninitialized = 1, kInvalid = 2, kNotFound = 6 };

static int answer(void *device, unsigned value, unsigned *result) {
  if (device != &theGpu)
    return kInvalid;
  *result = value;
  return kSuccess;
}

extern "C" {

int nvmlInit_v2() {
  isStarted = true;
  return kSuccess;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *busId, void **device) {
  const char *named = std::getenv("FAKE_NVML_BUS");
  if (!isStarted)
    return kUninitialized;
  if (std::strcmp(busId, named ? named : "0000:3B:00.0") != 0)
    return kNotFound;
  *device = &theGpu;
  return kSuccess;
}
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *megahertz) {
  return answer(device, type == 1 ? 1590 : type == 2 ? 5001 : 0, megahertz);
}
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts) {
  return answer(device, 68250, milliwatts);
}
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius) {
  return sensor == 0 ? answer(device, 61, celsius) : kInvalid;
}
}
