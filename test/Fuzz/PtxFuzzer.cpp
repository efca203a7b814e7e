//===- PtxFuzzer.cpp - Whatever the bytes are, nothing crashes ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an input for PTX, and launches each kernel that it makes, with every
// checker on and with the replay of the timing model. All that may come of it
// is an error or a report. test/Fuzz/README.md says how to run it.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "PtxMutator.h"
#include "dietcode/VirtualGPU/VirtualGPU.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

/// Enough for loops to be entered and left, and for few milliseconds a block.
constexpr uint64_t instructionLimit = 3000;
constexpr uint64_t bufferBytes = 4096;

/// FNV-1a: the launch differs between inputs and is the same for each.
uint64_t hashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : text)
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return hash ^ hash >> 32;
}

LaunchConfig configFor(const Program &program, uint64_t hash) {
  static constexpr std::array<int64_t, 3> grids[] = {
      {1, 1, 1}, {3, 1, 1}, {2, 2, 1}, {1, 1, 2}};
  static constexpr std::array<int64_t, 3> threads[] = {
      {32, 1, 1}, {64, 1, 1}, {33, 1, 1}, {8, 4, 3}};
  LaunchConfig config;
  config.grid = grids[hash & 3];
  config.block = threads[hash >> 2 & 3];
  // Larger blocks are refused, so there is nothing to lose.
  if (program.requiredThreads[0] != 0)
    std::copy(program.requiredThreads.begin(), program.requiredThreads.end(),
              config.block.begin());
  config.dynamicSharedBytes = hash >> 4 & 1 ? 1024 : 0;
  config.maxWarpInstructionsPerBlock = instructionLimit;
  config.checks = CheckOptions::all();
  config.timeOnly = (hash >> 5 & 7) == 0;
  return config;
}

/// Addresses of buffers for parameters of 8 bytes and more, small numbers for
/// the others.
class Arguments {
public:
  Arguments(VirtualGPU &gpu, const KernelInfo &kernel, uint64_t hash) {
    uint64_t addresses[2];
    for (uint64_t &address : addresses) {
      void *data = gpu.memory().allocate(bufferBytes).value();
      address = reinterpret_cast<uint64_t>(data);
    }
    auto *input = reinterpret_cast<uint8_t *>(addresses[1]);
    for (uint64_t i = 0; i < bufferBytes; ++i)
      input[i] = static_cast<uint8_t>(i * 7 + hash);
    gpu.memory().markWritten(input, bufferBytes);
    for (uint32_t bytes : kernel.paramBytes) {
      std::vector<uint64_t> &value = values.emplace_back(bytes / 8 + 1, 16);
      for (size_t i = 0; 8 * i + 8 <= bytes; ++i)
        value[i] = addresses[(values.size() + i) & 1];
    }
    for (std::vector<uint64_t> &value : values)
      pointers.push_back(value.data());
  }
  void **data() { return pointers.data(); }
  size_t size() const { return pointers.size(); }

private:
  std::vector<std::vector<uint64_t>> values;
  std::vector<void *> pointers;
};

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  // More threads would make what happens depend on the machine.
  setenv("DIETCODE_VGPU_THREADS", "1", 1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  Expected<std::shared_ptr<const Module>> module = parseModule(text, "f.ptx");
  if (!module)
    return module.error().message.empty() ? std::abort(), 0 : 0;
  uint64_t hash = hashOf(text);
  for (const KernelInfo &kernel : (*module)->kernels()) {
    VirtualGPU gpu(*lookupDevice("t4"));
    Arguments arguments(gpu, kernel, hash);
    const Program &program = (*module)->impl().programs.at(kernel.name);
    Finding finding;
    auto report =
        gpu.launch(**module, kernel.name, configFor(program, hash),
                   arguments.data(), arguments.size(), nullptr, &finding);
    // Printing is part of what must work.
    std::string shown =
        report ? report->replay.toText() + report->replay.toJson()
               : toText(finding) + toJson(finding) + report.error().message;
    if (shown.empty())
      std::abort();
  }
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

/// Half of the inputs are mutated as bytes, the others line by line.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  if (seed & 1)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string_view text(reinterpret_cast<const char *>(data), size);
  std::string mutated = mutatePtx(text, seed).substr(0, maxSize);
  std::memcpy(data, mutated.data(), mutated.size());
  return mutated.size();
}

/// Puts lines of the one input into the other.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2,
                                            uint8_t *out, size_t maxSize,
                                            unsigned seed) {
  std::string mixed =
      crossPtx({reinterpret_cast<const char *>(data1), size1},
               {reinterpret_cast<const char *>(data2), size2}, seed)
          .substr(0, maxSize);
  std::memcpy(out, mixed.data(), mixed.size());
  return mixed.size();
}
