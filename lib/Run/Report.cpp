//===- Report.cpp - Reports of runs ---------------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/Report.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>

namespace dietcode {
namespace {

constexpr size_t kColumns = 6;
using Row = std::array<std::string, kColumns>;

std::string printNumber(const char *format, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

std::string printSeconds(double seconds) {
  if (seconds < 1e-3)
    return printNumber("%.1f us", seconds * 1e6);
  if (seconds < 1)
    return printNumber("%.3f ms", seconds * 1e3);
  return printNumber("%.3f s", seconds);
}

/// The micro-kernel, the step and the twin, or the name of the kernel.
std::string printKernel(const KernelReport &kernel) {
  size_t at = kernel.name.find(kernel.microKernel);
  if (kernel.microKernel.empty() || at == std::string::npos)
    return kernel.name;
  std::string rest = kernel.name.substr(at + kernel.microKernel.size());
  for (const char *twin : {"aligned", "general"})
    if (size_t end = rest.find(twin); end != std::string::npos) {
      std::string step = rest.substr(0, end);
      std::replace(step.begin(), step.end(), '_', ' ');
      return kernel.microKernel + step + twin;
    }
  return kernel.microKernel;
}

void addRows(const RunReport &run, std::vector<Row> &rows) {
  Row row = {run.shapes,
             "none",
             std::to_string(run.kernels.size()),
             run.maxError ? printNumber("%.1e", *run.maxError) : "-",
             printSeconds(run.seconds),
             "nothing to compute"};
  for (const KernelReport &kernel : run.kernels) {
    row[1] = printKernel(kernel);
    row[5] = kernel.why;
    rows.push_back(row);
    row = Row();
  }
  if (run.kernels.empty())
    rows.push_back(row);
}

llvm::json::Object toJson(const KernelReport &kernel) {
  llvm::json::Object object{
      {"name", kernel.name},
      {"microKernel", kernel.microKernel},
      {"why", kernel.why},
      {"grid", llvm::json::Array(kernel.grid)},
      {"block", llvm::json::Array(kernel.block)},
      {"sharedBytes", kernel.sharedBytes},
      {"seconds", kernel.seconds},
  };
  if (const std::optional<KernelTraffic> &traffic = kernel.traffic) {
    object["bytesRead"] = static_cast<int64_t>(traffic->bytesRead);
    object["bytesWritten"] = static_cast<int64_t>(traffic->bytesWritten);
    object["dramBytes"] = static_cast<int64_t>(traffic->dramBytes);
  }
  if (!kernel.timing.empty())
    object["timing"] = llvm::cantFail(llvm::json::parse(kernel.timing));
  return object;
}

llvm::json::Object toJson(const RunReport &run) {
  llvm::json::Array kernels;
  for (const KernelReport &kernel : run.kernels)
    kernels.push_back(toJson(kernel));
  llvm::json::Object object{
      {"shapes", run.shapes},
      {"kernels", std::move(kernels)},
      {"seconds", run.seconds},
      {"allocations", static_cast<int64_t>(run.allocations)},
      {"peakBytes", static_cast<int64_t>(run.peakBytes)},
      {"ok", run.ok},
  };
  // JSON has no infinity: an error without bound is null, and not ok.
  if (run.maxError)
    object["maxError"] = std::isfinite(*run.maxError)
                             ? llvm::json::Value(*run.maxError)
                             : llvm::json::Value(nullptr);
  return object;
}

} // namespace

void printTable(const Report &report, llvm::raw_ostream &os) {
  std::vector<Row> rows = {
      {"shape", "micro-kernel", "launches", "max error", "time", "why"}};
  for (const RunReport &run : report.runs)
    addRows(run, rows);
  std::array<size_t, kColumns> widths = {};
  for (const Row &row : rows)
    for (size_t i = 0; i < kColumns; ++i)
      widths[i] = std::max(widths[i], row[i].size());
  os << "@" << report.entry << " on " << report.device << "\n";
  for (const Row &row : rows) {
    std::string line;
    for (size_t i = 0; i < kColumns; ++i) {
      line += row[i];
      line.append(widths[i] + 2 - row[i].size(), ' ');
    }
    os << llvm::StringRef(line).rtrim() << "\n";
  }
}

void printJson(const Report &report, llvm::raw_ostream &os) {
  llvm::json::Array runs;
  for (const RunReport &run : report.runs)
    runs.push_back(toJson(run));
  llvm::json::Object object{
      {"device", report.device},
      {"entry", report.entry},
      {"tolerance", report.tolerance},
      {"runs", std::move(runs)},
  };
  if (!report.finding.empty())
    object["finding"] = llvm::cantFail(llvm::json::parse(report.finding));
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
}

} // namespace dietcode
