//===- ScheduleTest.cpp - Tests of schedules and their limits -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/ScheduleSpace.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <set>

using namespace dietcode;

static const DeviceSpec &t4() { return *lookupDevice("t4"); }

static std::string messageOf(const Schedule &schedule,
                             const DeviceSpec &device = t4()) {
  std::optional<Violation> violation = checkSchedule(schedule, device);
  return violation
             ? std::string(violation->constraint) + ": " + violation->message
             : "valid";
}

TEST(Schedule, NamesRoundTrip) {
  Schedule schedule{128, 64, 8, 8, 4};
  EXPECT_EQ(schedule.name(), "128x64x8_8x4");
  EXPECT_EQ(*parseSchedule("128x64x8_8x4"), schedule);
  schedule.stages = 3;
  EXPECT_EQ(schedule.name(), "128x64x8_8x4_s3");
  EXPECT_EQ(*parseSchedule("128x64x8_8x4_s3"), schedule);
  schedule.split = 12;
  schedule.vector = 1;
  schedule.order = TileOrder::NFirst;
  EXPECT_EQ(schedule.name(), "128x64x8_8x4_s3_k12_v1_nm");
  EXPECT_EQ(*parseSchedule("128x64x8_8x4_s3_k12_v1_nm"), schedule);
  EXPECT_NE(*parseSchedule("128x64x8_8x4_s3_k12_v1"), schedule);
  EXPECT_EQ(parseSchedule("128x64x8_8x4_k2")->split, 2);
  EXPECT_EQ(parseSchedule("128x64x8_8x4_v2")->vector, 2);
  EXPECT_EQ(parseSchedule("128x64x8_8x4_nm")->order, TileOrder::NFirst);
  EXPECT_EQ(parseSchedule("128x64x8_8x4_mnm")->order, TileOrder::Bands);
  EXPECT_EQ(schedule.kernelName(), "simt_128x64x8_8x4_s3_k12_v1_nm");
}

TEST(Schedule, NamesOfInstructionsRoundTrip) {
  for (Instruction instruction : allInstructions()) {
    Schedule schedule{128, 128, 32, 64, 64};
    schedule.instruction = instruction;
    EXPECT_EQ(*parseSchedule(schedule.name()), schedule) << schedule.name();
    schedule.stages = 1;
    schedule.order = TileOrder::Bands;
    EXPECT_EQ(*parseSchedule(schedule.name()), schedule) << schedule.name();
    EXPECT_EQ(lookupInstruction(infoOf(instruction).name), instruction);
    EXPECT_EQ(infoOf(instruction).instruction, instruction);
    EXPECT_NE(instructionNames().find(infoOf(instruction).name),
              std::string_view::npos);
  }
  EXPECT_EQ(parseSchedule("128x128x32_64x64_mma16_k2")->instruction,
            Instruction::MmaF16F16);
  EXPECT_EQ(parseSchedule("128x128x32_64x64_mma_k2")->kernelName(),
            "warp_128x128x32_64x64_mma_k2");
  EXPECT_FALSE(lookupInstruction("mma"));
}

TEST(Schedule, InstructionsFollowTheTypes) {
  using List = std::vector<Instruction>;
  EXPECT_EQ(instructionsFor("f32", "f32"), (List{Instruction::Fma}));
  EXPECT_EQ(instructionsFor("f16", "f32"),
            (List{Instruction::Fma, Instruction::MmaF16}));
  EXPECT_EQ(instructionsFor("f16", "f16"), (List{Instruction::MmaF16F16}));
  EXPECT_EQ(instructionsFor("i8", "i32"), (List{Instruction::MmaI8}));
  EXPECT_TRUE(instructionsFor("f64", "f64").empty());
}

/// "128x128x32_64x64" with an instruction and what follows it.
static Schedule scheduleOf(const char *name) { return *parseSchedule(name); }

