//===- KernelRun.h - One launch on device memory ----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_VIRTUALGPU_KERNELRUN_H
#define DIETCODE_TEST_UNIT_VIRTUALGPU_KERNELRUN_H

#include "TestUtil.h"
#include <algorithm>
#include <deque>
#include <fstream>
#include <iterator>

namespace dietcode::vgpu {

inline std::string inputFile(const std::string &name) {
  std::ifstream file(std::string(VGPU_TEST_INPUTS) + "/" + name);
  EXPECT_TRUE(file) << name;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Collects arguments and launches a kernel with them, under all checkers and
/// with buffers in device memory, of which the checkers know what is written.
class KernelRun {
public:
  template <typename T>
  T *input(const std::vector<T> &values, const char *label = "input") {
    T *data = output<T>(values.size(), label);
    std::copy(values.begin(), values.end(), data);
    gpu.memory().markWritten(data, values.size() * sizeof(T));
    return data;
  }
  /// Nothing has written it yet.
  template <typename T>
  T *output(size_t count, const char *label = "output") {
    void *data = gpu.memory().allocate(count * sizeof(T), label).value();
    words.push_back(reinterpret_cast<uint64_t>(data));
    return static_cast<T *>(data);
  }
  void integers(std::initializer_list<int> values) {
    for (int value : values)
      words.push_back(static_cast<uint32_t>(value));
  }

  /// "(no error)" if the launch went well.
  std::string launch(const Module &module, const std::string &kernel,
                     const LaunchConfig &config) {
    std::vector<void *> params;
    for (uint64_t &word : words)
      params.push_back(&word);
    return messageOf(gpu.launch(module, kernel, config, params.data(),
                                params.size(), &failure, &finding));
  }

  FailureKind failure = FailureKind::Refused;
  Finding finding;

private:
  VirtualGPU gpu{testDevice()};
  std::deque<uint64_t> words; ///< Of the arguments; little-endian.
};

} // namespace dietcode::vgpu

#endif // DIETCODE_TEST_UNIT_VIRTUALGPU_KERNELRUN_H
