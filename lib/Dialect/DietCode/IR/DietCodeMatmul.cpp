//===- DietCodeMatmul.cpp - The matmul operator ---------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::dietcode;

//===----------------------------------------------------------------------===//
// OperatorOpInterface
//===----------------------------------------------------------------------===//

SmallVector<StringRef> MatmulOp::getProblemDimNames() {
  return {"m", "n", "k"};
}

SmallVector<AffineMap> MatmulOp::getOperandMaps() {
  MLIRContext *context = getContext();
  AffineExpr m, n, k;
  bindDims(context, m, n, k);
  auto map = [&](AffineExpr first, AffineExpr second, bool transpose) {
    if (transpose)
      std::swap(first, second);
    return AffineMap::get(3, 0, {first, second}, context);
  };
  SmallVector<AffineMap> maps = {map(m, k, getTransposeA()),
                                 map(k, n, getTransposeB()), map(m, n, false)};
  for (auto epilogueMap : getEpilogueMaps().getAsValueRange<AffineMapAttr>())
    maps.push_back(AffineMap::get(3, 0, epilogueMap.getResults(), context));
  return maps;
}

std::string MatmulOp::getOperandName(unsigned operand) {
  static constexpr StringLiteral names[] = {"lhs", "rhs", "out"};
  if (operand < kFirstEpilogueOperand)
    return names[operand].str();
  return "epilogue operand " + std::to_string(operand - kFirstEpilogueOperand);
}

::dietcode::ContractionShape
MatmulOp::getContractionShape(ArrayRef<int64_t> problemShape) {
  return {problemShape[M], problemShape[N], problemShape[K]};
}

::dietcode::OperatorTraits MatmulOp::getTraits() {
  ::dietcode::OperatorTraits traits;
  auto print = [](Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  };
  traits.elementType = print(getElementTypeOrSelf(getLhs()));
  traits.sumType = print(getSumElementType());
  traits.outType = print(getElementTypeOrSelf(getOut()));
  traits.transposeA = getTransposeA();
  traits.transposeB = getTransposeB();
  traits.accumulate = getAccumulate();
  traits.epilogueOperands = getEpilogueOperands().size();
  return traits;
}

Type MatmulOp::getDefaultSumType(Type factor, Type out) {
  Type sum = isa<FloatType>(factor)
                 ? Type(Float32Type::get(factor.getContext()))
                 : Type(IntegerType::get(factor.getContext(), 32));
  for (Type type : {factor, out})
    if (type.getIntOrFloatBitWidth() > sum.getIntOrFloatBitWidth())
      sum = type;
  return sum;
}

