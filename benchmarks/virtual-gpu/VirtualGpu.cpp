//===- VirtualGpu.cpp - How fast the virtual GPU executes -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the generated SGEMM of 128x128x8 tiles, on one core under each set of
// checkers, then a large one on all cores with all checkers. On one core, times
// are of the processor, so that other work on the machine counts little; on all
// of them, they are those of the clock on the wall.
//
//===----------------------------------------------------------------------===//

#include "dietcode/VirtualGPU/VirtualGPU.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

template <typename T>
T check(Expected<T> value) {
  if (value)
    return std::move(*value);
  std::fprintf(stderr, "error: %s\n", value.error().message.c_str());
  std::exit(1);
}

/// C = A B in the device's memory.
class Product {
public:
  Product(int64_t m, int64_t n, int64_t k) : m(m), n(n), k(k) {
    a = buffer(m * k, true);
    b = buffer(k * n, true);
    c = buffer(m * n, false);
  }

  /// Warp instructions of a launch; the kernel takes memrefs.
  uint64_t run(const Module &module, const CheckOptions &checks) {
    LaunchConfig config;
    config.grid = {(m + 127) / 128 * ((n + 127) / 128), 1, 1};
    config.block = {256, 1, 1};
    config.checks = checks;
    int64_t zero = 0, one = 1;
    void *params[] = {&a, &a, &zero, &m, &k, &k, &one, //
                      &b, &b, &zero, &k, &n, &n, &one, //
                      &c, &c, &zero, &m, &n, &n, &one};
    return check(gpu.launch(module, "matmul_large_aligned", config, params,
                            std::size(params)))
        .instructions.total;
  }

private:
  void *buffer(int64_t count, bool isInput) {
    auto bytes = static_cast<uint64_t>(4 * count);
    auto *data = static_cast<float *>(check(gpu.memory().allocate(bytes)));
    if (isInput) {
      for (int64_t i = 0; i < count; ++i)
        data[i] = static_cast<float>(i % 7 - 3);
      gpu.memory().markWritten(data, bytes);
    }
    return data;
  }

  int64_t m, n, k;
  VirtualGPU gpu{*lookupDevice("t4")};
  void *a, *b, *c;
};

double processorSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// The best of some runs, each on memory that nothing has touched; gives the
/// seconds, and prints them relative to `base`.
double onOneCore(const Module &module, const char *name,
                 const CheckOptions &checks, unsigned runs, double base = 0) {
  int64_t m = 512, n = 768, k = 768;
  double best = 1e9;
  uint64_t warpInstructions = 0;
  for (unsigned i = 0; i < runs; ++i) {
    Product product(m, n, k);
    double start = processorSeconds();
    warpInstructions = product.run(module, checks);
    best = std::min(best, processorSeconds() - start);
  }
  double instructions = 32.0 * static_cast<double>(warpInstructions);
  std::printf("%-21s %5ldx%ldx%ld %8.1f M %9.3f s %9.0f M/s %7.2f\n", name,
              long(m), long(n), long(k), instructions * 1e-6, best,
              instructions / best * 1e-6, base > 0 ? best / base : 1.0);
  return best;
}

/// The sets that have names, then each checker alone.
void checkersOnOneCore(const Module &module, unsigned runs) {
  double none = onOneCore(module, "none", CheckOptions::none(), runs);
  onOneCore(module, "memory", CheckOptions::memory(), runs, none);
  onOneCore(module, "all", CheckOptions::all(), runs, none);
  static constexpr std::pair<const char *, bool CheckOptions::*> each[] = {
      {"alignment", &CheckOptions::alignment},
      {"barriers", &CheckOptions::barriers},
      {"uninitialised regs", &CheckOptions::uninitializedRegisters},
      {"uninitialised global", &CheckOptions::uninitializedGlobal},
      {"uninitialised shared", &CheckOptions::uninitializedShared},
      {"races in shared", &CheckOptions::sharedRaces},
      {"races in global", &CheckOptions::globalRaces},
  };
  for (auto [name, member] : each) {
    CheckOptions alone = CheckOptions::none();
    alone.*member = true;
    onOneCore(module, name, alone, runs, none);
  }
}

void onAllCores(const Module &module) {
  Product product(2048, 2304, 768);
  auto start = std::chrono::steady_clock::now();
  double instructions =
      32.0 * static_cast<double>(product.run(module, CheckOptions::all()));
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%-21s 2048x2304x768 %8.1f M %9.3f s %9.0f M/s\n", "all",
              instructions * 1e-6, took.count(),
              instructions / took.count() * 1e-6);
}

} // namespace

int main(int argc, char **argv) {
  bool isQuick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  std::ifstream in(DIETCODE_BENCHMARK_PTX);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  auto module = check(parseModule(text, "sgemm-dietcode.ptx"));
  setenv("DIETCODE_VGPU_THREADS", "1", 1);
  std::printf("One core, generated SGEMM, instructions of threads\n"
              "checkers                      size instructions processor"
              "        rate    cost\n");
  checkersOnOneCore(*module, isQuick ? 1 : 5);
  if (isQuick)
    return 0;
  unsetenv("DIETCODE_VGPU_THREADS");
  std::printf("\n%u cores\n"
              "checkers                      size instructions      wall"
              "        rate\n",
              std::thread::hardware_concurrency());
  onAllCores(*module);
  return 0;
}
