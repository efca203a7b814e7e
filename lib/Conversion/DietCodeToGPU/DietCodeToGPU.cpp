//===- DietCodeToGPU.cpp - Generate micro-kernels and launch them ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host side of an operator:
//
//   if (m > 0 && n > 0) {
//     aligned = all vectorized operands can be read in vectors
//     switch (dietcode.select @dispatch(sizes)) {
//     case i:
//       tiles = ceil(m / blockM) * ceil(n / blockN)
//       if (aligned) launch @..._aligned else launch @..._general
//     }
//   }
//
// Where the k tiles are split, a launch is a sequence in one stream:
//
//   workspace = gpu.alloc
//   launch @..._aligned with split * tiles blocks
//   launch @..._reduction_aligned
//   gpu.dealloc workspace
//   gpu.wait
//
//===----------------------------------------------------------------------===//

#include "IndexMath.h"
#include "KernelLibrary.h"
#include "MatrixView.h"
#include "OperatorDispatch.h"
#include "RowwiseLowering.h"
#include "Workspace.h"
#include "dietcode/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_CONVERTDIETCODETOGPUPASS
#include "dietcode/Conversion/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Schedule;

//===----------------------------------------------------------------------===//
// What can be generated
//===----------------------------------------------------------------------===//

/// Types that are multiplied, and that sums are written in and epilogues read.
static bool isSupported(Type type, bool isFactor) {
  return type.isF32() || type.isF16() || type.isInteger(8) ||
         (!isFactor && type.isInteger(32));
}

