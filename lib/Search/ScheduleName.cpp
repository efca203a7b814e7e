//===- ScheduleName.cpp - Names of schedules ------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/Schedule.h"

#include <charconv>

using namespace dietcode;

std::string Schedule::name() const {
  std::string text = std::to_string(blockM) + "x" + std::to_string(blockN) +
                     "x" + std::to_string(blockK) + "_" +
                     std::to_string(threadM) + "x" + std::to_string(threadN);
  text += infoOf(instruction).suffix;
  if (stages != 2)
    text += "_s" + std::to_string(stages);
  if (split != 1)
    text += "_k" + std::to_string(split);
  if (vector != kMaxVectorWidth)
    text += "_v" + std::to_string(vector);
  if (order == TileOrder::NFirst)
    text += "_nm";
  if (order == TileOrder::Bands)
    text += "_mnm";
  return text;
}

std::string Schedule::kernelName() const {
  return (infoOf(instruction).isWarpWide ? "warp_" : "simt_") + name();
}

/// Takes an integer off the front of `text`.
static bool consumeInteger(std::string_view &text, int64_t &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc())
    return false;
  text.remove_prefix(end - text.data());
  return true;
}

static bool consume(std::string_view &text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix)
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// The longest suffix counts.
static Instruction consumeInstruction(std::string_view &text) {
  Instruction found = Instruction::Fma;
  for (Instruction instruction : allInstructions()) {
    std::string_view suffix = infoOf(instruction).suffix;
    if (suffix.size() > infoOf(found).suffix.size() &&
        text.substr(0, suffix.size()) == suffix)
      found = instruction;
  }
  consume(text, infoOf(found).suffix);
  return found;
}

Expected<Schedule> dietcode::parseSchedule(std::string_view name) {
  Schedule schedule;
  std::string_view text = name;
  bool ok = consumeInteger(text, schedule.blockM) && consume(text, "x") &&
            consumeInteger(text, schedule.blockN) && consume(text, "x") &&
            consumeInteger(text, schedule.blockK) && consume(text, "_") &&
            consumeInteger(text, schedule.threadM) && consume(text, "x") &&
            consumeInteger(text, schedule.threadN);
  if (ok)
    schedule.instruction = consumeInstruction(text);
  if (ok && consume(text, "_s"))
    ok = consumeInteger(text, schedule.stages);
  if (ok && consume(text, "_k"))
    ok = consumeInteger(text, schedule.split);
  if (ok && consume(text, "_v"))
    ok = consumeInteger(text, schedule.vector);
  if (ok && consume(text, "_nm"))
    schedule.order = TileOrder::NFirst;
  else if (ok && consume(text, "_mnm"))
    schedule.order = TileOrder::Bands;
  if (!ok || !text.empty())
    return fail("'" + std::string(name) +
                "' is not a schedule; write one as "
                "<blockM>x<blockN>x<blockK>_<threadM>x<threadN>, for example "
                "128x128x8_8x8, followed by what is not as by default: "
                "_mma, _mma16, _mma8, _rows or _elements, _s<stages>, "
                "_k<split>, _v<vector>, _nm "
                "or _mnm");
  return schedule;
}
