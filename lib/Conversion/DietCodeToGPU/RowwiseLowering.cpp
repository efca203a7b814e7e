//===- RowwiseLowering.cpp - Launch the kernels of rowwise operators ------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host side of a rowwise operator:
//
//   if (rows > 0 && something is written) {
//     switch (dietcode.select @dispatch(rows, columns)) {
//     case i:
//       aligned = all vectorized operands can be accessed in vectors
//       if (aligned) launch @..._aligned else launch @..._general
//     }
//   }
//
//===----------------------------------------------------------------------===//

#include "RowwiseLowering.h"
#include "IndexMath.h"
#include "MatrixView.h"
#include "OperatorDispatch.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::RowSchedule;

//===----------------------------------------------------------------------===//
// What can be generated
//===----------------------------------------------------------------------===//

static LogicalResult checkOperands(RowwiseOp op) {
  for (unsigned index : llvm::seq(op->getNumOperands())) {
    auto type = cast<MemRefType>(op->getOperand(index).getType());
    auto error = [&]() {
      return op.emitOpError() << "cannot be compiled for the GPU: '"
                              << op.getOperandName(index) << "' ";
    };
    if (!RowwiseOp::isKernelType(type.getElementType()))
      return error() << "has element type " << type.getElementType()
                     << "; supported are f16, f32, f64, i1, i8, i16, i32 and "
                        "i64";
    if (type.getMemorySpace())
      return error() << "must be in the default memory space, got " << type;
    if (!type.isStrided())
      return error() << "has a layout that is not strided, " << type;
  }
  return success();
}