static LogicalResult checkElementTypes(ContractionOpInterface op) {
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    Type type = getElementTypeOrSelf(operand);
    bool isFactor = index < ContractionOpInterface::kOut;
    if (!isSupported(type, isFactor))
      return op->emitOpError()
             << "cannot be compiled for the GPU: '" << op.getOperandName(index)
             << "' has element type " << type << "; supported is "
             << (isFactor ? "f32, f16 and i8" : "f32, f16, i8 and i32");
    if (cast<MemRefType>(operand.getType()).getMemorySpace())
      return op->emitOpError()
             << "cannot be compiled for the GPU: '" << op.getOperandName(index)
             << "' must be in the default memory space, got "
             << operand.getType();
    if (!cast<MemRefType>(operand.getType()).isStrided())
      return op->emitOpError() << "cannot be compiled for the GPU: the layout "
                                  "of '"
                               << op.getOperandName(index)
                               << "' is not strided, " << operand.getType();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Host code
//===----------------------------------------------------------------------===//

namespace {

/// Replaces one operator by the code that launches its micro-kernels.
class OperatorLowering {
public:
  OperatorLowering(ImplicitLocOpBuilder &b, ContractionOpInterface op,
                   const OperatorDispatch &dispatch, KernelLibrary &library)
      : b(b), math(b), op(op), dispatch(dispatch), library(library) {}

  void lower();

private:
  void readSizes();
  Value getExtent(ArrayRef<unsigned> dims);
  Value getExtent(ContractionGroup group) {
    return getExtent(op.getGroup(group));
  }
  /// How many products there are, and rows of all of them.
  Value getProducts() { return getExtent(ContractionGroup::B); }
  Value getRows() {
    return math.mul(getProducts(), getExtent(ContractionGroup::M));
  }
  Value areAllAligned();
  void createLaunch(MicroKernelOp microKernel, Value aligned);
  void createLaunches(MicroKernelOp microKernel, Twin twin, Value tiles);

  ImplicitLocOpBuilder &b;
  IndexMath math;
  ContractionOpInterface op;
  const OperatorDispatch &dispatch;
  KernelLibrary &library;
  SmallVector<Value> sizes; ///< Of the problem dimensions.
};

} // namespace

void OperatorLowering::readSizes() {
  for (unsigned dim : llvm::seq(op.getProblemDimNames().size()))
    sizes.push_back(math.of(op.createExtent(b, dim)));
}

Value OperatorLowering::getExtent(ArrayRef<unsigned> dims) {
  Value extent = math.constant(1);
  for (unsigned dim : dims)
    extent = math.mul(extent, sizes[dim]);
  return extent;
}

Value OperatorLowering::areAllAligned() {
  Value all = arith::ConstantOp::create(b, b.getBoolAttr(true));
  SmallVector<AffineMap> maps = op.getOperandMaps();
  for (unsigned operand : llvm::seq<unsigned>(0, op->getNumOperands())) {
    std::optional<ContractionGroup> group = getVectorGroup(op, operand);
    Value buffer = op->getOperand(operand);
    if (group)
      all = math.both(all, createAlignmentTest(
                               b, buffer, maps[operand],
                               getAlignedElements(getElementTypeOrSelf(buffer)),
                               op.getGroup(*group)));
  }
  return all;
}

/// Launches the steps of a micro-kernel one after the other.
void OperatorLowering::createLaunches(MicroKernelOp microKernel, Twin twin,
                                      Value tiles) {
  Schedule schedule = microKernel.getSchedule().getSchedule();
  SmallVector<Value> operands(op->getOperands());
  Type tokenType = b.getType<gpu::AsyncTokenType>();
  Value token;
  if (schedule.split > 1) {
    Value elements = Workspace::getElements(b, schedule.split, getRows(),
                                            getExtent(ContractionGroup::N));
    token = gpu::WaitOp::create(b, tokenType, ValueRange()).getAsyncToken();
    auto workspace = gpu::AllocOp::create(b, Workspace::getType(b.getContext()),
                                          tokenType, token, elements,
                                          /*symbolOperands=*/ValueRange());
    operands.push_back(workspace.getMemref());
    token = workspace.getAsyncToken();
  }
  Value one = math.constant(1);
  for (const ::dietcode::KernelStep &step : ::dietcode::stepsOf(schedule)) {
    gpu::KernelDim3 grid{math.mul(tiles, step.blocksPerTile), one, one};
    gpu::KernelDim3 block{math.constant(step.threads), one, one};
    auto launch = gpu::LaunchFuncOp::create(
        b, library.getOrCreate(op, microKernel, step, twin), grid, block,
        /*dynamicSharedMemorySize=*/Value(), operands,
        token ? tokenType : Type(), token ? ValueRange(token) : ValueRange());
    token = launch.getAsyncToken();
  }
  if (!token)
    return;
  token = gpu::DeallocOp::create(b, tokenType, token, operands.back())
              .getAsyncToken();
  gpu::WaitOp::create(b, Type(), token);
}

void OperatorLowering::createLaunch(MicroKernelOp microKernel, Value aligned) {
  Schedule schedule = microKernel.getSchedule().getSchedule();
  Value tiles =
      math.mul(math.ceilDiv(getExtent(ContractionGroup::M), schedule.blockM),
               math.ceilDiv(getExtent(ContractionGroup::N), schedule.blockN));
  tiles = math.mul(tiles, getProducts());
  // A static size or stride may rule vectors out.
  if (matchPattern(aligned, m_Zero()))
    return createLaunches(microKernel, Twin::General, tiles);
  scf::IfOp::create(
      b, aligned,
      [&](OpBuilder &, Location) {
        createLaunches(microKernel, Twin::Aligned, tiles);
        scf::YieldOp::create(b);
      },
      [&](OpBuilder &, Location) {
        createLaunches(microKernel, Twin::General, tiles);
        scf::YieldOp::create(b);
      });
}

void OperatorLowering::lower() {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  readSizes();
  Value zero = math.constant(0);
  Value nonEmpty = math.both(math.less(zero, getExtent(ContractionGroup::M)),
                             math.less(zero, getExtent(ContractionGroup::N)));
  nonEmpty = math.both(nonEmpty, math.less(zero, getProducts()));
  auto ifNonEmpty = scf::IfOp::create(b, nonEmpty, /*withElseRegion=*/false);
  b.setInsertionPointToStart(ifNonEmpty.thenBlock());
  Value aligned = areAllAligned();
  dispatch.createSwitch(b, sizes, [&](MicroKernelOp microKernel) {
    createLaunch(microKernel, aligned);
  });
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

static LogicalResult lowerOperator(ContractionOpInterface op,
                                   KernelLibrary &library) {
  FailureOr<OperatorDispatch> dispatch = OperatorDispatch::get(op);
  if (failed(dispatch) || failed(checkElementTypes(op)) ||
      failed(dispatch->checkMicroKernels()))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op.getContext());
  OperatorLowering(b, op, *dispatch, library).lower();
  return success();
}

namespace {

struct ConvertDietCodeToGPU
    : mlir::dietcode::impl::ConvertDietCodeToGPUPassBase<ConvertDietCodeToGPU> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<ContractionOpInterface> ops;
    getOperation().walk([&](ContractionOpInterface op) { ops.push_back(op); });
    KernelLibrary library(getOperation());
    for (ContractionOpInterface op : ops)
      if (failed(lowerOperator(op, library)))
        return signalPassFailure();
    SmallVector<RowwiseOp> rowwiseOps;
    getOperation().walk([&](RowwiseOp op) { rowwiseOps.push_back(op); });
    RowwiseLibrary rowwiseLibrary(library);
    for (RowwiseOp op : rowwiseOps)
      if (failed(lowerRowwise(op, rowwiseLibrary)))
        return signalPassFailure();
    // The libraries refer to the operators until all kernels are generated.
    for (ContractionOpInterface op : ops)
      op.erase();
    for (RowwiseOp op : rowwiseOps)
      op.erase();
  }
};

} // namespace