TEST(Schedule, LayoutOfAWarpTile) {
  std::optional<ScheduleLayout> layout =
      layoutOf(scheduleOf("256x128x32_64x32_mma"));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->threads, 4 * 4 * 32);
  EXPECT_EQ(layout->warpsM, 4);
  EXPECT_EQ(layout->warpsN, 4);
  EXPECT_EQ(layout->lanesM * layout->lanesN, 32);
  EXPECT_EQ(layout->sums, 64 * 32 / 32);
  EXPECT_EQ(layout->groupN, 2);
  // Chunks of 16 bytes: 256 x 32 halves for 512 threads.
  EXPECT_EQ(layout->vectorA, 8);
  EXPECT_EQ(layout->copiesA, 2);
  EXPECT_EQ(layoutOf(scheduleOf("128x128x32_64x32_mma8"))->vectorA, 16);
  EXPECT_FALSE(layoutOf(scheduleOf("64x64x32_8x32_mma")));
  Resources use = resourcesOf(scheduleOf("256x128x32_64x64_mma"), t4());
  EXPECT_EQ(use.threads, 256);
  // 2 stages * (256 + 128) * 32 halves, without padding.
  EXPECT_EQ(use.sharedBytes, 49152);
  // 128 sums + 2 * 16 fragments + 24 staged + 2 * 8 addresses + 40.
  EXPECT_EQ(use.registers, 240);
  EXPECT_EQ(use.blocksPerSM, 1);
  EXPECT_EQ(stepsOf(scheduleOf("256x128x32_64x64_mma")).front().threads, 256);
}

TEST(Schedule, BandsHaveAsManyRowsForAnyTile) {
  EXPECT_EQ(bandTiles(scheduleOf("256x128x32_64x64_mma")), 4);
  EXPECT_EQ(bandTiles(scheduleOf("16x128x32_16x64_mma")), 64);
}

TEST(Schedule, RefusesMalformedNames) {
  for (const char *name :
       {"", "128", "128x64x8", "128x64x8_8x", "128x64x8_8x4 ", "128x64x8-8x4",
        "x64x8_8x4", "128x64x8_8x4_s", "99999999999999999999x64x8_8x4",
        "128x64x8_8x4_k", "128x64x8_8x4_v", "128x64x8_8x4_mn",
        "128x64x8_8x4_v2_k2", "128x64x8_8x4_k99999999999999999999"}) {
    Expected<Schedule> schedule = parseSchedule(name);
    ASSERT_FALSE(schedule.has_value()) << name;
    EXPECT_EQ(
        schedule.error().message,
        "'" + std::string(name) +
            "' is not a schedule; write one as "
            "<blockM>x<blockN>x<blockK>_<threadM>x<threadN>, for example "
            "128x128x8_8x8, followed by what is not as by default: "
            "_mma, _mma16, _mma8, _rows or _elements, _s<stages>, _k<split>, "
            "_v<vector>, _nm or _mnm");
  }
}

TEST(Schedule, LayoutOfTheUsualTile) {
  std::optional<ScheduleLayout> layout = layoutOf({128, 128, 8, 8, 8});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->threads, 256);
  EXPECT_EQ(layout->lanesM, 4);
  EXPECT_EQ(layout->lanesN, 8);
  EXPECT_EQ(layout->warpsM, 4);
  EXPECT_EQ(layout->warpsN, 2);
  EXPECT_EQ(layout->groupM, 4);
  EXPECT_EQ(layout->vectorA, 4);
  EXPECT_EQ(layout->copiesA, 1);
}

TEST(Schedule, LayoutOfSkinnyTiles) {
  // One row of threads leaves no choice.
  std::optional<ScheduleLayout> flat = layoutOf({8, 128, 16, 8, 4});
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->lanesM, 1);
  EXPECT_EQ(flat->lanesN, 32);
  // 96 threads cannot share 512 elements out evenly.
  EXPECT_FALSE(layoutOf({64, 96, 8, 8, 8}));
}

