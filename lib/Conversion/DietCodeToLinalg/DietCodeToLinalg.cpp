//===- DietCodeToLinalg.cpp - Spell dietcode as linalg --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Conversion/DietCodeToLinalg/DietCodeToLinalg.h"
#include "RowwiseToLinalg.h"
#include "dietcode/Conversion/Passes.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
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
static Value createZeroFill(MatmulOp op, Value out, PatternRewriter &rewriter) {
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

/// linalg.generic ins(%a, %b) outs(%out) { out[m, n] += a[m, k] * b[k, n] }
static Value createContraction(MatmulOp op, Value out,
                               PatternRewriter &rewriter) {
  SmallVector<AffineMap> maps = op.getOperandMaps();
  maps.truncate(MatmulOp::kFirstEpilogueOperand);
  SmallVector<utils::IteratorType> iterators = {utils::IteratorType::parallel,
                                                utils::IteratorType::parallel,
                                                utils::IteratorType::reduction};
  return getWritten(linalg::GenericOp::create(
                        rewriter, op.getLoc(), getResultTypes(out),
                        ValueRange{op.getLhs(), op.getRhs()}, ValueRange{out},
                        maps, iterators, buildMultiplyAdd),
                    out);
}

/// linalg.generic ins(%x) outs(%y) { y[m, n] = x[m, n] in y's type }
static Value createConversion(MatmulOp op, Value from, Value to,
                              PatternRewriter &rewriter) {
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(2));
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
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
static Value createEpilogue(MatmulOp op, Value sum, Value out,
                            PatternRewriter &rewriter) {
  SmallVector<Value> inputs(op.getEpilogueOperands());
  SmallVector<AffineMap> maps(
      op.getEpilogueMaps().getAsValueRange<AffineMapAttr>());
  if (sum != out) {
    inputs.push_back(sum);
    maps.push_back(rewriter.getMultiDimIdentityMap(2));
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(2));
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
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
static Value createTemporary(MatmulOp op, Type elementType,
                             PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value out = op.getOut();
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
struct LowerMatmul : OpRewritePattern<MatmulOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    Value out = op.getOut();
    Type sumType = op.getSumElementType();
    if (!canWiden(getElementTypeOrSelf(op.getLhs()), sumType))
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
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    // The driver does not match the operation that the pass runs on.
    getOperation()->removeDiscardableAttr(DietCodeDialect::getDeviceAttrName());
  }
};

} // namespace

void mlir::dietcode::populateDietCodeToLinalgPatterns(
    RewritePatternSet &patterns) {
  populateRowwiseToLinalgPatterns(patterns);
  patterns.add<LowerMatmul, EraseBindShape, DropWorkload,
               EraseSymbol<ShapeVarOp>, EraseSymbol<WorkloadOp>,
               EraseSymbol<MicroKernelOp>, EraseSymbol<DispatchOp>>(
      patterns.getContext());
}
