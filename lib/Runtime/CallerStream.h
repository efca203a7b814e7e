//===- CallerStream.h - The stream of the caller ----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_CALLERSTREAM_H
#define DIETCODE_LIB_RUNTIME_CALLERSTREAM_H

#include "Device.h"

namespace dietcode::runtime {

/// The stream that this thread has set, or null.
Result<Stream *> callerStream(Device &device);

/// Whether it is that one.
bool isCallerStream(const Stream *stream);

/// The stream for a call that was given `stream`, which may be none.
Result<Stream *> streamOr(Device &device, void *stream);

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_CALLERSTREAM_H
