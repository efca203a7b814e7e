//===- DietCodeToLinalg.cpp - Spell dietcode as linalg --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Conversion/DietCodeToLinalg/DietCodeToLinalg.h"
#include "../ApplyPatterns.h"
#include "ReadOrZero.h"
#include "RowwiseToLinalg.h"
#include "dietcode/Conversion/Passes.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_CONVERTDIETCODETOLINALGPASS
#include "dietcode/Conversion/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Whether the factors' elements have the sum's type, or widen to it exactly.
static bool canWiden(Type from, Type to) {
  return from == to ||
         from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
}

/// `value` in another type; integers are signed.
static Value createCast(OpBuilder &builder, Location loc, Value value,
                        Type type) {
  return convertScalarToDtype(builder, loc, value, type,
                              /*isUnsignedCast=*/false);
}

/// What an operation over `out` results in: a tensor, or nothing on buffers.
static SmallVector<Type> getResultTypes(Value out) {
  SmallVector<Type> types;
  if (isa<RankedTensorType>(out.getType()))
    types.push_back(out.getType());
  return types;
}

/// The value that holds what `op` wrote to `out`.
static Value getWritten(Operation *op, Value out) {
  return op->getNumResults() ? Value(op->getResult(0)) : out;
}

/// linalg.fill ins(0) outs(%out)
static Value createZeroFill(ContractionOpInterface op, Value out,
                            PatternRewriter &rewriter) {
  Type elementType = getElementTypeOrSelf(out);
  Value zero = arith::ConstantOp::create(rewriter, op.getLoc(),
                                         rewriter.getZeroAttr(elementType));
  return getWritten(linalg::FillOp::create(rewriter, op.getLoc(), zero, out),
                    out);
}

/// The body `acc + a * b` in the type of `acc`.
static void buildMultiplyAdd(OpBuilder &builder, Location loc,
                             ValueRange args) {
  Type type = args[2].getType();
  Value lhs = createCast(builder, loc, args[0], type);
  Value rhs = createCast(builder, loc, args[1], type);
  Value result;
  if (isa<FloatType>(type)) {
    Value product = arith::MulFOp::create(builder, loc, lhs, rhs);
    result = arith::AddFOp::create(builder, loc, args[2], product);
  } else {
    Value product = arith::MulIOp::create(builder, loc, lhs, rhs);
    result = arith::AddIOp::create(builder, loc, args[2], product);
  }
  linalg::YieldOp::create(builder, loc, result);
}

static bool hasWindow(AffineMap map) {
  return llvm::any_of(map.getResults(), [](AffineExpr expr) {
    return !matchLinearAccess(expr)->isDim();
  });
}

/// The element of `value` that `map` gives in this iteration, or zero where it
/// is outside; in the body of a linalg.generic.
static Value createPaddedRead(OpBuilder &builder, Location loc, Value value,
                              AffineMap map) {
  SmallVector<Value> loops;
  for (unsigned dim : llvm::seq(map.getNumDims()))
    loops.push_back(linalg::IndexOp::create(builder, loc, dim));
  SmallVector<Value> indices;
  Value inside;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    Value index = affine::expandAffineExpr(builder, loc, expr, loops, {});
    indices.push_back(index);
    if (matchLinearAccess(expr)->isDim())
      continue;
    // A negative index is a large one without a sign.
    Value here = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, index,
        linalg::createOrFoldDimOp(builder, loc, value, dim));
    inside = inside ? arith::AndIOp::create(builder, loc, inside, here) : here;
  }
  return createReadOrZero(builder, loc, inside, value, indices);
}

