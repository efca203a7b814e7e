//===- Device.h - Running kernels on any device -----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What measuring needs of a GPU, be it virtual or real: load PTX, hold buffers,
// launch, and say how long it took. Devices are chosen by name at run time.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DEVICE_DEVICE_H
#define DIETCODE_DEVICE_DEVICE_H

#include "dietcode/Record/RunMeasurement.h"
#include "dietcode/Support/Expected.h"
#include "dietcode/Target/DeviceSpec.h"
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

/// An address on the device.
using DevicePointer = uint64_t;

/// What loading a kernel tells about it.
struct KernelFacts {
  /// Per thread; on a virtual device an estimate from the PTX.
  int64_t registers = 0;
  int64_t staticSharedBytes = 0;
  int64_t localBytes = 0;           ///< Per thread, spilled registers included.
  std::vector<uint32_t> paramBytes; ///< Size of each parameter.
};

/// A loaded PTX module.
class DeviceModule {
public:
  virtual ~DeviceModule() = default;
  /// Names the kernels that there are if it is none of them.
  virtual Expected<KernelFacts> kernel(const std::string &name) const = 0;
};

enum class BufferUse : uint8_t {
  /// Holds bytes of 0xff, NaN as a float. Checkers know that nobody has written
  /// them.
  Checked,
  /// Costs nothing until it is touched, and reads as anything: for operands of
  /// launches that are only timed.
  Timed,
};

struct DeviceLaunch {
  std::string kernel;
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
  int64_t dynamicSharedBytes = 0;
  /// Registers per thread as the assembler allocated them, for devices that
  /// have no assembler; 0: unknown.
  int64_t registers = 0;
  /// The value of each parameter.
  std::vector<std::vector<char>> params;
};

/// What a launch takes of an SM.
struct LaunchResult {
  int64_t registers = 0;
  int64_t sharedBytes = 0; ///< Of a block.
  int64_t blocksPerSM = 0; ///< Resident at once.
};

/// Launches one after the other.
struct TimedRun {
  double seconds = 0; ///< Of the device's clock, all launches together.
  LaunchResult first; ///< Of the first launch.
  /// Nothing if the clock is a model's.
  std::optional<RunMeasurement> measured;
};

/// Why a launch failed.
enum class LaunchFailure : uint8_t {
  Refused, ///< Before anything ran.
  Finding, ///< Something that a checker, or the device, found in the kernel.
  Endless, ///< A block executed more instructions than any block may.
};

class Device {
public:
  virtual ~Device() = default;

  /// As openDevice takes it, e.g. "virtual:t4".
  virtual const std::string &name() const = 0;
  /// As records name it. Numbers of GPUs say nothing on another machine, so it
  /// is "cuda:Tesla T4" where name() is "cuda:0".
  virtual const std::string &recordName() const = 0;
  virtual const DeviceSpec &spec() const = 0;
  /// Whether times are a model's and no measurements.
  virtual bool isModel() const = 0;

  /// `name` is what errors call the module.
  virtual Expected<std::shared_ptr<const DeviceModule>>
  loadModule(std::string_view ptx, const std::string &name) = 0;

  virtual Expected<DevicePointer> allocate(uint64_t bytes, BufferUse use,
                                           const std::string &label) = 0;
  virtual Expected<bool> free(DevicePointer pointer) = 0;
  virtual Expected<bool> copyToDevice(DevicePointer to, const void *from,
                                      uint64_t bytes) = 0;
  virtual Expected<bool> copyToHost(void *to, DevicePointer from,
                                    uint64_t bytes) = 0;

  /// Runs a kernel to its end: every block, watched by every checker that the
  /// device has.
  virtual Expected<LaunchResult> launch(const DeviceModule &module,
                                        const DeviceLaunch &launch,
                                        LaunchFailure *failure = nullptr) = 0;

  /// How long launches take, as fast as the device can say it. The first finds
  /// nothing of its operands in caches, if `measured` does not say otherwise,
  /// the others what those before have left.
  virtual Expected<TimedRun> time(const DeviceModule &module,
                                  const std::vector<DeviceLaunch> &launches,
                                  LaunchFailure *failure = nullptr) = 0;
};

/// The prefix of the virtual devices' names.
inline constexpr std::string_view virtualDevicePrefix = "virtual:";
/// What measuring and tuning use where no device is named.
inline constexpr std::string_view defaultDeviceName = "virtual:t4";

/// What programs run on where no device is named: "cuda:0" if it can be used,
/// or else the default.
std::string availableDeviceName();

/// What is known of "virtual:t4" or "cuda:0" ("cuda" for short). The error says
/// what names there are, or why a CUDA device cannot be used.
Expected<const DeviceSpec *> lookupDeviceByName(std::string_view name);

/// Device::recordName of the device called `name`.
Expected<std::string> recordNameOf(std::string_view name);

/// The device called `name`.
Expected<std::unique_ptr<Device>> openDevice(std::string_view name);

} // namespace dietcode

#endif // DIETCODE_DEVICE_DEVICE_H
