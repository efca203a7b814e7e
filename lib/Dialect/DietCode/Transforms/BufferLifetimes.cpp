//===- BufferLifetimes.cpp - From when to when buffers are used -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferLifetimes.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::dietcode;

namespace {

/// Numbers the operations of a function in the order of its text.
class TextOrder {
public:
  explicit TextOrder(Operation *root) { number(root); }

  unsigned first(Operation *op) const { return numbers.lookup(op).first; }
  /// The number of the last operation in `op`.
  unsigned last(Operation *op) const { return numbers.lookup(op).second; }

private:
  void number(Operation *op) {
    unsigned start = next++;
    for (Region &region : op->getRegions())
      for (Operation &nested : region.getOps())
        number(&nested);
    numbers[op] = {start, next - 1};
  }

  DenseMap<Operation *, std::pair<unsigned, unsigned>> numbers;
  unsigned next = 0;
};

/// Follows a buffer from its allocation to everything that touches it.
class UseCollector {
public:
  UseCollector(gpu::AllocOp alloc, const BufferViewFlowAnalysis &views)
      : alloc(alloc), views(views) {}

  /// False if the buffer is, or may be, used in ways that are not known.
  bool collect();
  gpu::DeallocOp getDealloc() const { return dealloc; }
  /// In the block of the allocation.
  const SetVector<Operation *> &getUses() const { return uses; }

private:
  bool visitView(OpOperand &use);
  bool visitAddress(Value address);
  bool addUse(Operation *user);
  bool followResults(Operation *user);

  gpu::AllocOp alloc;
  const BufferViewFlowAnalysis &views;
  gpu::DeallocOp dealloc;
  SetVector<Operation *> uses;
  SetVector<Value> tokens; ///< Of work on the buffer that may not be done yet.
};

} // namespace

/// Integers that an address was turned into are only compared, as for its
/// alignment.
bool UseCollector::visitAddress(Value address) {
  SetVector<Value> derived;
  derived.insert(address);
  for (size_t i = 0; i < derived.size(); ++i)
    for (Operation *user : derived[i].getUsers()) {
      if (!isPure(user) || user->hasTrait<OpTrait::IsTerminator>())
        return false;
      for (Value result : user->getResults())
        if (!result.getType().isInteger(1))
          derived.insert(result);
    }
  return true;
}

/// What else than views, which are known, and data may come out of a user: work
/// that goes on, and what is not known.
bool UseCollector::followResults(Operation *user) {
  for (Value result : user->getResults()) {
    Type type = result.getType();
    if (isa<gpu::AsyncTokenType>(type))
      tokens.insert(result);
    else if (!isa<BaseMemRefType, VectorType>(type) &&
             !type.isIntOrIndexOrFloat())
      return false;
  }
  return true;
}

/// Takes note of the operation in the block of the allocation that `user` is or
/// is nested in.
bool UseCollector::addUse(Operation *user) {
  Block *block = alloc->getBlock();
  Operation *outermost = block->findAncestorOpInBlock(*user);
  if (!outermost || outermost == block->getTerminator())
    return false;
  for (Operation *op = user;; op = op->getParentOp()) {
    if (!followResults(op))
      return false;
    if (op == outermost)
      break;
  }
  uses.insert(outermost);
  return true;
}

bool UseCollector::visitView(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto free = dyn_cast<gpu::DeallocOp>(user)) {
    bool isFirst = !dealloc && use.get() == alloc.getMemref() &&
                   free->getBlock() == alloc->getBlock();
    dealloc = free;
    return isFirst;
  }
  if (isa<memref::DimOp>(user))
    return true;
  if (auto extract = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(user))
    return visitAddress(extract.getResult());
  // A view alone touches nothing.
  if (isa<ViewLikeOpInterface>(user) && isPure(user))
    return followResults(user);
  // Memory that holds buffers hides who uses them.
  for (Value operand : user->getOperands())
    if (auto type = dyn_cast<BaseMemRefType>(operand.getType()))
      if (isa<BaseMemRefType>(type.getElementType()))
        return false;
  return addUse(user);
}

bool UseCollector::collect() {
  for (Value view : views.resolve(alloc.getMemref()))
    for (OpOperand &use : view.getUses())
      if (!visitView(use))
        return false;
  if (!dealloc)
    return false;
  for (size_t i = 0; i < tokens.size(); ++i)
    for (Operation *user : tokens[i].getUsers())
      if (!addUse(user))
        return false;
  return true;
}

SmallVector<BufferLifetime>
mlir::dietcode::findBufferLifetimes(func::FuncOp function) {
  BufferViewFlowAnalysis views(function);
  TextOrder order(function);
  SmallVector<BufferLifetime> lifetimes;
  function.walk<WalkOrder::PreOrder>([&](gpu::AllocOp alloc) {
    UseCollector collector(alloc, views);
    if (!collector.collect())
      return;
    BufferLifetime lifetime{alloc, collector.getDealloc()};
    lifetime.first = ~0u;
    for (Operation *use : collector.getUses()) {
      lifetime.isUsed = true;
      lifetime.first = std::min(lifetime.first, order.first(use));
      lifetime.last = std::max(lifetime.last, order.last(use));
    }
    lifetimes.push_back(lifetime);
  });
  return lifetimes;
}
