//===- RecordFile.h - Files of records --------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading, appending and rewriting files of records, one a line. Any number of
// processes may append to one file, and any of them may be killed at any time.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RECORD_RECORDFILE_H
#define DIETCODE_RECORD_RECORDFILE_H

#include "dietcode/Record/Record.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dietcode {

/// A line that is no record.
struct BadLine {
  size_t line = 0; ///< Counted from 1.
  std::string why;
};

struct LoadStats {
  size_t lines = 0;   ///< With something on them.
  size_t records = 0; ///< After merging.
  size_t merged = 0;  ///< Lines whose key was there before.
  size_t otherDevices = 0;
  size_t droppedTimes = 0;
  std::optional<size_t> tornLine; ///< The last line, cut short.
  std::vector<BadLine> badLines;  ///< The others, in order.
};

struct LoadOptions {
  std::string device;        ///< Leave out records of others; empty: of none.
  bool mayBeMissing = false; ///< A file that is not there has no records.
};

struct LoadedRecords {
  /// One for each key, in the order in which the keys come first.
  std::vector<Record> records;
  LoadStats stats;
};

/// The records of a file. Lines that are no records are left out and counted;
/// it is an error if the file cannot be read, or if it is of another kind.
Expected<LoadedRecords> loadRecords(const std::string &path,
                                    const LoadOptions &options = {});

/// The same for text; `path` names it in messages.
Expected<LoadedRecords> parseRecords(std::string_view text,
                                     const std::string &path,
                                     const LoadOptions &options = {});

/// Merges records of equal keys, later ones over earlier ones.
std::vector<Record> mergeRecords(std::vector<Record> records);

/// e.g. "37 records; skipped 1 torn line (line 38), 2 of other devices".
std::string summarize(const LoadStats &stats);

/// Appends to a file. Every append is one write of whole lines under a lock, so
/// lines of several processes never mix; if it fails, the file has its previous
/// length. A torn last line, which a killed process may have left, is ended
/// first.
class RecordWriter {
public:
  /// Makes the file if there is none. Fails at once, and not after hours of
  /// measuring, if it cannot be written or is of another kind.
  static Expected<RecordWriter> open(const std::string &path);

  /// The records are in the file once this returns, even if the process is
  /// killed then.
  Expected<bool> append(const std::vector<Record> &records);

private:
  explicit RecordWriter(std::string path) : path(std::move(path)) {}

  std::string path;
};

/// RecordWriter for one append.
Expected<bool> appendRecords(const std::string &path,
                             const std::vector<Record> &records);

/// Replaces the records of a file by what `edit` makes of them, while writers
/// wait: none of their records gets lost. The file stays as it was if anything
/// fails.
Expected<bool> rewriteRecords(
    const std::string &path,
    const std::function<Expected<std::vector<Record>>(LoadedRecords)> &edit);

/// Records as lines.
std::string printRecords(const std::vector<Record> &records);

} // namespace dietcode

#endif // DIETCODE_RECORD_RECORDFILE_H
