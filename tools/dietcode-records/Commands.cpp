//===- Commands.cpp - What dietcode-records does --------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "dietcode/Support/File.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>

using namespace dietcode;
using namespace dietcode::records;

bool Selection::matches(const Record &record) const {
  return (device.empty() || record.device == device) &&
         (toolchain.empty() || record.toolchain == toolchain) &&
         (status.empty() || nameOf(record.status) == status) &&
         !(dropFailed && record.status != RecordStatus::Ok);
}

static std::vector<Record> select(std::vector<Record> records,
                                  const Selection &selection) {
  records.erase(std::remove_if(records.begin(), records.end(),
                               [&](const Record &record) {
                                 return !selection.matches(record);
                               }),
                records.end());
  return records;
}

/// Says what was skipped of a file, if anything was.
static void note(const std::string &path, const LoadStats &stats) {
  std::string summary = summarize(stats);
  if (summary.find(';') != std::string::npos)
    std::fprintf(stderr, "dietcode-records: note: %s: %s\n", path.c_str(),
                 summary.c_str());
}

Expected<std::vector<Record>> records::load(const std::string &path) {
  Expected<LoadedRecords> loaded = loadRecords(path);
  if (!loaded)
    return tl::unexpected(loaded.error());
  note(path, loaded->stats);
  return std::move(loaded->records);
}

static bool isSameFile(const std::string &a, const std::string &b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error);
}

/// A regular file is there.
static bool isFile(const std::string &path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

Expected<bool> records::list(const std::string &path,
                             const Selection &selection, bool json) {
  Expected<std::vector<Record>> loaded = load(path);
  if (!loaded)
    return tl::unexpected(loaded.error());
  std::vector<Record> chosen = select(std::move(*loaded), selection);
  return writeFileAtomically("-",
                             json ? printRecords(chosen) : toTable(chosen));
}

Expected<bool> records::merge(const std::vector<std::string> &paths,
                              const std::string &output) {
  // Holding its lock, nothing may be loaded from the output a second time.
  auto mergeAll = [&](const LoadedRecords *old) {
    std::vector<Record> all;
    for (const std::string &path : paths) {
      Expected<std::vector<Record>> some =
          old && isSameFile(path, output) ? old->records : load(path);
      if (!some)
        return some;
      std::move(some->begin(), some->end(), std::back_inserter(all));
    }
    return Expected<std::vector<Record>>(mergeRecords(std::move(all)));
  };
  if (isFile(output))
    return rewriteRecords(output,
                          [&](LoadedRecords old) { return mergeAll(&old); });
  Expected<std::vector<Record>> merged = mergeAll(nullptr);
  if (!merged)
    return tl::unexpected(merged.error());
  return writeFileAtomically(output, printRecords(*merged));
}

Expected<bool> records::prune(const std::string &path,
                              const Selection &selection,
                              const std::string &output) {
  auto report = [](size_t lines, size_t kept) {
    std::fprintf(stderr, "dietcode-records: kept %zu of %zu lines\n", kept,
                 lines);
  };
  if (output.empty() || isSameFile(path, output)) {
    size_t lines = 0, kept = 0;
    auto edit = [&](LoadedRecords loaded) -> Expected<std::vector<Record>> {
      note(path, loaded.stats);
      lines = loaded.stats.lines;
      std::vector<Record> rest = select(std::move(loaded.records), selection);
      kept = rest.size();
      return rest;
    };
    Expected<bool> done = rewriteRecords(path, edit);
    if (done)
      report(lines, kept);
    return done;
  }
  Expected<LoadedRecords> loaded = loadRecords(path);
  if (!loaded)
    return tl::unexpected(loaded.error());
  note(path, loaded->stats);
  std::vector<Record> rest = select(std::move(loaded->records), selection);
  Expected<bool> done = writeFileAtomically(output, printRecords(rest));
  if (done)
    report(loaded->stats.lines, rest.size());
  return done;
}

Expected<bool> records::diff(const std::string &before,
                             const std::string &after) {
  Expected<std::vector<Record>> a = load(before);
  if (!a)
    return tl::unexpected(a.error());
  Expected<std::vector<Record>> b = load(after);
  if (!b)
    return tl::unexpected(b.error());
  return writeFileAtomically("-", toDiff(*a, *b));
}

Expected<bool> records::csv(const std::string &path, const Selection &selection,
                            const std::string &output) {
  Expected<std::vector<Record>> loaded = load(path);
  if (!loaded)
    return tl::unexpected(loaded.error());
  return writeFileAtomically(output,
                             toCsv(select(std::move(*loaded), selection)));
}
