//===- OverviewReport.cpp - Overviews as JSON -----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/Overview.h"

#include "ExplanationJson.h"
#include "dietcode/Device/Device.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Box;
using ::dietcode::DispatchLeaf;
using llvm::json::Array;
using llvm::json::Object;

static Array toJson(const Box &box) {
  Array intervals;
  for (const ::dietcode::Interval &interval : box)
    intervals.push_back(Array{interval.lower, interval.upper});
  return intervals;
}

static Object toJson(DispatchOp dispatch) {
  Array dims, kernels, cases;
  for (StringRef dim : dispatch.getDims().getAsValueRange<StringAttr>())
    dims.push_back(dim);
  SmallVector<FlatSymbolRefAttr> table = dispatch.getKernelTable();
  for (FlatSymbolRefAttr symbol : table) {
    auto kernel =
        SymbolTable::lookupNearestSymbolFrom<MicroKernelOp>(dispatch, symbol);
    kernels.push_back(
        Object{{"kernel", symbol.getValue()},
               {"schedule", kernel.getSchedule().getSchedule().name()}});
  }
  for (const DispatchLeaf &leaf : dispatch.getLeaves())
    cases.push_back(Object{{"box", toJson(leaf.box)},
                           {"kernel", table[leaf.kernel].getValue()}});
  return Object{{"name", dispatch.getSymName()},
                {"dims", std::move(dims)},
                {"domain", toJson(dispatch.getDomainBox())},
                {"kernels", std::move(kernels)},
                {"cases", std::move(cases)},
                {"otherwise", dispatch.getOtherwise()}};
}

static Object toJson(const ::dietcode::ContractionShape &shape) {
  return Object{
      {"b", shape.batch}, {"m", shape.m}, {"n", shape.n}, {"k", shape.k}};
}

static Object toJson(const InstanceOverview &instance) {
  Object object = toJson(instance.explanation);
  Object values;
  for (const auto &[name, value] : instance.values)
    values[name] = value;
  object["extents"] = toJson(instance.explanation.extents);
  object["values"] = std::move(values);
  object["weight"] = instance.weight;
  return object;
}

static Object toJson(const RegretPoint &point) {
  return Object{{"kernels", point.kernels},
                {"cases", point.cases},
                {"mean", point.mean},
                {"weighted", point.weighted},
                {"max", point.max}};
}

static Object toJson(const ModelledRun &run) {
  return Object{{"schedule", run.schedule},
                {"extents", toJson(run.shape)},
                {"measured_seconds", run.measuredSeconds},
                {"bound_seconds", run.boundSeconds},
                {"table_seconds", run.tableSeconds},
                {"trained_seconds", run.trainedSeconds}};
}

template <typename T>
static Array listJson(const std::vector<T> &entries) {
  Array array;
  for (const T &entry : entries)
    array.push_back(toJson(entry));
  return array;
}

static Object toJson(const OperatorOverview &entry,
                     const OverviewParts &parts) {
  Object object{{"operator", entry.name},
                {"signature", entry.signature},
                {"source", entry.source},
                {"dispatch", toJson(entry.dispatch)}};
  if (parts.instances)
    object["instances"] = listJson(entry.instances);
  if (parts.curve)
    object["curve"] = listJson(entry.curve);
  if (parts.accuracy)
    object["accuracy"] = listJson(entry.accuracy);
  return object;
}

std::string mlir::dietcode::printJson(func::FuncOp function,
                                      ArrayRef<OperatorOverview> operators,
                                      const OverviewParts &parts) {
  Array array;
  for (const OperatorOverview &entry : operators)
    array.push_back(::toJson(entry, parts));
  std::string device = std::string(::dietcode::virtualDevicePrefix) +
                       std::string(getDevice(function).getSpec().name);
  llvm::json::Value value = Object{{"function", function.getSymName()},
                                   {"device", device},
                                   {"operators", std::move(array)}};
  return llvm::formatv("{0:2}\n", value).str();
}
