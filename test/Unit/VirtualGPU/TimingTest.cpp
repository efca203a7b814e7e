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

/// Three blocks of two warps leave two schedulers with one warp and two with
/// two of them: the former are ahead, and what is issued does not depend on
/// that.
TEST(Timing, ExtrapolationCountsAllWarps) {
  constexpr unsigned trips = 4000, perTrip = 64;
  int64_t blocks = 3 * int64_t(testDevice().smCount);
  LaunchReport report =
      estimate(wrap(loopOf(repeat(independent("fma.rn.f32", 8), 8), trips)),
               gridOf(blocks, 64));
  EXPECT_GT(report.replay.extrapolatedFraction, 0.5);
  double flop = 2.0 * double(blocks) * 64 * trips * perTrip;
  EXPECT_NEAR(report.replay.flop, flop, 1e-3 * flop);
  double cyclesPerFma =
      32.0 * testDevice().schedulersPerSM / testDevice().fp32LanesPerSM;
  EXPECT_GE(report.replay.cycles, 2 * cyclesPerFma * trips * perTrip);
}

/// The first warp goes through a block that the second one does not, and from
/// there backwards, which looks like the header of a loop of its own: both
/// warps are cut at the header that they have in common.
TEST(Timing, CutsAtTheHeaderOfAllWarps) {
  constexpr unsigned trips = 4000, perTrip = 64;
  LaunchReport report =
      estimate(wrap("mov.u32 %r60, 0;\nmov.u32 %r1, %tid.x;\n"
                    "setp.lt.u32 %p1, %r1, 32;\nbra TEST;\n"
                    "FIRST:\nadd.s32 %r61, %r61, 1;\n"
                    "LATCH:\n" +
                    repeat(independent("fma.rn.f32", 8), 8) +
                    "add.s32 %r60, %r60, 1;\nsetp.lt.u32 %p15, %r60, " +
                    std::to_string(trips) +
                    ";\n@%p15 bra TEST;\nbra END;\n"
                    "TEST:\n@%p1 bra FIRST;\nbra LATCH;\nEND:\n"),
               gridOf(1, 64));
  EXPECT_GT(report.replay.extrapolatedFraction, 0.5);
  double flop = 2.0 * 64 * trips * perTrip;
  EXPECT_NEAR(report.replay.flop, flop, 1e-3 * flop);
  double cyclesPerFma =
      32.0 * testDevice().schedulersPerSM / testDevice().fp32LanesPerSM;
  EXPECT_LT(report.replay.cycles, 1.5 * cyclesPerFma * trips * perTrip);
}

TEST(Timing, Reports) {
  LaunchReport report = estimate(
      wrap(loopOf(independent("fma.rn.f32", 8), 100)), gridOf(200, 128));
  std::string text = report.replay.toText(), json = report.replay.toJson();
  for (const char *part :
       {"[virtual:t4]", "not a measurement", "FLOP/clk/SM", "limited by",
        "largest loss", "occupancy", "FMA pipe"})
    expectContains(text, part);
  for (const char *part :
       {"\"device\": \"virtual:t4\"", "\"kind\": \"estimate\"", "\"limiter\"",
        "\"stalls\"", "\"losses\"", "\"largest_loss\"", "\"busy\"",
        "\"occupancy\"", "\"long scoreboard\""})
    expectContains(json, part);
}

