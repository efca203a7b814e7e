//===- RowScheduleTest.cpp - Tests of schedules of rowwise operators ------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/RowSchedule.h"
#include "dietcode/Search/ContractionShape.h"
#include "dietcode/Search/ScheduleSpace.h"

#include <gtest/gtest.h>
#include <limits>

using namespace dietcode;

static const DeviceSpec &t4() { return *lookupDevice("t4"); }

static RowTraits softmax() {
  RowTraits traits;
  traits.maxVector = 4;
  traits.reductions = traits.passes = 2;
  return traits;
}

static Schedule tileOf(int64_t rows, int64_t columns, int64_t perThread,
                       Instruction instruction = Instruction::Rows) {
  Schedule schedule{rows, columns, 1, 1, perThread};
  schedule.instruction = instruction;
  return schedule;
}

static std::string messageOf(const Schedule &schedule,
                             const RowTraits &traits = softmax()) {
  std::optional<Violation> violation = checkSchedule(schedule, traits, t4());
  return violation
             ? std::string(violation->constraint) + ": " + violation->message
             : "valid";
}

TEST(RowSchedule, LaysThreadsOverRows) {
  Schedule tile = tileOf(4, 1024, 32);
  EXPECT_EQ(tile.name(), "4x1024x1_1x32_rows");
  EXPECT_EQ(parseSchedule(tile.name())->instruction, Instruction::Rows);
  EXPECT_EQ(*parseSchedule("32x32x1_1x4_elements_v1"), [] {
    Schedule elements = tileOf(32, 32, 4, Instruction::Elements);
    elements.vector = 1;
    return elements;
  }());
  RowSchedule schedule = rowScheduleOf(tile, softmax());
  EXPECT_EQ(schedule, (RowSchedule{128, 32, 4, 8}));
  EXPECT_EQ(schedule.rows(), 4);
  EXPECT_EQ(schedule.capacity(), 1024);
  Resources use = resourcesOf(schedule, softmax(), t4());
  EXPECT_EQ(use.threads, 128);
  EXPECT_EQ(use.sharedBytes, 0);
  EXPECT_EQ(use.registers, 72);
  EXPECT_EQ(use.blocksPerSM, 7);
  EXPECT_EQ(resourcesOf(schedule, softmax(), t4(), 128).blocksPerSM, 4);
  // Two reductions over four warps.
  EXPECT_EQ(resourcesOf({128, 128, 4, 8}, softmax(), t4()).sharedBytes, 64);
}

TEST(RowSchedule, VectorsAreAsWideAsElementsAllow) {
  Schedule tile = tileOf(4, 1024, 32);
  RowTraits traits = softmax();
  auto vectorOf = [&](int64_t maxVector, int64_t words) {
    traits.maxVector = maxVector;
    tile.vector = words;
    return rowScheduleOf(tile, traits).vector;
  };
  EXPECT_EQ(vectorOf(4, 4), 4);
  EXPECT_EQ(vectorOf(4, 2), 2);
  EXPECT_EQ(vectorOf(8, 4), 8);
  EXPECT_EQ(vectorOf(16, 4), 8);
  EXPECT_EQ(vectorOf(2, 1), 1);
  EXPECT_EQ(vectorOf(1, 4), 1);
  tile = tileOf(32, 64, 2);
  EXPECT_EQ(vectorOf(4, 4), 2);
  EXPECT_EQ(rowScheduleOf(tile, traits).vectors, 1);
}

TEST(RowSchedule, BlocksTakeWholeRowsToReduceThem) {
  ContractionShape shape{100, 3000, 1};
  EXPECT_EQ(blocksOf(tileOf(4, 1024, 32), shape), 25);
  EXPECT_EQ(tilesPerBlock(tileOf(4, 1024, 32), shape), 3);
  Schedule elements = tileOf(4, 1024, 32, Instruction::Elements);
  EXPECT_EQ(blocksOf(elements, shape), 75);
  EXPECT_EQ(tilesPerBlock(elements, shape), 1);
}

