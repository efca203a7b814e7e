//===- RowwisePlan.h - What of a linalg operation is rowwise ----*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_CONVERSION_LINALGTODIETCODE_ROWWISEPLAN_H
#define DIETCODE_LIB_CONVERSION_LINALGTODIETCODE_ROWWISEPLAN_H

#include "Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::dietcode::linalg_raising {

/// The operator that computes what a linalg operation does. Maps are from the
/// loops of that operation to all dimensions of the value, those of size one
/// included, which are indexed by 0. Symbol i is the element of input i.
struct RowwisePlan {
  linalg::LinalgOp source;
  /// Operations of the body that compute what is yielded from elements.
  llvm::SmallPtrSet<Operation *, 16> computation;
  /// Operations of the body that read an element of a tensor from outside.
  SmallVector<tensor::ExtractOp> lookups;
  /// The loops as dimensions of the operator: rows, then columns.
  SmallVector<unsigned> loops;
  unsigned columns = 1; ///< How many of them are columns.
  SmallVector<MappedValue> inputs;
  SmallVector<MappedValue> outputs;
  /// Values of the body, and of the code around it, that are the element of an
  /// input,
  SmallVector<std::pair<Value, unsigned>> elements;
  /// and that are the same constant everywhere.
  SmallVector<std::pair<Value, TypedAttr>> constants;
  /// For each output of a reduction: how rows are combined, by which operation
  /// of the body, and whether the initial value of the output is combined with
  /// the result.
  struct Reduction {
    RowReduction kind;
    Operation *combiner;
    bool combinesInit;
  };
  SmallVector<Reduction> reductions;
  /// The part of an input that is read, where that is not all of it: for each
  /// dimension where it starts, and whether it is as long as its loop, or one
  /// if it has none. Other dimensions are whole.
  struct Slice {
    unsigned input;
    SmallVector<int64_t> offsets;
    llvm::SmallBitVector isCut;
  };
  SmallVector<Slice> slices;
};

/// The indexing maps of the operands, with 0 for loops of a single iteration.
SmallVector<AffineMap> simplifyMaps(linalg::LinalgOp op);

/// Whether all loops of `map` are distinct, and its other results 0 where
/// `operand` has one element.
bool isProjection(AffineMap map, Value operand);

/// Sorts the operations of the body into those that compute, those that look
/// up, and others, which do nothing that the operator has to do: assertions
/// about indices, whose place is taken by their being kept within the table.
/// Returns what stands against it; empty if nothing.
StringRef planBody(RowwisePlan &plan);

/// Binds the results of the lookups in the body to inputs, once the operands
/// are bound; `maps` are those of the operands. Fails with a reason given to
/// `rewriter`.
LogicalResult bindLookups(RowwisePlan &plan, ArrayRef<AffineMap> maps,
                          PatternRewriter &rewriter);

/// Plans the raising of `op`; fails with a reason given to `rewriter`.
FailureOr<RowwisePlan> planRowwise(linalg::LinalgOp op,
                                   PatternRewriter &rewriter);

/// Whether that would succeed.
bool canBeRowwise(linalg::LinalgOp op);

/// Why it would not, as what the operation does; empty if it would.
std::string explainNotRowwise(linalg::LinalgOp op);

/// The extent of a loop of `op`.
OpFoldResult createLoopExtent(OpBuilder &builder, linalg::LinalgOp op,
                              unsigned loop);

/// Reductions of all dimensions, to a single row, in two steps.
void populateSplitReductionPatterns(RewritePatternSet &patterns);

/// Whether `op` fills what other operations start from and nothing else, which
/// is theirs to drop.
bool isOnlyAnInit(linalg::LinalgOp op);

} // namespace mlir::dietcode::linalg_raising

#endif // DIETCODE_LIB_CONVERSION_LINALGTODIETCODE_ROWWISEPLAN_H
