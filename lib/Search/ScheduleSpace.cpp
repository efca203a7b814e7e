//===- ScheduleSpace.cpp - The space of schedules and its neighbourhoods --===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/ScheduleSpace.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

using namespace dietcode;

//===----------------------------------------------------------------------===//
// Axes as text
//===----------------------------------------------------------------------===//

namespace {
/// An axis whose values are integers.
struct IntegerAxis {
  std::string_view name;
  std::vector<int64_t> &(*valuesOf)(ScheduleSpace &);
};
} // namespace

#define AXIS(name, member)                                                     \
  IntegerAxis {                                                                \
    name, [](ScheduleSpace &space) -> std::vector<int64_t> & {                 \
      return space.member;                                                     \
    }                                                                          \
  }

static constexpr IntegerAxis kIntegerAxes[] = {
    AXIS("block_m", blockM),
    AXIS("block_n", blockN),
    AXIS("block_k", blockK),
    AXIS("thread_m", threadM),
    AXIS("thread_n", threadN),
    AXIS("stages", stages),
    AXIS("split", split),
    AXIS("vector", vector),
    AXIS("rows.block_m", rows.blockM),
    AXIS("rows.block_n", rows.blockN),
    AXIS("rows.thread_n", rows.threadN),
    AXIS("rows.vector", rows.vector),
};
#undef AXIS

static std::optional<int64_t> parseInteger(std::string_view word) {
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size())
    return std::nullopt;
  return value;
}

static std::optional<TileOrder> parseOrder(std::string_view word) {
  if (word == "mn")
    return TileOrder::MFirst;
  if (word == "nm")
    return TileOrder::NFirst;
  if (word == "mnm")
    return TileOrder::Bands;
  return std::nullopt;
}

/// The values between commas; an error names one that `parse` does not take.
template <typename T>
static Expected<bool> setValues(std::vector<T> &values, std::string_view axis,
                                std::string_view list,
                                std::optional<T> (*parse)(std::string_view)) {
  std::vector<T> parsed;
  while (true) {
    std::string_view word = list.substr(0, list.find(','));
    std::optional<T> value = parse(word);
    if (!value)
      return fail("'" + std::string(word) + "' is no value of the axis '" +
                  std::string(axis) + "' of the space of schedules");
    if (std::find(parsed.begin(), parsed.end(), *value) == parsed.end())
      parsed.push_back(*value);
    if (word.size() == list.size())
      break;
    list.remove_prefix(word.size() + 1);
  }
  values = std::move(parsed);
  return true;
}

Expected<bool> dietcode::setAxis(ScheduleSpace &space, std::string_view text) {
  size_t equals = std::min(text.find('='), text.size());
  std::string_view name = text.substr(0, equals);
  std::string_view list = text.substr(std::min(equals + 1, text.size()));
  if (name == "order")
    return setValues(space.order, name, list, parseOrder);
  if (name == "instruction")
    return setValues(space.instruction, name, list, lookupInstruction);
  std::string known;
  for (const IntegerAxis &axis : kIntegerAxes) {
    if (name == axis.name)
      return setValues(axis.valuesOf(space), name, list, parseInteger);
    known += std::string(axis.name) + ", ";
  }
  return fail("'" + std::string(name) +
              "' is no axis of the space of schedules; there are " + known +
              "order, instruction");
}

//===----------------------------------------------------------------------===//
// Neighbours and enumeration
//===----------------------------------------------------------------------===//

bool dietcode::areNeighbours(const Schedule &a, const Schedule &b) {
  auto steps = [](int64_t x, int64_t y) {
    if (x == y)
      return 0;
    return std::max(x, y) == 2 * std::min(x, y) ? (x > y ? 1 : -1) : 4;
  };
  int blockM = steps(a.blockM, b.blockM), threadM = steps(a.threadM, b.threadM);
  int blockN = steps(a.blockN, b.blockN), threadN = steps(a.threadN, b.threadN);
  int sum = std::abs(blockM) + std::abs(threadM) + std::abs(blockN) +
            std::abs(threadN) + std::abs(steps(a.blockK, b.blockK)) +
            std::abs(steps(a.stages, b.stages)) +
            std::abs(steps(a.split, b.split)) +
            std::abs(steps(a.vector, b.vector)) + (a.order == b.order ? 0 : 1) +
            (a.instruction == b.instruction ? 0 : 4);
  bool keepsThreads =
      (blockM != 0 && blockM == threadM) || (blockN != 0 && blockN == threadN);
  return sum == 1 || (sum == 2 && keepsThreads);
}

