//===- Device.h - The process's device --------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mgpu* functions in terms of Expected. They own what a jump to guardedCall
// would leak, so they return their errors; the C functions above them own
// nothing and raise.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_DEVICE_H
#define DIETCODE_LIB_RUNTIME_DEVICE_H

#include "dietcode/Runtime/Runtime.h"
#include <memory>
#include <mutex>
#include <unordered_map>

namespace dietcode::runtime {

struct LoadedModule;

/// A kernel of a loaded module.
struct Function {
  LoadedModule *module;
  std::string name;
};

struct LoadedModule {
  std::shared_ptr<const vgpu::Module> module;
  std::unordered_map<std::string, std::unique_ptr<Function>> functions;
};

/// The device that DIETCODE_DEVICE names, with what is loaded on it.
class Device {
public:
  /// Made at the first call and never destroyed: programs may still use it
  /// while the process ends.
  static Expected<Device *> get();

  vgpu::VirtualGPU &gpu() { return virtualGpu; }
  const std::string &description() const { return text; }

  /// The text ends at a NUL, or after `limit` bytes.
  Expected<LoadedModule *> load(const void *data, size_t limit);
  Expected<bool> unload(LoadedModule *module);
  Expected<Function *> function(LoadedModule *module, const char *name);
  /// Returns LaunchReport::written.
  Expected<std::vector<vgpu::WrittenRange>>
  launch(Function *function, const vgpu::LaunchConfig &config, void **params,
         size_t paramCount, FailureKind &kind);
  /// Whether `bytes` at `pointer` do not run past a device allocation.
  Expected<bool> checkCopy(const void *pointer, uint64_t bytes,
                           const char *what);

private:
  Device(const DeviceSpec &spec, const vgpu::CheckOptions &checks,
         uint64_t instructionLimit, bool usePtxas, std::string text)
      : virtualGpu(spec), checks(checks), instructionLimit(instructionLimit),
        usePtxas(usePtxas), text(std::move(text)) {}

  vgpu::VirtualGPU virtualGpu;
  vgpu::CheckOptions checks;     ///< From DIETCODE_VGPU_CHECK.
  uint64_t instructionLimit = 0; ///< From DIETCODE_VGPU_MAX_INSTRUCTIONS.
  bool usePtxas = false;         ///< From DIETCODE_VGPU_REGISTERS.
  std::string text;
  std::mutex mutex;
  std::unordered_map<LoadedModule *, std::unique_ptr<LoadedModule>> modules;
  std::unordered_map<Function *, std::shared_ptr<const vgpu::Module>> functions;
  unsigned moduleCounter = 0;
};

/// Appends to the launch log if it was started.
void logLaunch(LaunchRecord record);

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_DEVICE_H
