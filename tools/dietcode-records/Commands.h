//===- Commands.h - What dietcode-records does ------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TOOLS_DIETCODE_RECORDS_COMMANDS_H
#define DIETCODE_TOOLS_DIETCODE_RECORDS_COMMANDS_H

#include "dietcode/Record/RecordFile.h"
#include <optional>
#include <string>
#include <vector>

namespace dietcode::records {

/// Which records a command is about; empty strings match all.
struct Selection {
  std::string device;
  std::string toolchain;
  std::string status;
  bool dropFailed = false;

  bool matches(const Record &record) const;
};

/// Loads a file and says on standard error what was skipped of it.
Expected<std::vector<Record>> load(const std::string &path);

Expected<bool> list(const std::string &path, const Selection &selection,
                    bool json);
Expected<bool> merge(const std::vector<std::string> &paths,
                     const std::string &output);
/// In place if `output` is empty.
Expected<bool> prune(const std::string &path, const Selection &selection,
                     const std::string &output);
Expected<bool> diff(const std::string &before, const std::string &after);
Expected<bool> csv(const std::string &path, const Selection &selection,
                   const std::string &output);

/// Records as a table for people.
std::string toTable(const std::vector<Record> &records);
/// Two sets of records, key by key.
std::string toDiff(const std::vector<Record> &before,
                   const std::vector<Record> &after);
/// One line for each run, and one for a record without any.
std::string toCsv(const std::vector<Record> &records);

} // namespace dietcode::records

#endif // DIETCODE_TOOLS_DIETCODE_RECORDS_COMMANDS_H
