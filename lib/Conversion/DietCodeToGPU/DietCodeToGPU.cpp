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
#include "llvm/ADT/StringExtras.h"

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

/// What the micro-kernel multiplies with must serve the operator's types.
static LogicalResult checkInstruction(ContractionOpInterface op,
                                      MicroKernelOp microKernel) {
  ::dietcode::OperatorTraits traits = op.getTraits();
  ::dietcode::Instruction instruction =
      microKernel.getSchedule().getInstruction();
  if (llvm::is_contained(traits.instructions(), instruction))
    return success();
  SmallVector<StringRef> names;
  for (::dietcode::Instruction usable : traits.instructions())
    names.push_back(::dietcode::infoOf(usable).name);
  return op->emitOpError() << "cannot be compiled for the GPU: factors of "
                           << traits.elementType << " are summed up in "
                           << StringRef(traits.getSumType()) << " by "
                           << (names.empty() ? "no instruction"
                                             : llvm::join(names, " or "))
                           << ", but @" << microKernel.getSymName()
                           << " is built from "
                           << StringRef(::dietcode::infoOf(instruction).name);
}

/// The schedule must hold on the device that the module is for.
static LogicalResult checkMicroKernel(MicroKernelOp op) {
  DeviceAttr device = getDevice(op);
  if (!device)
    return op.emitOpError("cannot be generated: the module does not say which "
                          "device it is for; run dietcode-attach-device");
  auto violation = ::dietcode::checkSchedule(op.getSchedule().getSchedule(),
                                             device.getSpec());
  if (violation)
    return op.emitOpError() << "cannot be generated: " << violation->message;
  const ::dietcode::InstructionInfo &info =
      ::dietcode::infoOf(op.getSchedule().getInstruction());
  if (::dietcode::lookupChip(device.getChip())->computeCapability <
      info.computeCapability)
    return op.emitOpError() << "cannot be generated: " << device.getChip()
                            << " has no " << StringRef(info.ptx)
                            << ", which needs sm_" << info.computeCapability;
  return success();
}

static FailureOr<SmallVector<MicroKernelOp>>
collectMicroKernels(DispatchOp dispatch) {
  SmallVector<MicroKernelOp> microKernels;
  for (FlatSymbolRefAttr symbol : dispatch.getKernelTable()) {
    auto microKernel =
        SymbolTable::lookupNearestSymbolFrom<MicroKernelOp>(dispatch, symbol);
    if (failed(checkMicroKernel(microKernel)))
      return failure();
    microKernels.push_back(microKernel);
  }
  return microKernels;
}

//===----------------------------------------------------------------------===//
// Host code
//===----------------------------------------------------------------------===//

namespace {

/// Replaces one operator by the code that launches its micro-kernels.
class OperatorLowering {
public:
  OperatorLowering(ImplicitLocOpBuilder &b, ContractionOpInterface op,
                   DispatchOp dispatch, ArrayRef<MicroKernelOp> microKernels,
                   KernelLibrary &library)
      : b(b), math(b), op(op), dispatch(dispatch), microKernels(microKernels),
        library(library) {}

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
  Value selectKernel();
  void createLaunch(MicroKernelOp microKernel, Value aligned);
  void createLaunches(MicroKernelOp microKernel, Twin twin, Value tiles);

  ImplicitLocOpBuilder &b;
  IndexMath math;
  ContractionOpInterface op;
  DispatchOp dispatch;
  ArrayRef<MicroKernelOp> microKernels;
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

Value OperatorLowering::selectKernel() {
  SmallVector<StringRef> names = op.getTiledDimNames();
  SmallVector<SmallVector<unsigned>> groups = op.getTiledDimGroups();
  SmallVector<Value> dispatched;
  for (StringRef dim : dispatch.getDims().getAsValueRange<StringAttr>())
    dispatched.push_back(
        getExtent(groups[llvm::find(names, dim) - names.begin()]));
  return SelectOp::create(b, op.getDispatchAttr(), dispatched);
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
  Value selected = selectKernel();
  // The last kernel of the table is the default.
  SmallVector<int64_t> cases =
      llvm::to_vector(llvm::seq<int64_t>(0, microKernels.size() - 1));
  auto choice =
      scf::IndexSwitchOp::create(b, TypeRange(), selected, cases, cases.size());
  SmallVector<Region *> regions;
  for (Region &region : choice.getCaseRegions())
    regions.push_back(&region);
  regions.push_back(&choice.getDefaultRegion());
  for (auto [region, microKernel] : llvm::zip_equal(regions, microKernels)) {
    b.createBlock(region);
    createLaunch(microKernel, aligned);
    scf::YieldOp::create(b);
  }
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

static LogicalResult lowerOperator(ContractionOpInterface op,
                                   KernelLibrary &library) {
  if (!op.hasPureBufferSemantics())
    return op->emitOpError(
        "cannot be compiled for the GPU on tensors; bufferize "
        "it first");
  if (!op.getDispatchAttr())
    return op->emitOpError("cannot be compiled for the GPU without a dispatch; "
                           "run dietcode-select-micro-kernels");
  if (failed(checkElementTypes(op)))
    return failure();
  auto dispatch = SymbolTable::lookupNearestSymbolFrom<DispatchOp>(
      op, op.getDispatchAttr());
  FailureOr<SmallVector<MicroKernelOp>> microKernels =
      collectMicroKernels(dispatch);
  if (failed(microKernels))
    return failure();
  for (MicroKernelOp microKernel : *microKernels)
    if (failed(checkInstruction(op, microKernel)))
      return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op.getContext());
  OperatorLowering(b, op, dispatch, *microKernels, library).lower();
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
