//===- TimingTest.cpp - Microbenchmarks of the timing model ---------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The microbenchmarks with which the literature measured the figures of the
// device table, run through the model: it must give back what it was built
// from. What is printed is virtual, as everything the model says.
//
//===----------------------------------------------------------------------===//

#include "TimingUtil.h"
#include <cstdio>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

void expectNear(const char *what, double value, double source,
                double tolerance = 0.05) {
  std::printf("[ virtual  ] %-44s %10.2f  source %10.2f  %+.1f %%\n", what,
              value, source, 100 * (value / source - 1));
  EXPECT_NEAR(value, source, tolerance * source) << what;
}

/// Cycles of one copy of `body` in a loop: by the difference between two
/// lengths, which removes the loop, the prologue and the end.
double cyclesOf(const std::string &body, const LaunchConfig &config,
                const std::string &before = "",
                const std::string &variables = "") {
  auto cycles = [&](unsigned copies) {
    return estimate(wrap(before + loopOf(repeat(body, copies), 100), variables),
                    config)
        .replay.cycles;
  };
  return (cycles(48) - cycles(16)) / (32 * 100);
}

std::string independent(const std::string &op, unsigned chains) {
  std::string text;
  for (unsigned i = 0; i < chains; ++i) {
    std::string r = "%f" + std::to_string(10 + i);
    text += op + " " + r + ", %f1, %f2, " + r + ";\n";
  }
  return text;
}

TEST(Timing, DependentArithmetic) {
  LaunchConfig warp = gridOf(1, 32);
  expectNear("dependent FFMA, cycles",
             cyclesOf("fma.rn.f32 %f1, %f1, %f2, %f3;\n", warp), 4);
  expectNear("dependent IADD, cycles",
             cyclesOf("add.s32 %r1, %r1, %r2;\n", warp), 4);
  // From memory of the literature: 14 to 20.
  expectNear("dependent MUFU, cycles",
             cyclesOf("ex2.approx.f32 %f1, %f1;\n", warp), 18);
}

TEST(Timing, IndependentArithmetic) {
  expectNear("independent FFMA of one warp, cycles",
             cyclesOf(independent("fma.rn.f32", 8), gridOf(1, 32)) / 8, 2);
  // Four schedulers with two warps each, two dependent chains.
  expectNear("FFMA of 8 warps per SM, cycles a scheduler",
             cyclesOf(independent("fma.rn.f32", 2), gridOf(1, 256)) / 4, 2);
  expectNear("MUFU of 8 warps, cycles a warp and scheduler",
             cyclesOf("ex2.approx.f32 %f#, %f50;\n", gridOf(1, 256)) / 2, 8);
  LaunchReport report =
      estimate(wrap(loopOf(repeat(independent("fma.rn.f32", 16), 16), 200)),
               gridOf(160, 256));
  double seconds = report.replay.cycles / testDevice().clockHz;
  expectNear("FP32 peak, TFLOP/s", report.replay.flop / seconds * 1e-12, 8.14);
  EXPECT_EQ(report.replay.limiter, "FMA pipe");
}

TEST(Timing, TensorCores) {
  auto mma = [](unsigned d) {
    std::string r;
    for (unsigned i = 0; i < 4; ++i)
      r += (i ? ", %f" : "%f") + std::to_string(d + i);
    return "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {" + r +
           "}, {%r1, %r2}, {%r3}, {" + r + "};\n";
  };
  expectNear("dependent HMMA.1688, cycles", cyclesOf(mma(0), gridOf(1, 32)),
             18);
  std::string four = mma(0) + mma(4) + mma(8) + mma(12);
  expectNear("independent HMMA.1688, cycles a scheduler",
             cyclesOf(four, gridOf(1, 128)) / 4, 8);
  LaunchReport report =
      estimate(wrap(loopOf(repeat(four, 16), 200)), gridOf(160, 256));
  double seconds = report.replay.cycles / testDevice().clockHz;
  expectNear("tensor peak, TFLOP/s", report.replay.flop / seconds * 1e-12,
             65.1);
  EXPECT_EQ(report.replay.limiter, "tensor cores");
}

/// Cycles of the shared path per warp instruction, lanes `stride` bytes apart.
double sharedCycles(const std::string &load, unsigned stride) {
  std::string before = "mov.u32 %r1, s;\nmad.lo.u32 %r1, %r0, " +
                       std::to_string(stride) + ", %r1;\n" +
                       "and.b32 %r1, %r1, 16368;\n";
  if (stride < 16)
    before += "mov.u32 %r1, s;\nand.b32 %r2, %r0, 31;\nmad.lo.u32 %r1, %r2, " +
              std::to_string(stride) + ", %r1;\n";
  return cyclesOf(load, gridOf(1, 256), before,
                  ".shared .align 16 .b8 s[32768];\n") /
         8;
}