/// The candidates of `schedules` with each of `values` in place of a parameter.
template <typename T>
static std::vector<Schedule> cross(const std::vector<Schedule> &schedules,
                                   T Schedule::*parameter,
                                   const std::vector<T> &values) {
  std::vector<Schedule> crossed;
  for (const Schedule &schedule : schedules)
    for (const T &value : values) {
      crossed.push_back(schedule);
      crossed.back().*parameter = value;
    }
  return crossed;
}

/// A limit on vectors that no copy comes up to makes no difference.
static bool isDistinct(const Schedule &schedule, const DeviceSpec &device) {
  std::optional<ScheduleLayout> layout = layoutOf(schedule, device.warpSize);
  return schedule.vector == kMaxVectorWidth || !layout ||
         infoOf(schedule.instruction).isWarpWide ||
         std::max(layout->vectorA, layout->vectorB) == schedule.vector;
}

static bool suits(TileOrder order, Instruction instruction,
                  const std::vector<TileOrder> &orders) {
  auto has = [&](TileOrder other) {
    return std::find(orders.begin(), orders.end(), other) != orders.end();
  };
  if (order == TileOrder::NFirst || !has(TileOrder::MFirst) ||
      !has(TileOrder::Bands))
    return true;
  return infoOf(instruction).isWarpWide == (order == TileOrder::Bands);
}

/// Of tiles that are multiplied, with one of `instructions`.
static std::vector<Schedule>
crossProducts(const ScheduleSpace &space,
              const std::vector<Instruction> &instructions) {
  std::vector<Schedule> schedules = {Schedule()};
  schedules = cross(schedules, &Schedule::instruction, instructions);
  schedules = cross(schedules, &Schedule::blockM, space.blockM);
  schedules = cross(schedules, &Schedule::blockN, space.blockN);
  schedules = cross(schedules, &Schedule::blockK, space.blockK);
  schedules = cross(schedules, &Schedule::threadM, space.threadM);
  schedules = cross(schedules, &Schedule::threadN, space.threadN);
  schedules = cross(schedules, &Schedule::stages, space.stages);
  schedules = cross(schedules, &Schedule::split, space.split);
  schedules = cross(schedules, &Schedule::vector, space.vector);
  return cross(schedules, &Schedule::order, space.order);
}

/// Of tiles of rows.
static std::vector<Schedule>
crossRows(const RowSpace &space, const std::vector<Instruction> &instructions) {
  Schedule schedule;
  schedule.blockK = schedule.threadM = 1;
  std::vector<Schedule> schedules = {schedule};
  schedules = cross(schedules, &Schedule::instruction, instructions);
  schedules = cross(schedules, &Schedule::blockM, space.blockM);
  schedules = cross(schedules, &Schedule::blockN, space.blockN);
  schedules = cross(schedules, &Schedule::threadN, space.threadN);
  return cross(schedules, &Schedule::vector, space.vector);
}

std::vector<Schedule>
dietcode::enumerateSchedules(const DeviceSpec &device,
                             const ScheduleSpace &space,
                             const std::vector<Instruction> &instructions) {
  std::vector<Instruction> products, others;
  for (Instruction instruction : space.instruction)
    if (std::find(instructions.begin(), instructions.end(), instruction) !=
        instructions.end())
      (infoOf(instruction).isProduct ? products : others)
          .push_back(instruction);
  std::vector<Schedule> valid;
  for (const Schedule &schedule : crossProducts(space, products))
    if (suits(schedule.order, schedule.instruction, space.order) &&
        !checkSchedule(schedule, device) && isDistinct(schedule, device))
      valid.push_back(schedule);
  for (const Schedule &schedule : crossRows(space.rows, others))
    if (!checkSchedule(schedule, device))
      valid.push_back(schedule);
  return valid;
}
