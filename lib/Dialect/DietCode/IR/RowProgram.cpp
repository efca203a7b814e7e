//===- RowProgram.cpp - What a rowwise operator does in which pass --------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/RowProgram.h"

using namespace mlir;
using namespace mlir::dietcode;

RowProgram::RowProgram(RowwiseOp op) : op(op), uniform(op.getUniformValues()) {
  sortIntoPasses();
  for (auto [index, value] : llvm::enumerate(op.getYield().getValues()))
    if (op.variesWithColumn(op.getInputs().size() + index))
      passes.back().roots.insert(value);
  for (Pass &pass : passes) {
    for (Value root : pass.roots)
      addToSlice(pass, root);
    for (Value value : pass.slice)
      if (auto argument = dyn_cast<BlockArgument>(value))
        pass.inputs.push_back(argument.getArgNumber());
  }
  DenseSet<Value> computed;
  for (unsigned pass : llvm::seq(getNumReducingPasses()))
    for (Value value : getNeededAfter(pass))
      if (!isa<BlockArgument>(value) && computed.insert(value).second)
        passes[pass].kept.push_back(value);
}

/// Counts, for each value, the reductions that it depends on one after the
/// other.
void RowProgram::sortIntoPasses() {
  DenseMap<Value, unsigned> level;
  auto getPass = [&](unsigned index) -> Pass & {
    if (index >= passes.size())
      passes.resize(index + 1);
    return passes[index];
  };
  getPass(0);
  for (Operation &nested : op.getBody().front().without_terminator()) {
    unsigned highest = 0;
    for (Value operand : nested.getOperands())
      highest = std::max(highest, level.lookup(operand));
    auto reduction = dyn_cast<ReduceRowOp>(nested);
    if (reduction) {
      getPass(highest).reductions.push_back(reduction);
      getPass(highest).roots.insert(reduction.getValue());
      ++highest;
    } else if (llvm::all_of(nested.getResults(),
                            [&](Value value) { return isUniform(value); })) {
      getPass(highest).uniformOps.push_back(&nested);
    }
    for (Value result : nested.getResults())
      level[result] = highest;
    getPass(highest);
  }
}

void RowProgram::addToSlice(Pass &pass, Value value) {
  if (isUniform(value) || pass.slice.contains(value))
    return;
  if (auto argument = dyn_cast<BlockArgument>(value))
    for (Lookup lookup : op.getLookups(argument.getArgNumber()))
      addToSlice(pass, op.getBody().getArgument(lookup.index));
  if (Operation *definition = value.getDefiningOp())
    for (Value operand : definition->getOperands())
      addToSlice(pass, operand);
  pass.slice.insert(value);
}

/// Values of an element that are known after `pass` and that later passes start
/// from.
llvm::SetVector<Value> RowProgram::getNeededAfter(unsigned pass) const {
  DenseSet<Value> known;
  for (BlockArgument argument : op.getBody().getArguments())
    known.insert(argument);
  for (const Pass &done : ArrayRef(passes).take_front(pass + 1))
    known.insert(done.slice.begin(), done.slice.end());
  llvm::SetVector<Value> needed;
  auto need = [&](Value value) {
    if (known.contains(value) && !isUniform(value))
      needed.insert(value);
  };
  for (const Pass &later : ArrayRef(passes).drop_front(pass + 1)) {
    for (Value root : later.roots)
      need(root);
    for (Value value : later.slice)
      if (!known.contains(value))
        for (Value operand : value.getDefiningOp()->getOperands())
          need(operand);
  }
  return needed;
}

unsigned RowProgram::getNumReductions() const {
  unsigned count = 0;
  for (const Pass &pass : passes)
    count += pass.reductions.size();
  return count;
}

static unsigned getRegisters(Value value) {
  Type type = value.getType();
  return type.isIndex() || type.getIntOrFloatBitWidth() > 32 ? 2 : 1;
}

unsigned RowProgram::getColumnRegisters() const {
  unsigned most = 0;
  for (BlockArgument argument : op.getBody().getArguments())
    most += isUniform(argument) ? 0 : getRegisters(argument);
  for (unsigned pass : llvm::seq(getNumReducingPasses())) {
    unsigned registers = 0;
    for (Value value : getNeededAfter(pass))
      registers += getRegisters(value);
    most = std::max(most, registers);
  }
  return std::max(most, 1u);
}