TEST(Timing, SharedThroughput) {
  expectNear("LDS.32, cycles a warp",
             sharedCycles("ld.shared.b32 %f1, [%r1];\n", 4), 2);
  expectNear("LDS.64, cycles a warp",
             sharedCycles("ld.shared.v2.b32 {%f1, %f2}, [%r1];\n", 8), 4);
  expectNear(
      "LDS.128, cycles a warp",
      sharedCycles("ld.shared.v4.b32 {%f1, %f2, %f3, %f4}, [%r1];\n", 16), 8);
  for (unsigned ways : {2u, 4u, 8u, 32u})
    expectNear(("LDS.32, " + std::to_string(ways) + "-way conflicts").c_str(),
               sharedCycles("ld.shared.b32 %f1, [%r1];\n", 4 * ways), 2 * ways);
}

/// Wide loads of fragments: how the lanes lie over a tile decides how many
/// wavefronts they take.
TEST(Timing, LanesOverATile) {
  // Four floats at x * 16 for lane % columns, at y * 16 for lane / columns.
  auto cycles = [](unsigned columns) {
    std::string c = std::to_string(columns);
    std::string before =
        "mov.u32 %r1, s;\nand.b32 %r2, %r0, 31;\nrem.u32 %r3, %r2, " + c +
        ";\ndiv.u32 %r4, %r2, " + c +
        ";\nmad.lo.u32 %r3, %r3, 16, %r1;\nmad.lo.u32 %r4, %r4, 16, %r1;\n";
    return cyclesOf("ld.shared.v4.b32 {%f1, %f2, %f3, %f4}, [%r3];\n"
                    "ld.shared.v4.b32 {%f5, %f6, %f7, %f8}, [%r4];\n",
                    gridOf(1, 256), before,
                    ".shared .align 16 .b8 s[32768];\n") /
           8;
  };
  EXPECT_NEAR(cycles(8), 2 + 2, 0.1); // 4 x 8 lanes: a wavefront each.
  // 2 x 16: groups of 8 lanes alternate between two sets of words, which only
  // an undocumented pairing could serve in two wavefronts.
  EXPECT_NEAR(cycles(16), 8 + 2, 0.1);
  EXPECT_NEAR(cycles(32), 8 + 2, 0.1); // 1 x 32
}

TEST(Timing, SharedLatency) {
  std::string before = "mov.u32 %r1, s;\nst.shared.u32 [%r1], %r1;\n"
                       "st.shared.u32 [%r1+4], %r1;\n";
  std::string variables = ".shared .align 16 .b8 s[64];\n";
  LaunchConfig warp = gridOf(1, 32);
  expectNear("LDS.32 latency, cycles",
             cyclesOf("ld.shared.u32 %r1, [%r1];\n", warp, before, variables),
             23);
  // The lanes lie 8 bytes apart, each with a pointer to itself.
  before = "mov.u32 %r1, s;\nmad.lo.u32 %r1, %r0, 8, %r1;\n"
           "st.shared.u32 [%r1], %r1;\nst.shared.u32 [%r1+4], %r1;\n";
  expectNear("LDS.64 latency, cycles",
             cyclesOf("ld.shared.v2.u32 {%r1, %r2}, [%r1];\n", warp, before,
                      ".shared .align 16 .b8 s[256];\n"),
             27);
}

/// Cycles of a dependent load in a ring of `bytes`, a line apart, once it has
/// been gone round.
double chase(uint64_t bytes) {
  auto link = [&](char *base) {
    for (uint64_t at = 0; at < bytes; at += 128) {
      uint64_t next = reinterpret_cast<uint64_t>(base) + (at + 128) % bytes;
      std::memcpy(base + at, &next, sizeof(next));
    }
  };
  unsigned lap = static_cast<unsigned>(bytes / 128 / 32);
  auto cycles = [&](unsigned laps) {
    std::string body =
        loopOf(repeat("ld.global.u64 %rd1, [%rd1];\n", 32), lap * laps);
    LaunchConfig one = gridOf(1, 1);
    return estimate(wrap(body), one, bytes, link).replay.cycles;
  };
  return (cycles(4) - cycles(2)) / (2.0 * lap * 32);
}

TEST(Timing, PointerChase) {
  expectNear("L1 latency, cycles", chase(16 << 10), 32);
  expectNear("L2 latency, cycles", chase(1 << 20), 236);
  expectNear("DRAM latency, cycles", chase(32 << 20), 628);
}

