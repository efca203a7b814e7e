//===- CallerStream.cpp - The stream of the caller ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallerStream.h"
#include "dietcode/Runtime/Stream.h"

#include <new>

namespace dietcode::runtime {
namespace {

struct CallerStream {
  bool isSet = false;
  bool isDeferred = false;
  void *native = nullptr;
  Stream *adopted = nullptr; ///< Once somebody has asked for it.
};

thread_local CallerStream current;

} // namespace

Result<Stream *> callerStream(Device &device) {
  if (!current.isSet || current.adopted)
    return current.adopted;
  Result<Stream *> adopted =
      device.adoptStream(current.native, current.isDeferred);
  if (adopted)
    current.adopted = *adopted;
  return adopted;
}

bool isCallerStream(const Stream *stream) {
  return stream && stream == current.adopted;
}

Result<Stream *> streamOr(Device &device, void *stream) {
  if (stream)
    return static_cast<Stream *>(stream);
  return callerStream(device);
}

} // namespace dietcode::runtime

using namespace dietcode::runtime;

extern "C" __attribute__((visibility("default"))) void
dietcodeSetStream(void *stream, dietcodeStreamMode mode) {
  dietcodeResetStream();
  current = {true, mode == dietcodeStreamDeferred, stream, nullptr};
}

extern "C" __attribute__((visibility("default"))) void dietcodeResetStream() {
  // An error of the device has been said, or will be by the next call.
  try {
    if (current.adopted)
      (void)Device::getIfMade()->destroyStream(current.adopted);
  } catch (const std::bad_alloc &) {
  }
  current = {};
}
