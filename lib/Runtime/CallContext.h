//===- CallContext.h - What a call has allocated ----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_CALLCONTEXT_H
#define DIETCODE_LIB_RUNTIME_CALLCONTEXT_H

#include "dietcode-c/Artefact.h"
#include "dietcode/Runtime/Runtime.h"
#include "dietcode/Runtime/Stream.h"
#include <vector>

namespace dietcode::runtime {

/// Memory that the host code of an artefact has asked for. It holds the
/// allocator by value: a result may live longer than the caller's options.
struct CallMemory {
  enum class Source : uint8_t { Device, Caller, Host };

  void *pointer = nullptr;
  uint64_t bytes = 0;
  Source source = Source::Device;
  void (*deallocate)(void *context, void *pointer, size_t bytes) = nullptr;
  void *allocatorContext = nullptr;
  bool isRegistered = false; ///< With the device, until the call ends.

  /// May raise, as everything that asks the device does.
  void release();
};

/// The call that this thread is in: where it allocates, and what it has
/// allocated and not freed. Calls nest where an allocator makes one.
class CallContext {
public:
  CallContext(const dietcode_call_options &options, dietcodeStreamMode mode);
  ~CallContext();
  CallContext(const CallContext &) = delete;
  CallContext &operator=(const CallContext &) = delete;

  /// Null outside of calls.
  static CallContext *current();

  void *allocate(uint64_t bytes, void *stream, bool isHostShared);
  void *allocateHost(uint64_t bytes);
  void free(void *pointer, CallMemory::Source source);
  void *createStream();
  void destroyStream(void *stream);

  /// Whether the last thing that failed is an allocation.
  bool isAllocating() const { return allocating; }
  /// Takes memory that starts at `pointer` out of the call, if it is of this
  /// call: it is the caller's from now on.
  bool take(void *pointer, CallMemory &memory);

private:
  void acquire(FunctionRef<void()> call);
  void *track(CallMemory memory);
  void *allocateOfCaller(uint64_t bytes);

  void enterStream() const;

  const dietcode_call_options &options;
  const dietcodeStreamMode mode; ///< Of options.stream, if there is one.
  CallContext *outer;
  std::vector<CallMemory> live;
  std::vector<void *> streams;
  bool allocating = false;
  RuntimeFailure failure; ///< Of `acquire`; here, since a jump leaves frames.
};

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_CALLCONTEXT_H
