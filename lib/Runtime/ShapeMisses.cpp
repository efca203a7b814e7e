//===- ShapeMisses.cpp - Calls outside of the declared ranges -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Runtime/ShapeMisses.h"

#include "dietcode/Support/File.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <unistd.h>

using namespace dietcode;
using namespace dietcode::runtime;
using Json = nlohmann::json;

namespace {

/// The counters of the process.
class MissCounters {
public:
  MissCounters() {
    if (const char *path = std::getenv("DIETCODE_MISS_LOG"); path && *path)
      if (Expected<void> opened = open(path); !opened)
        complain(opened.error().message);
  }
  ~MissCounters() { close(); }

  static MissCounters &get() {
    static MissCounters counters;
    return counters;
  }

  Expected<void> open(const std::string &path);
  void count(const char *what, const int64_t *values);
  std::vector<ShapeMiss> take();

private:
  struct Counter {
    uint64_t count = 0;
    uint64_t logged = 0;
  };
  using Shape = std::pair<std::string, std::map<std::string, int64_t>>;

  static Shape parse(const char *what, const int64_t *values);
  static void complain(const std::string &message) {
    std::fprintf(stderr, "warning: %s\n", message.c_str());
  }
  void close();
  void write(const Shape &shape, Counter &counter);

  std::mutex mutex;
  std::map<Shape, Counter> counters;
  int log = -1;
  std::string logPath;
};

} // namespace

Expected<void> MissCounters::open(const std::string &path) {
  std::lock_guard<std::mutex> lock(mutex);
  close();
  if (path.empty())
    return {};
  log = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (log < 0)
    return fail("cannot open the miss log '" + path + "': " + errnoText(errno));
  logPath = path;
  return {};
}

void MissCounters::close() {
  for (auto &[shape, counter] : counters)
    write(shape, counter);
  if (log >= 0)
    ::close(log);
  log = -1;
}

/// One call of write to a file that was opened for appending: lines of several
/// processes do not mix.
void MissCounters::write(const Shape &shape, Counter &counter) {
  uint64_t news = counter.count - counter.logged;
  counter.logged = counter.count;
  if (log < 0 || news == 0)
    return;
  std::string line =
      Json{{"function", shape.first}, {"values", shape.second}, {"count", news}}
          .dump(-1, ' ', false, Json::error_handler_t::replace) +
      "\n";
  ssize_t written = ::write(log, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size()))
    return;
  complain("cannot write the miss log '" + logPath +
           "': " + (written < 0 ? errnoText(errno) : "it is full"));
  ::close(log);
  log = -1;
}

/// The names in "function:T,H"; a function's name may hold colons.
MissCounters::Shape MissCounters::parse(const char *what,
                                        const int64_t *values) {
  std::string text = what;
  size_t colon = text.rfind(':');
  Shape shape(text.substr(0, colon), {});
  std::istringstream names(text.substr(colon + 1));
  for (std::string name; std::getline(names, name, ',');)
    shape.second[name] = *values++;
  return shape;
}

void MissCounters::count(const char *what, const int64_t *values) {
  std::lock_guard<std::mutex> lock(mutex);
  Shape shape = parse(what, values);
  auto at = counters.find(shape);
  if (at == counters.end()) {
    if (counters.size() == mostShapeMisses)
      return;
    at = counters.emplace(std::move(shape), Counter()).first;
  }
  Counter &counter = at->second;
  ++counter.count;
  if ((counter.count & (counter.count - 1)) == 0)
    write(at->first, counter);
}

std::vector<ShapeMiss> MissCounters::take() {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<ShapeMiss> misses;
  for (auto &[shape, counter] : counters) {
    write(shape, counter);
    misses.push_back({shape.first, shape.second, counter.count});
  }
  counters.clear();
  return misses;
}

Expected<void> runtime::setMissLog(const std::string &path) {
  return MissCounters::get().open(path);
}

std::vector<ShapeMiss> runtime::takeShapeMisses() {
  return MissCounters::get().take();
}

/// What a line says, or nothing.
static std::optional<ShapeMiss> parseLine(const std::string &line) {
  Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("function") ||
      !json["function"].is_string() || !json.contains("values") ||
      !json["values"].is_object() || !json.contains("count") ||
      !json["count"].is_number_unsigned() || json["count"] == 0)
    return std::nullopt;
  ShapeMiss miss;
  miss.function = json["function"];
  miss.count = json["count"];
  for (auto &[name, value] : json["values"].items()) {
    if (!value.is_number_integer())
      return std::nullopt;
    miss.values[name] = value;
  }
  return miss;
}

Expected<std::vector<ShapeMiss>> runtime::readMissLog(const std::string &path,
                                                      size_t *skipped) {
  Expected<std::string> text = readFile(path);
  if (!text)
    return tl::unexpected(text.error());
  std::map<std::pair<std::string, std::map<std::string, int64_t>>, uint64_t>
      sums;
  *skipped = 0;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty())
      continue;
    if (std::optional<ShapeMiss> miss = parseLine(line))
      sums[{miss->function, miss->values}] += miss->count;
    else
      ++*skipped;
  }
  std::vector<ShapeMiss> misses;
  for (auto &[shape, count] : sums)
    misses.push_back({shape.first, shape.second, count});
  return misses;
}

void dietcodeShapeMiss(const char *what, const int64_t *values) {
  // Exceptions must not reach compiled code, and the call is what matters.
  try {
    MissCounters::get().count(what, values);
  } catch (const std::bad_alloc &) {
  }
}
