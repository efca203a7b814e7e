//===- Device.h - The process's device --------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mgpu* functions in terms of Result, over one of two back ends: a virtual
// GPU or the CUDA driver. They own what a jump to guardedCall would leak, so
// they return their errors; the C functions above them own nothing and raise.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_DEVICE_H
#define DIETCODE_LIB_RUNTIME_DEVICE_H

#include "ModuleImage.h"
#include "dietcode/Runtime/Runtime.h"
#include <memory>
#include <mutex>
#include <unordered_map>

namespace dietcode::runtime {

template <typename T>
using Result = tl::expected<T, RuntimeFailure>;

/// A kernel of a loaded module.
struct Function {
  explicit Function(std::string name) : name(std::move(name)) {}
  virtual ~Function() = default;
  const std::string name;
};

/// What a back end keeps of a module.
struct Module {
  virtual ~Module() = default;
  virtual Result<std::shared_ptr<Function>> find(const std::string &kernel) = 0;
};

/// What programs hold: a module and the kernels that they have asked for.
struct LoadedModule {
  std::shared_ptr<Module> module;
  std::unordered_map<std::string, std::shared_ptr<Function>> functions;
};

/// Work that is done in order.
struct Stream {
  virtual ~Stream() = default;
};

/// A point in a stream.
struct Event {
  virtual ~Event() = default;
};

struct Launch {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
  int64_t dynamicSharedBytes = 0;
  void **params = nullptr;
  size_t paramCount = 0;
  Stream *stream = nullptr;
};

/// The device that DIETCODE_DEVICE names, with what is loaded on it. Where a
/// stream is null, it is the device's default one.
class Device {
public:
  virtual ~Device() = default;

  /// Made at the first call and never destroyed: programs may still use it
  /// while the process ends. A device that cannot be made is an error each
  /// time.
  static Expected<Device *> get();
  /// The device if it has been made.
  static Device *getIfMade();

  const std::string &description() const { return text; }

  /// The text ends at a NUL, or after `limit` bytes.
  Result<LoadedModule *> load(const void *data, size_t limit);
  Result<bool> unload(LoadedModule *module);
  Result<Function *> function(LoadedModule *module, const char *name);
  Result<bool> launch(Function *function, const Launch &launch);

  virtual Result<Stream *> createStream() = 0;
  virtual Result<bool> destroyStream(Stream *stream) = 0;
  /// The stream of a caller, who keeps it: a CUstream. The host waits for it
  /// only at its end if `isDeferred`, see dietcodeSetStream.
  virtual Result<Stream *> adoptStream(void *native, bool isDeferred) = 0;
  /// Waits until all of it has come to its end.
  virtual Result<bool> synchronize(Stream *stream) = 0;

  virtual Result<Event *> createEvent() = 0;
  virtual Result<bool> destroyEvent(Event *event) = 0;
  virtual Result<bool> recordEvent(Event *event, Stream *stream) = 0;
  virtual Result<bool> synchronizeEvent(Event *event) = 0;
  virtual Result<bool> waitEvent(Stream *stream, Event *event) = 0;

  virtual Result<void *> allocate(uint64_t bytes, Stream *stream,
                                  bool isHostShared) = 0;
  virtual Result<bool> free(void *pointer, Stream *stream) = 0;
  virtual Result<bool> copy(void *to, const void *from, uint64_t bytes,
                            Stream *stream) = 0;
  virtual Result<bool> fill16(void *to, uint16_t value, size_t count,
                              Stream *stream) = 0;
  virtual Result<bool> fill32(void *to, uint32_t value, size_t count,
                              Stream *stream) = 0;
  /// `label` is what findings call it.
  virtual Result<bool> registerHost(void *pointer, uint64_t bytes,
                                    const std::string &label) = 0;
  virtual Result<bool> unregisterHost(void *pointer) = 0;

  virtual void startCounting() = 0;
  virtual vgpu::AllocationCounts counts() = 0;

protected:
  explicit Device(std::string text) : text(std::move(text)) {}

  /// What images the device takes.
  virtual ImageChoice imageChoice() const = 0;
  /// `name` is what errors call the module.
  virtual Result<std::shared_ptr<Module>> loadImage(const ModuleImage &image,
                                                    std::string name) = 0;
  virtual Result<bool> run(Function &function, const Launch &launch) = 0;

private:
  std::string text;
  std::mutex mutex;
  std::unordered_map<LoadedModule *, std::unique_ptr<LoadedModule>> modules;
  std::unordered_map<Function *, std::shared_ptr<Function>> functions;
  unsigned moduleCounter = 0;
};

/// The back ends.
Expected<std::unique_ptr<Device>> makeVirtualRuntime(const DeviceSpec &spec);
Expected<std::unique_ptr<Device>> makeCudaRuntime(int index);

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_DEVICE_H
