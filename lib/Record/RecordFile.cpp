//===- RecordFile.cpp - Reading files of records --------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Record/RecordFile.h"
#include "LockedFile.h"
#include "dietcode/Support/File.h"
#include <cerrno>
#include <sys/stat.h>
#include <unordered_map>

using namespace dietcode;

static std::string_view trimmed(std::string_view line) {
  size_t first = line.find_first_not_of(" \t\r\v\f");
  if (first == std::string_view::npos)
    return {};
  return line.substr(first, line.find_last_not_of(" \t\r\v\f") - first + 1);
}

namespace {

/// Records by key, in the order in which the keys came first.
class RecordMerger {
public:
  /// Returns whether there was one of this key.
  bool add(Record record) {
    auto [it, isNew] = indices.try_emplace(recordKey(record), records.size());
    if (isNew)
      records.push_back(std::move(record));
    else
      records[it->second] =
          mergeRecords(records[it->second], std::move(record));
    return !isNew;
  }

  std::vector<Record> records;

private:
  std::unordered_map<std::string, size_t> indices;
};

/// Reads line after line.
class Loader {
public:
  explicit Loader(const LoadOptions &options) : options(options) {}

  void addLine(std::string_view line, size_t number, bool isComplete) {
    line = trimmed(line);
    if (line.empty())
      return;
    if (++stats.lines == 1)
      firstIsObject = line.front() == '{';
    unsigned dropped = 0;
    Expected<Record> record = parseRecord(line, &dropped);
    if (!record && !isComplete)
      stats.tornLine = number;
    else if (!record)
      stats.badLines.push_back({number, record.error().message});
    else if (!options.device.empty() && record->device != options.device)
      ++stats.otherDevices;
    else {
      stats.droppedTimes += dropped;
      stats.merged += merger.add(std::move(*record));
    }
  }

  /// A line cut short still starts like a record.
  bool isForeign() const { return stats.lines != 0 && !firstIsObject; }

  LoadedRecords take() {
    stats.records = merger.records.size();
    return {std::move(merger.records), std::move(stats)};
  }

private:
  const LoadOptions &options;
  RecordMerger merger;
  LoadStats stats;
  bool firstIsObject = false;
};

} // namespace

Expected<LoadedRecords> dietcode::parseRecords(std::string_view text,
                                               const std::string &path,
                                               const LoadOptions &options) {
  Loader loader(options);
  for (size_t number = 1; !text.empty(); ++number) {
    size_t end = text.find('\n');
    bool isComplete = end != std::string_view::npos;
    loader.addLine(text.substr(0, end), number, isComplete);
    if (loader.isForeign())
      return fail("'" + path +
                  "' is no file of records: its first line is no JSON object");
    text.remove_prefix(isComplete ? end + 1 : text.size());
  }
  return loader.take();
}

Expected<LoadedRecords> dietcode::loadRecords(const std::string &path,
                                              const LoadOptions &options) {
  struct stat info;
  if (options.mayBeMissing && ::stat(path.c_str(), &info) != 0 &&
      errno == ENOENT)
    return LoadedRecords();
  // A writer may be in the middle of a line.
  Expected<LockedFile> file = LockedFile::open(path, LockedFile::Read);
  if (!file)
    return tl::unexpected(file.error());
  Expected<std::string> text = readDescriptor(file->descriptor(), path);
  if (!text)
    return tl::unexpected(text.error());
  return parseRecords(*text, path, options);
}

std::vector<Record> dietcode::mergeRecords(std::vector<Record> records) {
  RecordMerger merger;
  for (Record &record : records)
    merger.add(std::move(record));
  return std::move(merger.records);
}

static std::string counted(size_t n, const std::string &what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// e.g. "2 broken lines (line 3: it is not JSON; line 7)".
static std::string describe(const std::vector<BadLine> &lines) {
  std::string text = counted(lines.size(), "broken line") + " (";
  constexpr size_t most = 5;
  for (size_t i = 0; i < lines.size() && i < most; ++i) {
    text += i ? "; line " : "line ";
    text += std::to_string(lines[i].line);
    if (i == 0)
      text += ": " + lines[i].why;
  }
  return text + (lines.size() > most ? "; ...)" : ")");
}

std::string dietcode::summarize(const LoadStats &stats) {
  std::vector<std::string> skipped;
  if (stats.tornLine)
    skipped.push_back("1 torn line (line " + std::to_string(*stats.tornLine) +
                      ")");
  if (!stats.badLines.empty())
    skipped.push_back(describe(stats.badLines));
  if (stats.otherDevices)
    skipped.push_back(std::to_string(stats.otherDevices) + " of other devices");
  if (stats.droppedTimes)
    skipped.push_back(counted(stats.droppedTimes, "time") + " that " +
                      (stats.droppedTimes == 1 ? "is" : "are") +
                      " no positive number");
  std::string text = counted(stats.records, "record");
  for (size_t i = 0; i < skipped.size(); ++i)
    text += (i ? ", " : "; skipped ") + skipped[i];
  return text;
}

std::string dietcode::printRecords(const std::vector<Record> &records) {
  std::string text;
  for (const Record &record : records)
    text += printRecord(record) + "\n";
  return text;
}
