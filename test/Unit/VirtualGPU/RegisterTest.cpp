//===- RegisterTest.cpp - Registers per thread ----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The estimate against ptxas 13.0 for sm_75. Registers limit the threads of an
// SM only from 65536 / 1024 = 64 of them on, so fewer count as 64. The
// tolerance is 20 %.
//
//===----------------------------------------------------------------------===//

#include "TimingUtil.h"
#include "dietcode/Target/Ptxas.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

constexpr double tolerance = 0.21;
constexpr uint32_t fewest = 64;

std::string read(const std::string &path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string inputFile(const std::string &name) {
  return std::string(VGPU_TEST_INPUTS) + "/" + name;
}

double relativeError(uint32_t estimate, uint32_t ptxas) {
  return double(std::max(estimate, fewest)) / std::max(ptxas, fewest) - 1;
}

void expectClose(const std::string &kernel, uint32_t estimate, uint32_t ptxas) {
  double error = relativeError(estimate, ptxas);
  std::printf("[ virtual  ] %-36s %3u estimated, %3u by ptxas: %+.0f %%\n",
              kernel.c_str(), estimate, ptxas, 100 * error);
  EXPECT_LE(std::abs(error), tolerance) << kernel;
}

/// What ptxas 13.0 says of the kernels in Inputs.
struct Recorded {
  const char *file, *kernel;
  uint32_t registers;
};
const Recorded recorded[] = {
    {"calls-clang.ptx", "k", 22},
    {"calls-nvcc.ptx", "k", 23},
    {"clean-clang.ptx", "reduce", 14},
    {"clean-clang.ptx", "tree", 11},
    {"clean-clang.ptx", "histogram", 11},
    {"clean-clang.ptx", "lastBlock", 21},
    {"clean-nvcc.ptx", "reduce", 12},
    {"clean-nvcc.ptx", "tree", 11},
    {"clean-nvcc.ptx", "histogram", 10},
    {"clean-nvcc.ptx", "lastBlock", 34},
    {"gemm-llvm.ptx", "matmul_simt_32x64x16_4x4_general", 82},
    {"hgemm-clang.ptx", "hgemm", 67},
    {"kernels-nvcc.ptx", "maths", 31},
    {"kernels-nvcc.ptx", "ints", 30},
    {"kernels-nvcc.ptx", "atomics", 20},
    {"kernels-nvcc.ptx", "coop", 16},
    {"kernels-nvcc.ptx", "half2_ops", 14},
    {"kernels-nvcc.ptx", "wmma_gemm", 59},
    {"sgemm-dietcode.ptx", "matmul_large_aligned", 127},
    {"sgemm-variants.ptx", "naive", 49},
    {"sgemm-variants.ptx", "base", 127},
    {"sgemm-variants.ptx", "no_prefetch", 128},
    {"sgemm-variants.ptx", "conflicts", 127},
    {"sgemm-variants.ptx", "uncoalesced", 128},
};

TEST(Registers, EstimatesAreNearPtxas) {
  for (const Recorded &row : recorded) {
    std::string text = read(inputFile(row.file));
    auto module = parseModule(text, row.file);
    ASSERT_TRUE(module) << messageOf(module);
    const KernelInfo *kernel = (*module)->lookupKernel(row.kernel);
    ASSERT_NE(kernel, nullptr) << row.kernel;
    expectClose(row.kernel, kernel->estimatedRegisters, row.registers);
    // The record is true.
    PtxasOutcome outcome = runPtxas(text, "sm_75", row.file);
    if (outcome.report.version == "13.0") {
      const PtxasKernel *actual = outcome.report.lookup(row.kernel);
      ASSERT_NE(actual, nullptr) << row.kernel;
      EXPECT_EQ(static_cast<uint32_t>(actual->registers), row.registers);
    }
  }
}

/// Generated kernels, from a file of several modules that a lit test makes.
TEST(Registers, GeneratedKernels) {
  const char *file = std::getenv("DIETCODE_TEST_PTX");
  if (!file)
    GTEST_SKIP() << "DIETCODE_TEST_PTX names no file";
  std::string all = read(file);
  unsigned kernels = 0;
  double sum = 0;
  for (size_t at = all.find(".version"); at != std::string::npos;) {
    size_t next = all.find(".version", at + 1);
    std::string text = all.substr(at, next - at);
    at = next;
    auto module = parseModule(text, file);
    ASSERT_TRUE(module) << messageOf(module);
    PtxasOutcome outcome = runPtxas(text, "sm_75", file);
    ASSERT_EQ(outcome.status, PtxasStatus::Ok) << outcome.message;
    for (const KernelInfo &kernel : (*module)->kernels()) {
      auto ptxas =
          static_cast<uint32_t>(outcome.report.lookup(kernel.name)->registers);
      expectClose(kernel.name, kernel.estimatedRegisters, ptxas);
      sum += std::abs(relativeError(kernel.estimatedRegisters, ptxas));
      ++kernels;
    }
  }
  ASSERT_GT(kernels, 0u);
  std::printf("[ virtual  ] mean of %u kernels: %.1f %%\n", kernels,
              100 * sum / kernels);
  EXPECT_LT(sum / kernels, 0.10);
}

/// A kernel that keeps 100 loaded values.
std::string kernelOf(const std::string &directives) {
  std::string load, sum;
  for (int i = 1; i <= 100; ++i) {
    std::string r = "%a" + std::to_string(i);
    load += "ld.global.u32 " + r + ", [%rd1+" + std::to_string(4 * i) + "];\n";
    sum += "add.s32 %a0, %a0, " + r + ";\n";
  }
  return ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k("
         ".param .u64 p)" +
         directives +
         " {\n.reg .b32 %a<101>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n"
         "mov.b32 %a0, 0;\n" +
         load + "bar.sync 0;\n" + sum + "st.global.u32 [%rd1], %a0;\nret;\n}\n";
}

uint32_t estimateOf(const std::string &directives) {
  auto module = parseModule(kernelOf(directives), "k.ptx");
  EXPECT_TRUE(module) << messageOf(module);
  return module ? (*module)->lookupKernel("k")->estimatedRegisters : 0;
}

TEST(Registers, DirectivesLimitThem) {
  uint32_t free = estimateOf("");
  EXPECT_GE(free, 100u);
  EXPECT_EQ(estimateOf(".maxnreg 40"), 40u);
  EXPECT_EQ(estimateOf(".maxnreg 200"), free);
  // 65536 registers for 1024 threads.
  EXPECT_EQ(estimateOf(".maxntid 1024"), 64u);
  EXPECT_EQ(estimateOf(".reqntid 512, 2, 1"), 64u);
  EXPECT_EQ(estimateOf(".maxntid 256"), free);
  EXPECT_EQ(estimateOf(".maxntid 256 .minnctapersm 4"), 64u);
  EXPECT_EQ(estimateOf(".maxntid 256 .minnctapersm 3"), 80u);
  EXPECT_EQ(estimateOf(".maxntid 256 .minnctapersm 3 .maxnreg 32"), 32u);
  // ptxas goes no lower.
  EXPECT_EQ(estimateOf(".maxnreg 8"), 24u);
}

TEST(Registers, ReportsSayWhereTheyAreFrom) {
  LaunchConfig config = gridOf(1, 32);
  std::string ptx = kernelOf("");
  auto module = parseModule(ptx, "k.ptx");
  ASSERT_TRUE(module) << messageOf(module);
  VirtualGPU gpu(testDevice());
  void *p = *gpu.memory().allocate(4096, "p");
  void *params[] = {&p};
  config.checks = CheckOptions::none();
  auto source = [&](const LaunchConfig &config) {
    auto report = gpu.launch(**module, "k", config, params, 1);
    EXPECT_TRUE(report) << messageOf(report);
    EXPECT_EQ(report->registerSource, report->replay.registerSource);
    expectContains(report->replay.toText(), "(" + report->registerSource + ")");
    return report->registerSource;
  };
  EXPECT_EQ(source(config), "estimated");
  config.usePtxas = true;
  std::string byPtxas =
      findPtxas().empty() ? "estimated" : "ptxas " + ptxasVersion(findPtxas());
  EXPECT_EQ(source(config), byPtxas);
  config.registersPerThread = 99;
  EXPECT_EQ(source(config), "given");
}

} // namespace
