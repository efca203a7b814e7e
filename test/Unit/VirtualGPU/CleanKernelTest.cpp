//===- CleanKernelTest.cpp - Right kernels, and what one change breaks ----===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilers' output under all checkers: silent as it is, and with one finding
// each once a barrier is gone or an index is off.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"
#include <cstdlib>
#include <fstream>
#include <iterator>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

std::string inputFile(const std::string &name) {
  std::ifstream file(std::string(VGPU_TEST_INPUTS) + "/" + name);
  EXPECT_TRUE(file) << name;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Replaces the n-th occurrence, counting from 0.
std::string replaced(std::string text, const std::string &from,
                     const std::string &to, unsigned n = 0) {
  size_t at = text.find(from);
  while (n-- && at != std::string::npos)
    at = text.find(from, at + 1);
  EXPECT_NE(at, std::string::npos) << "there is no such '" << from << "'";
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class CleanKernel : public ::testing::TestWithParam<const char *> {
protected:
  /// Runs kernel(out, in, n) on device memory; what it leaves in `out`.
  std::string run(const std::string &ptx, const char *kernel, int64_t blocks) {
    auto module = parseModule(ptx, "clean.ptx");
    if (!module)
      return messageOf(module);
    VirtualGPU gpu(testDevice());
    auto *in = static_cast<uint32_t *>(*gpu.memory().allocate(4 * n, "in"));
    auto *out = static_cast<uint32_t *>(*gpu.memory().allocate(4096, "out"));
    for (unsigned i = 0; i < n; ++i)
      in[i] = integral ? i * i : bitsOf<uint32_t>(static_cast<float>(i % 17));
    gpu.memory().markWritten(in, 4 * n);
    if (integral) {
      std::memset(out, 0, 4096);
      gpu.memory().markWritten(out, 4096);
    }
    int count = static_cast<int>(n);
    void *params[] = {&out, &in, &count};
    LaunchConfig config;
    config.grid = {blocks, 1, 1};
    config.block = {256, 1, 1};
    auto report =
        gpu.launch(**module, kernel, config, params, 3, nullptr, &finding);
    result.assign(out, out + 1024);
    return messageOf(report);
  }

  float floatAt(size_t i) const { return bitsOf<float>(result[i]); }

  static constexpr unsigned n = 3000;
  bool integral = false;
  std::vector<uint32_t> result;
  Finding finding;
};

/// The sum of all inputs, which floats hold exactly.
float sumOfAll(unsigned n) {
  float sum = 0;
  for (unsigned i = 0; i < n; ++i)
    sum += static_cast<float>(i % 17);
  return sum;
}

TEST_P(CleanKernel, Shuffles) {
  std::string ptx = inputFile(GetParam());
  ASSERT_EQ(run(ptx, "reduce", 3), "(no error)");
  EXPECT_EQ(floatAt(0) + floatAt(1) + floatAt(2), sumOfAll(n));
}

TEST_P(CleanKernel, Trees) {
  std::string ptx = inputFile(GetParam());
  ASSERT_EQ(run(ptx, "tree", 12), "(no error)");
  float sum = 0;
  for (unsigned i = 0; i < 12; ++i)
    sum += floatAt(i);
  EXPECT_EQ(sum, sumOfAll(n));
}

TEST_P(CleanKernel, Histograms) {
  integral = true;
  std::string ptx = inputFile(GetParam());
  ASSERT_EQ(run(ptx, "histogram", 5), "(no error)");
  std::vector<uint32_t> expected(64);
  for (unsigned i = 0; i < n; ++i)
    ++expected[i * i % 64];
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(result[i], expected[i]);
}

TEST_P(CleanKernel, TheLastBlock) {
  std::string ptx = inputFile(GetParam());
  ASSERT_EQ(run(ptx, "lastBlock", 6), "(no error)");
  EXPECT_EQ(floatAt(0), sumOfAll(n));
}

TEST_P(CleanKernel, WithoutABarrier) {
  // bar.warp.sync has other text.
  std::string ptx = inputFile(GetParam());
  std::string bar = ptx.find("bar.sync \t0;") != std::string::npos
                        ? "bar.sync \t0;"
                        : "barrier.sync \t0;";
  // The one barrier of reduce is the first of the file.
  EXPECT_EQ(ptx.find("entry reduce") < ptx.find(bar), true);
  EXPECT_NE(run(replaced(ptx, bar, ""), "reduce", 1), "(no error)");
  EXPECT_TRUE(finding.kind == FindingKind::SharedRace ||
              finding.kind == FindingKind::UninitializedShared)
      << toText(finding);
}

INSTANTIATE_TEST_SUITE_P(Compilers, CleanKernel,
                         ::testing::Values("clean-nvcc.ptx",
                                           "clean-clang.ptx"));

/// The generated, double-buffered matmul, C = A W^T + bias for any
/// number of rows: 40 are a tile and a part of one.
class CleanGemm : public ::testing::Test {
protected:
  static constexpr int64_t m = 40, nn = 2304, k = 768;
  static constexpr const char *name = "matmul_simt_32x64x16_4x4_general";

  std::string run(const std::string &ptx) {
    auto module = parseModule(ptx, "gemm.ptx");
    if (!module)
      return messageOf(module);
    VirtualGPU gpu(testDevice());
    auto buffer = [&](int64_t count, const char *label, bool isInput) {
      auto bytes = static_cast<uint64_t>(4 * count);
      auto *data = static_cast<float *>(*gpu.memory().allocate(bytes, label));
      for (int64_t i = 0; isInput && i < count; ++i)
        data[i] = static_cast<float>(i % 7 - 3);
      if (isInput)
        gpu.memory().markWritten(data, bytes);
      return data;
    };
    float *a = buffer(m * k, "a", true), *w = buffer(nn * k, "w", true);
    float *c = buffer(m * nn, "c", false), *bias = buffer(nn, "bias", true);
    std::vector<uint64_t> values;
    auto matrix = [&](float *data, int64_t rows, int64_t columns) {
      auto address = reinterpret_cast<uint64_t>(data);
      values.insert(values.end(), {address, address, 0, uint64_t(rows),
                                   uint64_t(columns), uint64_t(columns), 1});
    };
    matrix(a, m, k);
    matrix(w, nn, k);
    matrix(c, m, nn);
    auto address = reinterpret_cast<uint64_t>(bias);
    values.insert(values.end(), {address, address, 0, nn, 1});
    std::vector<void *> params;
    for (uint64_t &value : values)
      params.push_back(&value);
    LaunchConfig config;
    config.grid = {72, 1, 1};
    config.block = {128, 1, 1};
    auto report = gpu.launch(**module, name, config, params.data(),
                             params.size(), nullptr, &finding);
    if (report)
      expectProduct(a, w, c, bias);
    return messageOf(report);
  }

  static void expectProduct(const float *a, const float *w, const float *c,
                            const float *bias) {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < nn; ++j) {
        float sum = bias[j];
        for (int64_t l = 0; l < k; ++l)
          sum += a[i * k + l] * w[j * k + l];
        ASSERT_EQ(c[i * nn + j], sum) << i << ", " << j;
      }
  }

  std::string ptx = inputFile("gemm-llvm.ptx");
  Finding finding;
};

TEST_F(CleanGemm, IsSilent) {
  for (const char *threads : {"1", "3"}) {
    setenv("DIETCODE_VGPU_THREADS", threads, 1);
    EXPECT_EQ(run(ptx), "(no error)");
  }
  unsetenv("DIETCODE_VGPU_THREADS");
}

TEST_F(CleanGemm, WithoutItsBarrier) {
  // The threads' own words are theirs: what others loaded is not there yet.
  EXPECT_NE(run(replaced(ptx, "bar.sync \t0;", "")), "(no error)");
  EXPECT_TRUE(finding.kind == FindingKind::SharedRace ||
              finding.kind == FindingKind::UninitializedShared)
      << toText(finding);
}

} // namespace
