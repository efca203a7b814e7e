//===- Estimate.cpp - What an estimate costs, and what it says ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates of SGEMMs on the virtual T4: host time per estimate, by the CPU
// time of the process on one thread, best of some runs; and what each says. The
// "virtual" columns are a model's, never measurements of a T4.
//
//   bench-estimate [--runs=5]
//
//===----------------------------------------------------------------------===//

#include "dietcode/Target/Ptxas.h"
#include "dietcode/VirtualGPU/VirtualGPU.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

struct Case {
  const char *file, *kernel;
  int64_t m, n, k;
  uint32_t registers; ///< By ptxas 13.0, where there is no ptxas.
};

const Case cases[] = {
    {"sgemm-dietcode.ptx", "matmul_large_aligned", 2048, 2304, 768, 127},
    {"sgemm-dietcode.ptx", "matmul_large_aligned", 4096, 4096, 4096, 127},
    {"sgemm-variants.ptx", "base", 4096, 4096, 4096, 127},
    {"sgemm-variants.ptx", "no_prefetch", 4096, 4096, 4096, 128},
    {"sgemm-variants.ptx", "conflicts", 4096, 4096, 4096, 127},
    {"sgemm-variants.ptx", "uncoalesced", 4096, 4096, 4096, 128},
    {"sgemm-variants.ptx", "naive", 4096, 4096, 4096, 49},
};

double cpuMilliseconds() {
  return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

[[noreturn]] void stop(const std::string &message) {
  std::fprintf(stderr, "bench-estimate: error: %s\n", message.c_str());
  std::exit(1);
}

struct Measured {
  double parse = 1e9, launch = 1e9; ///< Milliseconds.
  LaunchReport report;
};

/// One kernel, with its operands in memory that nobody touches.
class Product {
public:
  Product(const Case &c, const std::string &text)
      : c(c), text(text), gpu(*lookupDevice("t4")) {
    const int64_t bytes[] = {4 * c.m * c.k, 4 * c.k * c.n, 4 * c.m * c.n};
    for (unsigned i = 0; i < 3; ++i) {
      auto buffer = gpu.memory().allocate(static_cast<uint64_t>(bytes[i]), "");
      if (!buffer)
        stop(buffer.error().message);
      buffers[i] = *buffer;
    }
  }

  Measured measure(int runs) {
    Measured best;
    for (int i = 0; i < runs; ++i) {
      double start = cpuMilliseconds();
      auto module = parseModule(text, c.file);
      if (!module)
        stop(module.error().message);
      double parsed = cpuMilliseconds();
      auto report = launch(**module);
      if (!report)
        stop(report.error().message);
      best.parse = std::min(best.parse, parsed - start);
      best.launch = std::min(best.launch, cpuMilliseconds() - parsed);
      best.report = *report;
    }
    return best;
  }

private:
  Expected<LaunchReport> launch(const Module &module) {
    bool isNaive = !std::strcmp(c.kernel, "naive");
    LaunchConfig config;
    config.block = {isNaive ? 32 : 256, isNaive ? 8 : 1, 1};
    config.timeOnly = true;
    config.checks = CheckOptions::none();
    config.registersPerThread = c.registers;
    if (auto outcome = runPtxas(text, "sm_75", c.file);
        const PtxasKernel *found = outcome.report.lookup(c.kernel))
      config.registersPerThread = static_cast<uint32_t>(found->registers);
    if (!std::strcmp(c.file, "sgemm-variants.ptx")) {
      config.grid = {c.n / (isNaive ? 32 : 128), c.m / (isNaive ? 8 : 128), 1};
      auto n = static_cast<int32_t>(c.n);
      void *params[] = {&buffers[0], &buffers[1], &buffers[2], &n};
      return gpu.launch(module, c.kernel, config, params, 4);
    }
    // Memrefs: two pointers, an offset, sizes and strides.
    config.grid = {(c.m + 127) / 128 * ((c.n + 127) / 128), 1, 1};
    int64_t zero = 0, one = 1, m = c.m, n = c.n, k = c.k;
    void *x = &buffers[0], *y = &buffers[1], *z = &buffers[2];
    void *params[] = {x, x, &zero, &m, &k, &k, &one, //
                      y, y, &zero, &k, &n, &n, &one, //
                      z, z, &zero, &m, &n, &n, &one};
    return gpu.launch(module, c.kernel, config, params, 21);
  }

  const Case &c;
  const std::string &text;
  VirtualGPU gpu;
  void *buffers[3] = {};
};

} // namespace

int main(int argc, char **argv) {
  int runs = 5;
  for (int i = 1; i < argc; ++i) {
    if (std::sscanf(argv[i], "--runs=%d", &runs) != 1 || runs < 1)
      stop(std::string("unknown argument '") + argv[i] +
           "'; usage: bench-estimate [--runs=5]");
  }
  setenv("DIETCODE_VGPU_THREADS", "1", /*overwrite=*/1);
  std::printf("%-21s %-14s %8s %8s %8s   %-10s %-8s %s\n", "kernel", "shape",
              "parse ms", "rest ms", "total", "virtual us", "of peak",
              "limited by (virtual:t4)");
  for (const Case &c : cases) {
    std::string path = std::string(DIETCODE_PTX_INPUTS) + "/" + c.file;
    std::ifstream in(path);
    if (!in)
      stop("cannot open '" + path + "'");
    std::string text(std::istreambuf_iterator<char>(in), {});
    Measured best = Product(c, text).measure(runs);
    const TimingReport &replay = best.report.replay;
    std::string shape = std::to_string(c.m) + "x" + std::to_string(c.n) + "x" +
                        std::to_string(c.k);
    std::string limiter = replay.limiter;
    if (!replay.runnerUp.empty())
      limiter += ", then " + replay.runnerUp;
    std::printf("%-21s %-14s %8.1f %8.1f %8.1f   %-10.1f %5.1f %%  %s\n",
                c.kernel, shape.c_str(), best.parse, best.launch,
                best.parse + best.launch, replay.microseconds,
                100 * replay.fp32PeakFraction, limiter.c_str());
  }
  return 0;
}
