//===- RowProgram.h - What a rowwise operator does in which pass --*- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rowwise operator as passes over a row. Pass p computes the reductions of
// what depends on p reductions, one after the other; the last pass writes:
//
//   pass 0:  max = reduce_row maximumf x
//   pass 1:  e = exp(x - max);  sum = reduce_row add e
//   pass 2:  write e / sum
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DIALECT_DIETCODE_IR_ROWPROGRAM_H
#define DIETCODE_DIALECT_DIETCODE_IR_ROWPROGRAM_H

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::dietcode {

class RowProgram {
public:
  explicit RowProgram(RowwiseOp op);

  /// Passes that reduce; the one that writes is the next one.
  unsigned getNumReducingPasses() const { return passes.size() - 1; }
  unsigned getNumReductions() const;
  ArrayRef<ReduceRowOp> getReductions(unsigned pass) const {
    return passes[pass].reductions;
  }
  /// The inputs of which a pass uses the elements, indices before what they
  /// look up.
  ArrayRef<unsigned> getElementInputs(unsigned pass) const {
    return passes[pass].inputs;
  }
  /// What is computed of an element in one pass and used in a later one.
  ArrayRef<Value> getKeptValues(unsigned pass) const {
    return passes[pass].kept;
  }
  /// Operations on what is uniform in a row, once `pass` reductions are known.
  ArrayRef<Operation *> getUniformOps(unsigned pass) const {
    return passes[pass].uniformOps;
  }
  bool isUniform(Value value) const { return uniform.contains(value); }
  /// 32-bit registers that a column needs at most, between passes.
  unsigned getColumnRegisters() const;

private:
  /// Of the elements of one row.
  struct Pass {
    SmallVector<ReduceRowOp> reductions;
    SmallVector<Operation *> uniformOps;
    llvm::SetVector<Value> roots; ///< What is asked for.
    llvm::SetVector<Value> slice; ///< What it is computed from, roots included.
    SmallVector<unsigned> inputs;
    SmallVector<Value> kept;
  };

  void sortIntoPasses();
  void addToSlice(Pass &pass, Value value);
  llvm::SetVector<Value> getNeededAfter(unsigned pass) const;

  mutable RowwiseOp op; ///< Its accessors are not const.
  DenseSet<Value> uniform;
  std::vector<Pass> passes;
};

} // namespace mlir::dietcode

#endif // DIETCODE_DIALECT_DIETCODE_IR_ROWPROGRAM_H
