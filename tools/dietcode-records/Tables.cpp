//===- Tables.cpp - Records for people and spreadsheets -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

using namespace dietcode;
using namespace dietcode::records;

using Row = std::vector<std::string>;

/// Columns padded to their widest cell, the last one as it is.
static std::string align(const std::vector<Row> &rows) {
  std::vector<size_t> widths;
  for (const Row &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

static std::string firstLine(const std::string &text) {
  return text.substr(0, text.find('\n'));
}

static std::string print(double seconds) {
  // The shortest text that is read back as the same value.
  return nlohmann::json(seconds).dump();
}

/// e.g. "m=2048 n=2304 k=768".
static std::string print(const RecordShape &shape) {
  std::string text;
  for (auto &[name, extent] : shape)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(extent);
  return text;
}

std::string records::toTable(const std::vector<Record> &records) {
  std::vector<Row> rows = {{"operator", "source", "schedule", "twin", "device",
                            "toolchain", "status", "registers", "blocks/SM",
                            "runs", "error"}};
  for (const Record &r : records)
    rows.push_back({r.op, r.source, r.schedule, r.twin, r.device, r.toolchain,
                    std::string(nameOf(r.status)), std::to_string(r.registers),
                    std::to_string(r.blocksPerSM),
                    std::to_string(r.runs.size()), firstLine(r.error)});
  return align(rows);
}

namespace {

/// Compares records of equal keys.
class Differ {
public:
  void add(const std::string &name, const Record *a, const Record *b) {
    if (!a || !b) {
      rows.push_back({a ? "-" : "+", name, a ? "only before" : "only after"});
      return;
    }
    if (a->status != b->status)
      rows.push_back({"!", name,
                      std::string(nameOf(a->status)) + " -> " +
                          std::string(nameOf(b->status))});
    for (const RecordRun &run : a->runs)
      for (const RecordRun &other : b->runs)
        if (run.shape == other.shape)
          addTimes(name, run, other);
  }

  std::string text() const {
    std::string summary = std::to_string(runs) + " runs in both";
    if (runs)
      summary += ", " + std::to_string(changed) +
                 " of them with another time; after / before: geometric mean " +
                 ratioText(std::exp(logSum / runs));
    return align(rows) + summary + "\n";
  }

private:
  static std::string ratioText(double ratio) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.4f", ratio);
    return text;
  }

  void addTimes(const std::string &name, const RecordRun &a,
                const RecordRun &b) {
    ++runs;
    logSum += std::log(b.seconds / a.seconds);
    if (a.seconds == b.seconds)
      return;
    ++changed;
    rows.push_back({"~", name, print(a.shape), print(a.seconds) + " s",
                    print(b.seconds) + " s", ratioText(b.seconds / a.seconds)});
  }

  std::vector<Row> rows;
  size_t runs = 0, changed = 0;
  double logSum = 0;
};

} // namespace

std::string records::toDiff(const std::vector<Record> &before,
                            const std::vector<Record> &after) {
  std::map<std::string, std::pair<const Record *, const Record *>> keys;
  for (const Record &record : before)
    keys[recordKey(record)].first = &record;
  for (const Record &record : after)
    keys[recordKey(record)].second = &record;
  Differ differ;
  for (auto &[key, pair] : keys) {
    const Record &record = pair.first ? *pair.first : *pair.second;
    differ.add(record.op + " " + record.source + " " + record.schedule + " " +
                   record.twin + " " + record.device + " " + record.toolchain,
               pair.first, pair.second);
  }
  return differ.text();
}

/// As RFC 4180 wants it.
static std::string cell(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

static std::string csvLine(const Row &row) {
  std::string line;
  for (size_t i = 0; i < row.size(); ++i)
    line += (i ? "," : "") + cell(row[i]);
  return line + "\n";
}

std::string records::toCsv(const std::vector<Record> &records) {
  std::string text = csvLine(
      {"operator", "source", "schedule", "twin", "device", "toolchain",
       "status", "error", "registers", "spill_bytes", "shared_bytes", "threads",
       "blocks_per_sm", "verified", "shape", "blocks", "seconds"});
  for (const Record &r : records) {
    Row start = {r.op,
                 r.source,
                 r.schedule,
                 r.twin,
                 r.device,
                 r.toolchain,
                 std::string(nameOf(r.status)),
                 r.error,
                 std::to_string(r.registers),
                 std::to_string(r.spillBytes),
                 std::to_string(r.sharedBytes),
                 std::to_string(r.threads),
                 std::to_string(r.blocksPerSM),
                 r.verified ? "true" : "false"};
    auto addRun = [&](const Row &run) {
      Row row = start;
      row.insert(row.end(), run.begin(), run.end());
      text += csvLine(row);
    };
    if (r.runs.empty())
      addRun({"", "", ""});
    for (const RecordRun &run : r.runs)
      addRun(
          {print(run.shape), std::to_string(run.blocks), print(run.seconds)});
  }
  return text;
}
