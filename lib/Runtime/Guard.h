//===- Guard.h - Whether failures are caught --------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_GUARD_H
#define DIETCODE_LIB_RUNTIME_GUARD_H

namespace dietcode::runtime {

/// So short that a std::string of it needs no memory.
inline constexpr const char *outOfMemoryMessage = "out of memory";

/// Whether this thread is in a guardedCall.
bool isGuarded();

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_GUARD_H
