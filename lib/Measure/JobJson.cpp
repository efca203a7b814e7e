//===- JobJson.cpp - Jobs as JSON -----------------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputCheck.h"
#include "dietcode/Measure/Job.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

using namespace dietcode;
using Json = nlohmann::ordered_json;

static constexpr int64_t formatVersion = 2;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

template <typename T>
static JobArgument makeScalar(const char *type, T value) {
  JobArgument argument;
  argument.type = type;
  argument.scalar.resize(sizeof(T));
  std::memcpy(argument.scalar.data(), &value, sizeof(T));
  return argument;
}

template <typename T>
static T valueOf(const JobArgument &argument) {
  T value{};
  std::memcpy(&value, argument.scalar.data(),
              std::min(sizeof(T), argument.scalar.size()));
  return value;
}

JobArgument JobArgument::pointer(int buffer, uint64_t offset) {
  JobArgument argument;
  argument.buffer = buffer;
  argument.offset = offset;
  return argument;
}

JobArgument JobArgument::i32(int32_t value) { return makeScalar("i32", value); }
JobArgument JobArgument::u32(uint32_t value) {
  return makeScalar("u32", value);
}
JobArgument JobArgument::i64(int64_t value) { return makeScalar("i64", value); }
JobArgument JobArgument::u64(uint64_t value) {
  return makeScalar("u64", value);
}
JobArgument JobArgument::f32(float value) { return makeScalar("f32", value); }
JobArgument JobArgument::f64(double value) { return makeScalar("f64", value); }

bool dietcode::isJobId(std::string_view id) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789-_.";
  return !id.empty() && id.size() <= 200 && id.front() != '.' &&
         id.find_first_not_of(allowed) == std::string_view::npos;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// JSON has no NaN and no infinities, so these are strings.
