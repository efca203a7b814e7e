//===- FakeState.h - The state of the fake driver ------------- -*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_DEVICE_FAKESTATE_H
#define DIETCODE_TEST_UNIT_DEVICE_FAKESTATE_H

#include "FakeCuda.h"

#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace fake {

enum : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeviceUnavailable = 46,
  kInvalidContext = 201,
  kInvalidPtx = 218,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kAlreadyRegistered = 712,
  kNotRegistered = 713,
};

using Clock = std::chrono::steady_clock;

/// Work of a stream is a point of time at which it ends.
struct Stream {
  Clock::time_point end;
  int64_t launches = 0; ///< That were accepted, ever.
};

struct Event {
  Clock::time_point end;
  int64_t launches = 0; ///< Before it.
};

struct State {
  std::mutex mutex;
  FakeCounts counts = {};
  int sticky = kSuccess;
  std::chrono::microseconds launchTime{0};
  int64_t memoryBytes = int64_t(1) << 30;
  std::string failing; ///< The function that fails at a later call.
  int failsIn = 0;
  int failsWith = 0;
  std::map<uint64_t, size_t> allocations;
  std::map<uint64_t, size_t> registrations;
  Stream defaultStream;
  std::set<Stream *> streams;
  std::set<Event *> events;
  std::set<void *> modules;
};

State &state();

/// On the stack of each function: a driver has memory of its own.
struct Inside {
  Inside() { ++depth; }
  ~Inside() { --depth; }
  static thread_local int depth;
};

const char *variable(const char *name, const char *otherwise);

/// What a call of this function returns before it does anything, under the
/// lock; 0: it goes on.
int enter(const char *function, bool needsContext = true);

/// Whether an allocation holds all of it.
bool holds(uint64_t pointer, size_t bytes);

/// Null if there is none.
Stream *findStream(void *handle);
/// Lets time pass until then, without the lock.
void waitUntil(std::unique_lock<std::mutex> &lock, Clock::time_point end);
/// When all streams are done.
Clock::time_point lastEnd();

} // namespace fake

/// What most functions begin with: the lock, and the failure that was asked
/// for.
#define ENTER(...)                                                             \
  Inside inside;                                                               \
  std::unique_lock<std::mutex> lock(state().mutex);                            \
  if (int result = enter(__func__, ##__VA_ARGS__))                             \
  return result

#endif // DIETCODE_TEST_UNIT_DEVICE_FAKESTATE_H
