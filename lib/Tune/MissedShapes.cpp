//===- MissedShapes.cpp - Tune for shapes that nobody declared ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/MissedShapes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <numeric>

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::runtime::ShapeMiss;

namespace {

/// The instances of a workload while shapes are added to it.
class InstanceList {
public:
  InstanceList(ModuleOp module, FunctionOpInterface function,
               const std::map<std::string, int64_t> &like);

  /// Whether `values` holds all variables; widens their ranges if so.
  bool add(const std::map<std::string, int64_t> &values, double count,
           std::string &why);
  void write();

private:
  WorkloadOp workload;
  SmallVector<ShapeVarOp> vars;
  std::vector<SmallVector<int64_t>> rows;
  std::vector<double> declared; ///< Weights, 0 for new rows.
  std::vector<double> counts;
};

} // namespace

/// The workload of `function`; a new one over the variables of `like`, if it
/// has none.
static WorkloadOp
getOrCreateWorkload(ModuleOp module, FunctionOpInterface function,
                    const std::map<std::string, int64_t> &like) {
  StringRef attribute = DietCodeDialect::getWorkloadAttrName();
  if (auto symbol = function->getAttrOfType<FlatSymbolRefAttr>(attribute))
    return SymbolTable::lookupNearestSymbolFrom<WorkloadOp>(function, symbol);
  OpBuilder b(function);
  SmallVector<Attribute> vars;
  for (auto &[name, value] : like)
    vars.push_back(FlatSymbolRefAttr::get(b.getContext(), name));
  auto workload = WorkloadOp::create(
      b, function.getLoc(), (function.getName() + "_missed").str(),
      b.getArrayAttr(vars), b.getArrayAttr({}), DenseF64ArrayAttr());
  SymbolTable(module).insert(workload);
  function->setAttr(attribute, FlatSymbolRefAttr::get(workload));
  return workload;
}

InstanceList::InstanceList(ModuleOp module, FunctionOpInterface function,
                           const std::map<std::string, int64_t> &like)
    : workload(getOrCreateWorkload(module, function, like)) {
  for (auto var : workload.getVars().getAsRange<FlatSymbolRefAttr>())
    vars.push_back(
        SymbolTable::lookupNearestSymbolFrom<ShapeVarOp>(workload, var));
  for (auto [index, row] : llvm::enumerate(
           workload.getInstances().getAsRange<DenseI64ArrayAttr>())) {
    rows.emplace_back(row.asArrayRef());
    declared.push_back(workload.getWeight(index));
  }
  counts.resize(rows.size());
}

bool InstanceList::add(const std::map<std::string, int64_t> &values,
                       double count, std::string &why) {
  SmallVector<int64_t> row;
  for (ShapeVarOp var : vars) {
    auto at = values.find(var.getSymName().str());
    if (at == values.end()) {
      why = "it has no value for @" + var.getSymName().str();
      return false;
    }
    auto multiple = static_cast<int64_t>(var.getMultipleOf());
    if (at->second < 0 || at->second % multiple != 0) {
      why = "@" + at->first + " is declared to be a multiple of " +
            std::to_string(multiple);
      return false;
    }
    row.push_back(at->second);
  }
  for (auto [var, value] : llvm::zip_equal(vars, row)) {
    var.setLower(std::min<int64_t>(var.getLower(), value));
    var.setUpper(std::max<int64_t>(var.getUpper(), value));
  }
  auto at = llvm::find(rows, row);
  if (at == rows.end()) {
    rows.push_back(row);
    declared.push_back(0);
    counts.push_back(count);
  } else {
    counts[at - rows.begin()] += count;
  }
  return true;
}

void InstanceList::write() {
  Builder b(workload.getContext());
  double calls = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (calls == 0)
    return;
  SmallVector<Attribute> instances;
  SmallVector<double> weights;
  double sum = std::accumulate(declared.begin(), declared.end(), 0.0);
  for (auto [row, weight, count] : llvm::zip_equal(rows, declared, counts)) {
    instances.push_back(b.getDenseI64ArrayAttr(row));
    weights.push_back(weight + count / calls * (sum > 0 ? sum : 1));
  }
  workload.setInstancesAttr(b.getArrayAttr(instances));
  workload.setWeights(weights);
}

static std::string describe(const ShapeMiss &miss) {
  std::string text = "@" + miss.function + " at ";
  for (auto &[name, value] : miss.values)
    text +=
        (text.back() == ' ' ? "" : ",") + name + "=" + std::to_string(value);
  return text;
}

void mlir::dietcode::addMissedShapes(ModuleOp module,
                                     ArrayRef<ShapeMiss> misses,
                                     std::vector<std::string> &notes) {
  auto skip = [&](const ShapeMiss &miss, const std::string &why) {
    notes.push_back("skipped the missed shape of " + describe(miss) + ": " +
                    why);
  };
  // By workload, which functions may share.
  llvm::MapVector<Operation *, InstanceList> lists;
  SymbolTable symbols(module);
  for (const ShapeMiss &miss : misses) {
    auto function = symbols.lookup<FunctionOpInterface>(miss.function);
    if (!function) {
      skip(miss, "there is no such function");
      continue;
    }
    auto unknown = llvm::find_if(miss.values, [&](auto &value) {
      return !symbols.lookup<ShapeVarOp>(value.first);
    });
    if (unknown != miss.values.end() || miss.values.empty()) {
      skip(miss, miss.values.empty()
                     ? "it has no values"
                     : "there is no shape variable @" + unknown->first);
      continue;
    }
    Operation *workload = getOrCreateWorkload(module, function, miss.values);
    auto *list =
        lists.try_emplace(workload, module, function, miss.values).first;
    std::string why;
    if (!list->second.add(miss.values, static_cast<double>(miss.count), why))
      skip(miss, why);
  }
  for (auto &[workload, list] : lists)
    list.write();
}
