//===- Resources.cpp - What guarded calls hold ----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resources.h"
#include "Device.h"
#include "Guard.h"

#include <algorithm>
#include <new>

namespace dietcode::runtime {
namespace {

struct Resource {
  ResourceKind kind;
  void *handle;
  bool operator==(const Resource &other) const {
    return kind == other.kind && handle == other.handle;
  }
};

thread_local std::vector<Resource> held;

/// The call has failed already, so nobody asks whether this does, too.
void release(Device &device, const Resource &resource) {
  switch (resource.kind) {
  case ResourceKind::Memory:
    (void)device.free(resource.handle, /*stream=*/nullptr);
    return;
  case ResourceKind::HostRange:
    (void)device.unregisterHost(resource.handle);
    return;
  case ResourceKind::Module:
    (void)device.unload(static_cast<LoadedModule *>(resource.handle));
    return;
  case ResourceKind::Stream:
    (void)device.destroyStream(static_cast<Stream *>(resource.handle));
    return;
  case ResourceKind::Event:
    (void)device.destroyEvent(static_cast<Event *>(resource.handle));
    return;
  }
}

} // namespace

/// False if there is no memory for a note.
static bool note(const Resource &resource) {
  try {
    held.push_back(resource);
  } catch (const std::bad_alloc &) {
    return false;
  }
  return true;
}

void noteAcquired(ResourceKind kind, void *handle) {
  if (!isGuarded() || !handle || note({kind, handle}))
    return;
  release(*Device::getIfMade(), {kind, handle});
  reportFailure(outOfMemoryMessage, FailureKind::OutOfMemory);
}

void noteReleased(ResourceKind kind, void *handle) {
  auto last = std::find(held.rbegin(), held.rend(), Resource{kind, handle});
  if (last != held.rend())
    held.erase(std::prev(last.base()));
}

size_t countHeldResources() { return held.size(); }

void dropHeldResources(size_t count, bool hasFailed) {
  Device *device = Device::getIfMade();
  while (held.size() > count) {
    Resource last = held.back();
    held.pop_back();
    if (!hasFailed || !device)
      continue;
    // Of all failures, that there is no memory to tell of one is the least.
    try {
      release(*device, last);
    } catch (const std::bad_alloc &) {
    }
  }
}

} // namespace dietcode::runtime
