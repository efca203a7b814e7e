//===- CudaProgram.h - A program on the fake CUDA driver --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_RUNTIME_CUDAPROGRAM_H
#define DIETCODE_TEST_UNIT_RUNTIME_CUDAPROGRAM_H

#include "CudaTesting.h"

constexpr int kOutOfMemory = 2;

/// All that a program does, with sizes and texts that nothing is kept of.
class CudaProgram {
public:
  CudaProgram() { change(); }

  /// To one that nobody has seen before.
  CudaProgram &change() {
    static int count = 0;
    number = ++count;
    text = ptx(std::to_string(number));
    return *this;
  }

  /// Owns nothing, as compiled programs do: failures leave it by a jump.
  void run();

private:
  int number = 0;
  std::string text;
};

inline void CudaProgram::run() {
  uint64_t bytes = uint64_t(1) << (10 + number % 10);
  void *module = mgpuModuleLoad(text.data(), text.size());
  void *function = mgpuModuleGetFunction(module, "work");
  void *streams[20]; // More than are kept.
  for (void *&stream : streams)
    stream = mgpuStreamCreate();
  void *stream = streams[0];
  void *event = mgpuEventCreate();
  char host[64] = {};
  mgpuMemHostRegister(host, sizeof(host));
  void *first = mgpuMemAlloc(bytes, stream, false);
  void *second = mgpuMemAlloc(bytes, stream, false);
  void *shared = mgpuMemAlloc(bytes, nullptr, true);
  mgpuMemset32(first, 1, 16, stream);
  mgpuMemset16(second, 1, 16, stream);
  mgpuMemcpy(second, first, 64, stream);
  void *params[] = {&shared};
  mgpuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 60000, stream, params, nullptr,
                   1);
  mgpuEventRecord(event, stream);
  mgpuStreamWaitEvent(streams[1], event);
  mgpuEventSynchronize(event);
  mgpuStreamSynchronize(streams[1]);
  mgpuStreamSynchronize(stream);
  for (void *pointer : {first, second, shared})
    mgpuMemFree(pointer, stream);
  mgpuMemHostUnregister(host);
  mgpuEventDestroy(event);
  for (void *each : streams)
    mgpuStreamDestroy(each);
  mgpuModuleUnload(module);
}

/// What is held, but for kept memory.
inline void expectNothingHeld(const FakeCounts &before,
                              const std::string &what) {
  FakeCounts now = counts();
  EXPECT_LE(now.modules, before.modules) << what;
  EXPECT_LE(now.streams, before.streams) << what;
  EXPECT_EQ(now.events, before.events) << what;
  EXPECT_EQ(now.registrations, before.registrations) << what;
  EXPECT_EQ(now.contexts, before.contexts) << what;
}

/// Asking for all memory succeeds only if nothing is in use, and what is kept
/// is given back. Then nothing is kept.
inline void expectMemoryFree(const std::string &what) {
  constexpr int64_t kBytes = 48 << 20;
  setMemory(kBytes);
  EXPECT_TRUE(dietcode::runtime::guardedCall(
      [] { mgpuMemFree(mgpuMemAlloc(kBytes, nullptr, false), nullptr); },
      nullptr))
      << what;
  setMemory(0);
  failureOf([] { mgpuMemAlloc(2 * kBytes, nullptr, false); });
  setMemory(1 << 30);
}

#endif // DIETCODE_TEST_UNIT_RUNTIME_CUDAPROGRAM_H