/// Of one warp that waits, or many that wait for the same.
TEST(Timing, NamesTheLargestLoss) {
  auto loss = [](const std::string &body, LaunchConfig config,
                 const std::string &before = "", unsigned trips = 100,
                 uint64_t inBytes = 1 << 20) {
    TimingReport report = estimate(wrap(before + loopOf(repeat(body, 8), trips),
                                        ".shared .align 16 .b8 s[32768];\n"),
                                   config, inBytes)
                              .replay;
    double sum = 0;
    for (double part : report.losses) {
      EXPECT_GE(part, 0);
      sum += part;
    }
    EXPECT_LE(sum, 1);
    return report.largestLoss;
  };
  EXPECT_EQ(loss("fma.rn.f32 %f1, %f1, %f2, %f3;\n", gridOf(1, 32)),
            "arithmetic latency");
  EXPECT_EQ(loss("ex2.approx.f32 %f1, %f1;\n", gridOf(1, 32)),
            "arithmetic latency");
  std::string chase = "ld.shared.u32 %r1, [%r1];\n";
  EXPECT_EQ(loss(chase, gridOf(1, 32),
                 "mov.u32 %r1, s;\nst.shared.u32 [%r1], %r1;\n"),
            "shared-memory latency");
  std::string spread = "mov.u32 %r1, s;\nand.b32 %r2, %r0, 31;\n"
                       "mad.lo.u32 %r1, %r2, 128, %r1;\n"
                       "st.shared.u32 [%r1], %r1;\n";
  EXPECT_EQ(loss(chase, gridOf(1, 32), spread), "shared-memory bank conflicts");
  EXPECT_EQ(loss("ld.global.u32 %r2, [%rd1];\ncvt.u64.u32 %rd2, %r2;\n"
                 "and.b64 %rd2, %rd2, 0;\nadd.s64 %rd1, %rd1, %rd2;\n",
                 gridOf(1, 32)),
            "global-memory latency");
  std::string stream = "mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r1, %r1, 256, %r0;"
                       "\nmul.wide.u32 %rd5, %r1, 16;\n"
                       "add.s64 %rd5, %rd1, %rd5;\n";
  EXPECT_EQ(loss("ld.global.cg.v4.b32 {%r10, %r11, %r12, %r13}, [%rd5];\n"
                 "add.s64 %rd5, %rd5, 655360;\nadd.s32 %r20, %r20, %r10;\n",
                 gridOf(160, 256), stream, 8, 64 * 655360),
            "DRAM bandwidth");
}

/// A warp reads 8 KiB from %rd8 on.
const char *const readPart =
    "mul.wide.u32 %rd9, %r0, 16;\nadd.s64 %rd8, %rd8, %rd9;\n"
    "mov.u32 %r60, 0;\n#:\n"
    "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd8];\n"
    "add.s64 %rd8, %rd8, 512;\nadd.s32 %r60, %r60, 1;\n"
    "setp.lt.u32 %p15, %r60, 16;\n@%p15 bra #;\n";
constexpr double partBytes = 8192;

/// %rd8 = base + 8 KiB * index.
std::string partOf(const std::string &base, const std::string &index,
                   const std::string &label) {
  std::string text = "mul.wide.u32 %rd8, " + index + ", 8192;\n" +
                     "add.s64 %rd8, %rd8, " + base + ";\n" + readPart;
  for (size_t at; (at = text.find('#')) != std::string::npos;)
    text.replace(at, 1, label);
  return text;
}

double dramSeconds(double bytes) {
  return bytes / testDevice().dramBytesPerSecond;
}

double dramBusy(const LaunchReport &report) {
  return report.replay.busy[static_cast<unsigned>(Bound::Dram)];
}

/// The time of a launch without its overhead.
double runSeconds(const LaunchReport &report) {
  return report.virtualSeconds - testDevice().launchSeconds;
}

/// All blocks get the same of DRAM, also where the busiest SM has two of them
/// and most SMs have one: 48 take as long for each byte as 40 and as 80.
TEST(Timing, BlocksShareDramAlike) {
  constexpr unsigned trips = 64;
  std::string stream =
      wrap("mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r1, %r1, 32768, %r0;\n"
           "mul.wide.u32 %rd5, %r1, 16;\nadd.s64 %rd5, %rd1, %rd5;\n" +
           loopOf("ld.global.cg.v4.b32 {%r10, %r11, %r12, %r13}, [%rd5];\n"
                  "add.s64 %rd5, %rd5, 8192;\nadd.s32 %r20, %r20, %r10;\n",
                  trips));
  // 512 threads, so that two blocks are resident; the second round of 88 has 8
  // blocks, which find DRAM idle.
  for (int64_t blocks : {40, 48, 79, 80, 88}) {
    double bytes = double(blocks) * 512 * 16 * trips;
    LaunchReport report =
        estimate(stream, gridOf(blocks, 512), static_cast<uint64_t>(bytes));
    EXPECT_DOUBLE_EQ(report.replay.dramBytes, bytes);
    EXPECT_GE(runSeconds(report), dramSeconds(bytes)) << blocks;
    EXPECT_LE(runSeconds(report), 1.25 * dramSeconds(bytes)) << blocks;
  }
}