TEST(Schedule, VectorsAreLimited) {
  Schedule schedule{128, 128, 8, 8, 8};
  schedule.vector = 2;
  std::optional<ScheduleLayout> layout = layoutOf(schedule);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->vectorA, 2);
  EXPECT_EQ(layout->copiesA, 2);
}

TEST(Schedule, StepsOfTheUsualTile) {
  Schedule schedule{16, 64, 32, 2, 4};
  std::vector<KernelStep> whole = stepsOf(schedule);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0].threads, 128);
  EXPECT_EQ(whole[0].blocksPerTile, 1);
  EXPECT_EQ(workspaceElements(schedule, 30, 30), 0);
  EXPECT_EQ(blocksOf(schedule, 17, 65), 4);
  EXPECT_EQ(kTilesPerBlock(schedule, 100), 4);

  schedule.split = 3;
  std::vector<KernelStep> split = stepsOf(schedule);
  ASSERT_EQ(split.size(), 2u);
  EXPECT_EQ(split[0].threads, 128);
  EXPECT_EQ(split[0].blocksPerTile, 3);
  // 256 vectors of four.
  EXPECT_EQ(split[1].suffix, "_reduction");
  EXPECT_EQ(split[1].threads, 128);
  EXPECT_EQ(split[1].blocksPerTile, 2);
  // Rows of 30 are padded to 32.
  EXPECT_EQ(workspaceElements(schedule, 30, 30), 3 * 30 * 32);
  EXPECT_EQ(workspaceElements(schedule, 1 << 20, 1 << 20), int64_t(3) << 40);
  EXPECT_EQ(tilesOf(schedule, 17, 65), 4);
  EXPECT_EQ(blocksOf(schedule, 17, 65), 12);
  EXPECT_EQ(kTilesPerBlock(schedule, 100), 2);
  EXPECT_EQ(kTilesPerBlock(schedule, 0), 0);
  EXPECT_EQ(kTilesPerBlock(schedule, std::numeric_limits<int64_t>::max()),
            (int64_t(1) << 58) / 3 + 1);
}

TEST(Schedule, ReductionsCoverTheTiles) {
  ScheduleSpace space;
  space.blockM = space.blockN = {4, 8, 12, 16, 32, 64, 128};
  space.split = {2};
  for (const Schedule &schedule : enumerateSchedules(t4(), space)) {
    KernelStep reduction = stepsOf(schedule).back();
    int64_t vector = reductionVector(schedule);
    EXPECT_EQ(reduction.threads * reduction.blocksPerTile * vector,
              schedule.blockM * schedule.blockN)
        << schedule.name();
    EXPECT_EQ(reduction.threads % 32, 0) << schedule.name();
    EXPECT_EQ(schedule.blockN % vector, 0) << schedule.name();
  }
}

TEST(Schedule, LayoutsCoverTheTiles) {
  for (const Schedule &schedule : enumerateSchedules(t4())) {
    std::optional<ScheduleLayout> layout = layoutOf(schedule);
    ASSERT_TRUE(layout) << schedule.name();
    EXPECT_EQ(layout->lanesM * layout->lanesN, 32) << schedule.name();
    EXPECT_EQ(layout->warpsM * layout->lanesM * schedule.threadM,
              schedule.blockM);
    EXPECT_EQ(layout->warpsN * layout->lanesN * schedule.threadN,
              schedule.blockN);
    EXPECT_EQ(layout->threads * layout->vectorA * layout->copiesA,
              schedule.blockM * schedule.blockK);
    EXPECT_EQ(layout->threads * layout->vectorB * layout->copiesB,
              schedule.blockN * schedule.blockK);
    // Vectors may lie along either dim of an operand.
    EXPECT_EQ(schedule.blockK % layout->vectorA, 0) << schedule.name();
    EXPECT_EQ(schedule.blockN % layout->vectorB, 0) << schedule.name();
    EXPECT_EQ(schedule.threadM % layout->groupM, 0) << schedule.name();
  }
}

