//===- CudaTesting.h - Programs on the fake CUDA driver ---------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_RUNTIME_CUDATESTING_H
#define DIETCODE_TEST_UNIT_RUNTIME_CUDATESTING_H

#include "../Device/FakeCuda.h"
#include "Mgpu.h"

#include <dlfcn.h>
#include <string>

/// A function of the fake driver.
template <typename FunctionT>
FunctionT *ofFake(const char *name) {
  static void *library = ::dlopen(FAKE_CUDA, RTLD_NOW);
  return reinterpret_cast<FunctionT *>(::dlsym(library, name));
}

inline FakeCounts counts() {
  return ofFake<decltype(fakeCudaCounts)>("fakeCudaCounts")();
}
inline void failAt(const char *function, int nth, int result) {
  ofFake<decltype(fakeCudaFail)>("fakeCudaFail")(function, nth, result);
}
inline void setLaunchMicroseconds(int microseconds) {
  ofFake<decltype(fakeCudaSetLaunchMicroseconds)>(
      "fakeCudaSetLaunchMicroseconds")(microseconds);
}
inline void setMemory(int64_t bytes) {
  ofFake<decltype(fakeCudaSetMemory)>("fakeCudaSetMemory")(bytes);
}

/// Makes the context that of this thread, for calls of the fake driver.
inline void withContext() {
  void *context = nullptr;
  ofFake<int(void **, int)>("cuDevicePrimaryCtxRetain")(&context, 40);
  ofFake<int(void *)>("cuCtxSetCurrent")(context);
}

/// PTX with "add", "fault", and "work", which has one parameter. `comment`
/// tells texts apart.
inline std::string ptx(const std::string &comment = "") {
  return ".version 6.3\n// " + comment +
         "\n.visible .entry add(.param .u64 p, .param .u32 v) { ret; }"
         "\n.visible .entry fault() { ret; }"
         "\n.visible .entry work(.param .u64 p) { ret; }\n";
}

inline void *load(std::string text = ptx()) {
  return mgpuModuleLoad(text.data(), text.size());
}

/// Launches "work" or another kernel of one parameter.
inline void launchWork(void *function, void *data, void *stream = nullptr) {
  void *params[] = {&data};
  mgpuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 64, stream, params, nullptr, 1);
}

inline void launchFault(void *function, void *stream = nullptr) {
  mgpuLaunchKernel(function, 3, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr, 0);
}

#define EXPECT_PART(text, part)                                                \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << (text)

#endif // DIETCODE_TEST_UNIT_RUNTIME_CUDATESTING_H