TEST(RowSchedule, NamesTheLimitThatIsBroken) {
  EXPECT_EQ(messageOf(tileOf(4, 1024, 32)), "valid");
  EXPECT_EQ(messageOf(tileOf(3, 1024, 32)),
            "row-tile: a tile of 3 rows and 1024 columns has an extent that is "
            "not a power of two between 1 and 65536");
  Schedule deep = tileOf(4, 1024, 32);
  deep.blockK = 8;
  EXPECT_EQ(messageOf(deep), "row-tile: a tile of rows has one element along k "
                             "and one row per thread, not 8 and 1");
  EXPECT_EQ(messageOf(tileOf(4, 1024, 128)),
            "row-tile: 128 columns per thread are not a power of two between 1 "
            "and 64");
  EXPECT_EQ(messageOf(tileOf(64, 8, 16)),
            "row-tile: 16 columns per thread are not a power of two between 1 "
            "and 8");
  Schedule split = tileOf(4, 1024, 32);
  split.split = 2;
  EXPECT_EQ(messageOf(split), "refinements: tiles of rows have no stages, "
                              "splits or orders but those by default");
  Schedule wide = tileOf(4, 1024, 32);
  wide.vector = 8;
  EXPECT_EQ(messageOf(wide), "vector: vectors of 8 words are not of 1, 2 or 4");
  EXPECT_EQ(messageOf(tileOf(1, 64, 4)),
            "threads: a block of 16 threads is not a multiple of the 32 of a "
            "warp up to 1024, which the t4 allows");
  RowTraits many = softmax();
  many.reductions = 200;
  EXPECT_EQ(messageOf(tileOf(1, 1024, 1), many),
            "shared-memory: 200 reductions over 1024 threads need 51200 bytes "
            "of shared memory, the t4 allows 49152");
  RowTraits heavy = softmax();
  heavy.columnRegisters = 8;
  EXPECT_EQ(messageOf(tileOf(4, 256, 8), heavy), "valid");
  EXPECT_EQ(messageOf(tileOf(4, 1024, 32), heavy),
            "columns: 32 columns per thread with 8 registers each need 256 "
            "registers, more than the 64 that hold columns");
  heavy.columnRegisters = 300;
  EXPECT_EQ(messageOf(tileOf(4, 32, 1), heavy),
            "registers: 1 columns per lane need about 340 registers per "
            "thread, the t4 allows 255");
  EXPECT_EQ(messageOf(tileOf(32, 2048, 64)),
            "register-file: 1024 threads with about 104 registers each need "
            "106496 registers, an SM of the t4 has 65536");
}

TEST(RowSchedule, AnyValuesMayBeAskedAbout) {
  for (int64_t value : {std::numeric_limits<int64_t>::min(), int64_t(-1),
                        int64_t(0), std::numeric_limits<int64_t>::max()}) {
    EXPECT_NE(messageOf(tileOf(value, 1024, 32)), "valid");
    EXPECT_NE(messageOf(tileOf(4, value, 32)), "valid");
    EXPECT_NE(messageOf(tileOf(4, 1024, value)), "valid");
    Schedule schedule = tileOf(4, 1024, 32);
    schedule.blockK = value;
    EXPECT_NE(messageOf(schedule), "valid");
  }
}

TEST(RowSchedule, EveryConstraintHasAName) {
  std::vector<std::string_view> names = rowConstraintNames();
  EXPECT_EQ(names.size(), 8u);
  EXPECT_EQ(names.front(), "row-tile");
}

TEST(RowSchedule, SpacesAreOfOneInstructionAndValid) {
  for (Instruction instruction : {Instruction::Rows, Instruction::Elements}) {
    std::vector<Schedule> space = enumerateSchedules(t4(), {}, {instruction});
    EXPECT_GT(space.size(), 100u);
    for (const Schedule &schedule : space) {
      EXPECT_EQ(schedule.instruction, instruction);
      EXPECT_FALSE(checkSchedule(schedule, t4())) << schedule.name();
    }
  }
  ScheduleSpace space;
  ASSERT_TRUE(setAxis(space, "rows.block_n=64,128"));
  for (const Schedule &schedule :
       enumerateSchedules(t4(), space, {Instruction::Rows}))
    EXPECT_LE(schedule.blockN, 128);
}

// A sector is of 8 neighbouring elements of one row, or of one of 8 rows each.
TEST(RowSchedule, RowsShareWarpsWhereTheyAreNeighbours) {
  RowTraits columns = softmax(), rows = softmax();
  rows.access = RowAccess::Rows;
  RowSchedule schedule{512, 64, 1, 8};
  EXPECT_EQ(lanesOfWarp(schedule, columns, 32), 32);
  EXPECT_EQ(lanesOfWarp(schedule, rows, 32), 4);
  EXPECT_EQ(resourcesOf(schedule, columns, t4()).sharedBytes, 16 * 8 * 2);
  EXPECT_EQ(resourcesOf(schedule, rows, t4()).sharedBytes, 128 * 8 * 2);
  // Too few rows to share, or lanes that are in one warp anyway.
  EXPECT_EQ(lanesOfWarp({256, 64, 1, 8}, rows, 32), 32);
  EXPECT_EQ(lanesOfWarp({128, 4, 1, 8}, rows, 32), 4);
  EXPECT_EQ(resourcesOf({128, 4, 1, 8}, rows, t4()).sharedBytes, 0);
}
