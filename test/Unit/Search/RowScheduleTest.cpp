//===- RowScheduleTest.cpp - Tests of schedules of rowwise operators ------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/RowSchedule.h"

#include <gtest/gtest.h>
#include <limits>

using namespace dietcode;

static const DeviceSpec &t4() { return *lookupDevice("t4"); }

static RowTraits softmax() { return {RowAccess::Columns, 4, 1, 2}; }

static std::string messageOf(const RowSchedule &schedule,
                             const RowTraits &traits = softmax()) {
  std::optional<Violation> violation = checkSchedule(schedule, traits, t4());
  return violation
             ? std::string(violation->constraint) + ": " + violation->message
             : "valid";
}

TEST(RowSchedule, Describes) {
  RowSchedule schedule{128, 32, 4, 8};
  EXPECT_EQ(schedule.name(), "4x32_8x4");
  EXPECT_EQ(schedule.rows(), 4);
  EXPECT_EQ(schedule.capacity(), 1024);
  Resources use = resourcesOf(schedule, softmax(), t4());
  EXPECT_EQ(use.threads, 128);
  EXPECT_EQ(use.sharedBytes, 0);
  EXPECT_EQ(use.registers, 72);
  EXPECT_EQ(use.blocksPerSM, 7);
  // Two reductions over four warps.
  EXPECT_EQ(resourcesOf({128, 128, 4, 8}, softmax(), t4()).sharedBytes, 64);
}

TEST(RowSchedule, NamesTheLimitThatIsBroken) {
  EXPECT_EQ(messageOf({128, 32, 4, 8}), "valid");
  EXPECT_EQ(messageOf({48, 16, 4, 8}),
            "threads: a block of 48 threads is not a multiple of the 32 of a "
            "warp up to 1024, which the t4 allows");
  EXPECT_EQ(messageOf({128, 48, 4, 8}),
            "lanes: 48 lanes per row are not a power of two that divides the "
            "128 threads of a block");
  EXPECT_EQ(messageOf({128, 32, 8, 8}),
            "vector: vectors of 8 columns are not of a power of two between 1 "
            "and 4");
  EXPECT_EQ(messageOf({128, 32, 4, 0}),
            "vectors: 0 vectors per lane are not between 1 and 64");
  EXPECT_EQ(messageOf({1024, 1024, 1, 1}, {RowAccess::Columns, 4, 1, 200}),
            "shared-memory: 200 reductions over 1024 threads need 51200 bytes "
            "of shared memory, the t4 allows 49152");
  EXPECT_EQ(messageOf({128, 32, 4, 64}),
            "registers: 256 columns per lane need about 296 registers per "
            "thread, the t4 allows 255");
  EXPECT_EQ(messageOf({1024, 32, 4, 16}),
            "register-file: 1024 threads with about 104 registers each need "
            "106496 registers, an SM of the t4 has 65536");
}

TEST(RowSchedule, AnyValuesMayBeAskedAbout) {
  for (int64_t value : {std::numeric_limits<int64_t>::min(), int64_t(-1),
                        int64_t(0), std::numeric_limits<int64_t>::max()}) {
    EXPECT_NE(messageOf({value, 32, 4, 8}), "valid");
    EXPECT_NE(messageOf({128, value, 4, 8}), "valid");
    EXPECT_NE(messageOf({128, 32, value, 8}), "valid");
    EXPECT_NE(messageOf({128, 32, 4, value}), "valid");
  }
}

TEST(RowSchedule, EveryConstraintHasAName) {
  std::vector<std::string_view> names = rowConstraintNames();
  EXPECT_EQ(names.size(), 7u);
  EXPECT_EQ(names.front(), "threads");
}

TEST(RowSchedule, ListsAreValidAndAscend) {
  for (RowAccess access :
       {RowAccess::Columns, RowAccess::Rows, RowAccess::Mixed})
    for (int64_t vector : {1, 2, 4, 8, 16})
      for (int64_t registers : {1, 2, 3, 5, 8, 13, 20})
        for (int64_t reductions : {0, 1, 2, 5}) {
          RowTraits traits{access, vector, registers, reductions};
          std::vector<RowSchedule> schedules = listSchedules(traits, t4());
          ASSERT_FALSE(schedules.empty());
          for (size_t i = 0; i < schedules.size(); ++i) {
            EXPECT_EQ(messageOf(schedules[i], traits), "valid");
            EXPECT_EQ(schedules[i].vector, schedules[0].vector);
            if (i) {
              EXPECT_LT(schedules[i - 1].capacity(), schedules[i].capacity());
            }
          }
        }
}

// A sector is of 8 neighbouring elements of one row, or of one of 8 rows each.
TEST(RowSchedule, RowsShareWarpsWhereTheyAreNeighbours) {
  RowTraits columns{RowAccess::Columns, 1, 1, 2};
  RowTraits rows{RowAccess::Rows, 1, 1, 2};
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

TEST(RowSchedule, HoldsLessWhereColumnsNeedMore) {
  RowTraits traits = softmax();
  EXPECT_EQ(listSchedules(traits, t4())[1].capacity(), 1024);
  traits.columnRegisters = 4;
  EXPECT_EQ(listSchedules(traits, t4())[1].capacity(), 512);
}