/// linalg.generic ins(%a, %b) outs(%out) { out[m, n] += a[m, k] * b[k, n] }
///
/// An operand that is padded is not one of the generic's, but read in its body.
static Value createContraction(ContractionOpInterface op, Value out,
                               PatternRewriter &rewriter) {
  SmallVector<AffineMap> maps = op.getOperandMaps();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> readMaps;
  for (unsigned operand :
       {ContractionOpInterface::kLhs, ContractionOpInterface::kRhs}) {
    if (hasWindow(maps[operand]))
      continue;
    inputs.push_back(op->getOperand(operand));
    readMaps.push_back(maps[operand]);
  }
  readMaps.push_back(maps[ContractionOpInterface::kOut]);
  SmallVector<utils::IteratorType> iterators(maps.front().getNumDims(),
                                             utils::IteratorType::parallel);
  for (unsigned dim : op.getGroup(ContractionGroup::K))
    iterators[dim] = utils::IteratorType::reduction;
  auto buildBody = [&](OpBuilder &builder, Location loc, ValueRange args) {
    SmallVector<Value> factors(args.drop_back());
    for (unsigned operand :
         {ContractionOpInterface::kLhs, ContractionOpInterface::kRhs})
      if (hasWindow(maps[operand]))
        factors.insert(factors.begin() + operand,
                       createPaddedRead(builder, loc, op->getOperand(operand),
                                        maps[operand]));
    buildMultiplyAdd(builder, loc, {factors[0], factors[1], args.back()});
  };
  return getWritten(linalg::GenericOp::create(
                        rewriter, op.getLoc(), getResultTypes(out), inputs,
                        ValueRange{out}, readMaps, iterators, buildBody),
                    out);
}

/// linalg.generic ins(%x) outs(%y) { y[m, n] = x[m, n] in y's type }
static Value createConversion(ContractionOpInterface op, Value from, Value to,
                              PatternRewriter &rewriter) {
  unsigned rank = cast<ShapedType>(from.getType()).getRank();
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto buildBody = [&](OpBuilder &builder, Location loc, ValueRange args) {
    linalg::YieldOp::create(
        builder, loc, createCast(builder, loc, args[0], args[1].getType()));
  };
  return getWritten(linalg::GenericOp::create(rewriter, op.getLoc(),
                                              getResultTypes(to), from, to,
                                              maps, iterators, buildBody),
                    to);
}

/// linalg.generic ins(%operands, %sum) outs(%out) { out[m, n] = epilogue(...) }
///
/// Where the sum is what the destination holds, it is updated in place, so that
/// tensors need no second destination.
static Value createEpilogue(ContractionOpInterface op, Value sum, Value out,
                            PatternRewriter &rewriter) {
  unsigned rank = cast<ShapedType>(sum.getType()).getRank();
  SmallVector<Value> inputs(op.getEpilogueOperands());
  SmallVector<AffineMap> maps(
      op.getEpilogueMaps().getAsValueRange<AffineMapAttr>());
  if (sum != out) {
    inputs.push_back(sum);
    maps.push_back(rewriter.getMultiDimIdentityMap(rank));
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  Block &epilogue = op.getEpilogue().front();
  auto buildBody = [&](OpBuilder &builder, Location loc, ValueRange args) {
    IRMapping mapping;
    BlockArgument sumArgument = epilogue.getArgument(0);
    size_t operands = op.getEpilogueOperands().size();
    mapping.map(sumArgument, createCast(builder, loc, args[operands],
                                        sumArgument.getType()));
    mapping.map(epilogue.getArguments().drop_front(),
                args.take_front(operands));
    for (Operation &nested : epilogue.without_terminator())
      builder.clone(nested, mapping);
    Value value = cast<YieldOp>(epilogue.getTerminator()).getValue();
    linalg::YieldOp::create(builder, loc, mapping.lookupOrDefault(value));
  };
  return getWritten(linalg::GenericOp::create(
                        rewriter, op.getLoc(), getResultTypes(out), inputs,
                        ValueRange{out}, maps, iterators, buildBody),
                    out);
}

/// A place for the sums where they are not of the type of the destination.
static Value createTemporary(ContractionOpInterface op, Type elementType,
                             PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value out = op.getOutOperand();
  if (isa<RankedTensorType>(out.getType()))
    return tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, out), elementType);
  auto type =
      MemRefType::get(cast<MemRefType>(out.getType()).getShape(), elementType);
  SmallVector<Value> sizes;
  for (int64_t dim : llvm::seq<int64_t>(0, type.getRank()))
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(rewriter, loc, out, dim));
  return memref::AllocOp::create(rewriter, loc, type, sizes);
}

