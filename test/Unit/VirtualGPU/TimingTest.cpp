//===- TimingTest.cpp - Tests of the timing model -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What holds of estimates whatever the device; MicrobenchmarkTest.cpp has the
// figures of the T4.
//
//===----------------------------------------------------------------------===//

#include "TimingUtil.h"

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

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
    double cycles =
        cyclesOf("ld.shared.v4.b32 {%f1, %f2, %f3, %f4}, [%r3];\n"
                 "ld.shared.v4.b32 {%f5, %f6, %f7, %f8}, [%r4];\n",
                 gridOf(1, 256), before, ".shared .align 16 .b8 s[32768];\n");
    // At the full rate of the path.
    return cycles / 8 * testDevice().sharedSustained /
           testDevice().sharedBytesPerCycle;
  };
  EXPECT_NEAR(cycles(8), 2 + 2, 0.1); // 4 x 8 lanes: a wavefront each.
  // 2 x 16: groups of 8 lanes alternate between two sets of words, which only
  // an undocumented pairing could serve in two wavefronts.
  EXPECT_NEAR(cycles(16), 8 + 2, 0.1);
  EXPECT_NEAR(cycles(32), 8 + 2, 0.1); // 1 x 32
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
  EXPECT_NEAR(report.replay.cycles, 1000 * each, 0.01 * 1000 * each);
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
