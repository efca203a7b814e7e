//===- CompiledKernelTest.cpp - Right kernels of two compilers ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs/compiled.cu as nvcc and clang compile it: the PTX in Inputs/, and what
// the compilers make of it now, where they are installed. Results are those of
// the host, and no checker finds anything.
//
//===----------------------------------------------------------------------===//

#include "Half.h"
#include "KernelRun.h"
#include <cmath>
#include <cstdlib>
#include <random>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

/// Where the PTX comes from: a file, or the command of a compiler.
struct Origin {
  const char *name;
  const char *file;
  const char *compiler; ///< Empty if there is none.
  const char *options;
};

void PrintTo(const Origin &origin, std::ostream *out) { *out << origin.name; }

const Origin origins[] = {
    {"NvccFile", "compiled-nvcc.ptx", "", ""},
    {"ClangFile", "compiled-clang.ptx", "", ""},
    {"NvccNow", "", DIETCODE_NVCC, "-std=c++17 -O3 -arch=sm_75 -ptx"},
    {"ClangNow", "", DIETCODE_CUDA_CLANG,
     "-x cuda --cuda-device-only --cuda-gpu-arch=sm_75 "
     "-Wno-unknown-cuda-version -O3 -S"},
};

std::string readFile(const std::string &path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// An empty text if the compiler is absent or lacks a part of CUDA.
std::string ptxOf(const Origin &origin) {
  if (*origin.file)
    return inputFile(origin.file);
  if (!*origin.compiler)
    return "";
  std::string out = testing::TempDir() + "compiled-" + origin.name + ".ptx";
  std::string command = std::string("'") + origin.compiler + "' " +
                        origin.options + " '" + VGPU_TEST_INPUTS +
                        "/compiled.cu' -o '" + out + "' 2>/dev/null";
  std::string ptx = std::system(command.c_str()) == 0 ? readFile(out) : "";
  std::remove(out.c_str());
  return ptx;
}

class CompiledKernels : public ::testing::TestWithParam<Origin> {
protected:
  void gemm(const std::string &kernel, int m, int n, int k, int tile,
            std::array<int64_t, 3> block);
  void halfGemm(const std::string &kernel, bool halfOutput);
  void softmax();
  void histogram();
  void reverse();
  void calls();

  LaunchConfig shape(int64_t x, int64_t y, std::array<int64_t, 3> block) {
    LaunchConfig config;
    config.grid = {x, y, 1};
    config.block = block;
    return config;
  }
  /// Multiples of a quarter, up to 2.
  float quarter() { return (static_cast<float>(engine() % 17) - 8) / 4; }

  std::shared_ptr<const Module> module;
  std::mt19937 engine{7};
};

void CompiledKernels::gemm(const std::string &kernel, int m, int n, int k,
                           int tile, std::array<int64_t, 3> block) {
  SCOPED_TRACE(kernel);
  std::vector<float> a(size_t(m) * size_t(k)), b(size_t(k) * size_t(n));
  std::generate(a.begin(), a.end(), [&] { return quarter(); });
  std::generate(b.begin(), b.end(), [&] { return quarter(); });
  KernelRun run;
  auto *c = run.output<float>(size_t(m) * size_t(n));
  run.input(a);
  run.input(b);
  run.integers({m, n, k});
  ASSERT_EQ(
      run.launch(*module, kernel,
                 shape((n + tile - 1) / tile, (m + tile - 1) / tile, block)),
      "(no error)");
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0; // Multiples of 1/16 below 2^8: exact in any order.
      for (int x = 0; x < k; ++x)
        sum += a[size_t(i * k + x)] * b[size_t(x * n + j)];
      ASSERT_EQ(c[i * n + j], sum) << i << ", " << j;
    }
}

