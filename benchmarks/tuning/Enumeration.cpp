//===- Enumeration.cpp - A space of which everything was measured ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Enumeration.h"

#include "dietcode/Device/Device.h"
#include "dietcode/Record/RecordFile.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

using namespace dietcode;

using ShapeKey = std::tuple<int64_t, int64_t, int64_t>;

static ShapeKey keyOf(const ContractionShape &shape) {
  return {shape.m, shape.n, shape.k};
}

double Enumeration::best(size_t instance) const {
  double least = seconds.front()[instance];
  for (const std::vector<double> &row : seconds)
    least = std::min(least, row[instance]);
  return least;
}

static bool isWhole(const KernelRun &run, const Schedule &schedule) {
  return run.blocks == blocksOf(schedule, run.shape);
}

/// The shapes that nearly every kernel has a run of the whole grid on.
static std::vector<ContractionShape>
findInstances(const std::vector<MeasuredKernel> &kernels) {
  std::map<ShapeKey, std::pair<ContractionShape, size_t>> counts;
  for (const MeasuredKernel &kernel : kernels) {
    std::map<ShapeKey, bool> seen;
    for (const KernelRun &run : kernel.runs)
      if (isWhole(run, kernel.schedule) && !seen[keyOf(run.shape)]) {
        seen[keyOf(run.shape)] = true;
        auto &entry = counts[keyOf(run.shape)];
        entry.first = run.shape;
        ++entry.second;
      }
  }
  std::vector<ContractionShape> shapes;
  for (const auto &[key, entry] : counts)
    if (entry.second * 10 >= kernels.size() * 9)
      shapes.push_back(entry.first);
  return shapes;
}

static double secondsOf(const MeasuredKernel &kernel,
                        const ContractionShape &shape) {
  for (const KernelRun &run : kernel.runs)
    if (keyOf(run.shape) == keyOf(shape) && isWhole(run, kernel.schedule))
      return run.seconds;
  return 0;
}

/// Leaves what a search would have measured: no instance but the best-fit one.
static MeasuredKernel reduce(const MeasuredKernel &kernel,
                             const Enumeration &all) {
  AnalyticalModel model(*all.device);
  std::optional<int> registers;
  if (kernel.registers > 0)
    registers = kernel.registers;
  MicroKernelCost cost = model.cost(model.profile(kernel.schedule, registers));
  std::vector<ContractionShape> points;
  for (const KernelRun &run : kernel.runs)
    points.push_back(run.shape);
  MeasuredKernel reduced = kernel;
  reduced.runs.clear();
  for (const PlannedRun &planned : planRuns(cost, all.instances, points,
                                            Adaption(*all.device), *all.device))
    for (const KernelRun &run : kernel.runs)
      if (keyOf(run.shape) == keyOf(planned.shape) &&
          run.blocks == planned.blocks) {
        reduced.runs.push_back(run);
        break;
      }
  return reduced;
}

Expected<std::vector<std::pair<int64_t, int64_t>>>
dietcode::listProblems(const std::string &path) {
  Expected<LoadedRecords> loaded = loadRecords(path);
  if (!loaded)
    return tl::unexpected(loaded.error());
  std::set<std::pair<int64_t, int64_t>> problems;
  for (const Record &record : loaded->records)
    if (Expected<MeasuredKernel> kernel = measuredKernelOf(record))
      for (const KernelRun &run : kernel->runs)
        problems.insert({run.shape.n, run.shape.k});
  return std::vector<std::pair<int64_t, int64_t>>(problems.begin(),
                                                  problems.end());
}

Expected<Enumeration> dietcode::loadEnumeration(const std::string &path,
                                                int64_t n, int64_t k) {
  Expected<LoadedRecords> loaded = loadRecords(path);
  if (!loaded)
    return tl::unexpected(loaded.error());
  Enumeration result;
  std::vector<MeasuredKernel> kernels;
  std::vector<Record> records;
  for (const Record &record : loaded->records) {
    Expected<MeasuredKernel> kernel = measuredKernelOf(record);
    if (!kernel || record.status != RecordStatus::Ok)
      continue;
    auto isOther = [&](const KernelRun &run) {
      return (n > 0 && run.shape.n != n) || (k > 0 && run.shape.k != k);
    };
    kernel->runs.erase(
        std::remove_if(kernel->runs.begin(), kernel->runs.end(), isOther),
        kernel->runs.end());
    if (kernel->runs.empty() ||
        (!records.empty() && record.source != records.front().source))
      continue;
    kernels.push_back(std::move(*kernel));
    records.push_back(record);
  }
  if (kernels.empty())
    return fail(path + ": there is no record of a candidate that was measured");
  Expected<const DeviceSpec *> device =
      lookupDeviceByName(records.front().device);
  if (!device)
    return tl::unexpected(device.error());
  result.device = *device;
  result.traits = kernels.front().traits;
  result.source = records.front().source;
  std::vector<ContractionShape> shapes = findInstances(kernels);
  if (shapes.empty())
    return fail(path + ": there is no shape that all candidates were measured "
                       "on; make it with dietcode-tune --exhaustive");
  for (const ContractionShape &shape : shapes)
    result.instances.push_back({shape, 1.0 / double(shapes.size())});
  for (size_t i = 0; i < kernels.size(); ++i) {
    std::vector<double> row;
    for (const ContractionShape &shape : shapes)
      row.push_back(secondsOf(kernels[i], shape));
    if (std::find(row.begin(), row.end(), 0.0) != row.end() ||
        !(kernels[i].traits == result.traits))
      continue;
    result.schedules.push_back(kernels[i].schedule);
    result.records.push_back(records[i]);
    result.measured.push_back(reduce(kernels[i], result));
    result.seconds.push_back(std::move(row));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

static std::vector<double> ranksOf(const std::vector<double> &values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]])
      ++end;
    for (size_t j = i; j < end; ++j)
      ranks[order[j]] = double(i + end - 1) / 2;
    i = end;
  }
  return ranks;
}

static double meanOf(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         double(values.size());
}

double dietcode::rankCorrelation(const std::vector<double> &a,
                                 const std::vector<double> &b) {
  std::vector<double> x = ranksOf(a), y = ranksOf(b);
  double meanX = meanOf(x), meanY = meanOf(y);
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - meanX) * (y[i] - meanY);
    xx += (x[i] - meanX) * (x[i] - meanX);
    yy += (y[i] - meanY) * (y[i] - meanY);
  }
  return xy / std::sqrt(xx * yy);
}

double dietcode::determination(const std::vector<double> &predicted,
                               const std::vector<double> &actual) {
  double mean = meanOf(actual), errors = 0, deviations = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    errors += (predicted[i] - actual[i]) * (predicted[i] - actual[i]);
    deviations += (actual[i] - mean) * (actual[i] - mean);
  }
  return 1 - errors / deviations;
}
