//===- Entry.h - What artefacts and the runtime agree on --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artefact (lib/Artefact) holds the tables below and, for each entry, a
// public C function that does nothing but call dietcodeInvoke. All that is to
// be checked and all that may fail is behind it, once, in the runtime. Host
// code allocates through the dietcodeCall* functions in place of mgpu*, so that
// what a failing call has allocated is known, and the caller's allocator and
// stream are used.
//
// The layout of the tables is part of artefactAbiVersion.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUNTIME_ENTRY_H
#define DIETCODE_RUNTIME_ENTRY_H

#include "dietcode-c/Artefact.h"

namespace dietcode::runtime {

constexpr uint32_t artefactAbiVersion = DIETCODE_ABI_VERSION;

/// A size, stride or offset that calls choose.
constexpr int64_t dynamicExtent = INT64_MIN;

/// What is the same in all calls of an argument or a result.
struct ValueType {
  uint32_t dtype;       ///< A dietcode_dtype.
  int32_t rank;         ///< Negative: a scalar.
  const int64_t *sizes; ///< `rank` of them, dynamicExtent where calls choose.
  /// As the sizes; null: dense, in C order.
  const int64_t *strides;
  int64_t offset; ///< Of the first element, with strides only.
};

struct Artefact {
  uint32_t abiVersion;
  uint32_t moduleCount;    ///< Of modules of kernels.
  uint32_t loadedCount;    ///< The first ones; written by the runtime only.
  void (*const *load)();   ///< For each, loads it onto the device.
  void (*const *unload)(); ///< The reverse, run when the artefact goes.
};

/// A function of an artefact.
struct Entry {
  Artefact *artefact;
  const char *name;
  uint32_t argumentCount;
  uint32_t resultCount;
  const ValueType *arguments;
  const ValueType *results;
  /// `arguments` point to scalars, or to memref descriptors, which are the
  /// words allocated pointer, aligned pointer, offset, sizes, strides. So do
  /// `results` for what the function writes.
  void (*call)(void *const *arguments, void *const *results);
  /// Whether only kernels and copies of the runtime touch elements of buffers,
  /// so that the host never has to wait for them: 1 or 0.
  uint32_t isDeviceOnly;
};

} // namespace dietcode::runtime

extern "C" {

/// Calls an entry. `arguments` point to dietcode_tensors or scalars, `results`
/// to where results go.
dietcode_status dietcodeInvoke(const dietcode::runtime::Entry *entry,
                               const void *const *arguments,
                               void *const *results,
                               const dietcode_call_options *options);

/// Called when an artefact is unloaded from the process.
void dietcodeUnload(dietcode::runtime::Artefact *artefact);

/// In place of mgpuMemAlloc, mgpuMemFree, mgpuStreamCreate and
/// mgpuStreamDestroy, and of malloc and free, within a call.
void *dietcodeCallAlloc(uint64_t bytes, void *stream, bool isHostShared);
void dietcodeCallFree(void *pointer, void *stream);
void *dietcodeCallStreamCreate();
void dietcodeCallStreamDestroy(void *stream);
void *dietcodeCallHostAlloc(uint64_t bytes);
void dietcodeCallHostFree(void *pointer);
}

#endif // DIETCODE_RUNTIME_ENTRY_H
