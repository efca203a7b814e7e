//===- Record.cpp - What was measured of a micro-kernel -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Record/Record.h"
#include "RecordJson.h"
#include <algorithm>
#include <array>

using namespace dietcode;

static constexpr std::array<std::pair<RecordStatus, std::string_view>, 8>
    statusNames = {{
        {RecordStatus::Ok, "ok"},
        {RecordStatus::CompileError, "compile-error"},
        {RecordStatus::Spills, "spills"},
        {RecordStatus::LaunchError, "launch-error"},
        {RecordStatus::WrongResult, "wrong-result"},
        {RecordStatus::Finding, "finding"},
        {RecordStatus::Crash, "crash"},
        {RecordStatus::Timeout, "timeout"},
    }};

std::string_view dietcode::nameOf(RecordStatus status) {
  for (auto &[value, name] : statusNames)
    if (value == status)
      return name;
  return "unknown";
}

std::optional<RecordStatus> dietcode::parseRecordStatus(std::string_view name) {
  for (auto &[value, text] : statusNames)
    if (text == name)
      return value;
  return std::nullopt;
}

std::string dietcode::recordKey(const Record &record) {
  std::string key;
  for (const std::string *part :
       {&record.op, &record.source, &record.schedule, &record.twin,
        &record.device, &record.toolchain})
    key += *part + '\x1f';
  return key;
}

Record dietcode::mergeRecords(const Record &older, Record newer) {
  newer.unknown = mergeUnknown(older.unknown, newer.unknown);
  if (older.status != RecordStatus::Ok || newer.status != RecordStatus::Ok)
    return newer;
  std::vector<RecordRun> runs = older.runs;
  for (RecordRun &run : newer.runs) {
    auto same = runs.begin();
    while (same != runs.end() &&
           (same->shape != run.shape || same->blocks != run.blocks))
      ++same;
    if (same != runs.end())
      *same = std::move(run);
    else
      runs.push_back(std::move(run));
  }
  newer.runs = std::move(runs);
  return newer;
}

/// The same run in all rounds.
static RecordRun mergeRuns(const std::vector<const RecordRun *> &rounds) {
  RecordRun merged = *rounds.front();
  std::vector<double> seconds;
  for (const RecordRun *run : rounds)
    seconds.push_back(run->seconds);
  auto middle = seconds.begin() + static_cast<ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  merged.seconds = *middle;
  for (const RecordRun *run : rounds) {
    if (run == rounds.front() || !merged.measured || !run->measured)
      continue;
    RunMeasurement &all = *merged.measured;
    const RunMeasurement &one = *run->measured;
    all.repetitions += one.repetitions;
    all.rounds += one.rounds;
    all.leastSeconds = std::min(all.leastSeconds, one.leastSeconds);
    all.mostSeconds = std::max(all.mostSeconds, one.mostSeconds);
    all.l2 = one.l2 == L2State::Warm ? one.l2 : all.l2;
    all.conditions = one.conditions;
  }
  return merged;
}

Record dietcode::mergeRounds(const std::vector<Record> &rounds) {
  for (const Record &record : rounds)
    if (record.status != RecordStatus::Ok)
      return record;
  Record merged = rounds.front();
  for (size_t i = 0; i < merged.runs.size(); ++i) {
    std::vector<const RecordRun *> runs;
    for (const Record &record : rounds)
      if (i < record.runs.size())
        runs.push_back(&record.runs[i]);
    merged.runs[i] = mergeRuns(runs);
  }
  return merged;
}
