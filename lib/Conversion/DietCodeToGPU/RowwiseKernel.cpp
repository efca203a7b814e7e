//===- RowwiseKernel.cpp - Kernels of rowwise operators -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel, with R reducing passes and cached = (c <= capacity):
//
//   for block in blockIdx.x .. blocks step gridDim.x:
//     row = block * rows + row of the thread, or the last one
//     if cached:                                   if streaming:
//       tile = load(columns of this lane)
//       for each pass p < R:                         for each pass p < R:
//         partials = neutral elements                  the same
//         partials += elements of the tile             for each tile: load it;
//                                                        partials += it
//         results = combine(partials of all lanes)     the same
//       write(elements of the tile)                  for each tile: load it;
//                                                      write it
//     lane 0 writes what is uniform in the row
//
// Without reductions, blocks take tiles rather than rows: block numbers count
// the tiles of one row first. All threads of a block take the same path, so
// that its barriers are met by all: a thread whose row does not exist computes
// the last one and does not write.
//
//===----------------------------------------------------------------------===//

#include "RowwiseKernel.h"
#include "LaneReduction.h"
#include "RowTile.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::RowSchedule;

static constexpr int64_t kWarpSize = 32;

static int64_t getLanesOfWarp(RowwiseOp op, const RowSchedule &schedule) {
  return ::dietcode::lanesOfWarp(schedule, op.getRowTraits(), kWarpSize);
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

namespace {

class KernelBuilder {
public:
  KernelBuilder(ImplicitLocOpBuilder &b, RowwiseOp op,
                const RowProgram &program, const RowSchedule &schedule,
                Twin twin)
      : b(b), math(b), op(op), program(program), schedule(schedule),
        twin(twin) {}

  void build(gpu::GPUFuncOp kernel);

private:
  void readSizes();
  void computeBlock(Value block);
  RowPosition createRow(Value row);
  IRMapping loadUniforms(RowPosition &row);
  void lookUpRow(RowPosition &row, const IRMapping &uniforms);
  void computeCached(const RowPosition &row, IRMapping uniforms, Value start);
  void computeStreaming(const RowPosition &row, IRMapping uniforms);
  void computeUniforms(unsigned pass, IRMapping &uniforms);
  SmallVector<Value> createPartials(unsigned pass);
  void finishReductions(unsigned pass, ArrayRef<Value> partials,
                        IRMapping &uniforms);
  void writeUniforms(const RowPosition &row, const IRMapping &uniforms,
                     Value start);
  RowTile createTile(const RowPosition &row, Value start,
                     ArrayRef<unsigned> inputs) {
    return RowTile({b, op, program, schedule, twin, views, columns, row}, start,
                   inputs);
  }
  void forEachTile(const RowPosition &row, ValueRange inits,
                   function_ref<SmallVector<Value>(Value, ValueRange)> body,
                   SmallVectorImpl<Value> &results);
  LaneReduction createLanes() {
    return LaneReduction(b, schedule.lanes, getLanesOfWarp(op, schedule),
                         threadId);
  }
  bool hasReductions() const { return program.getNumReducingPasses() != 0; }

  ImplicitLocOpBuilder &b;
  IndexMath math;
  RowwiseOp op;
  const RowProgram &program;
  const RowSchedule &schedule;
  Twin twin;

  SmallVector<MatrixView> views; ///< Of each operand.
  TiledDim rows, columns;
  Value threadId;
  DenseMap<Operation *, Value> shared; ///< For the partials of each reduction.
};

} // namespace

void KernelBuilder::readSizes() {
  auto problem = cast<ProblemOpInterface>(op.getOperation());
  SmallVector<Value> sizes = createSizes(b, problem, views);
  ArrayRef<Value> all(sizes);
  unsigned numRows = op.getNumRowDims();
  rows = TiledDim(b, llvm::to_vector(op.getRowDims()), all.take_front(numRows));
  columns =
      TiledDim(b, llvm::to_vector(op.getColumnDims()), all.drop_front(numRows));
}

/// Where row number `row`, which may be past the end, is in each operand.
RowPosition KernelBuilder::createRow(Value row) {
  RowPosition position;
  position.isWritten = math.less(row, rows.getExtent());
  position.lane = createLanes().getLane();
  position.size = columns.getExtent();
  Value last = math.sub(rows.getExtent(), math.constant(1));
  ProblemIndices indices = rows.getIndices(b, math.min(row, last));
  for (const MatrixView &view : views)
    position.bases.push_back(view.getOffset(b, indices));
  return position;
}

/// What is known of a row before any reduction: indices, then what they look
/// up.
IRMapping KernelBuilder::loadUniforms(RowPosition &row) {
  IRMapping uniforms;
  auto load = [&](bool looksUp) {
    for (BlockArgument argument : op.getBody().getArguments()) {
      unsigned input = argument.getArgNumber();
      bool isUsed = !argument.use_empty() || op.isIndex(input);
      if (!program.isUniform(argument) || !isUsed ||
          op.getLookups(input).empty() == looksUp)
        continue;
      auto loadElement = [&] {
        return SmallVector<Value>{
            memref::LoadOp::create(b, views[input].flat, row.bases[input])};
      };
      uniforms.map(argument, createLookup(b, views[input], argument.getType(),
                                          loadElement)
                                 .front());
    }
  };
  load(/*looksUp=*/false);
  lookUpRow(row, uniforms);
  load(/*looksUp=*/true);
  return uniforms;
}

/// Moves the row of each input to what is looked up for all of its columns.
void KernelBuilder::lookUpRow(RowPosition &row, const IRMapping &uniforms) {
  for (unsigned input : llvm::seq<unsigned>(0, op.getInputs().size()))
    for (Lookup lookup : op.getLookups(input)) {
      BlockArgument index = op.getBody().getArgument(lookup.index);
      if (program.isUniform(index))
        row.bases[input] = math.add(row.bases[input],
                                    views[input].getLookupOffset(
                                        b, lookup.dim, uniforms.lookup(index)));
    }
}

void KernelBuilder::computeUniforms(unsigned pass, IRMapping &uniforms) {
  for (Operation *nested : program.getUniformOps(pass))
    b.clone(*nested, uniforms);
}

SmallVector<Value> KernelBuilder::createPartials(unsigned pass) {
  SmallVector<Value> partials;
  for (ReduceRowOp reduction : program.getReductions(pass))
    partials.push_back(arith::ConstantOp::create(
        b, getNeutralElement(reduction.getKind(), reduction.getType())));
  return partials;
}

void KernelBuilder::finishReductions(unsigned pass, ArrayRef<Value> partials,
                                     IRMapping &uniforms) {
  LaneReduction lanes = createLanes();
  for (auto [index, partial] : llvm::enumerate(partials)) {
    ReduceRowOp reduction = program.getReductions(pass)[index];
    uniforms.map(
        reduction.getResult(),
        lanes.reduce(reduction.getKind(), partial, shared.lookup(reduction)));
  }
}

/// Lane 0 writes the outputs that do not vary with the column, where the tile
/// of the block is the first one of its row.
void KernelBuilder::writeUniforms(const RowPosition &row,
                                  const IRMapping &uniforms, Value start) {
  SmallVector<std::pair<unsigned, Value>> written;
  for (auto [index, value] : llvm::enumerate(op.getYield().getValues()))
    if (unsigned operand = op.getInputs().size() + index;
        !op.variesWithColumn(operand))
      written.emplace_back(operand, value);
  if (written.empty())
    return;
  Value isFirst = math.both(math.equal(row.lane, 0), math.equal(start, 0));
  Value isWriter = math.both(row.isWritten, isFirst);
  scf::IfOp::create(b, isWriter, [&](OpBuilder &, Location) {
    for (auto [operand, value] : written)
      memref::StoreOp::create(b, uniforms.lookup(value), views[operand].flat,
                              row.bases[operand]);
    scf::YieldOp::create(b);
  });
}

void KernelBuilder::computeCached(const RowPosition &row, IRMapping uniforms,
                                  Value start) {
  llvm::SetVector<unsigned> inputs;
  unsigned last = program.getNumReducingPasses();
  for (unsigned pass : llvm::seq(last + 1))
    inputs.insert_range(program.getElementInputs(pass));
  RowTile tile = createTile(row, start, inputs.getArrayRef());
  for (unsigned pass : llvm::seq(last)) {
    computeUniforms(pass, uniforms);
    SmallVector<Value> partials = createPartials(pass);
    tile.reduce(pass, uniforms, partials, /*keep=*/true);
    finishReductions(pass, partials, uniforms);
  }
  computeUniforms(last, uniforms);
  tile.write(uniforms);
  writeUniforms(row, uniforms, start);
}

/// for start = 0 .. columns step capacity: results = body(start, results)
void KernelBuilder::forEachTile(
    const RowPosition &row, ValueRange inits,
    function_ref<SmallVector<Value>(Value, ValueRange)> body,
    SmallVectorImpl<Value> &results) {
  auto loop = scf::ForOp::create(
      b, math.constant(0), row.size, math.constant(schedule.capacity()), inits,
      [&](OpBuilder &, Location, Value start, ValueRange carried) {
        scf::YieldOp::create(b, body(start, carried));
      });
  results.assign(loop.result_begin(), loop.result_end());
}

void KernelBuilder::computeStreaming(const RowPosition &row,
                                     IRMapping uniforms) {
  unsigned last = program.getNumReducingPasses();
  SmallVector<Value> partials, nothing;
  for (unsigned pass : llvm::seq(last)) {
    computeUniforms(pass, uniforms);
    forEachTile(
        row, createPartials(pass),
        [&](Value start, ValueRange carried) {
          SmallVector<Value> sums(carried);
          createTile(row, start, program.getElementInputs(pass))
              .reduce(pass, uniforms, sums, /*keep=*/false);
          return sums;
        },
        partials);
    finishReductions(pass, partials, uniforms);
  }
  computeUniforms(last, uniforms);
  bool writesElements =
      llvm::any_of(llvm::seq(op.getOutputs().size()), [&](size_t index) {
        return op.variesWithColumn(op.getInputs().size() + index);
      });
  if (writesElements)
    forEachTile(
        row, {},
        [&](Value start, ValueRange) {
          createTile(row, start, program.getElementInputs(last))
              .write(uniforms);
          return SmallVector<Value>();
        },
        nothing);
  writeUniforms(row, uniforms, math.constant(0));
}

void KernelBuilder::computeBlock(Value block) {
  Value start = math.constant(0), rowBlock = block;
  if (!hasReductions()) {
    Value tiles =
        math.max(math.ceilDiv(columns.getExtent(), schedule.capacity()), 1);
    start = math.mul(b.createOrFold<arith::RemUIOp>(block, tiles),
                     schedule.capacity());
    rowBlock = b.createOrFold<arith::DivUIOp>(block, tiles);
  }
  RowPosition row = createRow(
      math.add(math.mul(rowBlock, schedule.rows()), createLanes().getRow()));
  IRMapping uniforms = loadUniforms(row);
  Value isCached = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::sle, row.size, math.constant(schedule.capacity()));
  if (!hasReductions() || matchPattern(isCached, m_One())) {
    computeCached(row, uniforms, start);
  } else if (matchPattern(isCached, m_Zero())) {
    computeStreaming(row, uniforms);
  } else {
    scf::IfOp::create(
        b, isCached,
        [&](OpBuilder &, Location) {
          computeCached(row, uniforms, start);
          scf::YieldOp::create(b);
        },
        [&](OpBuilder &, Location) {
          computeStreaming(row, uniforms);
          scf::YieldOp::create(b);
        });
  }
  // The next rows reuse the shared memory.
  if (!shared.empty())
    gpu::BarrierOp::create(b);
}

