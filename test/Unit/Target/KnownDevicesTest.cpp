//===- KnownDevicesTest.cpp - Tests of the device and chip tables ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Target/DeviceSpec.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace dietcode;

TEST(KnownDevices, FindsTheT4) {
  const DeviceSpec *t4 = lookupDevice("t4");
  ASSERT_NE(t4, nullptr);
  EXPECT_EQ(t4->chip, "sm_75");
  // 40 SMs * 64 lanes * 2 FLOP * 1590 MHz is the 8.14 TFLOP/s of the data
  // sheet.
  double peak = 2 * t4->smCount * t4->fp32LanesPerSM * t4->clockHz;
  EXPECT_NEAR(peak, 8.14e12, 0.01e12);
  double half = 2 * t4->smCount * t4->fp64LanesPerSM * t4->clockHz;
  EXPECT_NEAR(half, 0.254e12, 0.001e12);
}

TEST(KnownDevices, RefusesOtherNames) {
  for (const char *name : {"", "T4", "t4 ", "h200", "virtual:t4"})
    EXPECT_EQ(lookupDevice(name), nullptr) << name;
}

TEST(KnownDevices, EveryDeviceIsComplete) {
  for (std::string_view name : knownDeviceNames()) {
    const DeviceSpec *device = lookupDevice(name);
    ASSERT_NE(device, nullptr) << name;
    EXPECT_NE(lookupChip(device->chip), nullptr) << name;
    EXPECT_GT(device->smCount, 0) << name;
    EXPECT_EQ(device->maxWarpsPerSM * device->warpSize, device->maxThreadsPerSM)
        << name;
    EXPECT_GT(device->launchSeconds, 0) << name;
    EXPECT_LE(device->staticSharedPerBlock, device->optInSharedPerBlock);
    EXPECT_LE(device->optInSharedPerBlock + device->reservedSharedPerBlock,
              device->sharedPerSM);
    ASSERT_FALSE(device->sharedCarveouts.empty()) << name;
    EXPECT_TRUE(std::is_sorted(device->sharedCarveouts.begin(),
                               device->sharedCarveouts.end()));
    EXPECT_EQ(device->sharedCarveouts.back(), device->sharedPerSM) << name;
    EXPECT_LT(device->sharedPerSM, device->unifiedL1Bytes) << name;
    EXPECT_LE(device->sharedSustained, device->sharedBytesPerCycle) << name;
    EXPECT_LE(device->l1Sustained, device->sharedBytesPerCycle) << name;
    EXPECT_LT(device->l1Latency, device->l2Latency) << name;
    EXPECT_LT(device->sharedLatency, device->l2Latency);
    EXPECT_LT(device->l2Latency, device->globalLatency);
  }
}

/// The peaks of the data sheets, in TFLOP/s, follow from the parts.
TEST(KnownDevices, PeaksAreThoseOfTheDataSheets) {
  struct Peaks {
    const char *name, *chip;
    double fp32, fp64, tensor, tolerance;
  };
  const Peaks peaks[] = {
      {"t4", "sm_75", 8.14, 0.254, 65.1, 0.01},
      {"rtx2080ti", "sm_75", 13.45, 0.42, 107.6, 0.01},
      {"v100", "sm_70", 15.7, 7.8, 125, 0.01},
      {"a100", "sm_80", 19.5, 9.7, 312, 0.01},
      {"l4", "sm_89", 30.3, 0.473, 121, 0.01},
      // At the clock of FP32; the tensor cores' 989 are at a lower one.
      {"h100", "sm_90", 67, 34, 989 * 1980.0 / 1830, 0.02},
  };
  for (const Peaks &row : peaks) {
    const DeviceSpec *device = lookupDevice(row.name);
    ASSERT_NE(device, nullptr) << row.name;
    EXPECT_EQ(device->chip, row.chip);
    double rate = 2 * device->smCount * device->clockHz * 1e-12;
    EXPECT_NEAR(rate * device->fp32LanesPerSM, row.fp32,
                row.tolerance * row.fp32)
        << row.name;
    EXPECT_NEAR(rate * device->fp64LanesPerSM, row.fp64,
                row.tolerance * row.fp64)
        << row.name;
    EXPECT_NEAR(rate * device->tensorMacsPerSM, row.tensor,
                row.tolerance * row.tensor)
        << row.name;
  }
}

TEST(KnownDevices, OnlyTheT4IsCalibrated) {
  EXPECT_EQ(virtualName(*lookupDevice("t4")), "virtual:t4");
  EXPECT_EQ(virtualName(*lookupDevice("a100")), "virtual:a100 (uncalibrated)");
  for (std::string_view name : knownDeviceNames())
    EXPECT_EQ(lookupDevice(name)->calibrated, name == "t4") << name;
}

TEST(KnownChips, HaveTheirPtxVersion) {
  const std::pair<const char *, int> expected[] = {
      {"sm_50", 40}, {"sm_62", 50}, {"sm_70", 60},  {"sm_72", 61},
      {"sm_75", 63}, {"sm_80", 70}, {"sm_86", 71},  {"sm_87", 74},
      {"sm_89", 78}, {"sm_90", 78}, {"sm_90a", 80}, {"sm_100", 86},
      {"sm_120", 87}};
  for (auto [name, version] : expected) {
    const ChipSpec *chip = lookupChip(name);
    ASSERT_NE(chip, nullptr) << name;
    EXPECT_EQ(chip->minimumPtxVersion, version) << name;
  }
  EXPECT_EQ(lookupChip("sm_90a")->computeCapability, 90);
}

TEST(KnownChips, RefusesOtherNames) {
  for (const char *name : {"", "sm_", "sm_76", "SM_75", "gfx90a"})
    EXPECT_EQ(lookupChip(name), nullptr) << name;
}

TEST(KnownChips, NamesAreUniqueAndFound) {
  std::set<std::string_view> seen;
  for (std::string_view name : knownChipNames()) {
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_NE(lookupChip(name), nullptr) << name;
  }
}
