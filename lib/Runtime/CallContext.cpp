//===- CallContext.cpp - What a call has allocated ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code calls in here, and a failure leaves its frames by longjmp: these
// functions own nothing when they raise, and no exception may get out.
//
//===----------------------------------------------------------------------===//

#include "CallContext.h"
#include "dietcode/Runtime/Entry.h"
#include <algorithm>
#include <cstdlib>
#include <new>

using namespace dietcode;
using namespace dietcode::runtime;

extern "C" {
void *mgpuMemAlloc(uint64_t bytes, void *stream, bool isHostShared);
void mgpuMemFree(void *pointer, void *stream);
void *mgpuStreamCreate();
void mgpuStreamDestroy(void *stream);
}

namespace {

thread_local CallContext *innermost = nullptr;

const std::string callersLabel = "memory of the caller";

/// Makes room for one more, so that what was just allocated cannot get lost.
template <typename T>
bool reserveOne(std::vector<T> &vector) {
  try {
    if (vector.size() == vector.capacity())
      vector.reserve(std::max<size_t>(8, 2 * vector.size()));
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

} // namespace

void CallMemory::release() {
  if (isRegistered)
    unregisterHostMemory(pointer);
  switch (source) {
  case Source::Device:
    return mgpuMemFree(pointer, nullptr);
  case Source::Caller:
    return deallocate(allocatorContext, pointer, bytes);
  case Source::Host:
    return std::free(pointer);
  }
}

CallContext::CallContext(const dietcode_call_options &options,
                         dietcodeStreamMode mode)
    : options(options), mode(mode), outer(innermost) {
  innermost = this;
  enterStream();
}

void CallContext::enterStream() const {
  if (options.stream)
    dietcodeSetStream(options.stream, mode);
}

/// Whatever is left is nobody's: that of a call that failed, and what a program
/// has forgotten.
CallContext::~CallContext() {
  for (CallMemory &memory : live)
    guardedCall([&] { memory.release(); }, nullptr);
  for (void *stream : streams)
    guardedCall([&] { mgpuStreamDestroy(stream); }, nullptr);
  if (options.stream)
    dietcodeResetStream();
  if (outer)
    outer->enterStream();
  innermost = outer;
}

CallContext *CallContext::current() { return innermost; }

/// Asks the device under a guard of its own: what it gives is this context's to
/// release, and nobody else's.
void CallContext::acquire(FunctionRef<void()> call) {
  if (!guardedCall(call, &failure))
    reportFailure(failure.message.c_str(), failure.kind);
}

void *CallContext::track(CallMemory memory) {
  live.push_back(memory);
  allocating = false;
  return memory.pointer;
}

void *CallContext::allocateOfCaller(uint64_t bytes) {
  CallMemory memory = {options.allocate(options.allocator_context, bytes),
                       bytes, CallMemory::Source::Caller, options.deallocate,
                       options.allocator_context};
  if (!memory.pointer)
    reportFailure("out of memory: the allocator of the caller has none",
                  FailureKind::OutOfMemory);
  // Before the device is asked, which may fail.
  bool isHost = options.allocated_memory == DIETCODE_HOST && bytes > 0;
  void *pointer = track(memory);
  if (isHost) {
    acquire([&] { registerHostMemory(pointer, bytes, callersLabel); });
    live.back().isRegistered = true;
  }
  return pointer;
}

void *CallContext::allocate(uint64_t bytes, void *stream, bool isHostShared) {
  allocating = true;
  if (!reserveOne(live))
    reportFailure("out of memory: cannot note an allocation",
                  FailureKind::OutOfMemory);
  if (options.allocate)
    return allocateOfCaller(bytes);
  void *pointer = nullptr;
  acquire([&] { pointer = mgpuMemAlloc(bytes, stream, isHostShared); });
  return track({pointer, bytes, CallMemory::Source::Device});
}

void *CallContext::allocateHost(uint64_t bytes) {
  allocating = true;
  void *pointer =
      reserveOne(live) ? std::malloc(std::max<uint64_t>(bytes, 1)) : nullptr;
  if (!pointer)
    reportFailure("out of memory: the host has none left",
                  FailureKind::OutOfMemory);
  return track({pointer, bytes, CallMemory::Source::Host});
}

void CallContext::free(void *pointer, CallMemory::Source source) {
  // Mostly what was allocated last.
  for (size_t i = live.size(); i-- > 0;) {
    if (live[i].pointer != pointer)
      continue;
    CallMemory memory = live[i];
    live.erase(live.begin() + static_cast<std::ptrdiff_t>(i));
    return memory.release();
  }
  // Not of this call: let the device say what is wrong with it.
  CallMemory{pointer, 0, source}.release();
}

/// With a stream of the caller, mgpuStreamCreate returns that, and leaves it
/// alone when it is destroyed.
void *CallContext::createStream() {
  if (!reserveOne(streams))
    reportFailure("out of memory: cannot note a stream",
                  FailureKind::OutOfMemory);
  void *stream = nullptr;
  acquire([&] { stream = mgpuStreamCreate(); });
  streams.push_back(stream);
  return stream;
}

void CallContext::destroyStream(void *stream) {
  auto at = std::find(streams.begin(), streams.end(), stream);
  if (at == streams.end())
    return;
  streams.erase(at);
  mgpuStreamDestroy(stream);
}

bool CallContext::take(void *pointer, CallMemory &memory) {
  for (auto at = live.begin(); at != live.end(); ++at) {
    if (at->pointer != pointer)
      continue;
    memory = *at;
    live.erase(at);
    return true;
  }
  return false;
}

void *dietcodeCallAlloc(uint64_t bytes, void *stream, bool isHostShared) {
  return CallContext::current()->allocate(bytes, stream, isHostShared);
}

void dietcodeCallFree(void *pointer, void *) {
  CallContext::current()->free(pointer, CallMemory::Source::Device);
}

void *dietcodeCallStreamCreate() {
  return CallContext::current()->createStream();
}

void dietcodeCallStreamDestroy(void *stream) {
  CallContext::current()->destroyStream(stream);
}

void *dietcodeCallHostAlloc(uint64_t bytes) {
  return CallContext::current()->allocateHost(bytes);
}

void dietcodeCallHostFree(void *pointer) {
  CallContext::current()->free(pointer, CallMemory::Source::Host);
}
