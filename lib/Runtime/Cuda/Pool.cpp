//===- Pool.cpp - Memory of a CUDA device ---------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pool.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

using namespace dietcode;
using namespace dietcode::runtime;

Expected<uint64_t> runtime::poolBytesFromEnvironment(uint64_t deviceBytes) {
  const char *text = std::getenv("DIETCODE_CUDA_POOL_BYTES");
  if (!text || !*text)
    return deviceBytes / 4;
  char *end = nullptr;
  errno = 0;
  unsigned long long bytes = std::strtoull(text, &end, 10);
  if (!std::strchr("0123456789", *text) || *end || errno)
    return fail("DIETCODE_CUDA_POOL_BYTES: '" + std::string(text) +
                "' is no number of bytes; 0 keeps none");
  return bytes;
}

/// Eight classes between a power of two and the next, so that less than a
/// ninth is lost, and no less than the driver gives.
static uint64_t roundUp(uint64_t bytes) {
  constexpr uint64_t kLeast = 512;
  if (bytes <= kLeast)
    return kLeast;
  unsigned log = 63 - static_cast<unsigned>(__builtin_clzll(bytes - 1));
  uint64_t step = std::max(kLeast, uint64_t(1) << (log - 3));
  return (bytes + step - 1) / step * step;
}

CudaPool::~CudaPool() {
  for (auto &[sizeClass, blocks] : kept)
    for (const Block &block : blocks)
      session.driver.free(block.pointer);
}

Result<void *> CudaPool::allocate(uint64_t bytes, CudaStream &stream,
                                  bool isHostShared) {
  // Sums of sizes stay numbers.
  constexpr uint64_t kMost = uint64_t(1) << 60;
  SizeClass sizeClass{isHostShared, bytes < kMost ? roundUp(bytes) : bytes};
  std::lock_guard<std::mutex> lock(mutex);
  std::optional<cuda::Pointer> pointer = reuse(sizeClass, stream);
  if (!pointer && !kept[sizeClass].empty()) {
    if (Result<bool> asked = streams.poll(); !asked)
      return tl::unexpected(asked.error());
    pointer = reuse(sizeClass, stream);
  }
  if (!pointer) {
    Result<cuda::Pointer> allocated = allocateNew(sizeClass, bytes);
    if (!allocated)
      return tl::unexpected(allocated.error());
    pointer = *allocated;
  }
  try {
    count(live[*pointer] = {sizeClass, bytes});
  } catch (const std::bad_alloc &) {
    session.driver.free(*pointer);
    throw;
  }
  return reinterpret_cast<void *>(*pointer);
}

/// A kept block that nothing uses any more.
std::optional<cuda::Pointer> CudaPool::reuse(const SizeClass &sizeClass,
                                             const CudaStream &stream) {
  auto found = kept.find(sizeClass);
  if (found == kept.end())
    return std::nullopt;
  std::vector<Block> &blocks = found->second;
  bool isOrdered =
      stream.order && (!sizeClass.isHostShared || stream.isDeferred);
  auto isFree = [&](const Block &block) {
    return (isOrdered && block.order == stream.order) ||
           streams.isDone(block.freedAt);
  };
  auto last = std::find_if(blocks.rbegin(), blocks.rend(), isFree);
  if (last == blocks.rend())
    return std::nullopt;
  cuda::Pointer pointer = last->pointer;
  blocks.erase(std::prev(last.base()));
  keptBytes -= sizeClass.bytes;
  return pointer;
}

cuda::Result CudaPool::askDriver(const SizeClass &sizeClass,
                                 cuda::Pointer *pointer) {
  return sizeClass.isHostShared
             ? session.driver.allocateManaged(pointer, sizeClass.bytes,
                                              cuda::kManagedEverywhere)
             : session.driver.allocate(pointer, sizeClass.bytes);
}

Result<cuda::Pointer> CudaPool::allocateNew(const SizeClass &sizeClass,
                                            uint64_t bytes) {
  cuda::Pointer pointer = 0;
  cuda::Result result = askDriver(sizeClass, &pointer);
  if (result == cuda::kOutOfMemory && keptBytes) {
    if (Result<bool> trimmed = trim(0); !trimmed)
      return tl::unexpected(trimmed.error());
    result = askDriver(sizeClass, &pointer);
  }
  if (result == cuda::kSuccess)
    return pointer;
  return tl::unexpected(session.failure(
      session.name + ": cannot allocate " + std::to_string(bytes) +
          " bytes of " +
          (sizeClass.isHostShared ? "memory that the host shares"
                                  : "device memory") +
          ", beside " + std::to_string(liveBytes) + " bytes in use",
      result));
}

Result<bool> CudaPool::free(void *pointer, CudaStream &stream) {
  if (!pointer)
    return true;
  auto address = reinterpret_cast<cuda::Pointer>(pointer);
  std::lock_guard<std::mutex> lock(mutex);
  auto found = live.find(address);
  if (found == live.end())
    return fail("cannot free what is no allocation, or was freed before");
  SizeClass sizeClass = found->second.sizeClass;
  liveBytes -= found->second.bytes;
  live.erase(found);
  try {
    kept[sizeClass].push_back({address, streams.now(), stream.order});
  } catch (const std::bad_alloc &) {
    // Without memory to remember it by, the driver has it back.
    return session.check(session.driver.free(address),
                         [&] { return session.name + ": cannot free memory"; });
  }
  keptBytes += sizeClass.bytes;
  return trim(mostKept);
}

/// Gives kept memory back to the driver, the largest blocks first, until it is
/// no more than `limit`. The driver waits for what uses it.
Result<bool> CudaPool::trim(uint64_t limit) {
  for (bool isHostShared : {false, true})
    while (keptBytes > limit) {
      auto largest = kept.end();
      for (auto it = kept.begin(); it != kept.end(); ++it)
        if (it->first.isHostShared == isHostShared && !it->second.empty())
          largest = it;
      if (largest == kept.end())
        break;
      cuda::Pointer pointer = largest->second.front().pointer;
      largest->second.erase(largest->second.begin());
      keptBytes -= largest->first.bytes;
      if (Result<bool> freed = session.check(
              session.driver.free(pointer),
              [&] { return session.name + ": cannot free memory"; });
          !freed)
        return freed;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

void CudaPool::count(const Live &added) {
  liveBytes += added.bytes;
  counted.allocations += added.bytes != 0;
  if (liveBytes > liveAtStart)
    counted.peakBytes = std::max(counted.peakBytes, liveBytes - liveAtStart);
}

void CudaPool::startCounting() {
  std::lock_guard<std::mutex> lock(mutex);
  counted = {};
  liveAtStart = liveBytes;
}

vgpu::AllocationCounts CudaPool::counts() {
  std::lock_guard<std::mutex> lock(mutex);
  return counted;
}