void CompiledKernels::halfGemm(const std::string &kernel, bool halfOutput) {
  SCOPED_TRACE(kernel);
  int m = 128, n = 64, k = 48;
  Halves a(size_t(m) * size_t(k)), b(size_t(k) * size_t(n));
  KernelRun run;
  auto *c = run.output<uint32_t>(size_t(m) * size_t(n) / (halfOutput ? 2 : 1));
  run.input(a.bits);
  run.input(b.bits);
  run.integers({m, n, k});
  ASSERT_EQ(run.launch(*module, kernel, shape(n / 64, m / 64, {128, 1, 1})),
            "(no error)");
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0; // As above; below 2^7, halves hold multiples of 1/16 too.
      for (int x = 0; x < k; ++x)
        sum += a.values[size_t(i * k + x)] * b.values[size_t(x * n + j)];
      ASSERT_LT(std::fabs(sum), 128);
      int at = i * n + j;
      float got = halfOutput ? valueOf(uint16_t(c[at / 2] >> (16 * (at % 2))))
                             : bitsOf<float>(c[at]);
      ASSERT_EQ(got, sum) << i << ", " << j;
    }
}

void CompiledKernels::softmax() {
  int rows = 10, columns = 77;
  std::vector<float> in(size_t(rows * columns));
  std::generate(in.begin(), in.end(), [&] { return 4 * quarter(); });
  KernelRun run;
  auto *out = run.output<float>(in.size());
  run.input(in);
  run.integers({rows, columns});
  ASSERT_EQ(run.launch(*module, "softmax", shape(3, 1, {32, 4, 1})),
            "(no error)");
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j < columns; ++j)
      sum += std::exp(double(in[size_t(i * columns + j)]));
    for (int j = 0; j < columns; ++j) {
      double expected = std::exp(double(in[size_t(i * columns + j)])) / sum;
      ASSERT_NEAR(out[i * columns + j], expected, 1e-5 * expected);
    }
  }
}

void CompiledKernels::histogram() {
  std::vector<uint32_t> in(3000), expected(64);
  for (uint32_t &value : in)
    ++expected[(value = uint32_t(engine())) % 64];
  KernelRun run;
  uint32_t *out = run.input(std::vector<uint32_t>(64), "bins");
  run.input(in);
  run.integers({3000});
  ASSERT_EQ(run.launch(*module, "histogram", shape(5, 1, {256, 1, 1})),
            "(no error)");
  EXPECT_EQ(std::vector<uint32_t>(out, out + 64), expected);
}

void CompiledKernels::reverse() {
  std::vector<float> in(4 * 200);
  std::generate(in.begin(), in.end(), [&] { return quarter(); });
  KernelRun run;
  auto *out = run.output<float>(in.size());
  run.input(in);
  LaunchConfig config = shape(4, 1, {200, 1, 1});
  config.dynamicSharedBytes = 800;
  ASSERT_EQ(run.launch(*module, "reverse", config), "(no error)");
  for (size_t i = 0; i < in.size(); ++i)
    ASSERT_EQ(out[i], in[i / 200 * 200 + 199 - i % 200]) << i;
}

void CompiledKernels::calls() {
  std::vector<int> in(70);
  for (int &x : in)
    x = static_cast<int>(engine() % 4000) - 2000;
  KernelRun run;
  auto *out = run.output<int>(in.size());
  run.input(in);
  ASSERT_EQ(run.launch(*module, "calls", shape(1, 1, {70, 1, 1})),
            "(no error)");
  for (int t = 0; t < 70; ++t) {
    int q = in[size_t(t)] / 7, r = in[size_t(t)] % 7 + 1, count = 1;
    if (t % 3 == 0 && r != 0) {
      int x = q;
      q = x / r;
      r = x % r + t;
      ++count;
    } else if (t % 3 == 0) {
      continue; // Division by zero gives no value that anybody promises.
    }
    ASSERT_EQ(out[t], q * 1000 + r * 10 + count) << t;
  }
}

TEST_P(CompiledKernels, AgreeWithTheHostAndAreSilent) {
  std::string ptx = ptxOf(GetParam());
  if (ptx.empty())
    GTEST_SKIP() << "there is no such compiler, or no CUDA for it";
  auto parsed = parseModule(ptx, GetParam().name);
  ASSERT_TRUE(parsed) << messageOf(parsed);
  module = *parsed;
  gemm("sgemm_tiled", 40, 51, 37, 16, {16, 16, 1});
  gemm("sgemm_blocked", 128, 192, 48, 64, {256, 1, 1});
  halfGemm("hgemm_f32", false);
  halfGemm("hgemm_f16", true);
  softmax();
  histogram();
  reverse();
  calls();
}

INSTANTIATE_TEST_SUITE_P(Compilers, CompiledKernels,
                         ::testing::ValuesIn(origins), [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