TEST(Schedule, ResourcesOfTheUsualTile) {
  Resources use = resourcesOf({128, 128, 8, 8, 8}, t4());
  EXPECT_EQ(use.threads, 256);
  // 2 stages * 8 rows of k * (132 + 132) floats.
  EXPECT_EQ(use.sharedBytes, 16896);
  // 64 accumulators + 16 fragments + 8 staged + 40.
  EXPECT_EQ(use.registers, 128);
  EXPECT_EQ(use.blocksPerSM, 2);
  EXPECT_DOUBLE_EQ(use.occupancy, 0.5);
}

TEST(Schedule, ResourcesOfNonsenseAreZero) {
  Resources use = resourcesOf({0, -1, 8, 8, 0}, t4());
  EXPECT_EQ(use.threads, 0);
  EXPECT_EQ(use.blocksPerSM, 0);
}

TEST(Constraints, AcceptTheUsualTile) {
  EXPECT_EQ(messageOf({128, 128, 8, 8, 8}), "valid");
}

TEST(Constraints, TileSize) {
  EXPECT_EQ(messageOf({6, 32, 8, 2, 2}),
            "tile-size: the 6x32x8 tile has a block extent of 6, which is not "
            "a multiple of 4 between 4 and 1024");
  EXPECT_EQ(messageOf({64, -64, 8, 2, 2}),
            "tile-size: the 64x-64x8 tile has a block extent of -64, which is "
            "not a multiple of 4 between 4 and 1024");
}

TEST(Constraints, Instruction) {
  EXPECT_EQ(messageOf(scheduleOf("128x128x32_64x64_mma")), "valid");
  EXPECT_EQ(
      messageOf(scheduleOf("128x128x32_64x64_mma"), *lookupDevice("v100")),
      "instruction: the v100, which is sm_70, has no mma.m16n8k8, which "
      "needs sm_75");
  EXPECT_EQ(messageOf(scheduleOf("64x64x32_8x32_mma")),
            "instruction-tile: the 8x32x32 warp tile is not made of whole "
            "16x8x8 products, which mma.m16n8k8 computes");
  EXPECT_EQ(messageOf(scheduleOf("64x64x8_32x32_mma8")),
            "instruction-tile: the 32x32x8 warp tile is not made of whole "
            "8x8x16 products, which mma.m8n8k16 computes");
  EXPECT_EQ(messageOf(scheduleOf("96x64x32_32x32_mma")),
            "tile-size: the 96x64x32 tile has a block extent of 96, which is "
            "not a power of two as swizzled tiles need");
  EXPECT_EQ(messageOf(scheduleOf("512x64x32_256x32_mma")),
            "thread-tile: the 256x32 warp tile has an extent of 256, which is "
            "not a power of two between 1 and 128");
  EXPECT_EQ(messageOf(scheduleOf("64x64x32_32x32_mma_v2")),
            "vector: vectors of 2 words are not supported with mma_f16: "
            "threads copy rows of matrices, which have 4");
  EXPECT_EQ(messageOf(scheduleOf("32x32x16_16x16_mma")),
            "staging: the 32x16 tile of A has 512 elements, which 128 threads "
            "cannot copy in equal parts");
  EXPECT_EQ(messageOf(scheduleOf("128x128x32_128x64_mma")),
            "registers: the 128x64 warp tile needs about 444 registers per "
            "thread, the t4 allows 255");
}

TEST(Constraints, KTile) {
  EXPECT_EQ(messageOf({64, 64, 12, 4, 4}),
            "k-tile: the k tile of 12 is not a power of two between 4 and 64");
}

