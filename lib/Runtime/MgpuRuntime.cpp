//===- MgpuRuntime.cpp - MLIR's mgpu* functions ---------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface that gpu-to-llvm of MLIR 22 calls.
//
//===----------------------------------------------------------------------===//

#include "CallerStream.h"
#include "Device.h"
#include "Guard.h"
#include "Resources.h"

#include <new>

#define DIETCODE_EXPORT __attribute__((visibility("default")))

namespace {

using namespace dietcode;
using namespace dietcode::runtime;

/// The last error of this thread; raise() leaves nothing behind to destroy.
thread_local RuntimeFailure lastFailure;

[[noreturn]] void raise() {
  reportFailure(lastFailure.message.c_str(), lastFailure.kind);
}

/// Runs `fn` on the device, and keeps the error if there is none or `fn` fails.
/// Exceptions must not reach compiled code, which cannot unwind.
template <typename Fn>
auto tryOnDevice(Fn fn)
    -> std::optional<typename std::invoke_result_t<Fn, Device &>::value_type> {
  try {
    Expected<Device *> device = Device::get();
    if (!device) {
      lastFailure = device.error();
      return std::nullopt;
    }
    auto result = fn(**device);
    if (result)
      return *result;
    lastFailure = std::move(result.error());
  } catch (const std::bad_alloc &) {
    lastFailure.message = outOfMemoryMessage;
    lastFailure.kind = FailureKind::OutOfMemory;
  }
  return std::nullopt;
}

/// The same, but raises the error. What it returns needs no destructor.
template <typename Fn>
auto onDevice(Fn fn) {
  auto result = tryOnDevice(fn);
  if (!result)
    raise();
  return *result;
}

/// Runs `fn(device, stream)` on the stream that a call means.
template <typename Fn>
void inStream(void *stream, Fn fn) {
  onDevice([&](Device &device) -> Result<bool> {
    Result<Stream *> target = streamOr(device, stream);
    if (!target)
      return tl::unexpected(target.error());
    return fn(device, *target);
  });
}

/// The part of a ranked memref descriptor before its sizes and strides.
struct MemRefDescriptor {
  char *allocated;
  char *aligned;
  int64_t offset;
  int64_t sizesAndStrides[];
};

/// The bytes from the first element of a strided memref to its last.
uint64_t spanOf(int64_t rank, const MemRefDescriptor &descriptor,
                int64_t elementBytes) {
  int64_t last = 0;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = descriptor.sizesAndStrides[i];
    if (size <= 0)
      return 0;
    last += (size - 1) * descriptor.sizesAndStrides[rank + i];
  }
  return last < 0 ? 0 : static_cast<uint64_t>((last + 1) * elementBytes);
}

void *startOf(const MemRefDescriptor &descriptor, int64_t elementBytes) {
  return descriptor.aligned + descriptor.offset * elementBytes;
}

LoadedModule *loadModule(const void *data, size_t limit) {
  LoadedModule *module =
      onDevice([&](Device &device) { return device.load(data, limit); });
  noteAcquired(ResourceKind::Module, module);
  return module;
}

Event *asEvent(void *event) { return static_cast<Event *>(event); }

} // namespace

