//===- OperatorShapes.cpp - Shapes that an operator is selected for -------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/Transforms/OperatorShapes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Interval;
using ::dietcode::SamplePoint;

SmallVector<int64_t>
OperatorShapes::complete(ArrayRef<int64_t> dynamicSizes) const {
  SmallVector<int64_t> shape;
  for (AffineExpr extent : extents) {
    auto constant = dyn_cast<AffineConstantExpr>(extent);
    shape.push_back(constant ? constant.getValue() : 0);
  }
  for (auto [dim, size] : llvm::zip_equal(dynamicDims, dynamicSizes))
    shape[dim] = size;
  return shape;
}

std::vector<int64_t> OperatorShapes::evaluate(ArrayRef<int64_t> vars) const {
  std::vector<int64_t> sizes;
  for (unsigned dim : dynamicDims)
    sizes.push_back(evaluateAt(extents[dim], vars));
  return sizes;
}

/// Finds the bounds of the dynamic dimensions; there must be a shape within
/// them.
static LogicalResult boundDims(OperatorOpInterface op, ShapeAnalysis &analysis,
                               OperatorShapes &shapes) {
  for (unsigned dim : shapes.dynamicDims) {
    AffineExpr extent = shapes.extents[dim];
    std::optional<Interval> bounds = evaluateBounds(extent, shapes.varRanges);
    if (bounds && bounds->upper >= 0) {
      shapes.bounds.push_back(*bounds);
      continue;
    }
    auto [vars, map] = analysis.makeBinding(extent);
    return op->emitOpError()
           << "dimension " << op.getTiledDimNames()[dim] << " is "
           << AffineMapAttr::get(map) << " of " << vars
           << (bounds ? ", which is negative in the whole declared range"
                      : ", which 64 bits do not hold in the declared range")
           << "; change the range";
  }
  return success();
}

FailureOr<OperatorShapes>
mlir::dietcode::getOperatorShapes(OperatorOpInterface op,
                                  ShapeAnalysis &analysis) {
  OperatorShapes shapes;
  shapes.extents = analysis.getTiledShape(op);
  for (auto [dim, extent] : llvm::enumerate(shapes.extents)) {
    if (!extent)
      return op->emitOpError()
             << "dimension " << op.getTiledDimNames()[dim]
             << " is not bound to shape variables; run dietcode-bind-shapes";
    if (!isa<AffineConstantExpr>(extent))
      shapes.dynamicDims.push_back(dim);
  }
  for (StringAttr name : analysis.getVars()) {
    auto var = SymbolTable::lookupNearestSymbolFrom<ShapeVarOp>(op, name);
    int64_t lower = var.getLower(), upper = var.getUpper();
    shapes.varRanges.push_back({lower, upper});
    shapes.varMultiples.push_back(var.getMultipleOf());
  }
  if (failed(boundDims(op, analysis, shapes)))
    return failure();
  return shapes;
}

//===----------------------------------------------------------------------===//
// Shapes to decide at
//===----------------------------------------------------------------------===//

/// The shape variables that the extents of an operator use.
static SmallVector<unsigned> getUsedVars(const OperatorShapes &shapes) {
  SmallVector<unsigned> used;
  for (unsigned var : llvm::seq<unsigned>(0, shapes.varRanges.size()))
    if (llvm::any_of(shapes.extents, [&](AffineExpr extent) {
          return extent.isFunctionOfSymbol(var);
        }))
      used.push_back(var);
  return used;
}

/// Whether no size is negative.
static bool isShape(ArrayRef<int64_t> sizes) {
  return llvm::all_of(sizes, [](int64_t size) { return size >= 0; });
}

/// Keeps at most `most` points, one of those that are near to each other by
/// magnitude.
static void thinOut(std::vector<SamplePoint> &points, size_t most) {
  constexpr double kDoublings = 0.25, kWiden = 1.25;
  for (double width = kDoublings; points.size() > most; width *= kWiden) {
    std::set<std::vector<int64_t>> taken;
    llvm::erase_if(points, [&](const SamplePoint &point) {
      std::vector<int64_t> cell;
      for (int64_t size : point.dims)
        cell.push_back(std::floor(std::log2(double(size) + 1) / width));
      return !taken.insert(std::move(cell)).second;
    });
  }
}