/// Four blocks read four parts in common and one each of their own. 40 SMs have
/// it that all blocks of one read the same of the four: they do not share what
/// is their own for that.
TEST(Timing, DramDeliversEachByte) {
  constexpr int64_t blocks = 560;
  double bytes = (4 + double(blocks)) * partBytes;
  std::string ptx =
      wrap("mov.u32 %r1, %ctaid.x;\nand.b32 %r2, %r1, 3;\n"
           "add.s32 %r1, %r1, 4;\n" +
           partOf("%rd1", "%r2", "COMMON") + partOf("%rd1", "%r1", "OWN"));
  LaunchReport report =
      estimate(ptx, gridOf(blocks, 32), static_cast<uint64_t>(bytes));
  EXPECT_NEAR(report.replay.dramBytes, bytes, 0.01 * bytes);
  EXPECT_EQ(report.dramBytes, uint64_t(report.replay.dramBytes));
  EXPECT_GE(runSeconds(report), dramSeconds(bytes));
  EXPECT_LE(runSeconds(report), 1.2 * dramSeconds(bytes));
  // The replay itself, not only the bound on its result.
  EXPECT_NEAR(dramBusy(report) * runSeconds(report), dramSeconds(bytes),
              0.02 * dramSeconds(bytes));
}

/// As blocks of a matrix product do that is split by four, with 32 x 32 tiles:
/// those of a tile read different parts, which those of other tiles read again.
TEST(Timing, BlocksShareWhatOthersOfTheirPartRead) {
  std::string ptx =
      wrap("mov.u32 %r1, %ctaid.x;\nand.b32 %r2, %r1, 127;\n"
           "and.b32 %r3, %r1, 3;\nshr.u32 %r4, %r1, 7;\n"
           "mad.lo.u32 %r3, %r4, 4, %r3;\n" +
           partOf("%rd0", "%r2", "ROWS") + partOf("%rd1", "%r3", "COLUMNS"));
  double bytes = 2 * 128 * partBytes;
  LaunchReport report = estimate(ptx, gridOf(4096, 32), 64 << 20);
  EXPECT_NEAR(report.replay.dramBytes, bytes, 0.01 * bytes);
}

TEST(Timing, WhatIsOverwrittenGoesOutToDram) {
  constexpr int64_t blocks = 2560;
  double bytes = 2 * 4096.0 * double(blocks);
  std::string ptx =
      wrap("mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r1, %r1, 256, %r0;\n"
           "mul.wide.u32 %rd5, %r1, 16;\nadd.s64 %rd5, %rd1, %rd5;\n"
           "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd5];\n"
           "add.f32 %f1, %f1, %f2;\n"
           "st.global.v4.f32 [%rd5], {%f1, %f2, %f3, %f4};\n");
  LaunchReport report =
      estimate(ptx, gridOf(blocks, 256), static_cast<uint64_t>(bytes / 2));
  EXPECT_DOUBLE_EQ(report.replay.dramBytes, bytes);
  EXPECT_GE(runSeconds(report), dramSeconds(bytes));
  EXPECT_NEAR(dramBusy(report) * runSeconds(report), dramSeconds(bytes),
              0.02 * dramSeconds(bytes));
  // All of it went through L2, which holds the last of it.
  ASSERT_EQ(report.written.size(), 1u);
  EXPECT_NEAR(report.written[0].kept, double(testDevice().l2Bytes) / bytes,
              1e-6);
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