TEST(Constraints, ThreadTile) {
  EXPECT_EQ(messageOf({96, 64, 8, 3, 4}),
            "thread-tile: the 3x4 thread tile has an extent of 3, which is not "
            "a power of two between 1 and 16");
  EXPECT_EQ(messageOf({36, 64, 8, 8, 8}),
            "thread-tile: the 8x8 thread tile does not divide the 36x64 block");
}

TEST(Constraints, Stages) {
  EXPECT_EQ(messageOf({64, 64, 8, 4, 4, 3}),
            "stages: 3 stages are not supported, there are 1 or 2: registers "
            "hold one k tile on its way to shared memory, so that more buffers "
            "stay empty");
  EXPECT_EQ(messageOf({64, 64, 8, 4, 4, 1}), "valid");
}

TEST(Constraints, Split) {
  Schedule schedule{64, 64, 8, 4, 4};
  schedule.split = 0;
  EXPECT_EQ(messageOf(schedule), "split: the k tiles cannot be split into 0 "
                                 "parts, only into 1 to 32");
  schedule.split = 33;
  EXPECT_EQ(messageOf(schedule), "split: the k tiles cannot be split into 33 "
                                 "parts, only into 1 to 32");
  schedule.split = 32;
  EXPECT_EQ(messageOf(schedule), "valid");
}

TEST(Constraints, Vector) {
  Schedule schedule{64, 64, 8, 4, 4};
  schedule.vector = 3;
  EXPECT_EQ(messageOf(schedule), "vector: vectors of 3 elements are not "
                                 "supported, threads copy 1, 2 or 4 at once");
  schedule.vector = 1;
  EXPECT_EQ(messageOf(schedule), "valid");
}

TEST(Constraints, SharedMemory) {
  EXPECT_EQ(messageOf({512, 512, 32, 16, 16}),
            "shared-memory: the 512x512x32 tile with 2 stages needs 264192 "
            "bytes of shared memory, the t4 allows 49152");
  EXPECT_EQ(messageOf({512, 512, 32, 16, 16, 1}),
            "shared-memory: the 512x512x32 tile with 1 stage needs 132096 "
            "bytes of shared memory, the t4 allows 49152");
}

TEST(Constraints, Threads) {
  EXPECT_EQ(messageOf({16, 16, 8, 4, 4}),
            "threads: the 16x16x8 tile with 4x4 per thread needs 16 threads, "
            "which is not a multiple of the 32 of a warp");
  EXPECT_EQ(messageOf({256, 256, 8, 4, 4}),
            "threads: the 256x256x8 tile with 4x4 per thread needs 4096 "
            "threads, the t4 allows 1024 per block");
}

TEST(Constraints, Staging) {
  EXPECT_EQ(messageOf({8, 128, 8, 1, 8}),
            "staging: the 8x8 tile of A has 64 elements, which 128 threads "
            "cannot copy in equal parts");
  EXPECT_EQ(messageOf({128, 8, 8, 8, 1}),
            "staging: the 8x8 tile of B has 64 elements, which 128 threads "
            "cannot copy in equal parts");
}

TEST(Constraints, Registers) {
  EXPECT_EQ(messageOf({256, 256, 8, 16, 16}),
            "registers: the 16x16 thread tile needs about 392 registers per "
            "thread, the t4 allows 255");
}

TEST(Constraints, RegisterFile) {
  EXPECT_EQ(messageOf({256, 128, 8, 4, 8}),
            "register-file: 1024 threads with about 96 registers each need "
            "98304 registers, an SM of the t4 has 65536");
}

TEST(Constraints, Residency) {
  DeviceSpec small = t4();
  small.maxThreadsPerSM = 128;
  EXPECT_EQ(messageOf({128, 128, 8, 8, 8}, small),
            "residency: the block of 256 threads and 16896 bytes of shared "
            "memory does not fit on an SM of the t4 with 128 threads and 65536 "
            "bytes");
}

