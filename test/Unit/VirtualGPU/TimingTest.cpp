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
  // Four floats at %r3 and four at %r4, by the lane in %r2.
  auto cycles = [](const std::string &column, const std::string &row) {
    std::string before = "mov.u32 %r1, s;\nand.b32 %r2, %r0, 31;\n" + column +
                         row +
                         "mad.lo.u32 %r3, %r3, 16, %r1;\n"
                         "mad.lo.u32 %r4, %r4, 16, %r1;\n";
    double cycles =
        cyclesOf("ld.shared.v4.b32 {%f1, %f2, %f3, %f4}, [%r3];\n"
                 "ld.shared.v4.b32 {%f5, %f6, %f7, %f8}, [%r4];\n",
                 gridOf(1, 256), before, ".shared .align 16 .b8 s[32768];\n");
    // At the full rate of the path.
    return cycles / 8 * testDevice().sharedSustained /
           testDevice().sharedBytesPerCycle;
  };
  auto linear = [&](const std::string &columns) {
    return cycles("rem.u32 %r3, %r2, " + columns + ";\n",
                  "div.u32 %r4, %r2, " + columns + ";\n");
  };
  // Of 4 x 8, 2 x 16 and 1 x 32 lanes, neighbours read the same rows, which are
  // packed, and different columns, which are not, however often each is read.
  EXPECT_NEAR(linear("8"), 8 + 4, 0.1);
  EXPECT_NEAR(linear("16"), 8 + 4, 0.1);
  EXPECT_NEAR(linear("32"), 8 + 4, 0.1);
  // 4 x 8 in the order of a Z: neighbours read the same columns, and the ones
  // after the next the same rows.
  EXPECT_NEAR(cycles("shr.u32 %r3, %r2, 1;\nand.b32 %r3, %r3, 7;\n",
                     "shr.u32 %r4, %r2, 4;\nand.b32 %r5, %r2, 1;\n"
                     "mad.lo.u32 %r4, %r4, 2, %r5;\n"),
              4 + 4, 0.1);
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
