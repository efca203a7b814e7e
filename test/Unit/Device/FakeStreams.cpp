//===- FakeStreams.cpp - Streams of the fake driver -----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

using namespace fake;

Stream *fake::findStream(void *handle) {
  if (!handle)
    return &state().defaultStream;
  auto found = state().streams.find(static_cast<Stream *>(handle));
  return found == state().streams.end() ? nullptr : *found;
}

void fake::waitUntil(std::unique_lock<std::mutex> &lock,
                     Clock::time_point end) {
  if (end <= Clock::now())
    return;
  lock.unlock();
  std::this_thread::sleep_until(end);
  lock.lock();
}

Clock::time_point fake::lastEnd() {
  Clock::time_point end = state().defaultStream.end;
  for (Stream *stream : state().streams)
    end = std::max(end, stream->end);
  return end;
}

static Event *findEvent(void *handle) {
  auto found = state().events.find(static_cast<Event *>(handle));
  return found == state().events.end() ? nullptr : *found;
}

#define FIND(kind, variable, handle)                                           \
  kind *variable = find##kind(handle);                                         \
  if (!variable)                                                               \
  return kInvalidHandle

extern "C" {

int cuStreamCreate(void **stream, unsigned flags) {
  ENTER();
  if (flags != 0)
    return kInvalidValue;
  auto *created = new Stream;
  state().streams.insert(created);
  ++state().counts.streams;
  *stream = created;
  return kSuccess;
}
int64_t fakeCudaLaunchesOn(void *stream) {
  std::lock_guard<std::mutex> lock(state().mutex);
  Stream *found = findStream(stream);
  return found ? found->launches : -1;
}
int cuStreamDestroy_v2(void *stream) {
  ENTER();
  FIND(Stream, found, stream);
  if (!state().streams.erase(found))
    return kInvalidHandle;
  --state().counts.streams;
  delete found;
  return kSuccess;
}
int cuStreamSynchronize(void *stream) {
  ENTER();
  FIND(Stream, found, stream);
  waitUntil(lock, found->end);
  return state().sticky;
}
int cuStreamQuery(void *stream) {
  ENTER();
  FIND(Stream, found, stream);
  return found->end <= Clock::now() ? kSuccess : kNotReady;
}
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  ENTER();
  FIND(Stream, found, stream);
  FIND(Event, awaited, event);
  found->end = std::max(found->end, awaited->end);
  return flags == 0 ? kSuccess : kInvalidValue;
}

int cuEventCreate(void **event, unsigned) {
  ENTER();
  auto *created = new Event;
  state().events.insert(created);
  ++state().counts.events;
  *event = created;
  return kSuccess;
}
int cuEventDestroy_v2(void *event) {
  ENTER();
  FIND(Event, found, event);
  state().events.erase(found);
  --state().counts.events;
  delete found;
  return kSuccess;
}
int cuEventRecord(void *event, void *stream) {
  ENTER();
  FIND(Event, found, event);
  FIND(Stream, target, stream);
  found->end = target->end;
  found->launches = state().counts.launches;
  return kSuccess;
}
int cuEventQuery(void *event) {
  ENTER();
  FIND(Event, found, event);
  return found->end <= Clock::now() ? kSuccess : kNotReady;
}
int cuEventSynchronize(void *event) {
  ENTER();
  FIND(Event, found, event);
  waitUntil(lock, found->end);
  return state().sticky;
}
/// The next of FAKE_CUDA_TIMES, milliseconds with commas in between, from the
/// start again after the last; 2 without.
static float nextTime() {
  static size_t next = 0;
  const char *text = variable("FAKE_CUDA_TIMES", "2");
  std::vector<float> times;
  for (const char *at = text; at; at = std::strchr(at, ',')) {
    at += *at == ',';
    times.push_back(std::strtof(at, nullptr));
  }
  return times[next++ % times.size()];
}

/// Only of two events with a launch in between.
int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  ENTER();
  FIND(Event, first, begin);
  FIND(Event, last, end);
  if (last->launches <= first->launches)
    return kInvalidValue;
  *milliseconds = nextTime();
  return kSuccess;
}
}
