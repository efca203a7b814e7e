//===- ReductionKernel.cpp - Adds up the parts of a split -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel, one thread for each vector of a tile:
//
//   sum = workspace[0]
//   for part in 1 .. split:  sum += workspace[part]
//   write epilogue(sum), guarded by m and n
//
// The order of the additions is that of the parts: results do not depend on
// which block was done first.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"
#include "EpilogueWriter.h"
#include "Workspace.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Schedule;

/// What lies beyond the workspace is clamped to the last row and the last
/// vector, which are legal to load; the writer leaves it out.
static SmallVector<Value> createSums(ImplicitLocOpBuilder &b,
                                     const KernelFrame &frame, Value row,
                                     Value column, int64_t parts, int64_t count,
                                     bool isInteger) {
  IndexMath math(b);
  Workspace workspace(b, frame.workspace, frame.workspaceRows,
                      frame.n.getExtent());
  Value lastRow = math.sub(frame.m.getExtent(), math.constant(1));
  Value lastColumn = math.sub(workspace.getColumns(), math.constant(count));
  row = math.add(frame.workspaceRow, math.min(row, lastRow));
  column = math.min(column, lastColumn);
  SmallVector<SmallVector<Value>> loaded;
  for (int64_t part : llvm::seq<int64_t>(0, parts))
    loaded.push_back(workspace.load(math.constant(part), row, column, count));
  if (isInteger)
    for (SmallVector<Value> &terms : loaded)
      for (Value &term : terms)
        term = arith::BitcastOp::create(b, b.getI32Type(), term);
  SmallVector<Value> sums = loaded.front();
  for (ArrayRef<Value> terms : ArrayRef(loaded).drop_front())
    for (auto [sum, term] : llvm::zip_equal(sums, terms)) {
      if (isInteger)
        sum = arith::AddIOp::create(b, sum, term);
      else
        sum = arith::AddFOp::create(b, sum, term);
    }
  return sums;
}

gpu::GPUFuncOp mlir::dietcode::buildReductionKernel(
    OpBuilder &builder, const KernelRequest &request, StringRef name) {
  const Schedule &schedule = request.schedule;
  gpu::GPUFuncOp kernel =
      createKernel(builder, request, name, /*sharedElements=*/0);
  ImplicitLocOpBuilder b(kernel.getLoc(), builder);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  KernelFrame frame = createFrame(b, kernel, request);
  // Vectors of the tile are numbered along n first.
  IndexMath math(b);
  int64_t count = ::dietcode::reductionVector(schedule);
  int64_t vectorsN = schedule.blockN / count;
  Value number =
      math.add(math.mul(frame.share, request.step.threads), frame.threadId);
  Value row = math.add(frame.startM, math.div(number, vectorsN));
  Value column =
      math.add(frame.startN, math.mul(math.rem(number, vectorsN), count));
  ContractionOpInterface op = request.op;
  SmallVector<Value> sums =
      createSums(b, frame, row, column, schedule.split, count,
                 isa<IntegerType>(op.getSumElementType()));
  EpilogueWriter(b, request, frame)
      .write(sums, {row, frame.m.getExtent(), 1, 1, 1},
             {column, frame.n.getExtent(), count, count, 1});
  gpu::ReturnOp::create(b);
  return kernel;
}