namespace {

///   dietcode.matmul ins(%a, %b) outs(%c) epilogue(%x) do { body }
///     -->
///   linalg.fill ins(0) outs(%c)                     unless it accumulates
///   linalg.generic ins(%a, %b) outs(%c) { acc + a * b }
///   linalg.generic ins(%x) outs(%c) { body }        if it has an epilogue
///
/// Sums of another type than the destination have a place of their own, from
/// which the epilogue, or a conversion, writes the destination.
struct LowerContraction : OpInterfaceRewritePattern<ContractionOpInterface> {
  using Base::Base;

  LogicalResult matchAndRewrite(ContractionOpInterface op,
                                PatternRewriter &rewriter) const override {
    Value out = op.getOutOperand();
    Type sumType = op.getSumElementType();
    if (!canWiden(getElementTypeOrSelf(op.getLhsOperand()), sumType))
      return rewriter.notifyMatchFailure(
          op, "product does not widen exactly to the type of the sum");
    bool inPlace = getElementTypeOrSelf(out) == sumType;
    // In place, the sum would overwrite what the epilogue is yet to read.
    if (inPlace && op.hasPureBufferSemantics() &&
        llvm::is_contained(op.getEpilogueOperands(), out))
      return rewriter.notifyMatchFailure(
          op, "an operand of the epilogue is the destination");
    Value temporary = inPlace ? out : createTemporary(op, sumType, rewriter);
    Value sum = temporary;
    if (!op.getAccumulate())
      sum = createZeroFill(op, sum, rewriter);
    else if (!inPlace)
      sum = createConversion(op, out, sum, rewriter);
    sum = createContraction(op, sum, rewriter);
    if (op.hasEpilogue())
      out = createEpilogue(op, sum, inPlace ? sum : out, rewriter);
    else
      out = inPlace ? sum : createConversion(op, sum, out, rewriter);
    if (!inPlace && op.hasPureBufferSemantics())
      memref::DeallocOp::create(rewriter, op.getLoc(), temporary);
    if (op.hasPureBufferSemantics())
      rewriter.eraseOp(op);
    else
      rewriter.replaceOp(op, out);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// dietcode.bind_shape %x [@T], affine_map<...>  -->  nothing
struct EraseBindShape : OpRewritePattern<BindShapeOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(BindShapeOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

/// func.func @f() attributes {dietcode.workload = @w}  -->  func.func @f()
struct DropWorkload : OpInterfaceRewritePattern<FunctionOpInterface> {
  using Base::Base;

  LogicalResult matchAndRewrite(FunctionOpInterface op,
                                PatternRewriter &rewriter) const override {
    StringRef name = DietCodeDialect::getWorkloadAttrName();
    if (!op->hasAttr(name))
      return rewriter.notifyMatchFailure(op, "has no workload");
    rewriter.modifyOpInPlace(op, [&] { op->removeAttr(name); });
    return success();
  }
};

/// dietcode.shape_var @T ...  -->  nothing, once nothing refers to it
template <typename SymbolOp>
struct EraseSymbol : OpRewritePattern<SymbolOp> {
  using OpRewritePattern<SymbolOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(SymbolOp op,
                                PatternRewriter &rewriter) const override {
    if (!SymbolTable::symbolKnownUseEmpty(op, op->getParentOp()))
      return rewriter.notifyMatchFailure(op, "is still referred to");
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertDietCodeToLinalgPass
    : mlir::dietcode::impl::ConvertDietCodeToLinalgPassBase<
          ConvertDietCodeToLinalgPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateDietCodeToLinalgPatterns(patterns);
    if (failed(applyPatternsOnly(getOperation(), std::move(patterns))))
      return signalPassFailure();
    // The driver does not match the operation that the pass runs on.
    getOperation()->removeDiscardableAttr(DietCodeDialect::getDeviceAttrName());
  }
};

} // namespace

void mlir::dietcode::populateDietCodeToLinalgPatterns(
    RewritePatternSet &patterns) {
  populateRowwiseToLinalgPatterns(patterns);
  patterns.add<LowerContraction, EraseBindShape, DropWorkload,
               EraseSymbol<ShapeVarOp>, EraseSymbol<WorkloadOp>,
               EraseSymbol<MicroKernelOp>, EraseSymbol<DispatchOp>>(
      patterns.getContext());
}