TEST(Constraints, SurviveExtremeValues) {
  constexpr int64_t huge = std::numeric_limits<int64_t>::max();
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  for (int64_t value : {huge, lowest, huge - 3, int64_t(0), int64_t(-4)})
    for (int field = 0; field < 8; ++field) {
      Schedule schedule{128, 128, 8, 8, 8};
      int64_t *fields[] = {&schedule.blockM,  &schedule.blockN,
                           &schedule.blockK,  &schedule.threadM,
                           &schedule.threadN, &schedule.stages,
                           &schedule.split,   &schedule.vector};
      *fields[field] = value;
      EXPECT_NE(messageOf(schedule), "valid") << schedule.name();
    }
}

TEST(Enumeration, IsValidUniqueAndOfUsefulSize) {
  std::vector<Schedule> schedules = enumerateSchedules(t4());
  EXPECT_GE(schedules.size(), 300u);
  EXPECT_LE(schedules.size(), 5000u);
  std::set<std::string> names;
  for (const Schedule &schedule : schedules) {
    EXPECT_EQ(messageOf(schedule), "valid") << schedule.name();
    EXPECT_GE(resourcesOf(schedule, t4()).blocksPerSM, 1);
    EXPECT_TRUE(names.insert(schedule.name()).second) << schedule.name();
  }
  for (const char *name : {"128x128x8_8x8", "8x64x32_2x2", "16x64x32_2x4"})
    EXPECT_TRUE(names.count(name)) << name;
  EXPECT_EQ(schedules, enumerateSchedules(t4()));
}

TEST(Enumeration, FollowsTheSpace) {
  ScheduleSpace space;
  space.blockM = space.blockN = {64, 100000};
  space.blockK = {8};
  space.threadM = space.threadN = {4, 5};
  space.split = {1};
  std::vector<Schedule> schedules = enumerateSchedules(t4(), space);
  ASSERT_EQ(schedules.size(), 1u);
  EXPECT_EQ(schedules.front().name(), "64x64x8_4x4");
}

TEST(Enumeration, CrossesEveryAxis) {
  ScheduleSpace space;
  space.blockM = space.blockN = {64};
  space.blockK = {8};
  space.threadM = space.threadN = {4};
  space.stages = {1, 2, 3};
  space.split = {1, 6};
  space.vector = {4, 1};
  space.order = {TileOrder::MFirst, TileOrder::NFirst};
  // Vectors are of two by default, so that a limit of one makes a difference.
  std::vector<Schedule> schedules = enumerateSchedules(t4(), space);
  ASSERT_EQ(schedules.size(), 16u);
  EXPECT_EQ(schedules.front().name(), "64x64x8_4x4_s1");
  EXPECT_EQ(schedules.back().name(), "64x64x8_4x4_k6_v1_nm");
  // A limit of four or two is the same here.
  space.vector = {4, 2};
  EXPECT_EQ(enumerateSchedules(t4(), space).size(), 16u);
  space.blockK = {32};
  space.stages = {2};
  EXPECT_EQ(enumerateSchedules(t4(), space).size(), 8u);
}

