//===- KnownChips.cpp - Table of NVPTX architectures ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The processors of LLVM 22's NVPTX back end with the PTX ISA version that it
// selects when none is asked for, which is the first that knows the processor
// (source: `llc -mtriple=nvptx64 -mcpu=<chip>`, its .version directive). Those
// too old for this project are listed so that they can be refused as such
// rather than as unknown.
//
//===----------------------------------------------------------------------===//

#include "dietcode/Target/DeviceSpec.h"

using namespace dietcode;

static constexpr ChipSpec kChips[] = {
    {"sm_20", 20, 32},    {"sm_21", 21, 32},   {"sm_30", 30, 32},
    {"sm_32", 32, 40},    {"sm_35", 35, 32},   {"sm_37", 37, 41},
    {"sm_50", 50, 40},    {"sm_52", 52, 41},   {"sm_53", 53, 42},
    {"sm_60", 60, 50},    {"sm_61", 61, 50},   {"sm_62", 62, 50},
    {"sm_70", 70, 60},    {"sm_72", 72, 61},   {"sm_75", 75, 63},
    {"sm_80", 80, 70},    {"sm_86", 86, 71},   {"sm_87", 87, 74},
    {"sm_88", 88, 90},    {"sm_89", 89, 78},   {"sm_90", 90, 78},
    {"sm_90a", 90, 80},   {"sm_100", 100, 86}, {"sm_100a", 100, 86},
    {"sm_100f", 100, 88}, {"sm_101", 101, 86}, {"sm_101a", 101, 86},
    {"sm_101f", 101, 88}, {"sm_103", 103, 88}, {"sm_103a", 103, 88},
    {"sm_103f", 103, 88}, {"sm_110", 110, 90}, {"sm_110a", 110, 90},
    {"sm_110f", 110, 90}, {"sm_120", 120, 87}, {"sm_120a", 120, 87},
    {"sm_120f", 120, 88}, {"sm_121", 121, 88}, {"sm_121a", 121, 88},
    {"sm_121f", 121, 88},
};

const ChipSpec *dietcode::lookupChip(std::string_view name) {
  for (const ChipSpec &chip : kChips)
    if (chip.name == name)
      return &chip;
  return nullptr;
}

std::vector<std::string_view> dietcode::knownChipNames() {
  std::vector<std::string_view> names;
  for (const ChipSpec &chip : kChips)
    names.push_back(chip.name);
  return names;
}
