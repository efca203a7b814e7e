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
//     aligned = all vectorized operands can be accessed in vectors
//     if (c <= capacity of the first schedule)
//       if (aligned) launch @..._aligned else launch @..._general
//     else ...                                  the last one serves any length
//   }
//
//===----------------------------------------------------------------------===//

#include "RowwiseLowering.h"
#include "IndexMath.h"
#include "MatrixView.h"
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
                                           const RowSchedule &schedule,
                                           Twin twin) {
  for (const Entry &entry : entries)
    if (entry.schedule == schedule && entry.twin == twin &&
        needSameKernel(entry.op, op))
      return entry.kernel;
  gpu::GPUModuleOp module = library.getGPUModule();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  std::string name = "rowwise_" + schedule.name() +
                     (twin == Twin::Aligned ? "_aligned" : "_general");
  gpu::GPUFuncOp kernel =
      buildRowwiseKernel(builder, op, name, program, schedule, twin);
  // Makes the name unique among the kernels of other operators.
  kernel->remove();
  SymbolTable(module).insert(kernel);
  entries.push_back({op, schedule, twin, kernel});
  return kernel;
}

//===----------------------------------------------------------------------===//
// Host code
//===----------------------------------------------------------------------===//

namespace {

class RowwiseLauncher {
public:
  RowwiseLauncher(ImplicitLocOpBuilder &b, RowwiseOp op,
                  const RowProgram &program, int64_t maxBlocks,
                  RowwiseLibrary &library)
      : b(b), math(b), op(op), program(program), maxBlocks(maxBlocks),
        library(library) {}

  void lower(ArrayRef<RowSchedule> schedules);

private:
  void readSizes();
  Value isNonEmpty();
  Value areAllAligned(int64_t vector);
  void selectSchedule(ArrayRef<RowSchedule> schedules, Value aligned);
  void launch(const RowSchedule &schedule, Value aligned);
  void createIf(Value condition, function_ref<void()> thenBody,
                function_ref<void()> elseBody);

  ImplicitLocOpBuilder &b;
  IndexMath math;
  RowwiseOp op;
  const RowProgram &program;
  int64_t maxBlocks;
  RowwiseLibrary &library;
  Value numRows, numColumns;
};

} // namespace

void RowwiseLauncher::readSizes() {
  auto problem = cast<ProblemOpInterface>(op.getOperation());
  auto multiply = [&](auto dims) {
    Value product = math.constant(1);
    for (unsigned dim : dims)
      product = math.mul(product, math.of(problem.createExtent(b, dim)));
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
    if (isVectorized(op, operand))
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

void RowwiseLauncher::launch(const RowSchedule &schedule, Value aligned) {
  Value one = math.constant(1);
  Value blocks = math.ceilDiv(numRows, schedule.rows());
  if (program.getNumReducingPasses() == 0)
    blocks = math.mul(
        blocks, math.max(math.ceilDiv(numColumns, schedule.capacity()), 1));
  // Blocks take what is beyond the largest grid in turns.
  gpu::KernelDim3 grid{math.min(blocks, math.constant(maxBlocks)), one, one};
  gpu::KernelDim3 block{math.constant(schedule.threads), one, one};
  auto launchTwin = [&](Twin twin) {
    gpu::GPUFuncOp kernel = library.getOrCreate(op, program, schedule, twin);
    gpu::LaunchFuncOp::create(b, kernel, grid, block,
                              /*dynamicSharedMemorySize=*/Value(),
                              op->getOperands());
  };
  createIf(
      aligned, [&] { launchTwin(Twin::Aligned); },
      [&] { launchTwin(Twin::General); });
}

/// The first schedule that holds a row; the last one for those that are longer.
void RowwiseLauncher::selectSchedule(ArrayRef<RowSchedule> schedules,
                                     Value aligned) {
  if (schedules.size() == 1)
    return launch(schedules.front(), aligned);
  Value holdsRow = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::sle, numColumns,
      math.constant(schedules.front().capacity()));
  createIf(
      holdsRow, [&] { launch(schedules.front(), aligned); },
      [&] { selectSchedule(schedules.drop_front(), aligned); });
}

void RowwiseLauncher::lower(ArrayRef<RowSchedule> schedules) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  readSizes();
  createIf(
      isNonEmpty(),
      [&] {
        selectSchedule(schedules, areAllAligned(schedules.front().vector));
      },
      [] {});
}

LogicalResult mlir::dietcode::lowerRowwise(RowwiseOp op,
                                           RowwiseLibrary &library) {
  if (!op.hasPureBufferSemantics())
    return op.emitOpError("cannot be compiled for the GPU on tensors; "
                          "bufferize it first");
  if (failed(checkOperands(op)) || failed(checkBody(op)))
    return failure();
  DeviceAttr device = getDevice(op);
  if (!device)
    return op.emitOpError("cannot be compiled for the GPU: the module does not "
                          "say which device it is for; run "
                          "dietcode-attach-device");
  const ::dietcode::DeviceSpec &spec = device.getSpec();
  RowProgram program(op);
  ::dietcode::RowTraits traits = getRowTraits(op, program);
  std::vector<RowSchedule> schedules = ::dietcode::listSchedules(traits, spec);
  if (schedules.empty())
    return op.emitOpError()
           << "cannot be compiled for the GPU: a column needs "
           << traits.columnRegisters << " registers and there are "
           << traits.reductions
           << " reductions, more than any kernel has room for; split it";
  ImplicitLocOpBuilder b(op.getLoc(), op.getContext());
  RowwiseLauncher(b, op, program, spec.maxGridX, library).lower(schedules);
  return success();
}
