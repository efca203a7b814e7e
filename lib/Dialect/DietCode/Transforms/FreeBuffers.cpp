//===- FreeBuffers.cpp - Free what bufferization allocates ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FreeBuffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace mlir::dietcode;

namespace {

/// A buffer that each iteration of a loop allocates for the next one:
///
///   %result = scf.for %i = %lower to %upper iter_args(%carried = %init) {
///     %alloc = memref.alloc()
///     scf.yield %alloc
///   }
struct CarriedBuffer {
  scf::ForOp loop;
  BlockArgument carried;
  OpResult result;
};

/// Frees the buffers of a module where they are not used any more.
class BufferFreer {
public:
  explicit BufferFreer(ModuleOp module) : aliases(module) {}

  void free(ArrayRef<memref::AllocOp> allocs);

private:
  using Values = BufferViewFlowAnalysis::ValueSetT;

  void findCarried(memref::AllocOp alloc);
  void freeCarried(const CarriedBuffer &buffer);
  void freeAtEndOfBlock(memref::AllocOp alloc);
  Values resolveWithout(Value value, Value excluded);

  BufferViewFlowAnalysis aliases;
  SmallVector<CarriedBuffer> carriedBuffers;
};

} // namespace

/// Whether a callee may give `value` back as another one.
static bool isPassedThroughCall(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<CallOpInterface>(user) &&
           llvm::any_of(user->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
  });
}

/// Whether `value` may be used after `block` has ended.
static bool escapes(Value value, Block *block) {
  if (!block->findAncestorOpInBlock(*value.getParentBlock()->getParentOp()) &&
      value.getParentBlock() != block)
    return true;
  if (isPassedThroughCall(value))
    return true;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return user == block->getTerminator() ||
           !block->findAncestorOpInBlock(*user);
  });
}

template <typename Range>
static bool anyEscapes(const Range &values, Block *block) {
  return llvm::any_of(values,
                      [&](Value value) { return escapes(value, block); });
}

/// Frees `buffer` at the end of `block`, if there was an iteration of `loop`.
static void freeIfRan(Value buffer, Block *block, scf::ForOp loop) {
  OpBuilder builder(block->getTerminator());
  Location loc = buffer.getLoc();
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                         : arith::CmpIPredicate::slt;
  Value ran = arith::CmpIOp::create(builder, loc, predicate,
                                    loop.getLowerBound(), loop.getUpperBound());
  scf::IfOp::create(builder, loc, ran, [&](OpBuilder &b, Location loc) {
    memref::DeallocOp::create(b, loc, buffer);
    scf::YieldOp::create(b, loc);
  });
}

/// Takes note of `alloc` if it is carried to the next iteration and nowhere
/// else: what the loop yields besides is none of the carried buffers.
void BufferFreer::findCarried(memref::AllocOp alloc) {
  auto loop = dyn_cast<scf::ForOp>(alloc->getParentOp());
  if (!loop)
    return;
  Values values = aliases.resolve(alloc);
  std::optional<unsigned> position;
  for (auto [index, yielded] : llvm::enumerate(loop.getYieldedValues())) {
    if (!values.contains(yielded))
      continue;
    if (position || yielded != alloc.getResult())
      return;
    position = index;
  }
  if (!position || llvm::any_of(values, isPassedThroughCall))
    return;
  // The last use of a carried buffer must be in the iteration that gets it.
  BlockArgument carried = loop.getRegionIterArg(*position);
  OpResult result = loop->getResult(*position);
  if (anyEscapes(resolveWithout(carried, result), loop.getBody()))
    return;
  carriedBuffers.push_back({loop, carried, result});
}

/// The first iteration gets the buffer that the loop starts with, which is not
/// the loop's to free; the result is that one if there is no iteration.
void BufferFreer::freeCarried(const CarriedBuffer &buffer) {
  scf::ForOp loop = buffer.loop;
  OpBuilder builder(loop.getBody()->getTerminator());
  Location loc = loop.getLoc();
  Value isLater =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                            loop.getInductionVar(), loop.getLowerBound());
  scf::IfOp::create(builder, loc, isLater, [&](OpBuilder &b, Location loc) {
    memref::DeallocOp::create(b, loc, buffer.carried);
    scf::YieldOp::create(b, loc);
  });
  if (!anyEscapes(aliases.resolve(buffer.result), loop->getBlock()))
    freeIfRan(buffer.result, loop->getBlock(), loop);
}

/// The aliases of `value` that are not only so by way of `excluded`.
BufferFreer::Values BufferFreer::resolveWithout(Value value, Value excluded) {
  Values reached;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (next == excluded || !reached.insert(next).second)
      continue;
    if (auto it = aliases.find(next); it != aliases.end())
      llvm::append_range(worklist, it->second);
  }
  return reached;
}

/// Frees what `alloc` allocates at the end of its block, unless it outlives it.
/// Where it only does so as the result of a loop, that was another buffer if
/// there was an iteration.
void BufferFreer::freeAtEndOfBlock(memref::AllocOp alloc) {
  Block *block = alloc->getBlock();
  if (!anyEscapes(aliases.resolve(alloc), block)) {
    OpBuilder builder(block->getTerminator());
    memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
    return;
  }
  for (const CarriedBuffer &buffer : carriedBuffers)
    if (buffer.loop->getBlock() == block &&
        !anyEscapes(resolveWithout(alloc, buffer.result), block))
      return freeIfRan(alloc, block, buffer.loop);
}

void BufferFreer::free(ArrayRef<memref::AllocOp> allocs) {
  for (memref::AllocOp alloc : allocs)
    findCarried(alloc);
  for (memref::AllocOp alloc : allocs)
    freeAtEndOfBlock(alloc);
  for (const CarriedBuffer &buffer : carriedBuffers)
    freeCarried(buffer);
}

void mlir::dietcode::freeBuffers(ModuleOp module,
                                 ArrayRef<memref::AllocOp> copies) {
  SmallVector<memref::AllocOp> allocs;
  bool isManual = false;
  module.walk([&](Operation *op) {
    isManual |= isa<memref::DeallocOp>(op);
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      allocs.push_back(alloc);
  });
  if (isManual)
    allocs.assign(copies.begin(), copies.end());
  if (!allocs.empty())
    BufferFreer(module).free(allocs);
}

void mlir::dietcode::createDeviceFree(ImplicitLocOpBuilder &b, Value buffer) {
  Type token = b.getType<gpu::AsyncTokenType>();
  Value start = gpu::WaitOp::create(b, token, ValueRange()).getAsyncToken();
  Value end = gpu::DeallocOp::create(b, token, start, buffer).getAsyncToken();
  gpu::WaitOp::create(b, Type(), end);
}
