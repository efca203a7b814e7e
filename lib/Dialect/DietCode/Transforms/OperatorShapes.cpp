//===- OperatorShapes.cpp - Shapes that an operator is selected for -------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/Transforms/OperatorShapes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

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

FailureOr<OperatorShapes>
mlir::dietcode::getOperatorShapes(OperatorOpInterface op,
                                  ShapeAnalysis &analysis) {
  OperatorShapes shapes;
  shapes.extents = analysis.getProblemShape(op);
  for (auto [dim, extent] : llvm::enumerate(shapes.extents)) {
    if (!extent)
      return op->emitOpError()
             << "dimension " << op.getProblemDimNames()[dim]
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

std::vector<SamplePoint>
mlir::dietcode::sampleRange(const OperatorShapes &shapes, size_t maxPoints) {
  SmallVector<unsigned> used = getUsedVars(shapes);
  std::vector<Interval> ranges;
  std::vector<int64_t> multiples;
  for (unsigned var : used) {
    ranges.push_back(shapes.varRanges[var]);
    multiples.push_back(shapes.varMultiples[var]);
  }
  std::vector<SamplePoint> samples =
      ::dietcode::sampleDomain(ranges, maxPoints, multiples);
  SmallVector<int64_t> vars(shapes.varRanges.size(), 0);
  std::vector<SamplePoint> points;
  for (const SamplePoint &sample : samples) {
    for (auto [var, value] : llvm::zip_equal(used, sample.dims))
      vars[var] = value;
    points.push_back({shapes.evaluate(vars), sample.weight / samples.size()});
  }
  return points;
}

std::vector<SamplePoint>
mlir::dietcode::getInstances(OperatorOpInterface op, ShapeAnalysis &analysis,
                             const OperatorShapes &shapes) {
  std::vector<SamplePoint> points;
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto symbol = function->getAttrOfType<FlatSymbolRefAttr>(
      DietCodeDialect::getWorkloadAttrName());
  if (!symbol)
    return points;
  auto workload = SymbolTable::lookupNearestSymbolFrom<WorkloadOp>(op, symbol);
  double total = 0.0;
  for (unsigned index : llvm::seq<unsigned>(0, workload.getInstances().size()))
    total += workload.getWeight(index);
  ArrayRef<StringAttr> names = analysis.getVars();
  for (auto [index, row] : llvm::enumerate(
           workload.getInstances().getAsRange<DenseI64ArrayAttr>())) {
    SmallVector<int64_t> vars;
    for (Interval range : shapes.varRanges)
      vars.push_back(range.upper);
    for (auto [name, value] :
         llvm::zip_equal(workload.getVars().getAsRange<FlatSymbolRefAttr>(),
                         row.asArrayRef()))
      if (const auto *it = llvm::find(names, name.getAttr()); it != names.end())
        vars[it - names.begin()] = value;
    points.push_back(
        {shapes.evaluate(vars), workload.getWeight(index) / total});
  }
  return points;
}

std::vector<SamplePoint>
mlir::dietcode::sampleShapes(OperatorOpInterface op, ShapeAnalysis &analysis,
                             const OperatorShapes &shapes) {
  std::vector<SamplePoint> points = sampleRange(shapes);
  llvm::append_range(points, getInstances(op, analysis, shapes));
  return points;
}

/// The interval of each dynamic dimension. Bounds that no shape has are cut
/// off by the samples, which include the ends of every variable.
std::vector<Interval> mlir::dietcode::getDomain(const OperatorShapes &shapes,
                                                ArrayRef<SamplePoint> points) {
  std::vector<Interval> domain;
  for (auto [index, dim] : llvm::enumerate(shapes.dynamicDims)) {
    Interval interval = evaluateBounds(shapes.extents[dim], shapes.varRanges);
    interval.lower = std::max<int64_t>(interval.lower, 0);
    for (const SamplePoint &point : points) {
      interval.lower = std::min(interval.lower, point.dims[index]);
      interval.upper = std::max(interval.upper, point.dims[index]);
    }
    domain.push_back(interval);
  }
  return domain;
}
