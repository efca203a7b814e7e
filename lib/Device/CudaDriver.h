//===- CudaDriver.h - The CUDA driver, loaded at run time -------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the CUDA driver API that a device needs. It is looked for when a
// CUDA device is asked for, so that nothing is linked and nothing of the
// toolkit is needed to build; what is declared here is its documented binary
// interface. DIETCODE_LIBCUDA=path names another library.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DEVICE_CUDADRIVER_H
#define DIETCODE_DEVICE_CUDADRIVER_H

#include "dietcode/Support/Expected.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace dietcode::cuda {

/// CUresult, and what tells a fault of a kernel from one of the caller.
using Result = int;
enum : Result {
  kSuccess = 0,
  kOutOfMemory = 2,
  kDeinitialized = 4,
  kEccUncorrectable = 214,
  kNvlinkUncorrectable = 220,
  kUnsupportedPtx = 222,
  kContained = 226,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchTimeout = 702,
  kContextDestroyed = 709,
  kAssert = 710,
  kHostAlreadyRegistered = 712,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPc = 718,
  kLaunchFailed = 719,
};

/// Whether an error tells of what a kernel did, and not of how it was launched.
bool isFault(Result result);
/// Whether the context is of no use after this error: whatever is called
/// returns it, or worse.
bool isSticky(Result result);

using DeviceHandle = int;
using Context = struct ContextTag *;
using ModuleHandle = struct ModuleTag *;
using Function = struct FunctionTag *;
using Event = struct EventTag *;
using Stream = struct StreamTag *;
using Pointer = unsigned long long;

/// CUdevice_attribute.
enum Attribute : int {
  kMaxThreadsPerBlock = 1,
  kSharedPerBlock = 8,
  kClockKilohertz = 13,
  kMultiprocessors = 16,
  kMemoryClockKilohertz = 36,
  kMemoryBusBits = 37,
  kL2Bytes = 38,
  kThreadsPerMultiprocessor = 39,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kSharedPerMultiprocessor = 81,
  kRegistersPerMultiprocessor = 82,
  kManagedMemory = 83,
  kPageableMemoryAccess = 88,
  kHostPointersOfRegistered = 91,
  kSharedPerBlockOptIn = 97,
};

/// CUfunction_attribute.
enum FunctionAttribute : int {
  kFunctionSharedBytes = 1,
  kFunctionLocalBytes = 3,
  kFunctionRegisters = 4,
  kFunctionMaxDynamicShared = 8,
};

/// CUjit_option.
enum JitOption : int { kJitErrorLog = 5, kJitErrorLogBytes = 6 };

/// CUstream_flags, CUevent_flags, CUmemAttach_flags, CU_MEMHOSTREGISTER_*.
enum : unsigned {
  kBlockingStream = 0,
  kEventWithTime = 0,
  kEventWithoutTime = 2,
  kManagedEverywhere = 1,
  kHostPortableAndMapped = 3,
};

/// What came of loading a module.
struct LoadResult {
  Result result = kSuccess;
  ModuleHandle module = nullptr;
  std::string log; ///< What the assembler says of a mistake, on one line.
};

/// The functions, all of them there but those said to be optional.
struct Driver {
  Result (*init)(unsigned);
  Result (*version)(int *);
  Result (*deviceCount)(int *);
  Result (*deviceGet)(DeviceHandle *, int);
  Result (*deviceName)(char *, int, DeviceHandle);
  Result (*deviceAttribute)(int *, Attribute, DeviceHandle);
  Result (*deviceBytes)(size_t *, DeviceHandle);
  Result (*busId)(char *, int, DeviceHandle);
  Result (*retainContext)(Context *, DeviceHandle);
  Result (*releaseContext)(DeviceHandle);
  Result (*setContext)(Context);
  Result (*currentContext)(Context *);
  Result (*pushContext)(Context);
  Result (*popContext)(Context *);
  Result (*synchronize)();
  Result (*loadModule)(ModuleHandle *, const void *, unsigned, JitOption *,
                       void **);
  Result (*unloadModule)(ModuleHandle);
  Result (*getFunction)(Function *, ModuleHandle, const char *);
  Result (*functionAttribute)(int *, FunctionAttribute, Function);
  Result (*setFunctionAttribute)(Function, FunctionAttribute, int);
  Result (*occupancy)(int *, Function, int, size_t);
  Result (*allocate)(Pointer *, size_t);
  Result (*allocateManaged)(Pointer *, size_t, unsigned);
  Result (*free)(Pointer);
  Result (*fill)(Pointer, unsigned char, size_t);
  Result (*toDevice)(Pointer, const void *, size_t);
  Result (*toHost)(void *, Pointer, size_t);
  Result (*copy)(Pointer, Pointer, size_t, Stream);
  Result (*fill16)(Pointer, unsigned short, size_t, Stream);
  Result (*fill32)(Pointer, unsigned, size_t, Stream);
  Result (*registerHost)(void *, size_t, unsigned);
  Result (*unregisterHost)(void *);
  Result (*createStream)(Stream *, unsigned);
  Result (*destroyStream)(Stream);
  Result (*synchronizeStream)(Stream);
  Result (*queryStream)(Stream);
  Result (*waitEvent)(Stream, Event, unsigned);
  Result (*launch)(Function, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, Stream, void **, void **);
  Result (*createEvent)(Event *, unsigned);
  Result (*destroyEvent)(Event);
  Result (*recordEvent)(Event, Stream);
  Result (*synchronizeEvent)(Event);
  Result (*queryEvent)(Event);
  Result (*elapsed)(float *, Event, Event);
  Result (*errorName)(Result, const char **);
  Result (*errorText)(Result, const char **);
  /// Since CUDA 12.4; null before.
  Result (*paramInfo)(Function, size_t, size_t *, size_t *);

  /// "what: CUDA_ERROR_X, as the driver explains it".
  Error error(const std::string &what, Result result) const;
  /// Loads PTX, which ends in a null character, or a cubin or fatbin. The
  /// driver assembles PTX itself.
  LoadResult load(const void *image) const;
};

/// What LoadResult says of a module called `name` that was not loaded.
Error loadError(const Driver &driver, const std::string &name,
                const LoadResult &loaded);

/// The driver is of no use to a child of a process that has initialised it.
inline constexpr const char *kForked =
    "this process was forked from one that uses CUDA, so it cannot; fork "
    "before the first use, or exec";

/// The driver of this process, initialised. The error says what was looked for,
/// or what the driver said.
Expected<const Driver *> loadDriver();

} // namespace dietcode::cuda

#endif // DIETCODE_DEVICE_CUDADRIVER_H