Type MatmulOp::getSumElementType() {
  return getSumType().value_or(getDefaultSumType(
      getElementTypeOrSelf(getLhs()), getElementTypeOrSelf(getOut())));
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static LogicalResult verifySemantics(MatmulOp op) {
  bool buffers = isa<BaseMemRefType>(op.getOut().getType());
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (isa<BaseMemRefType>(operand.getType()) != buffers)
      return op.emitOpError()
             << "operands must be all tensors or all buffers, but '"
             << op.getOperandName(index) << "' is " << operand.getType();
  if (!buffers && op.getResults().size() != 1)
    return op.emitOpError("on tensors must have one result");
  if (buffers && !op.getResults().empty())
    return op.emitOpError("on buffers must have no result");
  if (!buffers && op.getResults().front().getType() != op.getOut().getType())
    return op.emitOpError()
           << "result type " << op.getResults().front().getType()
           << " must be the type of 'out', " << op.getOut().getType();
  if (buffers && (op.getOut() == op.getLhs() || op.getOut() == op.getRhs()))
    return op.emitOpError("'out' must not be one of the multiplied buffers");
  return success();
}

static LogicalResult verifyElementTypes(MatmulOp op) {
  Type lhs = getElementTypeOrSelf(op.getLhs());
  Type rhs = getElementTypeOrSelf(op.getRhs());
  if (!isa<FloatType, IntegerType>(lhs))
    return op.emitOpError() << "multiplies floats or integers, got " << lhs;
  if (lhs != rhs)
    return op.emitOpError() << "element types of 'lhs' and 'rhs' must be "
                               "equal, got "
                            << lhs << " and " << rhs;
  Type out = getElementTypeOrSelf(op.getOut());
  if (isa<FloatType>(lhs) != isa<FloatType>(out) ||
      isa<IntegerType>(lhs) != isa<IntegerType>(out))
    return op.emitOpError()
           << "multiplies " << lhs << ", which cannot be summed up in " << out;
  if (std::optional<Type> sum = op.getSumType())
    if (isa<FloatType>(lhs) != isa<FloatType>(*sum) ||
        isa<IntegerType>(lhs) != isa<IntegerType>(*sum) ||
        sum->getIntOrFloatBitWidth() < lhs.getIntOrFloatBitWidth())
      return op.emitOpError() << "multiplies " << lhs
                              << ", which cannot be summed up in " << *sum;
  return success();
}

static LogicalResult verifyEpilogueMaps(MatmulOp op) {
  if (op.getEpilogueMaps().size() != op.getEpilogueOperands().size())
    return op.emitOpError()
           << "has " << op.getEpilogueMaps().size() << " epilogue maps for "
           << op.getEpilogueOperands().size() << " operands";
  for (auto map : op.getEpilogueMaps().getAsValueRange<AffineMapAttr>())
    if (map.getNumDims() != 2 || map.getNumSymbols() != 0 ||
        !map.isProjectedPermutation())
      return op.emitOpError() << "epilogue map " << AffineMapAttr::get(map)
                              << " must be a projected permutation of (m, n)";
  if (!op.getEpilogueOperands().empty() && !op.hasEpilogue())
    return op.emitOpError("epilogue operands need an epilogue region");
  return success();
}

/// Other elements of the destination may have been overwritten when an
/// epilogue reads them.
static LogicalResult verifyEpilogueAliases(MatmulOp op) {
  if (!op.hasPureBufferSemantics())
    return success();
  for (auto [operand, map] :
       llvm::zip_equal(op.getEpilogueOperands(),
                       op.getEpilogueMaps().getAsValueRange<AffineMapAttr>()))
    if (operand == op.getOut() && !map.isIdentity())
      return op.emitOpError()
             << "'out' may be read by the epilogue only at the element that is "
                "written, but its map is "
             << AffineMapAttr::get(map);
  return success();
}

LogicalResult MatmulOp::verify() {
  if (failed(verifySemantics(*this)) || failed(verifyElementTypes(*this)))
    return failure();
  if (failed(verifyEpilogueMaps(*this)))
    return failure();
  return verifyEpilogueAliases(*this);
}

static LogicalResult verifyEpilogueArguments(MatmulOp op) {
  Block &body = op.getEpilogue().front();
  size_t expected = 1 + op.getEpilogueOperands().size();
  if (body.getNumArguments() != expected)
    return op.emitOpError() << "epilogue must have " << expected
                            << " arguments, got " << body.getNumArguments();
  Type sum = body.getArgument(0).getType();
  if (sum != getElementTypeOrSelf(op.getOut()) && sum != op.getSumElementType())
    return op.emitOpError()
           << "epilogue argument 0 must have the element type of 'out' or that "
              "of the sums, "
           << op.getSumElementType() << ", got " << sum;
  for (auto [index, operand] : llvm::enumerate(op.getEpilogueOperands()))
    if (body.getArgument(index + 1).getType() != getElementTypeOrSelf(operand))
      return op.emitOpError()
             << "epilogue argument " << index + 1
             << " must have the element type of its operand, got "
             << body.getArgument(index + 1).getType();
  return success();
}

LogicalResult MatmulOp::verifyRegions() {
  if (!hasEpilogue())
    return success();
  if (failed(verifyEpilogueArguments(*this)))
    return failure();
  Block &body = getEpilogue().front();
  for (Operation &nested : body.without_terminator())
    if (!operator_impl::isScalarArithmetic(nested))
      return nested.emitOpError(
          "must be scalar arithmetic without side effects in an epilogue");
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != 1 ||
      yield.getValue().getType() != getElementTypeOrSelf(getOut()))
    return emitOpError()
           << "epilogue must end in a dietcode.yield of the element type of "
              "'out'";
  return success();
}

