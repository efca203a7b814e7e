//===- DietCodeDispatch.cpp - Dispatch and selection ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::dietcode;

//===----------------------------------------------------------------------===//
// DispatchOp
//===----------------------------------------------------------------------===//

static ::dietcode::Box makeBox(ArrayRef<int64_t> bounds) {
  ::dietcode::Box box;
  for (size_t i = 0; i < bounds.size(); i += 2)
    box.push_back({bounds[i], bounds[i + 1]});
  return box;
}

::dietcode::Box DispatchOp::getDomainBox() { return makeBox(getDomain()); }

SmallVector<FlatSymbolRefAttr> DispatchOp::getKernelTable() {
  llvm::SetVector<Attribute> table(getKernels().begin(), getKernels().end());
  table.insert(getOtherwiseAttr());
  return llvm::map_to_vector(
      table, [](Attribute kernel) { return cast<FlatSymbolRefAttr>(kernel); });
}

static unsigned getIndexIn(ArrayRef<FlatSymbolRefAttr> table,
                           FlatSymbolRefAttr kernel) {
  return std::distance(table.begin(), llvm::find(table, kernel));
}

unsigned DispatchOp::getGeneralKernel() {
  return getIndexIn(getKernelTable(), getOtherwiseAttr());
}

std::vector<::dietcode::DispatchLeaf> DispatchOp::getLeaves() {
  SmallVector<FlatSymbolRefAttr> table = getKernelTable();
  size_t stride = 2 * getDims().size();
  std::vector<::dietcode::DispatchLeaf> leaves;
  for (auto [index, kernel] :
       llvm::enumerate(getKernels().getAsRange<FlatSymbolRefAttr>())) {
    ::dietcode::DispatchLeaf leaf;
    leaf.box = makeBox(getBoxes().slice(index * stride, stride));
    leaf.kernel = getIndexIn(table, kernel);
    leaves.push_back(std::move(leaf));
  }
  return leaves;
}

/// `m in [1, 4], n in [5, 6]`, for messages; without dimensions, the box is
/// that of the one shape there is.
static std::string describeBox(ArrayAttr dims, const ::dietcode::Box &box) {
  if (box.empty())
    return "the static shape";
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(
      llvm::zip_equal(dims.getAsValueRange<StringAttr>(), box), os,
      [&](auto entry) {
        auto [dim, interval] = entry;
        os << dim << " in [" << interval.lower << ", " << interval.upper << ']';
      });
  return text;
}

static LogicalResult verifyIntervals(DispatchOp op, StringRef what,
                                     ArrayRef<int64_t> bounds) {
  for (size_t i = 0; i < bounds.size(); i += 2)
    if (bounds[i] > bounds[i + 1])
      return op.emitOpError() << what << " has the empty interval ["
                              << bounds[i] << ", " << bounds[i + 1] << "]";
  return success();
}

/// The cases must partition the domain.
static LogicalResult verifyPartition(DispatchOp op) {
  ::dietcode::Box domain = op.getDomainBox();
  std::vector<::dietcode::DispatchLeaf> leaves = op.getLeaves();
  ArrayAttr dims = op.getDims();
  for (auto [index, leaf] : llvm::enumerate(leaves))
    for (auto [whole, part] : llvm::zip_equal(domain, leaf.box))
      if (part.lower < whole.lower || part.upper > whole.upper)
        return op.emitOpError()
               << "case " << index << " (" << describeBox(dims, leaf.box)
               << ") reaches outside of the domain";
  if (auto overlap = ::dietcode::findOverlap(leaves))
    return op.emitOpError()
           << "cases " << overlap->first << " ("
           << describeBox(dims, leaves[overlap->first].box) << ") and "
           << overlap->second << " ("
           << describeBox(dims, leaves[overlap->second].box) << ") overlap";
  if (auto gap = ::dietcode::findGap(domain, leaves))
    return op.emitOpError() << "no case covers " << describeBox(dims, *gap)
                            << "; add one that does";
  return success();
}

LogicalResult DispatchOp::verify() {
  size_t rank = getDims().size();
  if (getDomain().size() != 2 * rank ||
      getBoxes().size() != 2 * rank * getKernels().size())
    return emitOpError() << "domain and cases must have one interval for each "
                            "of the "
                         << rank << " dimensions";
  llvm::SmallDenseSet<Attribute> distinct;
  for (auto dim : getDims().getAsRange<StringAttr>())
    if (!distinct.insert(dim).second)
      return emitOpError() << "has dimension '" << dim.getValue() << "' twice";
  if (failed(verifyIntervals(*this, "domain", getDomain())) ||
      failed(verifyIntervals(*this, "case", getBoxes())))
    return failure();
  return verifyPartition(*this);
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  for (FlatSymbolRefAttr kernel : getKernelTable())
    if (!symbolTable.lookupNearestSymbolFrom<MicroKernelOp>(*this, kernel))
      return emitOpError() << "there is no dietcode.micro_kernel " << kernel;
  return success();
}

//===----------------------------------------------------------------------===//
// SelectOp
//===----------------------------------------------------------------------===//

LogicalResult SelectOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto table =
      symbolTable.lookupNearestSymbolFrom<DispatchOp>(*this, getDispatchAttr());
  if (!table)
    return emitOpError() << "there is no dietcode.dispatch "
                         << getDispatchAttr();
  if (table.getDims().size() != getSizes().size())
    return emitOpError() << "gives " << getSizes().size() << " sizes for the "
                         << table.getDims().size() << " dimensions of "
                         << getDispatchAttr();
  return success();
}
