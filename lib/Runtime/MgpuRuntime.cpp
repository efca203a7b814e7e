//===- MgpuRuntime.cpp - MLIR's mgpu* functions ---------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface that gpu-to-llvm of MLIR 22 calls. Everything is synchronous,
// so events only have identities, and streams only know what is in the caches.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include <cstring>
#include <vector>

#define DIETCODE_EXPORT __attribute__((visibility("default")))

namespace {

using namespace dietcode;
using namespace dietcode::runtime;

/// The last error of this thread; raise() leaves nothing behind to destroy.
thread_local std::string failureMessage;
thread_local FailureKind failureKind;

bool keep(const Error &error, FailureKind kind = FailureKind::Error) {
  failureMessage = error.message;
  failureKind = kind;
  return false;
}

[[noreturn]] void raise() {
  reportFailure(failureMessage.c_str(), failureKind);
}

/// Runs `fn` on the device; false if there is none or `fn` fails.
template <typename Fn>
bool onDevice(Fn fn) {
  Expected<Device *> device = Device::get();
  if (!device)
    return keep(device.error());
  auto result = fn(**device);
  return result ? true : keep(result.error());
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
  LoadedModule *module = nullptr;
  bool ok = onDevice([&](Device &device) {
    Expected<LoadedModule *> loaded = device.load(data, limit);
    module = loaded.value_or(nullptr);
    return loaded;
  });
  if (!ok)
    raise();
  return module;
}

/// The host has given device memory values.
void markWritten(const void *pointer, uint64_t bytes) {
  onDevice([&](Device &device) -> Expected<bool> {
    device.gpu().memory().markWritten(pointer, bytes);
    return true;
  });
}

template <typename T>
void fill(T *to, T value, size_t count) {
  bool ok = onDevice([&](Device &device) {
    return device.checkCopy(to, count * sizeof(T), "memset");
  });
  if (!ok)
    raise();
  for (size_t i = 0; i < count; ++i)
    to[i] = value;
  markWritten(to, count * sizeof(T));
}

struct Stream {
  /// By the last launch; forgotten once the host has waited for it.
  std::vector<vgpu::WrittenRange> written;
};
struct Event {
  int unused;
};

} // namespace

extern "C" {

DIETCODE_EXPORT void *mgpuModuleLoad(void *data, size_t size) {
  return loadModule(data, size);
}

DIETCODE_EXPORT void *mgpuModuleLoadJIT(void *data, int) {
  return loadModule(data, SIZE_MAX);
}

DIETCODE_EXPORT void mgpuModuleUnload(void *module) {
  if (!onDevice([&](Device &device) {
        return device.unload(static_cast<LoadedModule *>(module));
      }))
    raise();
}

DIETCODE_EXPORT void *mgpuModuleGetFunction(void *module, const char *name) {
  Function *function = nullptr;
  bool ok = onDevice([&](Device &device) {
    auto found = device.function(static_cast<LoadedModule *>(module), name);
    function = found.value_or(nullptr);
    return found;
  });
  if (!ok)
    raise();
  return function;
}

DIETCODE_EXPORT void mgpuLaunchKernel(void *function, intptr_t gridX,
                                      intptr_t gridY, intptr_t gridZ,
                                      intptr_t blockX, intptr_t blockY,
                                      intptr_t blockZ, int32_t sharedBytes,
                                      void *streamPointer, void **params,
                                      void **extra, size_t paramCount) {
  FailureKind kind = FailureKind::Error;
  auto *stream = static_cast<Stream *>(streamPointer);
  bool ok = onDevice([&](Device &device) -> Expected<bool> {
    if (extra)
      return fail("launch options in 'extra' are not supported");
    vgpu::LaunchConfig config;
    config.grid = {gridX, gridY, gridZ};
    config.block = {blockX, blockY, blockZ};
    config.dynamicSharedBytes = sharedBytes;
    if (stream)
      config.recent = stream->written;
    auto written = device.launch(static_cast<Function *>(function), config,
                                 params, paramCount, kind);
    if (!written)
      return tl::unexpected(written.error());
    if (stream)
      stream->written = std::move(*written);
    return true;
  });
  if (!ok) {
    failureKind = kind;
    raise();
  }
}

DIETCODE_EXPORT void *mgpuStreamCreate() { return new Stream(); }
DIETCODE_EXPORT void mgpuStreamDestroy(void *stream) {
  delete static_cast<Stream *>(stream);
}
DIETCODE_EXPORT void mgpuStreamSynchronize(void *stream) {
  if (stream)
    static_cast<Stream *>(stream)->written.clear();
}
DIETCODE_EXPORT void mgpuStreamWaitEvent(void *, void *) {}

DIETCODE_EXPORT void *mgpuEventCreate() { return new Event(); }
DIETCODE_EXPORT void mgpuEventDestroy(void *event) {
  delete static_cast<Event *>(event);
}
DIETCODE_EXPORT void mgpuEventSynchronize(void *) {}
DIETCODE_EXPORT void mgpuEventRecord(void *, void *) {}

DIETCODE_EXPORT void *mgpuMemAlloc(uint64_t bytes, void *, bool isHostShared) {
  void *pointer = nullptr;
  bool ok = onDevice([&](Device &device) {
    Expected<void *> allocated = device.gpu().memory().allocate(bytes);
    pointer = allocated.value_or(nullptr);
    // The host may write shared memory without a word.
    if (isHostShared)
      device.gpu().memory().markWritten(pointer, bytes);
    return allocated;
  });
  if (!ok)
    raise();
  return pointer;
}

DIETCODE_EXPORT void mgpuMemFree(void *pointer, void *) {
  if (!onDevice(
          [&](Device &device) { return device.gpu().memory().free(pointer); }))
    raise();
}

DIETCODE_EXPORT void mgpuMemcpy(void *to, void *from, size_t bytes, void *) {
  bool ok = onDevice([&](Device &device) {
    Expected<bool> result = device.checkCopy(to, bytes, "memcpy to the device");
    return result ? device.checkCopy(from, bytes, "memcpy from the device")
                  : result;
  });
  if (!ok)
    raise();
  std::memmove(to, from, bytes);
  markWritten(to, bytes);
}

DIETCODE_EXPORT void mgpuMemset32(void *to, uint32_t value, size_t count,
                                  void *) {
  fill(static_cast<uint32_t *>(to), value, count);
}

DIETCODE_EXPORT void mgpuMemset16(void *to, uint16_t value, size_t count,
                                  void *) {
  fill(static_cast<uint16_t *>(to), value, count);
}

DIETCODE_EXPORT void mgpuMemHostRegister(void *pointer, uint64_t bytes) {
  if (!onDevice([&](Device &device) {
        return device.gpu().memory().registerRange(pointer, bytes);
      }))
    raise();
}

DIETCODE_EXPORT void mgpuMemHostUnregister(void *pointer) {
  if (!onDevice([&](Device &device) {
        return device.gpu().memory().unregisterRange(pointer);
      }))
    raise();
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
  if (!onDevice([&](Device &device) {
        return device.gpu().memory().registerRange(pointer, bytes, label);
      }))
    raise();
}

void unregisterHostMemory(void *pointer) { mgpuMemHostUnregister(pointer); }

} // namespace dietcode::runtime
