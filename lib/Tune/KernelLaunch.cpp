//===- KernelLaunch.cpp - Launches of compiled candidates as jobs ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/KernelLaunch.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::ContractionShape;
using ::dietcode::JobArgument;
using ::dietcode::JobLaunch;
using ::dietcode::JobSequence;
using ::dietcode::Schedule;

/// Of a dimension that is looked up, where it is not known.
static constexpr int64_t kTableSize = 1024;

SmallVector<int64_t>
mlir::dietcode::getOperandSizes(OperatorOpInterface op, unsigned operand,
                                ArrayRef<int64_t> problemShape) {
  SmallVector<int64_t> sizes;
  auto type = cast<ShapedType>(op->getOperand(operand).getType());
  for (auto [dim, expr] :
       llvm::enumerate(op.getOperandMaps()[operand].getResults())) {
    // A table may have any size, unless its type tells.
    if (isa<AffineSymbolExpr>(expr)) {
      sizes.push_back(type.isDynamicDim(dim) ? kTableSize
                                             : type.getDimSize(dim));
      continue;
    }
    // Up to the last element that a window reaches.
    LinearAccess access = *matchLinearAccess(expr);
    int64_t last = access.offset;
    for (auto [dim, coefficient] : access.terms)
      last += coefficient * (problemShape[dim] - 1);
    sizes.push_back(std::max<int64_t>(0, last + 1));
  }
  return sizes;
}

uint64_t mlir::dietcode::getOperandBytes(OperatorOpInterface op,
                                         unsigned operand,
                                         ArrayRef<int64_t> problemShape) {
  unsigned bits =
      getElementTypeOrSelf(op->getOperand(operand)).getIntOrFloatBitWidth();
  uint64_t elements = 1;
  for (int64_t size : getOperandSizes(op, operand, problemShape))
    elements *= size;
  return std::max<uint64_t>(1, elements * llvm::divideCeil(bits, 8));
}

std::optional<int64_t>
mlir::dietcode::getIndexRange(OperatorOpInterface op, unsigned operand,
                              ArrayRef<int64_t> problemShape) {
  std::optional<int64_t> range;
  AffineExpr index = getAffineSymbolExpr(operand, op.getContext());
  for (auto [other, map] : llvm::enumerate(op.getOperandMaps()))
    for (auto [expr, size] : llvm::zip_equal(
             map.getResults(), getOperandSizes(op, other, problemShape)))
      if (expr == index)
        range = std::min(size, range.value_or(size));
  return range;
}

uint64_t mlir::dietcode::getWorkspaceBytes(OperatorOpInterface op,
                                           const Schedule &schedule,
                                           ArrayRef<int64_t> problemShape) {
  ContractionShape shape =
      op.getContractionShape(op.getTiledShape(problemShape));
  return sizeof(float) * ::dietcode::workspaceElements(
                             schedule, shape.batch * shape.m, shape.n);
}

/// A memref descriptor: the allocated pointer, the aligned one, the offset,
/// sizes, and strides, here of row-major contents.
static void addDescriptor(std::vector<JobArgument> &arguments, int buffer,
                          ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * sizes[i];
  arguments.push_back(JobArgument::pointer(buffer));
  arguments.push_back(JobArgument::pointer(buffer));
  arguments.push_back(JobArgument::i64(0));
  for (int64_t size : sizes)
    arguments.push_back(JobArgument::i64(size));
  for (int64_t stride : strides)
    arguments.push_back(JobArgument::i64(stride));
}

JobSequence mlir::dietcode::makeLaunches(OperatorOpInterface op,
                                         const Schedule &schedule,
                                         ArrayRef<int64_t> problemShape,
                                         int64_t tiles, int firstBuffer) {
  JobLaunch launch;
  int buffer = firstBuffer;
  for (unsigned operand : llvm::seq<unsigned>(0, op->getNumOperands()))
    addDescriptor(launch.args, buffer++,
                  getOperandSizes(op, operand, problemShape));
  if (uint64_t bytes = getWorkspaceBytes(op, schedule, problemShape))
    addDescriptor(launch.args, buffer,
                  {static_cast<int64_t>(bytes / sizeof(float))});
  JobSequence launches;
  for (const ::dietcode::KernelStep &step : ::dietcode::stepsOf(schedule)) {
    launch.kernel = static_cast<int>(launches.size());
    launch.grid = {tiles * step.blocksPerTile, 1, 1};
    launch.block = {step.threads, 1, 1};
    launches.push_back(launch);
  }
  return launches;
}

SmallVector<int64_t>
mlir::dietcode::alignShape(OperatorOpInterface op,
                           ArrayRef<int64_t> problemShape) {
  SmallVector<int64_t> aligned(problemShape);
  SmallVector<int64_t> known = op.getStaticProblemShape();
  for (auto [operand, map] :
       llvm::zip_equal(op->getOperands(), op.getOperandMaps())) {
    if (map.getNumResults() == 0)
      continue;
    auto expr = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (!expr || !ShapedType::isDynamic(known[expr.getPosition()]))
      continue;
    unsigned bits = getElementTypeOrSelf(operand).getIntOrFloatBitWidth();
    int64_t &extent = aligned[expr.getPosition()];
    extent = llvm::alignTo(extent, 8 * ::dietcode::kChunkBytes / bits);
  }
  return aligned;
}
