//===- CompiledTest.cpp - Kernels as nvcc and clang compile them ----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sources and the compilers' commands are in Inputs/.
//
//===----------------------------------------------------------------------===//

#include "Half.h"
#include "TestUtil.h"
#include <fstream>
#include <random>
#include <sstream>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

std::shared_ptr<const Module> load(const std::string &file) {
  std::ifstream in(std::string(VGPU_TEST_INPUTS) + "/" + file);
  std::stringstream text;
  text << in.rdbuf();
  auto module = parseModule(text.str(), file);
  EXPECT_TRUE(module) << messageOf(module);
  return module ? *module : nullptr;
}

/// Launches a kernel on buffers, then integers.
void launch(const std::string &file, const std::string &kernel,
            LaunchConfig config, std::vector<std::pair<void *, size_t>> buffers,
            std::vector<int> integers = {}) {
  auto module = load(file);
  ASSERT_TRUE(module);
  VirtualGPU gpu(testDevice());
  std::vector<void *> pointers, params;
  for (auto &[data, bytes] : buffers) {
    ASSERT_TRUE(gpu.memory().registerRange(data, bytes, "buffer"));
    pointers.push_back(data);
  }
  for (void *&pointer : pointers)
    params.push_back(&pointer);
  for (int &integer : integers)
    params.push_back(&integer);
  auto report =
      gpu.launch(*module, kernel, config, params.data(), params.size());
  ASSERT_TRUE(report) << messageOf(report);
}

template <typename T>
std::pair<void *, size_t> buffer(std::vector<T> &data) {
  return {data.data(), data.size() * sizeof(T)};
}

void testGemm(const std::string &file, const std::string &kernel, int tile,
              float factor) {
  int m = 2 * tile, n = 3 * tile, k = 48;
  Halves a(size_t(m) * size_t(k)), b(size_t(k) * size_t(n));
  std::vector<float> c(size_t(m) * size_t(n), -1);
  LaunchConfig config;
  config.grid = {3, 2, 1};
  config.block = {128, 1, 1};
  launch(file, kernel, config, {buffer(c), buffer(a.bits), buffer(b.bits)},
         {m, n, k});
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0; // Multiples of 1/16 below 2^8: exact.
      for (int x = 0; x < k; ++x)
        sum += a.values[size_t(i * k + x)] * b.values[size_t(x * n + j)];
      ASSERT_EQ(c[size_t(i * n + j)], factor * sum) << i << ", " << j;
    }
}

TEST(Compiled, WmmaGemm) { testGemm("kernels-nvcc.ptx", "wmma_gemm", 32, 2); }

TEST(Compiled, LoadMatrixMmaGemm) {
  testGemm("hgemm-clang.ptx", "hgemm", 64, 1);
}

TEST(Compiled, HalfPairs) {
  Halves in(256);
  std::vector<uint16_t> out(512);
  LaunchConfig config;
  config.block = {64, 1, 1};
  launch("kernels-nvcc.ptx", "half2_ops", config,
         {buffer(out), buffer(in.bits)});
  for (size_t t = 0; t < 64; ++t) {
    float x[2], y[2], z[2];
    for (size_t i = 0; i < 2; ++i) {
      x[i] = in.values[2 * t + i];
      y[i] = in.values[128 + 2 * t + i];
      z[i] = x[i] * y[i] + x[i] + y[i];
      z[i] = std::min(std::max(z[i] * x[i], 0.0f), 1.0f);
    }
    if (x[0] > y[0] && x[1] > y[1]) {
      z[0] -= x[0];
      z[1] -= x[0];
    }
    for (size_t i = 0; i < 2; ++i) {
      z[i] = std::min(std::max(z[i], -y[i]), std::fabs(x[i]));
      z[i] += x[i] < y[i] ? 1.0f : 0.0f;
      EXPECT_EQ(valueOf(out[2 * t + i]), z[i]) << t;
      EXPECT_EQ(valueOf(out[128 + 2 * t + i]), std::nearbyint(z[i] * 1.5f));
    }
    EXPECT_NEAR(valueOf(out[256 + 2 * t]), std::sqrt(std::fabs(x[0])), 1e-3);
    EXPECT_NEAR(valueOf(out[256 + 2 * t + 1]), std::exp2(y[1]), 3e-3);
    EXPECT_NEAR(valueOf(out[384 + 2 * t]), z[1] + 0.1f, 2e-3);
    EXPECT_EQ(valueOf(out[384 + 2 * t + 1]), static_cast<float>(t));
  }
}

