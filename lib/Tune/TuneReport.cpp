//===- TuneReport.cpp - What tuning did -----------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/TuneReport.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace dietcode;

/// Multiply-adds of an SM per cycle. The table has those of tensor cores in
/// half precision; bytes go twice as fast.
static double peakRate(const OperatorTraits &traits, const DeviceSpec &device) {
  double rate = 0;
  for (Instruction instruction : traits.instructions()) {
    const InstructionInfo &info = infoOf(instruction);
    rate = std::max(rate, info.isWarpWide ? device.tensorMacsPerSM * 2 /
                                                double(info.elementBytes)
                                          : double(device.fp32LanesPerSM));
  }
  return rate;
}

double dietcode::boundSeconds(const ContractionShape &shape,
                              const OperatorTraits &traits,
                              const DeviceSpec &device) {
  double m = double(shape.m), n = double(shape.n), k = double(shape.k);
  if (traits.rows)
    return m * n * double(traits.rows->elementBytes) /
           device.dramBytesPerSecond;
  double products = double(shape.batch);
  double compute = products * m * n * k /
                   (device.smCount * peakRate(traits, device) * device.clockHz);
  double bytes =
      traits.factorBytes() * (m * k / shape.reuseA + k * n / shape.reuseB) +
      traits.outBytes() * m * n;
  return std::max(compute, products * bytes / device.dramBytesPerSecond);
}

[[gnu::format(printf, 1, 2)]] static std::string format(const char *text, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, text);
  std::vsnprintf(line, sizeof(line), text, arguments);
  va_end(arguments);
  return line;
}

static std::string printTask(const TaskReport &task) {
  std::string text = format("%s (%s): %zu of %zu candidates measured, %zu "
                            "failed; %zu kernels, predicted regret mean %.1f "
                            "%%, max %.1f %%\n",
                            task.name.c_str(), task.op.c_str(), task.measured,
                            task.space, task.failures.size(), task.kernels,
                            100 * task.meanRegret, 100 * task.maxRegret);
  bool isBatch = std::any_of(task.rows.begin(), task.rows.end(),
                             [](auto &row) { return row.shape.batch != 1; });
  text += isBatch ? format("%8s ", "b") : "";
  text += format("%8s %8s %8s  %-20s %12s %12s %8s %8s\n", "m", "n", "k",
                 "kernel", "predicted us", "measured us", "of bound", "regret");
  for (const TuneRow &row : task.rows) {
    if (isBatch)
      text += format("%8lld ", static_cast<long long>(row.shape.batch));
    text += format("%8lld %8lld %8lld  %-20s %12.1f ",
                   static_cast<long long>(row.shape.m),
                   static_cast<long long>(row.shape.n),
                   static_cast<long long>(row.shape.k), row.kernel.c_str(),
                   1e6 * row.predicted);
    double seconds = row.measured > 0 ? row.measured : row.predicted;
    text += row.measured > 0 ? format("%12.1f ", 1e6 * row.measured)
                             : format("%12s ", "-");
    text += format("%6.1f %% %6.1f %%\n", 100 * row.bound / seconds,
                   100 * row.regret);
  }
  return text;
}

/// How many candidates failed for which kind of reason.
static std::string printFailures(const TaskReport &task) {
  std::map<std::string, size_t> kinds;
  for (const auto &[schedule, reason] : task.failures)
    ++kinds[reason.substr(0, reason.find(':'))];
  std::string text;
  for (const auto &[kind, count] : kinds)
    text += format("  %zu failed: %s\n", count, kind.c_str());
  return text;
}

std::string dietcode::printTable(const TuneReport &report) {
  std::string text;
  for (const std::string &note : report.notes)
    text += "note: " + note + "\n";
  for (const TaskReport &task : report.tasks)
    text += printTask(task) + printFailures(task);
  text += format("%zu trials on %s in %.1f s; processor seconds: build %.1f, "
                 "ptxas %.1f, measure %.1f, model %.1f\n",
                 report.trials, report.device.c_str(), report.seconds,
                 report.buildSeconds, report.ptxasSeconds,
                 report.measureSeconds, report.modelSeconds);
  return text;
}

static nlohmann::ordered_json toJson(const TaskReport &task) {
  nlohmann::ordered_json json = {
      {"name", task.name},
      {"operator", task.op},
      {"space", task.space},
      {"measured", task.measured},
      {"kernels", task.kernels},
      {"mean_regret", task.meanRegret},
      {"max_regret", task.maxRegret},
      {"failures", task.failures},
      {"instances", nlohmann::ordered_json::array()}};
  for (const TuneRow &row : task.rows) {
    nlohmann::ordered_json entry = {{"m", row.shape.m},
                                    {"n", row.shape.n},
                                    {"k", row.shape.k},
                                    {"b", row.shape.batch},
                                    {"weight", row.weight},
                                    {"kernel", row.kernel},
                                    {"predicted_seconds", row.predicted},
                                    {"measured_seconds", nullptr},
                                    {"bound_seconds", row.bound},
                                    {"regret", row.regret}};
    if (row.measured > 0)
      entry["measured_seconds"] = row.measured;
    json["instances"].push_back(entry);
  }
  return json;
}

std::string dietcode::printJson(const TuneReport &report) {
  nlohmann::ordered_json json = {{"device", report.device},
                                 {"trials", report.trials},
                                 {"seconds", report.seconds},
                                 {"processor_seconds",
                                  {{"build", report.buildSeconds},
                                   {"ptxas", report.ptxasSeconds},
                                   {"measure", report.measureSeconds},
                                   {"model", report.modelSeconds}}},
                                 {"notes", report.notes},
                                 {"tasks", nlohmann::ordered_json::array()}};
  for (const TaskReport &task : report.tasks)
    json["tasks"].push_back(toJson(task));
  return json.dump(2) + "\n";
}
