//===- SgemmTimingTest.cpp - The timing model on matrix products ----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuBLAS reaches 92 % of a T4's FP32 peak at 4096^3 with the clock locked
// (research/t4.md). A model that is of use puts a good kernel near it, a naive
// one far below, and names what is wrong with a spoiled one.
//
//===----------------------------------------------------------------------===//

#include "TimingUtil.h"
#include "dietcode/Target/Ptxas.h"
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

std::shared_ptr<const Module> load(const char *file) {
  std::ifstream in(std::string(VGPU_TEST_INPUTS) + "/" + file);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  auto module = parseModule(text, file);
  EXPECT_TRUE(module) << messageOf(module);
  return module ? *module : nullptr;
}

/// A, B and C of a product, in memory of their own.
struct Product {
  Product(int64_t m, int64_t n, int64_t k)
      : m(m), n(n), k(k), gpu(testDevice()) {
    a = *gpu.memory().allocate(static_cast<uint64_t>(4 * m * k), "A");
    b = *gpu.memory().allocate(static_cast<uint64_t>(4 * k * n), "B");
    c = *gpu.memory().allocate(static_cast<uint64_t>(4 * m * n), "C");
  }
  TimingReport estimate(const char *file, const char *kernel,
                        LaunchConfig config, std::vector<void *> params) {
    auto module = load(file);
    if (!module)
      return {};
    config.timeOnly = true;
    auto report =
        gpu.launch(*module, kernel, config, params.data(), params.size());
    EXPECT_TRUE(report) << messageOf(report);
    if (!report)
      return {};
    EXPECT_TRUE(report->replay.valid);
    std::printf("[ virtual  ] %-20s %5ld x %ld x %ld: %5.1f %% of FP32 peak, "
                "limited by %s, largest loss %.1f %% %s\n",
                kernel, long(m), long(n), long(k),
                100 * report->replay.fp32PeakFraction,
                report->replay.limiter.c_str(),
                100 * report->replay.largestLossFraction,
                report->replay.largestLoss.c_str());
    return report->replay;
  }

  int64_t m, n, k;
  VirtualGPU gpu;
  void *a, *b, *c;
};

/// Registers of a kernel by ptxas, or as ptxas 13.0 gave them for sm_75 where
/// there is none.
uint32_t registersOf(const char *file, const std::string &kernel) {
  std::ifstream in(std::string(VGPU_TEST_INPUTS) + "/" + file);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  PtxasOutcome outcome = runPtxas(text, testDevice().chip, file);
  if (const PtxasKernel *found = outcome.report.lookup(kernel))
    return static_cast<uint32_t>(found->registers);
  return kernel == "naive"                                    ? 49
         : kernel == "no_prefetch" || kernel == "uncoalesced" ? 128
                                                              : 127;
}

/// The project's own kernel, which takes memrefs: pointers, an offset, sizes
/// and strides.
TimingReport estimateGenerated(Product &product) {
  LaunchConfig config;
  config.grid = {(product.m + 127) / 128 * ((product.n + 127) / 128), 1, 1};
  config.block = {256, 1, 1};
  config.registersPerThread =
      registersOf("sgemm-dietcode.ptx", "matmul_large_aligned");
  int64_t zero = 0, one = 1, m = product.m, n = product.n, k = product.k;
  void *a = &product.a, *b = &product.b, *c = &product.c;
  return product.estimate("sgemm-dietcode.ptx", "matmul_large_aligned", config,
                          {a, a, &zero, &m, &k, &k, &one, //
                           b, b, &zero, &k, &n, &n, &one, //
                           c, c, &zero, &m, &n, &n, &one});
}

TimingReport estimateVariant(Product &product, const char *kernel,
                             uint32_t registers = 0) {
  LaunchConfig config;
  bool isNaive = std::string(kernel) == "naive";
  config.grid = {product.n / (isNaive ? 32 : 128),
                 product.m / (isNaive ? 8 : 128), 1};
  config.block = {isNaive ? 32 : 256, isNaive ? 8 : 1, 1};
  config.registersPerThread =
      registers ? registers : registersOf("sgemm-variants.ptx", kernel);
  auto n = static_cast<int32_t>(product.n);
  return product.estimate("sgemm-variants.ptx", kernel, config,
                          {&product.a, &product.b, &product.c, &n});
}

TEST(SgemmTiming, GoodAndNaive) {
  Product product(4096, 4096, 4096);
  TimingReport good = estimateGenerated(product);
  EXPECT_GT(good.fp32PeakFraction, 0.80);
  EXPECT_LT(good.fp32PeakFraction, 0.95);
  EXPECT_EQ(good.limiter, "FMA pipe");
  EXPECT_EQ(good.residentBlocks, 2u);
  TimingReport cuda = estimateVariant(product, "base");
  EXPECT_GT(cuda.fp32PeakFraction, 0.80);
  EXPECT_LT(cuda.fp32PeakFraction, 0.95);
  EXPECT_LT(estimateVariant(product, "naive").fp32PeakFraction, 0.15);
}

/// Each is so much slower than the good kernel, and the report says why.
void expectCulprits(Product &product, double base, uint32_t registers) {
  TimingReport late = estimateVariant(product, "no_prefetch", registers);
  EXPECT_GT(late.microseconds, 1.05 * base);
  EXPECT_EQ(late.largestLoss, "global-memory latency");
  TimingReport scattered = estimateVariant(product, "uncoalesced", registers);
  EXPECT_GT(scattered.microseconds, 1.2 * base);
  EXPECT_EQ(scattered.limiter, "uncoalesced global accesses");
  EXPECT_EQ(scattered.largestLoss, "uncoalesced global accesses");
  EXPECT_GT(scattered.sectorsPerRequest, 2 * scattered.idealSectorsPerRequest);
  TimingReport conflicts = estimateVariant(product, "conflicts", registers);
  EXPECT_GT(conflicts.microseconds, 2 * base);
  EXPECT_EQ(conflicts.limiter, "shared-memory bank conflicts");
  EXPECT_EQ(conflicts.largestLoss, "shared-memory bank conflicts");
  EXPECT_GT(conflicts.sharedConflictRatio, 3);
}

TEST(SgemmTiming, SpoiledKernels) {
  Product product(4096, 4096, 4096);
  TimingReport good = estimateVariant(product, "base");
  EXPECT_EQ(good.residentBlocks, 2u);
  EXPECT_EQ(good.limiter, "FMA pipe");
  EXPECT_LT(good.largestLossFraction, 0.04);
  expectCulprits(product, good.microseconds, 0);
}

/// No other block hides what one waits for.
TEST(SgemmTiming, SpoiledKernelsWithOneBlockPerSM) {
  Product product(2048, 2048, 2048);
  TimingReport good = estimateVariant(product, "base", 255);
  EXPECT_EQ(good.residentBlocks, 1u);
  expectCulprits(product, good.microseconds, 255);
  TimingReport late = estimateVariant(product, "no_prefetch", 255);
  EXPECT_GT(late.microseconds, 1.3 * good.microseconds);
  EXPECT_EQ(late.limiter, "global-memory latency");
}

TEST(SgemmTiming, CostOfAnEstimate) {
  Product product(2048, 2304, 768);
  estimateGenerated(product);
  std::clock_t start = std::clock();
  TimingReport report = estimateGenerated(product);
  double ms = 1e3 * double(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("[          ] an estimate took %.0f ms of a core, parsing "
              "included\n",
              ms);
  EXPECT_GT(report.fp32PeakFraction, 0.6);
#ifdef NDEBUG
  EXPECT_LT(ms, 500); // About 80 on an idle machine.
#endif
}

} // namespace