extern "C" {

DIETCODE_EXPORT void *mgpuModuleLoad(void *data, size_t size) {
  return loadModule(data, size);
}

DIETCODE_EXPORT void *mgpuModuleLoadJIT(void *data, int) {
  return loadModule(data, SIZE_MAX);
}

DIETCODE_EXPORT void mgpuModuleUnload(void *module) {
  noteReleased(ResourceKind::Module, module);
  onDevice([&](Device &device) {
    return device.unload(static_cast<LoadedModule *>(module));
  });
}

DIETCODE_EXPORT void *mgpuModuleGetFunction(void *module, const char *name) {
  return onDevice([&](Device &device) {
    return device.function(static_cast<LoadedModule *>(module), name);
  });
}

DIETCODE_EXPORT void mgpuLaunchKernel(void *function, intptr_t gridX,
                                      intptr_t gridY, intptr_t gridZ,
                                      intptr_t blockX, intptr_t blockY,
                                      intptr_t blockZ, int32_t sharedBytes,
                                      void *stream, void **params, void **extra,
                                      size_t paramCount) {
  inStream(stream, [&](Device &device, Stream *target) -> Result<bool> {
    if (extra)
      return fail("launch options in 'extra' are not supported");
    Launch launch;
    launch.grid = {gridX, gridY, gridZ};
    launch.block = {blockX, blockY, blockZ};
    launch.dynamicSharedBytes = sharedBytes;
    launch.params = params;
    launch.paramCount = paramCount;
    launch.stream = target;
    return device.launch(static_cast<Function *>(function), launch);
  });
}

DIETCODE_EXPORT void *mgpuStreamCreate() {
  Stream *stream = onDevice([](Device &device) -> Result<Stream *> {
    Result<Stream *> callers = callerStream(device);
    return callers && !*callers ? device.createStream() : callers;
  });
  if (!isCallerStream(stream))
    noteAcquired(ResourceKind::Stream, stream);
  return stream;
}

DIETCODE_EXPORT void mgpuStreamDestroy(void *pointer) {
  auto *stream = static_cast<Stream *>(pointer);
  if (!stream || isCallerStream(stream))
    return;
  noteReleased(ResourceKind::Stream, stream);
  onDevice([&](Device &device) { return device.destroyStream(stream); });
}

DIETCODE_EXPORT void mgpuStreamSynchronize(void *stream) {
  inStream(stream, [](Device &device, Stream *target) {
    return device.synchronize(target);
  });
}

DIETCODE_EXPORT void mgpuStreamWaitEvent(void *stream, void *event) {
  inStream(stream, [&](Device &device, Stream *target) {
    return device.waitEvent(target, asEvent(event));
  });
}

DIETCODE_EXPORT void *mgpuEventCreate() {
  Event *event = onDevice([](Device &device) { return device.createEvent(); });
  noteAcquired(ResourceKind::Event, event);
  return event;
}

DIETCODE_EXPORT void mgpuEventDestroy(void *event) {
  if (!event)
    return;
  noteReleased(ResourceKind::Event, event);
  onDevice([&](Device &device) { return device.destroyEvent(asEvent(event)); });
}

DIETCODE_EXPORT void mgpuEventSynchronize(void *event) {
  onDevice(
      [&](Device &device) { return device.synchronizeEvent(asEvent(event)); });
}

DIETCODE_EXPORT void mgpuEventRecord(void *event, void *stream) {
  inStream(stream, [&](Device &device, Stream *target) {
    return device.recordEvent(asEvent(event), target);
  });
}

DIETCODE_EXPORT void *mgpuMemAlloc(uint64_t bytes, void *stream,
                                   bool isHostShared) {
  void *pointer = onDevice([&](Device &device) -> Result<void *> {
    Result<Stream *> target = streamOr(device, stream);
    if (!target)
      return tl::unexpected(target.error());
    return device.allocate(bytes, *target, isHostShared);
  });
  noteAcquired(ResourceKind::Memory, pointer);
  return pointer;
}

DIETCODE_EXPORT void mgpuMemFree(void *pointer, void *stream) {
  noteReleased(ResourceKind::Memory, pointer);
  inStream(stream, [&](Device &device, Stream *target) {
    return device.free(pointer, target);
  });
}

DIETCODE_EXPORT void mgpuMemcpy(void *to, void *from, size_t bytes,
                                void *stream) {
  inStream(stream, [&](Device &device, Stream *target) {
    return device.copy(to, from, bytes, target);
  });
}

DIETCODE_EXPORT void mgpuMemset32(void *to, uint32_t value, size_t count,
                                  void *stream) {
  inStream(stream, [&](Device &device, Stream *target) {
    return device.fill32(to, value, count, target);
  });
}

DIETCODE_EXPORT void mgpuMemset16(void *to, uint16_t value, size_t count,
                                  void *stream) {
  inStream(stream, [&](Device &device, Stream *target) {
    return device.fill16(to, value, count, target);
  });
}

DIETCODE_EXPORT void mgpuMemHostRegister(void *pointer, uint64_t bytes) {
  registerHostMemory(pointer, bytes, "");
}

DIETCODE_EXPORT void mgpuMemHostUnregister(void *pointer) {
  unregisterHostMemory(pointer);
}

DIETCODE_EXPORT void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor,
                                               int64_t elementBytes) {
  auto *memref = static_cast<MemRefDescriptor *>(descriptor);
  mgpuMemHostRegister(startOf(*memref, elementBytes),
                      spanOf(rank, *memref, elementBytes));
}

DIETCODE_EXPORT void mgpuMemHostUnregisterMemRef(int64_t, void *descriptor,
                                                 int64_t elementBytes) {
  auto *memref = static_cast<MemRefDescriptor *>(descriptor);
  mgpuMemHostUnregister(startOf(*memref, elementBytes));
}

/// DIETCODE_DEVICE names the device; there is only device 0.
DIETCODE_EXPORT void mgpuSetDefaultDevice(int32_t device) {
  if (device != 0)
    reportFailure("there is only one device, number 0");
}

} // extern "C"

namespace dietcode::runtime {

void registerHostMemory(void *pointer, uint64_t bytes,
                        const std::string &label) {
  onDevice([&](Device &device) {
    return device.registerHost(pointer, bytes, label);
  });
  noteAcquired(ResourceKind::HostRange, pointer);
}

void unregisterHostMemory(void *pointer) {
  noteReleased(ResourceKind::HostRange, pointer);
  onDevice([&](Device &device) { return device.unregisterHost(pointer); });
}

} // namespace dietcode::runtime