TEST(Timing, DramBandwidth) {
  // Every thread of a large grid reads 16 bytes of its own eight times.
  std::string body = "mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r1, %r1, 256, %r0;\n"
                     "mul.wide.u32 %rd5, %r1, 16;\nadd.s64 %rd5, %rd1, %rd5;\n";
  unsigned blocks = 40 * 4 * 4;
  uint64_t step = uint64_t(blocks) * 256 * 16;
  for (unsigned i = 0; i < 8; ++i)
    body += "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd5+" +
            std::to_string(i * step) + "];\n";
  LaunchReport report = estimate(wrap(body), gridOf(blocks, 256), 8 * step);
  double seconds = report.replay.cycles / testDevice().clockHz;
  expectNear("DRAM bandwidth, GB/s", double(8 * step) / seconds * 1e-9, 220);
  EXPECT_EQ(report.replay.limiter, "DRAM bandwidth");
}

TEST(Timing, L2Bandwidth) {
  // All blocks read the same 2 MB: less than L2; .cg leaves out L1.
  std::string body = "mul.wide.u32 %rd5, %r0, 16;\nadd.s64 %rd5, %rd1, %rd5;\n";
  std::string read;
  for (unsigned i = 0; i < 8; ++i)
    read += "ld.global.cg.v4.b32 {%r10, %r11, %r12, %r13}, [%rd5+" +
            std::to_string(i * 4096) + "];\n";
  read += "add.s64 %rd5, %rd5, 32768;\n";
  unsigned trips = 64, blocks = 160;
  LaunchReport report =
      estimate(wrap(body + loopOf(read, trips)), gridOf(blocks, 256), 2 << 20);
  double bytes =
      double(blocks) * 256 * 16 * 8 * trips * (1 - report.replay.l1HitRate);
  double seconds = report.replay.cycles / testDevice().clockHz;
  expectNear("L2 bandwidth, GB/s", bytes / seconds * 1e-9, 1270);
}

TEST(Timing, Launch) {
  LaunchReport report = estimate(wrap(""), gridOf(1, 32));
  expectNear("an empty kernel, us", report.virtualSeconds * 1e6, 3.7);
  EXPECT_EQ(report.replay.limiter, "launch overhead");
}

TEST(Timing, EstimatesOfTheWholeAndOfAFewBlocksAgree) {
  std::string ptx = wrap(loopOf(independent("fma.rn.f32", 8), 100));
  LaunchConfig config = gridOf(200, 128);
  double few = estimate(ptx, config).virtualSeconds;
  config.timeOnly = false;
  EXPECT_DOUBLE_EQ(estimate(ptx, config).virtualSeconds, few);
}

TEST(Timing, ExtrapolationIsExactEnough) {
  // Long enough to be cut at 1000 trips, too short at 20.
  auto cycles = [](unsigned trips) {
    return estimate(
        wrap(loopOf(repeat(independent("fma.rn.f32", 8), 8), trips)),
        gridOf(40, 1024));
  };
  double each = (cycles(60).replay.cycles - cycles(20).replay.cycles) / 40;
  LaunchReport report = cycles(1000);
  EXPECT_GT(report.replay.extrapolatedFraction, 0.5);
  expectNear("extrapolated cycles", report.replay.cycles, 1000 * each, 0.01);
}

TEST(Timing, Reports) {
  LaunchReport report = estimate(
      wrap(loopOf(independent("fma.rn.f32", 8), 100)), gridOf(200, 128));
  std::string text = report.replay.toText(), json = report.replay.toJson();
  for (const char *part : {"[virtual:t4]", "not a measurement", "FLOP/clk/SM",
                           "limited by", "occupancy", "FMA pipe"})
    expectContains(text, part);
  for (const char *part :
       {"\"device\": \"virtual:t4\"", "\"kind\": \"estimate\"", "\"limiter\"",
        "\"stalls\"", "\"busy\"", "\"occupancy\"", "\"long scoreboard\""})
    expectContains(json, part);
}

TEST(Timing, OccupancyAndItsLimiter) {
  auto limiter = [](LaunchConfig config) {
    return estimate(wrap("mov.u32 %r1, 1;"), config).replay.occupancyLimiter;
  };
  EXPECT_EQ(limiter(gridOf(400, 32)), "blocks");
  EXPECT_EQ(limiter(gridOf(400, 256)), "warps");
  LaunchConfig config = gridOf(400, 64);
  config.dynamicSharedBytes = 30000;
  EXPECT_EQ(limiter(config), "shared memory");
  config = gridOf(400, 256);
  config.registersPerThread = 128;
  EXPECT_EQ(limiter(config), "registers");
}

} // namespace