TEST(Enumeration, IsOfTheInstructionsThatAreAskedFor) {
  std::vector<Schedule> both =
      enumerateSchedules(t4(), {}, {Instruction::Fma, Instruction::MmaF16});
  std::vector<Schedule> halves =
      enumerateSchedules(t4(), {}, {Instruction::MmaF16});
  EXPECT_EQ(both.size(), enumerateSchedules(t4()).size() + halves.size());
  EXPECT_GE(halves.size(), 300u);
  for (const Schedule &schedule : halves) {
    EXPECT_EQ(schedule.instruction, Instruction::MmaF16) << schedule.name();
    EXPECT_EQ(schedule.order, TileOrder::Bands) << schedule.name();
    std::optional<ScheduleLayout> layout = layoutOf(schedule);
    EXPECT_EQ(layout->threads * layout->vectorA * layout->copiesA,
              schedule.blockM * schedule.blockK);
    EXPECT_EQ(layout->threads * layout->vectorB * layout->copiesB,
              schedule.blockN * schedule.blockK);
    EXPECT_EQ(layout->sums * layout->threads,
              schedule.blockM * schedule.blockN);
  }
  EXPECT_TRUE(
      enumerateSchedules(*lookupDevice("v100"), {}, {Instruction::MmaF16})
          .empty());
  ScheduleSpace space;
  EXPECT_TRUE(setAxis(space, "instruction=mma_f16,mma_i8"));
  EXPECT_TRUE(enumerateSchedules(t4(), space).empty());
  EXPECT_EQ(enumerateSchedules(t4(), space, allInstructions()).size(),
            enumerateSchedules(t4(), {}, {Instruction::MmaF16}).size() +
                enumerateSchedules(t4(), {}, {Instruction::MmaI8}).size());
  EXPECT_TRUE(setAxis(space, "order=mn"));
  for (const Schedule &schedule :
       enumerateSchedules(t4(), space, {Instruction::MmaF16}))
    EXPECT_EQ(schedule.order, TileOrder::MFirst) << schedule.name();
}

TEST(Space, AxesAreReplaced) {
  ScheduleSpace space;
  for (const char *axis :
       {"block_m=64", "block_n=64,128", "block_k=8", "thread_m=4", "thread_n=8",
        "stages=1,2,2", "split=1,3", "vector=4", "order=nm,mn"}) {
    Expected<bool> set = setAxis(space, axis);
    EXPECT_TRUE(set) << set.error().message;
  }
  EXPECT_EQ(space.blockN, (std::vector<int64_t>{64, 128}));
  EXPECT_EQ(space.stages, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(space.order,
            (std::vector<TileOrder>{TileOrder::NFirst, TileOrder::MFirst}));
}

TEST(Space, RefusesMistakes) {
  ScheduleSpace space;
  auto messageFor = [&](const char *axis) {
    Expected<bool> set = setAxis(space, axis);
    return set ? std::string("none") : set.error().message;
  };
  EXPECT_EQ(messageFor("warps=4"),
            "'warps' is no axis of the space of schedules; there are block_m, "
            "block_n, block_k, thread_m, thread_n, stages, split, vector, "
            "rows.block_m, rows.block_n, rows.thread_n, rows.vector, order, "
            "instruction");
  EXPECT_EQ(messageFor("split"),
            "'' is no value of the axis 'split' of the space of schedules");
  EXPECT_EQ(messageFor("split=1,,2"),
            "'' is no value of the axis 'split' of the space of schedules");
  EXPECT_EQ(messageFor("split=1,x"),
            "'x' is no value of the axis 'split' of the space of schedules");
  EXPECT_EQ(messageFor("order=m"),
            "'m' is no value of the axis 'order' of the space of schedules");
  EXPECT_EQ(space.split, ScheduleSpace().split);
}

TEST(Space, Neighbours) {
  Schedule schedule{64, 64, 8, 4, 4};
  auto with = [&](int64_t Schedule::*parameter, int64_t value) {
    Schedule other = schedule;
    other.*parameter = value;
    return other;
  };
  EXPECT_FALSE(areNeighbours(schedule, schedule));
  EXPECT_TRUE(areNeighbours(schedule, with(&Schedule::split, 2)));
  EXPECT_FALSE(areNeighbours(schedule, with(&Schedule::split, 4)));
  EXPECT_TRUE(areNeighbours(schedule, with(&Schedule::stages, 1)));
  EXPECT_TRUE(areNeighbours(schedule, with(&Schedule::vector, 2)));
  EXPECT_TRUE(areNeighbours(schedule, with(&Schedule::blockK, 16)));
  Schedule turned = schedule;
  turned.order = TileOrder::NFirst;
  EXPECT_TRUE(areNeighbours(schedule, turned));
  turned.split = 2;
  EXPECT_FALSE(areNeighbours(schedule, turned));
}
