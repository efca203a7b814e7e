//===- Estimate.cpp - What an estimate costs, and what it says ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates of SGEMMs on the virtual T4: host time per estimate, by the CPU
// time of the process on one thread, best of some runs; and what each says, for
// good kernels and for such in which one thing is spoiled. The second table is
// a model's, never a measurement of a T4.
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
#include <vector>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

struct Case {
  const char *file, *kernel;
  int64_t m, n, k;
  uint32_t registers;    ///< By ptxas 13.0, where there is no ptxas.
  bool isForced = false; ///< The registers, so that one block fits on an SM.
};

const Case cases[] = {
    {"sgemm-dietcode.ptx", "matmul_large_aligned", 2048, 2304, 768, 127},
    {"sgemm-dietcode.ptx", "matmul_large_aligned", 4096, 4096, 4096, 127},
    {"sgemm-variants.ptx", "base", 4096, 4096, 4096, 127},
    {"sgemm-variants.ptx", "no_prefetch", 4096, 4096, 4096, 128},
    {"sgemm-variants.ptx", "uncoalesced", 4096, 4096, 4096, 128},
    {"sgemm-variants.ptx", "conflicts", 4096, 4096, 4096, 127},
    {"sgemm-variants.ptx", "naive", 4096, 4096, 4096, 49},
    {"sgemm-variants.ptx", "base", 2048, 2048, 2048, 255, true},
    {"sgemm-variants.ptx", "no_prefetch", 2048, 2048, 2048, 255, true},
    {"sgemm-variants.ptx", "uncoalesced", 2048, 2048, 2048, 255, true},
    {"sgemm-variants.ptx", "conflicts", 2048, 2048, 2048, 255, true},
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
    if (!c.isForced)
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

std::string shapeOf(const Case &c) {
  return std::to_string(c.m) + "x" + std::to_string(c.n) + "x" +
         std::to_string(c.k);
}

std::string readInput(const char *file) {
  std::string path = std::string(DIETCODE_PTX_INPUTS) + "/" + file;
  std::ifstream in(path);
  if (!in)
    stop("cannot open '" + path + "'");
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// Against the good kernel of the same shape.
void printEstimates(const std::vector<TimingReport> &reports) {
  std::printf("\n%-21s %-14s %6s %8s %8s  %-29s %s\n", "kernel", "shape",
              "blocks", "of peak", "of base", "limited by (virtual:t4)",
              "largest loss");
  double base = 0;
  for (size_t i = 0; i < reports.size(); ++i) {
    const Case &c = cases[i];
    const TimingReport &report = reports[i];
    char ratio[32] = "", loss[96] = "";
    if (!std::strcmp(c.kernel, "base"))
      base = report.fp32PeakFraction;
    if (base > 0)
      std::snprintf(ratio, sizeof(ratio), "%.1f %%",
                    100 * report.fp32PeakFraction / base);
    if (!report.largestLoss.empty())
      std::snprintf(loss, sizeof(loss), "%4.1f %% %s",
                    100 * report.largestLossFraction,
                    report.largestLoss.c_str());
    std::printf("%-21s %-14s %6u %6.1f %% %8s  %-29s %s\n", c.kernel,
                shapeOf(c).c_str(), report.residentBlocks,
                100 * report.fp32PeakFraction, ratio, report.limiter.c_str(),
                loss);
  }
}

} // namespace

int main(int argc, char **argv) {
  int runs = 5;
  for (int i = 1; i < argc; ++i) {
    if (std::sscanf(argv[i], "--runs=%d", &runs) != 1 || runs < 1)
      stop(std::string("unknown argument '") + argv[i] +
           "'; usage: bench-estimate [--runs=5]");
  }
  setenv("DIETCODE_VGPU_THREADS", "1", /*overwrite=*/1);
  std::printf("%-21s %-14s %8s %8s %8s   %s\n", "kernel", "shape", "parse ms",
              "rest ms", "total", "us (virtual:t4)");
  std::vector<TimingReport> reports;
  for (const Case &c : cases) {
    std::string text = readInput(c.file);
    Measured best = Product(c, text).measure(runs);
    reports.push_back(best.report.replay);
    std::printf("%-21s %-14s %8.1f %8.1f %8.1f   %.1f\n", c.kernel,
                shapeOf(c).c_str(), best.parse, best.launch,
                best.parse + best.launch, reports.back().microseconds);
  }
  printEstimates(reports);
  return 0;
}