LogicalResult MatmulOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  if (!getDispatchAttr())
    return success();
  auto table =
      symbolTable.lookupNearestSymbolFrom<DispatchOp>(*this, getDispatchAttr());
  if (!table)
    return emitOpError() << "there is no dietcode.dispatch "
                         << getDispatchAttr();
  SmallVector<StringRef> names = getProblemDimNames();
  for (StringRef dim : table.getDims().getAsValueRange<StringAttr>())
    if (!llvm::is_contained(names, dim))
      return emitOpError() << "has no dimension '" << dim << "', on which "
                           << getDispatchAttr() << " dispatches";
  return success();
}

//===----------------------------------------------------------------------===//
// Effects and shapes
//===----------------------------------------------------------------------===//

void MatmulOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!hasPureBufferSemantics())
    return;
  for (OpOperand &operand : (*this)->getOpOperands()) {
    bool isOut = operand.getOperandNumber() == kOut;
    if (!isOut || getAccumulate())
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isOut)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

LogicalResult
MatmulOp::reifyResultShapes(OpBuilder &builder,
                            ReifiedRankedShapedTypeDims &reifiedReturnShapes) {
  reifiedReturnShapes.push_back(
      operator_impl::reifyShape(builder, getLoc(), getOut()));
  return success();
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

namespace {

/// A pattern for operators with an epilogue.
struct EpiloguePattern : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const final {
    if (!op.hasEpilogue())
      return rewriter.notifyMatchFailure(op, "has no epilogue");
    return simplify(op, op.getEpilogue().front(), rewriter);
  }

  virtual LogicalResult simplify(MatmulOp op, Block &body,
                                 PatternRewriter &rewriter) const = 0;
};

/// epilogue { ^bb0(%sum): yield %sum }  -->  no epilogue
struct DropIdentityEpilogue : EpiloguePattern {
  using EpiloguePattern::EpiloguePattern;

  LogicalResult simplify(MatmulOp op, Block &body,
                         PatternRewriter &rewriter) const override {
    if (cast<YieldOp>(body.getTerminator()).getValue() != body.getArgument(0))
      return rewriter.notifyMatchFailure(op, "epilogue changes the sum");
    rewriter.modifyOpInPlace(op, [&] {
      op.getEpilogueOperandsMutable().clear();
      op.setEpilogueMapsAttr(rewriter.getAffineMapArrayAttr({}));
      rewriter.eraseBlock(&body);
    });
    return success();
  }
};

/// An operand of the epilogue that it does not use is dropped.
struct DropUnusedEpilogueOperand : EpiloguePattern {
  using EpiloguePattern::EpiloguePattern;

  LogicalResult simplify(MatmulOp op, Block &body,
                         PatternRewriter &rewriter) const override {
    auto operands = body.getArguments().drop_front();
    auto unused = llvm::find_if(
        operands, [](BlockArgument operand) { return operand.use_empty(); });
    if (unused == operands.end())
      return rewriter.notifyMatchFailure(op, "uses all of its operands");
    unsigned index = unused - operands.begin();
    rewriter.modifyOpInPlace(op, [&] {
      SmallVector<AffineMap> maps(
          op.getEpilogueMaps().getAsValueRange<AffineMapAttr>());
      maps.erase(maps.begin() + index);
      op.setEpilogueMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      op.getEpilogueOperandsMutable().erase(index);
      body.eraseArgument(index + 1);
    });
    return success();
  }
};

} // namespace

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropIdentityEpilogue, DropUnusedEpilogueOperand>(context);
}