std::vector<uint32_t> words(size_t n, uint32_t limit) {
  std::mt19937 engine(11);
  std::vector<uint32_t> values(n);
  for (uint32_t &value : values)
    value = limit ? engine() % limit : engine();
  return values;
}

TEST(Compiled, CooperativeGroups) {
  auto in = words(96, 2000);
  std::vector<uint32_t> out(96);
  LaunchConfig config;
  config.block = {96, 1, 1};
  launch("kernels-nvcc.ptx", "coop", config, {buffer(out), buffer(in)});
  uint32_t odd = 0, seventySeven = 0;
  for (uint32_t v : in) {
    odd += v & 1;
    seventySeven |= v == 77;
  }
  for (unsigned t = 0; t < 96; ++t) {
    const uint32_t *warp = &in[t / 32 * 32];
    uint32_t sum = 0, ballot = 0, any = 0, same = 0, multiples = 0, rank = 0;
    for (unsigned i = 0; i < 32; ++i) {
      sum += warp[i];
      ballot |= (warp[i] & 1) << i;
      any |= warp[i] > 1000;
      same |= uint32_t(warp[i] % 3 == in[t] % 3) << i;
      multiples += warp[i] % 3 == 0;
      rank += warp[i] % 3 == 0 && i < t % 32;
    }
    if (in[t] % 3 == 0)
      sum += multiples * 100 + rank;
    uint32_t most = 0;
    for (unsigned i = 0; i < 4; ++i)
      most = std::max(most, in[t / 4 * 4 + i]);
    // x is 1 by then: match.all has agreed.
    uint32_t expected = sum + most * 7 + 11 + ballot + any * 2 + 3 + same +
                        0xffffffffu + 32 + odd * 5 + seventySeven * 13 + 17;
    EXPECT_EQ(out[t], expected) << t;
  }
}

TEST(Compiled, Atomics) {
  auto in = words(256, 1u << 20);
  std::vector<uint32_t> out(26);
  out[17] = 0x7fffffff;
  LaunchConfig config;
  config.grid = {4, 1, 1};
  config.block = {64, 1, 1};
  launch("kernels-nvcc.ptx", "atomics", config, {buffer(out), buffer(in)});
  std::vector<uint32_t> expected(26);
  expected[17] = 0x7fffffff;
  uint64_t sum = 0;
  for (uint32_t v : in) {
    ++expected[v & 15];
    expected[16] = std::max(expected[16], v);
    expected[17] = std::min(expected[17], v);
    expected[18] ^= v;
    sum += uint64_t(v) << 20;
  }
  expected[19] = 256 % 7;
  expected[20] = uint32_t(sum);
  expected[21] = uint32_t(sum >> 32);
  expected[22] = 9;
  expected[23] = 512;
  expected[24] = bitsOf<uint32_t>(128.0f);
  expected[25] = 256;
  EXPECT_EQ(out, expected);
}

uint32_t perByte(uint32_t a, uint32_t b, unsigned bits,
                 int64_t (*fn)(int64_t, int64_t), bool isSignedPart) {
  uint32_t result = 0, mask = bits == 8 ? 0xff : 0xffff;
  for (unsigned at = 0; at < 32; at += bits) {
    int64_t x = (a >> at) & mask, y = (b >> at) & mask;
    if (isSignedPart) {
      x = x > mask / 2 ? x - mask - 1 : x;
      y = y > mask / 2 ? y - mask - 1 : y;
    }
    result |= (uint32_t(fn(x, y)) & mask) << at;
  }
  return result;
}