static LogicalResult checkBody(RowwiseOp op) {
  for (Operation &nested : op.getBody().front().without_terminator())
    for (Type type : nested.getResultTypes()) {
      bool isReduction = isa<ReduceRowOp>(nested);
      if (!RowwiseOp::isKernelType(type) && (isReduction || !type.isIndex()))
        return nested.emitOpError()
               << "cannot be compiled for the GPU: its type is " << type
               << "; supported are f16, f32, f64, i1, i8, i16, i32 and i64";
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Whether the same kernel serves both.
static bool needSameKernel(RowwiseOp lhs, RowwiseOp rhs) {
  return lhs->getOperandTypes() == rhs->getOperandTypes() &&
         lhs.getInputs().size() == rhs.getInputs().size() &&
         lhs.getColumns() == rhs.getColumns() &&
         lhs.getMaps() == rhs.getMaps() &&
         OperationEquivalence::isRegionEquivalentTo(
             &lhs.getBody(), &rhs.getBody(),
             OperationEquivalence::IgnoreLocations);
}

gpu::GPUFuncOp RowwiseLibrary::getOrCreate(RowwiseOp op,
                                           const RowProgram &program,
                                           MicroKernelOp microKernel,
                                           const RowSchedule &schedule,
                                           Twin twin) {
  for (const Entry &entry : entries)
    if (entry.microKernel == microKernel && entry.twin == twin &&
        needSameKernel(entry.op, op))
      return entry.kernel;
  gpu::GPUModuleOp module = library.getGPUModule();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  std::string name = ("rowwise_" + microKernel.getSymName() +
                      (twin == Twin::Aligned ? "_aligned" : "_general"))
                         .str();
  gpu::GPUFuncOp kernel =
      buildRowwiseKernel(builder, op, name, program, schedule, twin);
  // Makes the name unique among the kernels of other operators.
  kernel->remove();
  SymbolTable(module).insert(kernel);
  entries.push_back({op, microKernel, twin, kernel});
  return kernel;
}

//===----------------------------------------------------------------------===//
// Host code
//===----------------------------------------------------------------------===//

namespace {

class RowwiseLauncher {
public:
  RowwiseLauncher(ImplicitLocOpBuilder &b, RowwiseOp op,
                  const OperatorDispatch &dispatch,
                  const ::dietcode::DeviceSpec &device, RowwiseLibrary &library)
      : b(b), math(b), op(op), dispatch(dispatch), device(device),
        library(library), program(op), traits(op.getRowTraits()) {}

  LogicalResult lower();

private:
  LogicalResult layOutThreads();
  void readSizes();
  Value isNonEmpty();
  Value areAllAligned(int64_t vector);
  void launch(MicroKernelOp microKernel);
  void createIf(Value condition, function_ref<void()> thenBody,
                function_ref<void()> elseBody);

  ImplicitLocOpBuilder &b;
  IndexMath math;
  RowwiseOp op;
  const OperatorDispatch &dispatch;
  const ::dietcode::DeviceSpec &device;
  RowwiseLibrary &library;
  RowProgram program;
  ::dietcode::RowTraits traits;
  DenseMap<Operation *, RowSchedule> schedules; ///< Of each micro-kernel.
  SmallVector<Value> sizes;                     ///< Of the problem dimensions.
  Value numRows, numColumns;
};

} // namespace

void RowwiseLauncher::readSizes() {
  auto problem = cast<ProblemOpInterface>(op.getOperation());
  for (unsigned dim : llvm::seq(op.getNumDims()))
    sizes.push_back(math.of(problem.createExtent(b, dim)));
  auto multiply = [&](auto dims) {
    Value product = math.constant(1);
    for (unsigned dim : dims)
      product = math.mul(product, sizes[dim]);
    return product;
  };
  numRows = multiply(op.getRowDims());
  numColumns = multiply(op.getColumnDims());
}

/// Without columns, there is still one element for each row where an output
/// does not have the column.
Value RowwiseLauncher::isNonEmpty() {
  Value zero = math.constant(0);
  Value hasRows = math.less(zero, numRows);
  for (unsigned output : llvm::seq(op.getOutputs().size()))
    if (!op.variesWithColumn(op.getInputs().size() + output))
      return hasRows;
  return math.both(hasRows, math.less(zero, numColumns));
}

Value RowwiseLauncher::areAllAligned(int64_t vector) {
  if (vector == 1)
    return arith::ConstantOp::create(b, b.getBoolAttr(false));
  Value all = math.isMultiple(numColumns, vector);
  SmallVector<AffineMap> maps = op.getOperandMaps();
  auto columns = llvm::to_vector(op.getColumnDims());
  for (unsigned operand : llvm::seq(op->getNumOperands()))
    if (op.isVectorized(operand))
      all = math.both(all, createAlignmentTest(b, op->getOperand(operand),
                                               maps[operand], vector, columns));
  return all;
}

/// if (condition) thenBody else elseBody, decided here where it can be.
void RowwiseLauncher::createIf(Value condition, function_ref<void()> thenBody,
                               function_ref<void()> elseBody) {
  if (matchPattern(condition, m_One()))
    return thenBody();
  if (matchPattern(condition, m_Zero()))
    return elseBody();
  auto asRegion = [&](function_ref<void()> body) {
    return [this, body](OpBuilder &, Location) {
      body();
      scf::YieldOp::create(b);
    };
  };
  auto thenRegion = asRegion(thenBody), elseRegion = asRegion(elseBody);
  scf::IfOp::create(b, condition, thenRegion, elseRegion);
}

/// The threads of each micro-kernel. What only buffers tell, strides that are
/// not known, may take more registers than a column was known to need when the
/// schedule was chosen: then lanes hold fewer columns.
LogicalResult RowwiseLauncher::layOutThreads() {
  for (MicroKernelOp microKernel : dispatch.getMicroKernels()) {
    ::dietcode::Schedule schedule = microKernel.getSchedule().getSchedule();
    auto violation = ::dietcode::checkSchedule(schedule, traits, device);
    while (violation && schedule.threadN > 1) {
      schedule.threadN /= 2;
      schedule.blockN /= 2;
      violation = ::dietcode::checkSchedule(schedule, traits, device);
    }
    if (violation)
      return op.emitOpError()
             << "cannot be compiled for the GPU by @"
             << microKernel.getSymName() << ": " << violation->message;
    schedules[microKernel] = ::dietcode::rowScheduleOf(schedule, traits);
  }
  return success();
}

void RowwiseLauncher::launch(MicroKernelOp microKernel) {
  const RowSchedule &schedule = schedules[microKernel];
  Value one = math.constant(1);
  Value blocks = math.ceilDiv(numRows, schedule.rows());
  if (program.getNumReducingPasses() == 0)
    blocks = math.mul(
        blocks, math.max(math.ceilDiv(numColumns, schedule.capacity()), 1));
  // Blocks take what is beyond the largest grid in turns.
  gpu::KernelDim3 grid{math.min(blocks, math.constant(device.maxGridX)), one,
                       one};
  gpu::KernelDim3 block{math.constant(schedule.threads), one, one};
  auto launchTwin = [&](Twin twin) {
    gpu::GPUFuncOp kernel =
        library.getOrCreate(op, program, microKernel, schedule, twin);
    gpu::LaunchFuncOp::create(b, kernel, grid, block,
                              /*dynamicSharedMemorySize=*/Value(),
                              op->getOperands());
  };
  createIf(
      areAllAligned(schedule.vector), [&] { launchTwin(Twin::Aligned); },
      [&] { launchTwin(Twin::General); });
}

LogicalResult RowwiseLauncher::lower() {
  if (failed(layOutThreads()))
    return failure();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  readSizes();
  createIf(
      isNonEmpty(),
      [&] {
        dispatch.createSwitch(
            b, sizes, [&](MicroKernelOp microKernel) { launch(microKernel); });
      },
      [] {});
  return success();
}

LogicalResult mlir::dietcode::lowerRowwise(RowwiseOp op,
                                           RowwiseLibrary &library) {
  FailureOr<OperatorDispatch> dispatch = OperatorDispatch::get(op);
  if (failed(dispatch) || failed(checkOperands(op)) || failed(checkBody(op)) ||
      failed(dispatch->checkMicroKernels()))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op.getContext());
  return RowwiseLauncher(b, op, *dispatch, getDevice(op).getSpec(), library)
      .lower();
}
