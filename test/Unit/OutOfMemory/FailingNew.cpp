//===- FailingNew.cpp - Memory that runs out when tests want it -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FailingNew.h"

#include <atomic>
#include <cstdlib>
#include <new>

using namespace outofmemory;

static std::atomic<int64_t> left{0}; ///< Until one fails; 0: none does.
static std::atomic<bool> hasFailed{false};
static std::atomic<bool> staysOut{false};
static std::atomic<int64_t> live{0};
static std::atomic<bool (*)()> exemption{nullptr};

FailingNew::FailingNew(uint64_t nth, Afterwards afterwards) {
  hasFailed = false;
  staysOut = afterwards == Afterwards::Nothing;
  left = static_cast<int64_t>(nth);
}

bool FailingNew::stop() {
  left = 0;
  return hasFailed;
}

void outofmemory::exempt(bool (*isExempt)()) { exemption = isExempt; }

int64_t outofmemory::liveObjects() { return live; }

static bool mustFail() {
  if (left.load(std::memory_order_relaxed) == 0)
    return false;
  bool (*isExempt)() = exemption;
  if (isExempt && isExempt())
    return false;
  if (hasFailed)
    return staysOut;
  if (left.fetch_sub(1) != 1)
    return false;
  left = 1; // Still on, for what comes afterwards.
  hasFailed = true;
  return true;
}

static void *allocate(size_t bytes, size_t alignment) {
  void *pointer = nullptr;
  if (!mustFail())
    pointer = alignment
                  ? std::aligned_alloc(alignment, (bytes + alignment) /
                                                      alignment * alignment)
                  : std::malloc(bytes ? bytes : 1);
  if (!pointer)
    throw std::bad_alloc();
  live.fetch_add(1, std::memory_order_relaxed);
  return pointer;
}

static void release(void *pointer) noexcept {
  if (pointer)
    live.fetch_sub(1, std::memory_order_relaxed);
  std::free(pointer);
}

static void *allocateOrNull(size_t bytes, size_t alignment) noexcept {
  try {
    return allocate(bytes, alignment);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

// All forms: those of a sanitizer's library do not fit together with ours.
using Alignment = std::align_val_t;
using Nothrow = std::nothrow_t;
void *operator new(size_t n) { return allocate(n, 0); }
void *operator new[](size_t n) { return allocate(n, 0); }
void *operator new(size_t n, Alignment a) { return allocate(n, size_t(a)); }
void *operator new[](size_t n, Alignment a) { return allocate(n, size_t(a)); }
void *operator new(size_t n, const Nothrow &) noexcept {
  return allocateOrNull(n, 0);
}
void *operator new[](size_t n, const Nothrow &) noexcept {
  return allocateOrNull(n, 0);
}
void *operator new(size_t n, Alignment a, const Nothrow &) noexcept {
  return allocateOrNull(n, size_t(a));
}
void *operator new[](size_t n, Alignment a, const Nothrow &) noexcept {
  return allocateOrNull(n, size_t(a));
}
void operator delete(void *p) noexcept { release(p); }
void operator delete[](void *p) noexcept { release(p); }
void operator delete(void *p, size_t) noexcept { release(p); }
void operator delete[](void *p, size_t) noexcept { release(p); }
void operator delete(void *p, Alignment) noexcept { release(p); }
void operator delete[](void *p, Alignment) noexcept { release(p); }
void operator delete(void *p, size_t, Alignment) noexcept { release(p); }
void operator delete[](void *p, size_t, Alignment) noexcept { release(p); }
void operator delete(void *p, const Nothrow &) noexcept { release(p); }
void operator delete[](void *p, const Nothrow &) noexcept { release(p); }
void operator delete(void *p, Alignment, const Nothrow &) noexcept {
  release(p);
}
void operator delete[](void *p, Alignment, const Nothrow &) noexcept {
  release(p);
}