uint32_t referenceOfInts(uint32_t a, uint32_t b, uint32_t c) {
  using Wide = unsigned __int128;
  uint64_t w = uint64_t(a) * b + c, d = w / (c | 1), e = w % (b | 1);
  auto ia = static_cast<int64_t>(int32_t(a)), ib = int64_t(int32_t(b));
  auto s = static_cast<uint32_t>(ia / int32_t(b | 1) + ia % int32_t(c | 1));
  auto absolute = [](int64_t x) { return uint32_t(x < 0 ? -x : x); };
  uint32_t reversed = 0;
  for (unsigned i = 0; i < 32; ++i)
    reversed |= ((a >> i) & 1) << (31 - i);
  uint64_t ab = uint64_t(b) << 32 | a;
  uint32_t permuted = 0;
  for (unsigned i = 0; i < 4; ++i)
    permuted |= uint32_t((ab >> (8 * ((c >> (4 * i)) & 7))) & 255) << (8 * i);
  uint32_t clamped = std::min(c, 32u);
  uint32_t r = uint32_t(__builtin_popcount(a)) +
               uint32_t(b ? __builtin_clz(b) : 32) +
               uint32_t(__builtin_ffs(int(c))) + reversed + permuted +
               uint32_t((ab << (c & 31)) >> 32) + uint32_t(ab >> clamped);
  r += uint32_t((uint64_t(a) * b) >> 32) + uint32_t((ia * ib) >> 32) +
       uint32_t((Wide(w) * (d | 1)) >> 64) + absolute(ia - ib) + c +
       absolute(int64_t(a) - int64_t(b)) + c +
       uint32_t((uint64_t(a) + b) >> 1) + uint32_t((ia + ib + 1) >> 1);
  uint32_t dots = 3 * c;
  for (unsigned i = 0; i < 4; ++i) {
    dots += ((a >> (8 * i)) & 255) * ((b >> (8 * i)) & 255);
    dots += uint32_t(int8_t(a >> (8 * i)) * int8_t(b >> (8 * i)));
  }
  dots += (a & 0xffff) * (b & 255) + (a >> 16) * ((b >> 8) & 255);
  r += dots + (a & 0xffffff) * (b & 0xffffff) +
       uint32_t((int32_t(a << 8) >> 8) * int64_t(int32_t(b << 8) >> 8));
  r +=
      perByte(
          a, b, 8, [](int64_t x, int64_t y) { return x + y; }, false) +
      perByte(
          a, b, 16, [](int64_t x, int64_t y) { return std::max(x, y); }, true) +
      perByte(
          a, b, 8,
          [](int64_t x, int64_t y) { return int64_t(x > y ? 255 : 0); },
          false) +
      perByte(
          a, b, 16, [](int64_t x, int64_t y) { return int64_t(x < y); }, false);
  Wide q = Wide(w) * d + e;
  r += uint32_t(q >> 64) + uint32_t(q >> 96);
  auto rounded = static_cast<float>(int64_t(w));
  uint32_t converted = rounded <= 0               ? 0
                       : rounded >= 4294967296.0f ? 0xffffffffu
                                                  : uint32_t(rounded);
  return r + uint32_t(d) + uint32_t(e) + uint32_t(d >> 32) + s + converted;
}

TEST(Compiled, Integers) {
  auto in = words(66, 0);
  in[3] = in[9] = 0xffffffff;
  in[4] = 0;
  in[20] = 31;
  std::vector<uint32_t> out(64);
  LaunchConfig config;
  config.block = {64, 1, 1};
  launch("kernels-nvcc.ptx", "ints", config, {buffer(out), buffer(in)});
  for (unsigned t = 0; t < 64; ++t)
    EXPECT_EQ(out[t], referenceOfInts(in[t], in[t + 1], in[t + 2])) << t;
}

TEST(Compiled, Functions) {
  std::mt19937 engine(3);
  std::vector<float> in(65), out(64);
  for (float &x : in)
    x = static_cast<float>(engine() % 4001) / 1000 - 2;
  LaunchConfig config;
  config.block = {64, 1, 1};
  launch("kernels-nvcc.ptx", "maths", config, {buffer(out), buffer(in)});
  for (size_t t = 0; t < 64; ++t) {
    float x = in[t], y = in[t + 1];
    double expected = std::sin(static_cast<double>(x * 1e6f)) + std::cos(y) +
                      std::exp(y) + std::log(std::fabs(x) + 1) +
                      std::pow(std::fabs(x), y) + std::sqrt(std::fabs(x)) +
                      std::tanh(x) + std::fmod(x, 3.f) + std::floor(x) +
                      std::nearbyint(y) + std::exp(x) + x / (y + 9);
    expected += std::exp(static_cast<double>(y)) +
                std::sqrt(static_cast<double>(x * x)) + x / 3.0;
    EXPECT_NEAR(out[t], expected, 2e-5 * (1 + std::fabs(expected))) << t;
  }
}

} // namespace
