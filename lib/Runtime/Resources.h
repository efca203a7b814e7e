//===- Resources.h - What guarded calls hold --------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A failure leaves compiled code in the middle: what that would still have
// released is released by the guardedCall that ends. What a call that succeeds
// has kept is its caller's. Both go by threads.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_RESOURCES_H
#define DIETCODE_LIB_RUNTIME_RESOURCES_H

#include <cstddef>
#include <cstdint>

namespace dietcode::runtime {

enum class ResourceKind : uint8_t { Memory, HostRange, Module, Stream, Event };

/// Outside of guarded calls, both do nothing. Without memory for a note, the
/// resource is released, and that is a failure.
void noteAcquired(ResourceKind kind, void *handle);
void noteReleased(ResourceKind kind, void *handle);

/// How many resources this thread holds.
size_t countHeldResources();
/// Forgets those beyond the first `count`, after their release if the call that
/// acquired them has failed.
void dropHeldResources(size_t count, bool hasFailed);

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_RESOURCES_H
