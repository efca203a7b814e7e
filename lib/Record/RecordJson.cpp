//===- RecordJson.cpp - Records as JSON -----------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordJson.h"
#include "dietcode/Record/Record.h"
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

using namespace dietcode;
using Json = nlohmann::ordered_json;

static constexpr int64_t formatVersion = 1;

static std::string dump(const Json &json) {
  // Errors quote PTX, which may hold any bytes.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Adds the fields of an object in text form, which printed ones precede.
static void addUnknown(Json &json, const std::string &unknown) {
  if (unknown.empty())
    return;
  Json fields = Json::parse(unknown, nullptr, /*allow_exceptions=*/false);
  if (fields.is_object())
    for (auto &[name, value] : fields.items())
      if (!json.contains(name))
        json[name] = value;
}

std::string dietcode::mergeUnknown(const std::string &older,
                                   const std::string &newer) {
  if (older.empty() || older == newer)
    return newer;
  Json json = Json::object();
  addUnknown(json, newer);
  addUnknown(json, older);
  return json.empty() ? "" : dump(json);
}

static constexpr const char *kFlushed = "flushed", *kWarm = "warm";

/// What is not known is left out.
static void printMeasured(const RunMeasurement &measured, Json &entry) {
  entry["repetitions"] = measured.repetitions;
  entry["rounds"] = measured.rounds;
  entry["min"] = measured.leastSeconds;
  entry["max"] = measured.mostSeconds;
  entry["l2"] = measured.l2 == L2State::Flushed ? kFlushed : kWarm;
  const DeviceConditions &conditions = measured.conditions;
  auto print = [&](const char *name, auto value) {
    if (value > 0)
      entry[name] = value;
  };
  print("sm_mhz", conditions.smMegahertz);
  print("memory_mhz", conditions.memoryMegahertz);
  print("watts", conditions.watts);
  print("celsius", conditions.celsius);
}

std::string dietcode::printRecord(const Record &record) {
  Json json;
  json["v"] = formatVersion;
  json["operator"] = record.op;
  json["source"] = record.source;
  json["schedule"] = record.schedule;
  json["twin"] = record.twin;
  json["device"] = record.device;
  json["toolchain"] = record.toolchain;
  json["status"] = nameOf(record.status);
  json["error"] = record.error;
  json["registers"] = record.registers;
  json["spill_bytes"] = record.spillBytes;
  json["shared_bytes"] = record.sharedBytes;
  json["threads"] = record.threads;
  json["blocks_per_sm"] = record.blocksPerSM;
  json["verified"] = record.verified;
  Json runs = Json::array();
  for (const RecordRun &run : record.runs) {
    Json shape = Json::object();
    for (auto &[name, extent] : run.shape)
      shape[name] = extent;
    Json entry;
    entry["shape"] = std::move(shape);
    entry["blocks"] = run.blocks;
    entry["seconds"] = run.seconds;
    if (run.measured)
      printMeasured(*run.measured, entry);
    addUnknown(entry, run.unknown);
    runs.push_back(std::move(entry));
  }
  json["runs"] = std::move(runs);
  addUnknown(json, record.unknown);
  return dump(json);
}

/// Replaces what is no JSON but what programs print for numbers that are not
/// finite (NaN, -Infinity, inf, 1e999) by null.
static std::string withoutNonFinite(std::string_view line) {
  std::string text;
  bool inString = false;
  for (size_t i = 0; i < line.size();) {
    char c = line[i];
    bool startsToken =
        !inString &&
        (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '+');
    if (!startsToken) {
      if (c == '"')
        inString = !inString;
      // What follows a backslash ends no string.
      size_t n = inString && c == '\\' ? 2 : 1;
      text += line.substr(i, n);
      i += n;
      continue;
    }
    size_t end = line.find_first_of(",]} \t\r\n:\"", i);
    std::string token(line.substr(i, end - i));
    char *rest = nullptr;
    double value = std::strtod(token.c_str(), &rest);
    text += *rest == 0 && !std::isfinite(value) ? "null" : token;
    i += token.size();
  }
  return text;
}

namespace {

/// Takes the known fields out of an object; what is left is unknown.
class FieldReader {
public:
  explicit FieldReader(Json object) : json(std::move(object)) {}

  void read(const char *name, std::string &value, bool isRequired = false) {
    Json field = take(name);
    if (field.is_string())
      value = field.get<std::string>();
    else if (!field.is_null())
      complain(name, "is no string");
    else if (isRequired)
      complain(name, "is missing");
  }
  void read(const char *name, int64_t &value) {
    Json field = take(name);
    if (field.is_number_integer() && field >= 0)
      value = field.get<int64_t>();
    else if (!field.is_null())
      complain(name, "is no natural number");
  }
  void read(const char *name, double &value) {
    Json field = take(name);
    if (field.is_number() && field >= 0)
      value = field.get<double>();
    else if (!field.is_null())
      complain(name, "is no number, or a negative one");
  }
  void read(const char *name, bool &value) {
    Json field = take(name);
    if (field.is_boolean())
      value = field.get<bool>();
    else if (!field.is_null())
      complain(name, "is neither true nor false");
  }
  /// Null if the field is absent.
  Json take(const char *name) {
    auto it = json.find(name);
    if (it == json.end())
      return Json();
    Json value = std::move(*it);
    json.erase(it);
    return value;
  }

  void complain(const char *name, const char *what) {
    if (error.empty())
      error = std::string("'") + name + "' " + what;
  }
  std::string unknown() const { return json.empty() ? "" : dump(json); }

  std::string error; ///< The first mistake.

private:
  Json json;
};

} // namespace

static void readShape(const Json &json, RecordShape &shape, FieldReader &at) {
  if (!json.is_object()) {
    at.complain("shape", "is no object");
    return;
  }
  for (auto &[name, extent] : json.items()) {
    if (extent.is_number_integer())
      shape.emplace_back(name, extent.get<int64_t>());
    else
      at.complain("shape", "has an extent that is no integer");
  }
}

static std::optional<RunMeasurement> readMeasured(FieldReader &reader) {
  RunMeasurement measured;
  reader.read("repetitions", measured.repetitions);
  if (measured.repetitions == 0)
    return std::nullopt;
  reader.read("rounds", measured.rounds);
  reader.read("min", measured.leastSeconds);
  reader.read("max", measured.mostSeconds);
  std::string l2;
  reader.read("l2", l2, /*isRequired=*/true);
  measured.l2 = l2 == kWarm ? L2State::Warm : L2State::Flushed;
  if (l2 != kWarm && l2 != kFlushed)
    reader.complain("l2", "is neither flushed nor warm");
  DeviceConditions &conditions = measured.conditions;
  reader.read("sm_mhz", conditions.smMegahertz);
  reader.read("memory_mhz", conditions.memoryMegahertz);
  reader.read("watts", conditions.watts);
  reader.read("celsius", conditions.celsius);
  return measured;
}

/// Returns false if the time of a run is none.
static bool readRun(const Json &json, RecordRun &run, std::string &error) {
  if (!json.is_object()) {
    error = "a run is no object";
    return false;
  }
  FieldReader reader(json);
  readShape(reader.take("shape"), run.shape, reader);
  reader.read("blocks", run.blocks);
  Json seconds = reader.take("seconds");
  if (!seconds.is_null() && !seconds.is_number())
    reader.complain("seconds", "is no number");
  run.measured = readMeasured(reader);
  run.unknown = reader.unknown();
  error = reader.error;
  run.seconds = seconds.is_number() ? seconds.get<double>() : 0;
  return run.seconds > 0 && std::isfinite(run.seconds);
}

static void readRuns(const Json &json, Record &record, FieldReader &reader,
                     unsigned &dropped) {
  if (json.is_null())
    return;
  if (!json.is_array()) {
    reader.complain("runs", "is no array");
    return;
  }
  for (const Json &entry : json) {
    RecordRun run;
    std::string error;
    bool isTimed = readRun(entry, run, error);
    if (!error.empty() && reader.error.empty())
      reader.error = error;
    if (isTimed)
      record.runs.push_back(std::move(run));
    else
      ++dropped;
  }
}

static Expected<Json> parseObject(std::string_view line) {
  Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    json = Json::parse(withoutNonFinite(line), nullptr, false);
  if (json.is_discarded())
    return fail("it is not JSON");
  if (!json.is_object())
    return fail("it is no JSON object");
  auto version = json.find("v");
  if (version == json.end())
    return fail("'v' is missing");
  if (*version != formatVersion)
    return fail("it has version " + dump(*version) + "; this program knows 1");
  json.erase("v");
  return json;
}

Expected<Record> dietcode::parseRecord(std::string_view line,
                                       unsigned *droppedTimes) {
  Expected<Json> json = parseObject(line);
  if (!json)
    return tl::unexpected(json.error());
  FieldReader reader(std::move(*json));
  Record record;
  reader.read("operator", record.op, /*isRequired=*/true);
  reader.read("source", record.source);
  reader.read("schedule", record.schedule, true);
  reader.read("twin", record.twin, true);
  reader.read("device", record.device, true);
  reader.read("toolchain", record.toolchain, true);
  std::string status;
  reader.read("status", status, true);
  if (std::optional<RecordStatus> known = parseRecordStatus(status))
    record.status = *known;
  else
    reader.complain("status", "is none that there is");
  reader.read("error", record.error);
  reader.read("registers", record.registers);
  reader.read("spill_bytes", record.spillBytes);
  reader.read("shared_bytes", record.sharedBytes);
  reader.read("threads", record.threads);
  reader.read("blocks_per_sm", record.blocksPerSM);
  reader.read("verified", record.verified);
  unsigned dropped = 0;
  readRuns(reader.take("runs"), record, reader, dropped);
  if (!reader.error.empty())
    return fail(reader.error);
  record.unknown = reader.unknown();
  if (droppedTimes)
    *droppedTimes += dropped;
  return record;
}
