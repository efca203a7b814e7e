//===- FakeMemory.cpp - Memory of the fake driver -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <cstdlib>
#include <cstring>

using namespace fake;

bool fake::holds(uint64_t pointer, size_t bytes) {
  const auto &allocations = state().allocations;
  auto at = allocations.upper_bound(pointer);
  return at != allocations.begin() &&
         pointer + bytes <= std::prev(at)->first + std::prev(at)->second;
}

static int allocate(unsigned long long *pointer, size_t bytes) {
  State &s = state();
  if (bytes == 0)
    return kInvalidValue;
  if (bytes > size_t(1) << 30 ||
      s.counts.allocatedBytes + static_cast<int64_t>(bytes) > s.memoryBytes)
    return kOutOfMemory;
  *pointer = reinterpret_cast<uint64_t>(std::malloc(bytes));
  s.allocations[*pointer] = bytes;
  ++s.counts.allocations;
  s.counts.allocatedBytes += static_cast<int64_t>(bytes);
  return kSuccess;
}

template <typename T>
static int fill(unsigned long long pointer, T value, size_t count) {
  if (!holds(pointer, count * sizeof(T)))
    return kInvalidValue;
  auto *to = reinterpret_cast<T *>(pointer);
  for (size_t i = 0; i < count; ++i)
    to[i] = value;
  return kSuccess;
}

extern "C" {

int cuMemAlloc_v2(unsigned long long *pointer, size_t bytes) {
  ENTER();
  return allocate(pointer, bytes);
}
int cuMemAllocManaged(unsigned long long *pointer, size_t bytes,
                      unsigned flags) {
  ENTER();
  return flags == 1 ? allocate(pointer, bytes) : kInvalidValue;
}
int cuMemFree_v2(unsigned long long pointer) {
  ENTER();
  auto found = state().allocations.find(pointer);
  if (found == state().allocations.end())
    return kInvalidValue;
  waitUntil(lock, lastEnd());
  --state().counts.allocations;
  state().counts.allocatedBytes -= static_cast<int64_t>(found->second);
  state().allocations.erase(found);
  std::free(reinterpret_cast<void *>(pointer));
  return kSuccess;
}
int cuMemsetD8_v2(unsigned long long pointer, unsigned char value,
                  size_t bytes) {
  ENTER();
  ++state().counts.fills;
  return fill(pointer, value, bytes);
}
int cuMemsetD16Async(unsigned long long pointer, unsigned short value,
                     size_t count, void *stream) {
  ENTER();
  return findStream(stream) ? fill(pointer, value, count) : kInvalidHandle;
}
int cuMemsetD32Async(unsigned long long pointer, unsigned value, size_t count,
                     void *stream) {
  ENTER();
  return findStream(stream) ? fill(pointer, value, count) : kInvalidHandle;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
  ENTER();
  if (!holds(to, bytes))
    return kInvalidValue;
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return kSuccess;
}
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
  ENTER();
  if (!holds(from, bytes))
    return kInvalidValue;
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return kSuccess;
}
/// Either may be the host's.
int cuMemcpyAsync(unsigned long long to, unsigned long long from, size_t bytes,
                  void *stream) {
  ENTER();
  if (!findStream(stream))
    return kInvalidHandle;
  if (!holds(to, bytes) && !holds(from, bytes))
    return kInvalidValue;
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
              bytes);
  return kSuccess;
}

int cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned) {
  ENTER();
  auto begin = reinterpret_cast<uint64_t>(pointer);
  for (auto [other, size] : state().registrations)
    if (begin < other + size && other < begin + bytes)
      return kAlreadyRegistered;
  state().registrations[begin] = bytes;
  ++state().counts.registrations;
  return kSuccess;
}
int cuMemHostUnregister(void *pointer) {
  ENTER();
  if (!state().registrations.erase(reinterpret_cast<uint64_t>(pointer)))
    return kNotRegistered;
  --state().counts.registrations;
  return kSuccess;
}
}
