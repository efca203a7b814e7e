//===- Handles.h - Handles that cannot dangle -------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles are numbers that look like pointers. What they stand for is looked
// up, and shared with whoever uses it at the time.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_CAPI_HANDLES_H
#define DIETCODE_LIB_CAPI_HANDLES_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace dietcode::capi {

/// Unique among all kinds of handles.
inline uintptr_t nextHandle() {
  static std::atomic<uintptr_t> next{1};
  return next++;
}

/// The handles of one kind. Any thread may use it.
template <typename Handle, typename Object>
class HandleTable {
public:
  /// Never destroyed: handles may be used while the process ends.
  static HandleTable &get() {
    static auto *table = new HandleTable;
    return *table;
  }

  Handle *add(std::shared_ptr<Object> object) {
    std::lock_guard<std::mutex> lock(mutex);
    uintptr_t number = nextHandle();
    objects.emplace(number, std::move(object));
    return reinterpret_cast<Handle *>(number);
  }

  /// Null for what is no handle, or none any more.
  std::shared_ptr<Object> find(const Handle *handle) const {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = objects.find(reinterpret_cast<uintptr_t>(handle));
    return found == objects.end() ? nullptr : found->second;
  }

  /// What the handle stood for, which ends with the last that uses it.
  std::shared_ptr<Object> remove(const Handle *handle) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = objects.find(reinterpret_cast<uintptr_t>(handle));
    if (found == objects.end())
      return nullptr;
    std::shared_ptr<Object> object = std::move(found->second);
    objects.erase(found);
    return object;
  }

private:
  mutable std::mutex mutex;
  std::unordered_map<uintptr_t, std::shared_ptr<Object>> objects;
};

} // namespace dietcode::capi

#endif // DIETCODE_LIB_CAPI_HANDLES_H