static Json printFloat(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

static Json print(const JobArgument &argument) {
  if (argument.buffer >= 0)
    return {{"buffer", argument.buffer}, {"offset", argument.offset}};
  const std::string &type = argument.type;
  if (type == "i32")
    return {{type, valueOf<int32_t>(argument)}};
  if (type == "u32")
    return {{type, valueOf<uint32_t>(argument)}};
  if (type == "i64")
    return {{type, valueOf<int64_t>(argument)}};
  if (type == "u64")
    return {{type, valueOf<uint64_t>(argument)}};
  if (type == "f32")
    return {{type, printFloat(valueOf<float>(argument))}};
  return {{type, printFloat(valueOf<double>(argument))}};
}

static Json print(const JobBuffer &buffer) {
  Json json = {{"bytes", buffer.bytes}};
  if (buffer.init == BufferInit::File)
    json["file"] = buffer.file;
  else
    json["init"] = buffer.init == BufferInit::NaN ? "nan" : "uninitialized";
  if (buffer.isScratch)
    json["scratch"] = true;
  return json;
}

static Json print(const JobLaunch &launch) {
  Json args = Json::array();
  for (const JobArgument &argument : launch.args)
    args.push_back(print(argument));
  Json json;
  json["kernel"] = launch.kernel;
  json["grid"] = launch.grid;
  json["block"] = launch.block;
  json["shared"] = launch.sharedBytes;
  json["args"] = std::move(args);
  return json;
}

static Json print(const JobSequence &launches) {
  Json json = Json::array();
  for (const JobLaunch &launch : launches)
    json.push_back(print(launch));
  return json;
}

static Json print(const JobOutput &output) {
  Json json = {{"buffer", output.buffer},      {"offset", output.offset},
               {"type", output.type},          {"sizes", output.sizes},
               {"strides", output.strides},    {"expected", output.expected},
               {"tolerance", output.tolerance}};
  if (!output.magnitudes.empty())
    json["magnitudes"] = output.magnitudes;
  return json;
}

std::string dietcode::printJob(const Job &job) {
  Json json = {{"v", formatVersion},
               {"id", job.id},
               {"device", job.device},
               {"ptx", job.ptx},
               {"record", Json::parse(printRecord(job.record))}};
  for (const char *name : {"kernels", "buffers", "verify", "time"})
    json[name] = Json::array();
  for (const JobKernel &kernel : job.kernels)
    json["kernels"].push_back(
        {{"name", kernel.name}, {"registers", kernel.registers}});
  for (const JobBuffer &buffer : job.buffers)
    json["buffers"].push_back(print(buffer));
  for (const JobVerify &verify : job.verify) {
    Json run = {{"launches", print(verify.launches)},
                {"outputs", Json::array()},
                {"untouched", verify.untouched}};
    for (const JobOutput &output : verify.outputs)
      run["outputs"].push_back(print(output));
    json["verify"].push_back(std::move(run));
  }
  for (const JobTime &time : job.time) {
    Json run = {{"shape", Json::object()}, {"launches", print(time.launches)}};
    for (auto &[name, extent] : time.shape)
      run["shape"][name] = extent;
    json["time"].push_back(std::move(run));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

/// Thrown within this file only.
struct JobMistake {
  std::string message;
};

[[noreturn]] void reject(std::string message) {
  throw JobMistake{std::move(message)};
}

/// A field, or `absent` if there is one.
template <typename T>
T get(const Json &json, const char *name,
      std::optional<T> absent = std::nullopt) {
  auto it = json.is_object() ? json.find(name) : json.end();
  if (it == json.end() && absent)
    return *absent;
  if (it == json.end())
    reject(std::string("'") + name + "' is missing");
  bool isInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;
  if (isInteger && !it->is_number_integer())
    reject(std::string("'") + name + "' is no integer");
  if (std::is_unsigned_v<T> && isInteger && *it < 0)
    reject(std::string("'") + name + "' is negative");
  try {
    return it->get<T>();
  } catch (const Json::exception &) {
    reject(std::string("'") + name + "' is of another type");
  }
}

const Json &elements(const Json &json, const char *name) {
  static const Json none = Json::array();
  auto it = json.find(name);
  if (it == json.end())
    return none;
  if (!it->is_array())
    reject(std::string("'") + name + "' is no array");
  return *it;
}

/// Jobs are read by those who measure and written by others: what is outside of
/// the job folder is none of their business.
std::string getFile(const Json &json, const char *name,
                    std::optional<std::string> absent = std::nullopt) {
  std::string file = get<std::string>(json, name, absent);
  std::string path = "/" + file + "/";
  if ((!file.empty() && file.front() == '/') ||
      path.find("/../") != std::string::npos)
    reject("'" + file + "' is not in the job folder");
  return file;
}

template <typename T>
T parseInteger(const Json &value, const std::string &type) {
  bool fits = value.is_number_integer();
  if (fits && value.is_number_unsigned())
    fits = value.get<uint64_t>() <=
           static_cast<uint64_t>(std::numeric_limits<T>::max());
  else if (fits)
    fits = std::is_signed_v<T> &&
           value.get<int64_t>() >=
               static_cast<int64_t>(std::numeric_limits<T>::min());
  if (!fits)
    reject(value.dump() + " is no " + type);
  return value.get<T>();
}

double parseFloat(const Json &value, const std::string &type) {
  if (value.is_number())
    return value.get<double>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (value == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  if (value == "inf" || value == "-inf")
    return value == "inf" ? infinity : -infinity;
  reject(value.dump() + " is no " + type);
}

JobArgument parseScalar(const std::string &type, const Json &value) {
  if (type == "i32")
    return JobArgument::i32(parseInteger<int32_t>(value, type));
  if (type == "u32")
    return JobArgument::u32(parseInteger<uint32_t>(value, type));
  if (type == "i64")
    return JobArgument::i64(parseInteger<int64_t>(value, type));
  if (type == "u64")
    return JobArgument::u64(parseInteger<uint64_t>(value, type));
  if (type == "f32")
    return JobArgument::f32(static_cast<float>(parseFloat(value, type)));
  if (type == "f64")
    return JobArgument::f64(parseFloat(value, type));
  reject("'" + type + "' is no type of an argument");
}

int parseBufferIndex(const Json &json, const Job &job) {
  auto index = get<uint64_t>(json, "buffer");
  if (index >= job.buffers.size())
    reject("there is no buffer " + std::to_string(index));
  return static_cast<int>(index);
}

JobArgument parseArgument(const Json &json, const Job &job) {
  if (!json.is_object() || json.empty())
    reject("an argument is no object");
  if (!json.contains("buffer"))
    return parseScalar(json.begin().key(), json.begin().value());
  int buffer = parseBufferIndex(json, job);
  auto offset = get<uint64_t>(json, "offset", 0);
  if (offset > job.buffers[buffer].bytes)
    reject("offset " + std::to_string(offset) + " is outside of buffer " +
           std::to_string(buffer));
  return JobArgument::pointer(buffer, offset);
}

JobLaunch parseLaunch(const Json &json, const Job &job) {
  using Extents = std::array<int64_t, 3>;
  JobLaunch launch;
  auto kernel = get<uint64_t>(json, "kernel", 0);
  if (kernel >= job.kernels.size())
    reject("there is no kernel " + std::to_string(kernel));
  launch.kernel = static_cast<int>(kernel);
  launch.grid = get<Extents>(json, "grid");
  launch.block = get<Extents>(json, "block");
  launch.sharedBytes = get<int64_t>(json, "shared", 0);
  for (const Json &argument : elements(json, "args"))
    launch.args.push_back(parseArgument(argument, job));
  return launch;
}

JobSequence parseLaunches(const Json &json, const Job &job) {
  JobSequence launches;
  for (const Json &launch : elements(json, "launches"))
    launches.push_back(parseLaunch(launch, job));
  if (launches.empty())
    reject("a run has no 'launches'");
  return launches;
}

JobKernel parseKernel(const Json &json) {
  JobKernel kernel;
  kernel.name = get<std::string>(json, "name");
  kernel.registers = get<int64_t>(json, "registers", 0);
  if (kernel.registers < 0 || kernel.registers > 1024)
    reject("'registers' is not in 0 to 1024");
  return kernel;
}

JobBuffer parseBuffer(const Json &json) {
  JobBuffer buffer;
  buffer.bytes = get<uint64_t>(json, "bytes");
  buffer.file = getFile(json, "file", "");
  std::string init = get<std::string>(json, "init", "uninitialized");
  if (!buffer.file.empty())
    buffer.init = BufferInit::File;
  else if (init == "nan")
    buffer.init = BufferInit::NaN;
  else if (init != "uninitialized")
    reject("'" + init + "' is neither nan nor uninitialized");
  buffer.isScratch = get<bool>(json, "scratch", false);
  return buffer;
}

uint64_t bytesOf(const std::string &type) {
  if (const OutputType *known = lookupOutputType(type))
    return known->bytes;
  reject("'" + type + "' is no type of an output");
}

/// All elements must be in the buffer.
void checkOutput(const JobOutput &output, const Job &job) {
  if (output.sizes.size() != output.strides.size())
    reject("an output has not as many strides as sizes");
  uint64_t room = job.buffers[output.buffer].bytes;
  unsigned __int128 last = output.offset, count = 1;
  for (size_t i = 0; i < output.sizes.size(); ++i) {
    int64_t size = output.sizes[i], stride = output.strides[i];
    if (size < 0 || stride < 0)
      reject("an output has a negative size or stride");
    count *= static_cast<uint64_t>(size);
    last += static_cast<unsigned __int128>(size > 0 ? size - 1 : 0) * stride *
            bytesOf(output.type);
    if (count > room || last > room)
      reject("an output runs past the end of buffer " +
             std::to_string(output.buffer));
  }
  if (count != 0 && last + bytesOf(output.type) > room)
    reject("an output runs past the end of buffer " +
           std::to_string(output.buffer));
}

JobOutput parseOutput(const Json &json, const Job &job) {
  JobOutput output;
  output.buffer = parseBufferIndex(json, job);
  output.offset = get<uint64_t>(json, "offset", 0);
  output.type = get<std::string>(json, "type", "f32");
  output.sizes = get<std::vector<int64_t>>(json, "sizes");
  output.strides = get<std::vector<int64_t>>(json, "strides");
  output.expected = getFile(json, "expected");
  output.magnitudes = getFile(json, "magnitudes", "");
  output.tolerance = get<double>(json, "tolerance");
  if (!(output.tolerance >= 0))
    reject("the tolerance is negative");
  checkOutput(output, job);
  return output;
}

/// Whatever is measured need not be said before.
Record parseBaseRecord(const Json &json, const Job &job) {
  Json fields = json.is_object() ? json : Json::object();
  for (auto &[name, value] : {std::pair<const char *, Json>{"v", 1},
                              {"twin", ""},
                              {"device", job.device},
                              {"toolchain", ""},
                              {"status", "ok"}})
    if (!fields.contains(name))
      fields[name] = value;
  Expected<Record> record = parseRecord(fields.dump());
  if (!record)
    reject("record: " + record.error().message);
  return std::move(*record);
}

Job parseFields(const Json &json) {
  if (!json.is_object())
    reject("it is no JSON object");
  if (get<int64_t>(json, "v") != formatVersion)
    reject("it has version " + json["v"].dump() + "; this program knows " +
           std::to_string(formatVersion));
  Job job;
  job.id = get<std::string>(json, "id");
  if (!isJobId(job.id))
    reject("'" + job.id + "' cannot be the id of a job");
  job.device = get<std::string>(json, "device", "");
  job.ptx = getFile(json, "ptx");
  for (const Json &kernel : elements(json, "kernels"))
    job.kernels.push_back(parseKernel(kernel));
  if (job.kernels.empty())
    reject("there are no 'kernels'");
  job.record = parseBaseRecord(get<Json>(json, "record"), job);
  for (const Json &buffer : elements(json, "buffers"))
    job.buffers.push_back(parseBuffer(buffer));
  for (const Json &entry : elements(json, "verify")) {
    JobVerify verify;
    verify.launches = parseLaunches(entry, job);
    for (const Json &output : elements(entry, "outputs"))
      verify.outputs.push_back(parseOutput(output, job));
    verify.untouched = get<bool>(entry, "untouched", true);
    job.verify.push_back(std::move(verify));
  }
  for (const Json &entry : elements(json, "time")) {
    JobTime time;
    time.launches = parseLaunches(entry, job);
    Json shape = get<Json>(entry, "shape");
    for (auto &[name, extent] : shape.items())
      time.shape.emplace_back(name, parseInteger<int64_t>(extent, "i64"));
    job.time.push_back(std::move(time));
  }
  return job;
}

} // namespace

Expected<Job> dietcode::parseJob(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return fail("it is not JSON");
  try {
    return parseFields(json);
  } catch (const JobMistake &mistake) {
    return fail(mistake.message);
  } catch (const Json::exception &error) {
    return fail(error.what());
  }
}
