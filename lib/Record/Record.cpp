//===- Record.cpp - What was measured of a micro-kernel -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Record/Record.h"
#include "RecordJson.h"
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