void KernelBuilder::build(gpu::GPUFuncOp kernel) {
  for (auto [index, map] : llvm::enumerate(op.getOperandMaps()))
    views.push_back(createMatrixView(b, kernel.getArgument(index), map));
  unsigned slot = 0;
  op.getBody().walk([&](ReduceRowOp reduction) {
    if (slot < kernel.getNumWorkgroupAttributions())
      shared[reduction] = kernel.getWorkgroupAttributions()[slot++];
  });
  readSizes();
  threadId = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value blocks = math.ceilDiv(rows.getExtent(), schedule.rows());
  if (!hasReductions())
    blocks = math.mul(
        blocks,
        math.max(math.ceilDiv(columns.getExtent(), schedule.capacity()), 1));
  Value first = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value step = gpu::GridDimOp::create(b, gpu::Dimension::x);
  scf::ForOp::create(b, first, blocks, step, ValueRange(),
                     [&](OpBuilder &, Location, Value block, ValueRange) {
                       computeBlock(block);
                       scf::YieldOp::create(b);
                     });
  gpu::ReturnOp::create(b);
}

/// For each reduction an element for each row and warp that it is in, where
/// rows have several warps.
static SmallVector<Type> getSharedTypes(RowwiseOp op, const RowProgram &program,
                                        const RowSchedule &schedule) {
  SmallVector<Type> types;
  int64_t lanes = getLanesOfWarp(op, schedule);
  if (lanes == schedule.lanes)
    return types;
  auto space =
      gpu::AddressSpaceAttr::get(op.getContext(), gpu::AddressSpace::Workgroup);
  op.getBody().walk([&](ReduceRowOp reduction) {
    types.push_back(MemRefType::get({schedule.threads / lanes},
                                    reduction.getType(),
                                    MemRefLayoutAttrInterface(), space));
  });
  return types;
}

gpu::GPUFuncOp mlir::dietcode::buildRowwiseKernel(OpBuilder &builder,
                                                  RowwiseOp op, StringRef name,
                                                  const RowProgram &program,
                                                  const RowSchedule &schedule,
                                                  Twin twin) {
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  auto type = b.getFunctionType(op->getOperandTypes(), {});
  auto kernel = gpu::GPUFuncOp::create(b, name, type,
                                       getSharedTypes(op, program, schedule));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(schedule.threads), 1, 1}));
  // One resident block is enough: without this, ptxas spills to fit two.
  kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  b.getI32IntegerAttr(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  KernelBuilder(b, op, program, schedule, twin).build(kernel);
  return kernel;
}