FailureOr<std::vector<SamplePoint>>
mlir::dietcode::sampleRange(OperatorOpInterface op,
                            const OperatorShapes &shapes, size_t maxPoints) {
  SmallVector<unsigned> used = getUsedVars(shapes);
  std::vector<Interval> ranges;
  std::vector<int64_t> multiples;
  for (unsigned var : used) {
    ranges.push_back(shapes.varRanges[var]);
    multiples.push_back(shapes.varMultiples[var]);
  }
  SmallVector<int64_t> vars(shapes.varRanges.size(), 0);
  // Where there are more variables than dimensions, many of their values give
  // about the same shape.
  constexpr size_t kOversampling = 64;
  size_t samples = maxPoints;
  if (used.size() > shapes.dynamicDims.size())
    samples *= kOversampling;
  std::vector<SamplePoint> points;
  for (const SamplePoint &sample :
       ::dietcode::sampleDomain(ranges, samples, multiples)) {
    for (auto [var, value] : llvm::zip_equal(used, sample.dims))
      vars[var] = value;
    std::vector<int64_t> sizes = shapes.evaluate(vars);
    if (isShape(sizes))
      points.push_back({std::move(sizes), sample.weight});
  }
  if (points.empty())
    return op->emitOpError("has a negative dimension at every sample of the "
                           "declared range; change the range");
  thinOut(points, maxPoints);
  for (SamplePoint &point : points)
    point.weight /= points.size();
  return std::move(points);
}

/// The values of all shape variables in one instance; those that the workload
/// does not list are at their upper bounds.
static SmallVector<int64_t> getVars(WorkloadOp workload,
                                    DenseI64ArrayAttr instance,
                                    ArrayRef<StringAttr> names,
                                    const OperatorShapes &shapes) {
  SmallVector<int64_t> vars;
  for (Interval range : shapes.varRanges)
    vars.push_back(range.upper);
  for (auto [name, value] :
       llvm::zip_equal(workload.getVars().getAsRange<FlatSymbolRefAttr>(),
                       instance.asArrayRef()))
    if (const auto *it = llvm::find(names, name.getAttr()); it != names.end())
      vars[it - names.begin()] = value;
  return vars;
}

FailureOr<std::vector<SamplePoint>>
mlir::dietcode::getInstances(OperatorOpInterface op, ShapeAnalysis &analysis,
                             const OperatorShapes &shapes) {
  std::vector<SamplePoint> points;
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto symbol = function->getAttrOfType<FlatSymbolRefAttr>(
      DietCodeDialect::getWorkloadAttrName());
  if (!symbol)
    return std::move(points);
  auto workload = SymbolTable::lookupNearestSymbolFrom<WorkloadOp>(op, symbol);
  double total = 0.0;
  for (unsigned index : llvm::seq<unsigned>(0, workload.getInstances().size()))
    total += workload.getWeight(index);
  for (auto [index, row] : llvm::enumerate(
           workload.getInstances().getAsRange<DenseI64ArrayAttr>())) {
    std::vector<int64_t> sizes =
        shapes.evaluate(getVars(workload, row, analysis.getVars(), shapes));
    if (!isShape(sizes))
      return op->emitOpError()
             << "has a negative dimension in instance " << index
             << " of workload " << symbol << "; change the instance";
    points.push_back({std::move(sizes), workload.getWeight(index) / total});
  }
  return std::move(points);
}

std::vector<Interval> mlir::dietcode::getDomain(const OperatorShapes &shapes) {
  std::vector<Interval> domain;
  for (Interval bounds : shapes.bounds)
    domain.push_back({std::max<int64_t>(bounds.lower, 0), bounds.upper});
  return domain;
}
