//===- RaiseContraction.cpp - Raise products of two matrices --------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::dietcode;
using namespace mlir::dietcode::linalg_raising;

namespace {
/// C[m, n] += A[m, k] * B[k, n], each read through its map from (m, n, k).
struct Product {
  MappedValue lhs, rhs, out;
};

/// Where a product goes, and whether what is there is added to it.
struct Destination {
  /// Null if the destination is an all-zero constant, which needs a new tensor.
  Value out;
  bool accumulate;
  /// The fill of a buffer that the product makes superfluous.
  Operation *overwrittenFill = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

/// What a factor is, in the type of the sum, which it may be extended to.
/// Integers are signed.
static Value lookThroughExtension(Value factor) {
  Operation *op = factor.getDefiningOp();
  return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(op) ? op->getOperand(0)
                                                            : factor;
}

/// Whether the body is `yield(acc + a * b)` without casts but of the factors to
/// the type of the sum, with the operands of the two operations in any order.
static bool isMultiplyAdd(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  if (body->getNumArguments() != 3)
    return false;
  Value lhs = body->getArgument(0), rhs = body->getArgument(1);
  Value acc = body->getArgument(2);
  Operation *add = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return false;
  Value term = add->getOperand(0) == acc   ? add->getOperand(1)
               : add->getOperand(1) == acc ? add->getOperand(0)
                                           : Value();
  Operation *mul = term ? term.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(mul))
    return false;
  Value x = lookThroughExtension(mul->getOperand(0));
  Value y = lookThroughExtension(mul->getOperand(1));
  return (x == lhs && y == rhs) || (x == rhs && y == lhs);
}

/// A transposition or copy of a factor is left to the reading of it. A factor
/// that is a broadcast vector has to stay a matrix.
static MappedValue simplifyFactor(MappedValue factor) {
  MappedValue source = lookThroughCopies(factor);
  return source.map.getNumResults() == 2 && isPlainShaped(source.value)
             ? source
             : factor;
}

/// The operands of an operation with the loops `dims`, in terms of (m, n, k).
///
///   A: (i, j, l) -> (i, l), B: (i, j, l) -> (l, j), C: (i, j, l) -> (j, i)
///
/// writes its result transposed. C^T = B^T A^T, so the two factors swap roles:
///
///   lhs = B: (m, n, k) -> (k, m), rhs = A: (m, n, k) -> (n, k),
///   out = C: (m, n, k) -> (m, n)
static Product makeProduct(linalg::LinalgOp op, unsigned m, unsigned n,
                           unsigned k) {
  OpOperand *lhs = op.getDpsInputOperand(0), *rhs = op.getDpsInputOperand(1);
  OpOperand *out = op.getDpsInitOperand(0);
  if (op.getMatchingIndexingMap(out).getDimPosition(0) == n) {
    std::swap(m, n);
    std::swap(lhs, rhs);
  }
  SmallVector<AffineExpr> problemDims(3);
  bindDims(op.getContext(), problemDims[m], problemDims[n], problemDims[k]);
  auto loops = AffineMap::get(3, 0, problemDims, op.getContext());
  auto read = [&](OpOperand *operand) {
    return MappedValue{operand->get(),
                       op.getMatchingIndexingMap(operand).compose(loops)};
  };
  return {simplifyFactor(read(lhs)), simplifyFactor(read(rhs)), read(out)};
}

/// Both factors must be of one type, and what is narrower than 32 bits may be
/// summed up in 32 bits, as the operator does in any case.
static bool hasOneElementType(linalg::LinalgOp op) {
  Type lhs = getElementTypeOrSelf(op->getOperand(0));
  Type rhs = getElementTypeOrSelf(op->getOperand(1));
  Type out = getElementTypeOrSelf(op->getOperand(2));
  return lhs == rhs &&
         (lhs == out || out == MatmulOp::getDefaultSumType(lhs, lhs));
}

/// Why `op`, by its maps, its body and its types, is not the product of two
/// matrices that an operator computes; empty if it is.
static StringRef findObstacle(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return "it is not of two inputs and one output";
  if (op.getNumLoops() != 3 || op.getNumParallelLoops() != 2 ||
      op.getNumReductionLoops() != 1)
    return "it does not have two parallel loops and a reduction";
  for (AffineMap map : op.getIndexingMapsArray())
    if (map.getNumResults() != 2 || !map.isProjectedPermutation())
      return "an indexing map is not of two distinct loops";
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.size() != 1 || dims->n.size() != 1 ||
      dims->k.size() != 1)
    return "its indexing maps are not those of a matrix product";
  if (!llvm::all_of(op->getOperands(), isPlainShaped))
    return "an operand is sparse, or not of floats or integers";
  if (!hasOneElementType(op))
    return "its factors and its sum are not of one element type";
  if (!isMultiplyAdd(op))
    return "its body does not add the product of the inputs, at most extended";
  return "";
}

/// The product that an operation without obstacle is.
static Product makeProduct(linalg::LinalgOp op) {
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return makeProduct(op, dims->m[0], dims->n[0], dims->k[0]);
}

StringRef linalg_raising::explainNotRaised(linalg::LinalgOp op) {
  bool tensors = op.hasPureTensorSemantics();
  if (!tensors && !op.hasPureBufferSemantics())
    return "it mixes tensors and buffers";
  if (StringRef obstacle = findObstacle(op); !obstacle.empty())
    return obstacle;
  auto [lhs, rhs, out] = makeProduct(op);
  if (!tensors && (out.value == lhs.value || out.value == rhs.value))
    return "it multiplies its destination";
  if (!haveConsistentStaticSizes({lhs, rhs, out}))
    return "its static sizes disagree";
  return "";
}

//===----------------------------------------------------------------------===//
// Where it goes
//===----------------------------------------------------------------------===//

/// Only +0.0 is the zero that an empty sum has: added to a sum of -0.0 it gives
/// +0.0, where an initial -0.0 would keep the sign.
static bool isZero(Value value) {
  return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

/// The one operand that `op` fills with zero, or null.
static Value getZeroFilled(Operation *op) {
  std::optional<Value> value;
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(op))
    value = fill.value();
  else if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op))
    value = linalg::isaFillOpInterface(generic);
  if (!value || !isZero(*value))
    return nullptr;
  return cast<DestinationStyleOpInterface>(op).getDpsInits()[0];
}

///   %c = linalg.fill ins(%zero) outs(%init); matmul outs(%c)
///     -->  matmul outs(%init)
///   matmul outs(dense<0.0>)  -->  matmul outs(tensor.empty)
static Destination findTensorDestination(Value out) {
  if (Value filled = getZeroFilled(out.getDefiningOp()))
    return {filled, /*accumulate=*/false};
  if (isZero(out))
    return {Value(), /*accumulate=*/false};
  return {out, /*accumulate=*/true};
}

///   linalg.fill ins(%zero) outs(%c); ...; matmul accumulate outs(%c)
///     -->  ...; matmul outs(%c)
///
/// where nothing in between can see what is in %c.
static Destination findBufferDestination(linalg::LinalgOp op, Value out) {
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    if (getZeroFilled(before) == out)
      return {out, /*accumulate=*/false, before};
    if (!leavesBufferAlone(before, out))
      break;
  }
  return {out, /*accumulate=*/true};
}

//===----------------------------------------------------------------------===//
// Pattern
//===----------------------------------------------------------------------===//

namespace {

///   linalg.<contraction> ins(%a, %b) outs(%c)
///     -->  dietcode.matmul [transpose_a] [transpose_b] [accumulate]
///              ins(%a, %b) outs(%c)
struct RaiseContraction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (StringRef why = explainNotRaised(op); !why.empty())
      return rewriter.notifyMatchFailure(op, why);
    auto [lhs, rhs, out] = makeProduct(op);
    Destination destination = op.hasPureTensorSemantics()
                                  ? findTensorDestination(out.value)
                                  : findBufferDestination(op, out.value);
    if (!destination.out)
      destination.out = tensor::EmptyOp::create(
          rewriter, op.getLoc(),
          cast<ShapedType>(out.value.getType()).getShape(),
          getElementTypeOrSelf(out.value));
    if (destination.overwrittenFill)
      rewriter.eraseOp(destination.overwrittenFill);
    rewriter.replaceOpWithNewOp<MatmulOp>(
        op, op->getResultTypes(), lhs.value, rhs.value, destination.out,
        /*epilogue_operands=*/ValueRange(),
        /*transpose_a=*/lhs.map.getDimPosition(0) == MatmulOp::K,
        /*transpose_b=*/rhs.map.getDimPosition(0) == MatmulOp::N,
        destination.accumulate, rewriter.getAffineMapArrayAttr({}),
        /*dispatch=*/FlatSymbolRefAttr(), /*sum_type=*/TypeAttr());
    return success();
  }
};

} // namespace

void linalg_raising::populateRaiseContractionPatterns(
    RewritePatternSet &patterns) {
  patterns.add<RaiseContraction>(patterns.getContext());
}
