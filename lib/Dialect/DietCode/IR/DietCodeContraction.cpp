//===- DietCodeContraction.cpp - What contractions have in common ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Dialect/DietCode/IR/OperandLayout.h"
#include "dietcode/Dialect/DietCode/IR/WindowPositions.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::dietcode;

using Interface = ContractionOpInterface;

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

/// Adds the terms of `expr`, times `factor`, to `access`.
static bool addTerms(AffineExpr expr, int64_t factor, LinearAccess &access) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    access.offset += factor * constant.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    access.terms.emplace_back(dim.getPosition(), factor);
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addTerms(binary.getLHS(), factor, access) &&
           addTerms(binary.getRHS(), factor, access);
  auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && scale &&
         addTerms(binary.getLHS(), factor * scale.getValue(), access);
}

std::optional<LinearAccess> mlir::dietcode::matchLinearAccess(AffineExpr expr) {
  LinearAccess access;
  if (!addTerms(expr, 1, access))
    return std::nullopt;
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [dim, coefficient] : access.terms)
    if (coefficient <= 0 || !seen.insert(dim).second)
      return std::nullopt;
  return access;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

SmallVector<std::optional<ContractionGroup>>
contraction_impl::getGroups(ArrayRef<AffineMap> maps) {
  SmallVector<std::optional<ContractionGroup>> groups;
  for (unsigned dim : llvm::seq(maps.front().getNumDims())) {
    bool lhs = maps[Interface::kLhs].isFunctionOfDim(dim);
    bool rhs = maps[Interface::kRhs].isFunctionOfDim(dim);
    bool out = maps[Interface::kOut].isFunctionOfDim(dim);
    if (lhs && rhs)
      groups.push_back(out ? ContractionGroup::B : ContractionGroup::K);
    else if (out && lhs)
      groups.push_back(ContractionGroup::M);
    else if (out && rhs)
      groups.push_back(ContractionGroup::N);
    else
      groups.push_back(std::nullopt);
  }
  return groups;
}

SmallVector<unsigned> contraction_impl::getGroup(Operation *op,
                                                 ContractionGroup group) {
  SmallVector<unsigned> dims;
  auto problemOp = cast<ProblemOpInterface>(op);
  for (auto [dim, of] : llvm::enumerate(getGroups(problemOp.getOperandMaps())))
    if (of == group)
      dims.push_back(dim);
  return dims;
}

/// What is wrong with the map of `lhs` or `rhs`, of dimensions and windows.
static std::string explainFactorMap(AffineMap map) {
  llvm::SmallDenseSet<unsigned> seen;
  for (AffineExpr expr : map.getResults()) {
    std::optional<LinearAccess> access = matchLinearAccess(expr);
    if (!access)
      return "must give sums of dimensions with positive factors, and a "
             "constant";
    for (auto [dim, coefficient] : access->terms)
      if (!seen.insert(dim).second)
        return ("uses dimension " + Twine(dim) + " twice").str();
  }
  return "";
}

/// Whether a dimension of an operand is `dim`, and so tells its extent.
static bool isExtent(AffineMap map, unsigned dim) {
  return llvm::is_contained(map.getResults(),
                            getAffineDimExpr(dim, map.getContext()));
}

std::string contraction_impl::explainMaps(ArrayRef<AffineMap> maps) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (maps.size() != 3) {
    os << "has " << maps.size()
       << " maps; there is one for each of 'lhs', 'rhs' and 'out'";
    return text;
  }
  for (AffineMap map : maps)
    if (map.getNumSymbols() != 0 || map.getNumDims() != maps[0].getNumDims())
      return "maps must be from the same dimensions and without symbols";
  for (auto [operand, map] : llvm::enumerate(maps)) {
    bool isOut = operand == Interface::kOut;
    std::string wrong = !isOut ? explainFactorMap(map)
                        : map.isProjectedPermutation()
                            ? ""
                            : "must be a projected permutation";
    if (wrong.empty())
      continue;
    os << "map " << AffineMapAttr::get(map) << " of '"
       << getOperandName(operand) << "' " << wrong;
    return text;
  }
  for (auto [dim, group] : llvm::enumerate(getGroups(maps))) {
    if (!group) {
      os << "dimension " << dim
         << " must be in two of the maps, or in all: what is reduced depends "
            "on both factors, and what is written on one of them";
      return text;
    }
    unsigned index = dim;
    if (llvm::none_of(maps,
                      [&](AffineMap map) { return isExtent(map, index); })) {
      os << "dimension " << dim
         << " is in windows only, so that nothing tells its extent";
      return text;
    }
  }
  return "";
}

SmallVector<WindowDim> contraction_impl::getWindows(ArrayRef<AffineMap> maps) {
  SmallVector<WindowDim> windows;
  for (unsigned operand : {Interface::kLhs, Interface::kRhs})
    for (auto [dim, expr] : llvm::enumerate(maps[operand].getResults()))
      if (LinearAccess access = *matchLinearAccess(expr); !access.isDim())
        windows.push_back(
            {operand, static_cast<unsigned>(dim), std::move(access)});
  return windows;
}

static StringRef getLetter(ContractionGroup group) {
  static constexpr StringLiteral letters[] = {"b", "m", "n", "k"};
  return letters[static_cast<unsigned>(group)];
}

SmallVector<StringRef> contraction_impl::getDimNames(Operation *op) {
  SmallVector<StringRef> names;
  auto groups = getGroups(cast<ProblemOpInterface>(op).getOperandMaps());
  llvm::SmallDenseMap<unsigned, unsigned> numbers;
  for (auto group : groups) {
    if (llvm::count(groups, group) == 1) {
      names.push_back(getLetter(*group));
      continue;
    }
    unsigned number = numbers[static_cast<unsigned>(*group)]++;
    // The context owns the name.
    names.push_back(
        StringAttr::get(op->getContext(), getLetter(*group) + Twine(number)));
  }
  return names;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

std::string contraction_impl::getOperandName(unsigned operand) {
  static constexpr StringLiteral names[] = {"lhs", "rhs", "out"};
  if (operand < std::size(names))
    return names[operand].str();
  return "epilogue operand " + std::to_string(operand - std::size(names));
}

SmallVector<AffineMap>
contraction_impl::getOperandMaps(Interface op, ArrayRef<AffineMap> maps) {
  SmallVector<AffineMap> result(maps);
  for (auto map : op.getEpilogueMaps().getAsValueRange<AffineMapAttr>())
    result.push_back(map.compose(maps[Interface::kOut]));
  return result;
}

Type contraction_impl::getDefaultSumType(Type factor, Type out) {
  Type sum = isa<FloatType>(factor)
                 ? Type(Float32Type::get(factor.getContext()))
                 : Type(IntegerType::get(factor.getContext(), 32));
  for (Type type : {factor, out})
    if (type.getIntOrFloatBitWidth() > sum.getIntOrFloatBitWidth())
      sum = type;
  return sum;
}

Type contraction_impl::getSumElementType(Operation *op) {
  auto contraction = cast<Interface>(op);
  return contraction.getSumType().value_or(
      getDefaultSumType(getElementTypeOrSelf(contraction.getLhsOperand()),
                        getElementTypeOrSelf(contraction.getOutOperand())));
}

/// Neither lanes that walk along k nor windows with too many positions have a
/// table of taps; what has no window needs none.
static bool hasTable(Interface op, unsigned operand) {
  SmallVector<unsigned> kDims = op.getGroup(ContractionGroup::K);
  AffineMap map = op.getOperandMaps()[operand];
  MemRefType type = getBufferType(op->getOperand(operand).getType());
  std::optional<unsigned> contiguous = getContiguousDim(type, map);
  bool isAlongK = contiguous && !kDims.empty() && kDims.back() == *contiguous;
  return !isAlongK &&
         findWindowPositions(map, kDims, op.getStaticProblemShape());
}

static ::dietcode::AddressNeeds getAddressNeeds(Interface op) {
  constexpr int64_t kMatmulDims = 3;
  ::dietcode::AddressNeeds needs;
  SmallVector<AffineMap> maps = op.getOperandMaps();
  needs.dims = std::max<int64_t>(0, maps.front().getNumDims() - kMatmulDims);
  for (const WindowDim &window : contraction_impl::getWindows(maps))
    ++(window.operand == Interface::kLhs ? needs.windowsA : needs.windowsB);
  needs.tableA = needs.windowsA && hasTable(op, Interface::kLhs);
  needs.tableB = needs.windowsB && hasTable(op, Interface::kRhs);
  return needs;
}

::dietcode::OperatorTraits contraction_impl::getTraits(Interface op,
                                                       StringRef kind) {
  ::dietcode::OperatorTraits traits;
  auto print = [](Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  };
  traits.kind = kind;
  traits.elementType = print(getElementTypeOrSelf(op.getLhsOperand()));
  traits.sumType = print(op.getSumElementType());
  traits.outType = print(getElementTypeOrSelf(op.getOutOperand()));
  traits.accumulate = op.getAccumulate();
  traits.epilogueOperands = op.getEpilogueOperands().size();
  traits.addresses = getAddressNeeds(op);
  return traits;
}

void contraction_impl::getEffects(
    Interface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!op.hasPureBufferSemantics())
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isOut = operand.getOperandNumber() == Interface::kOut;
    if (!isOut || op.getAccumulate())
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isOut)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static LogicalResult verifySemantics(Interface op) {
  bool buffers = isa<BaseMemRefType>(op.getOutOperand().getType());
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (isa<BaseMemRefType>(operand.getType()) != buffers)
      return op->emitOpError()
             << "operands must be all tensors or all buffers, but '"
             << op.getOperandName(index) << "' is " << operand.getType();
  if (!buffers && op->getNumResults() != 1)
    return op->emitOpError("on tensors must have one result");
  if (buffers && op->getNumResults() != 0)
    return op->emitOpError("on buffers must have no result");
  if (!buffers && op->getResult(0).getType() != op.getOutOperand().getType())
    return op->emitOpError()
           << "result type " << op->getResult(0).getType()
           << " must be the type of 'out', " << op.getOutOperand().getType();
  if (buffers && (op.getOutOperand() == op.getLhsOperand() ||
                  op.getOutOperand() == op.getRhsOperand()))
    return op->emitOpError("'out' must not be one of the multiplied buffers");
  return success();
}

static LogicalResult verifyElementTypes(Interface op) {
  Type lhs = getElementTypeOrSelf(op.getLhsOperand());
  Type rhs = getElementTypeOrSelf(op.getRhsOperand());
  if (!isa<FloatType, IntegerType>(lhs))
    return op->emitOpError() << "multiplies floats or integers, got " << lhs;
  if (lhs != rhs)
    return op->emitOpError() << "element types of 'lhs' and 'rhs' must be "
                                "equal, got "
                             << lhs << " and " << rhs;
  Type out = getElementTypeOrSelf(op.getOutOperand());
  if (isa<FloatType>(lhs) != isa<FloatType>(out) ||
      isa<IntegerType>(lhs) != isa<IntegerType>(out))
    return op->emitOpError()
           << "multiplies " << lhs << ", which cannot be summed up in " << out;
  if (std::optional<Type> sum = op.getSumType())
    if (isa<FloatType>(lhs) != isa<FloatType>(*sum) ||
        isa<IntegerType>(lhs) != isa<IntegerType>(*sum) ||
        sum->getIntOrFloatBitWidth() < lhs.getIntOrFloatBitWidth())
      return op->emitOpError() << "multiplies " << lhs
                               << ", which cannot be summed up in " << *sum;
  return success();
}

static LogicalResult verifyEpilogueMaps(Interface op) {
  if (op.getEpilogueMaps().size() != op.getEpilogueOperands().size())
    return op->emitOpError()
           << "has " << op.getEpilogueMaps().size() << " epilogue maps for "
           << op.getEpilogueOperands().size() << " operands";
  unsigned rank = cast<ShapedType>(op.getOutOperand().getType()).getRank();
  for (auto map : op.getEpilogueMaps().getAsValueRange<AffineMapAttr>())
    if (map.getNumDims() != rank || map.getNumSymbols() != 0 ||
        !map.isProjectedPermutation())
      return op->emitOpError() << "epilogue map " << AffineMapAttr::get(map)
                               << " must be a projected permutation of the "
                               << rank << " dimensions of 'out'";
  if (!op.getEpilogueOperands().empty() && !op.hasEpilogue())
    return op->emitOpError("epilogue operands need an epilogue region");
  return success();
}

/// Other elements of the destination may have been overwritten when an
/// epilogue reads them.
static LogicalResult verifyEpilogueAliases(Interface op) {
  if (!op.hasPureBufferSemantics())
    return success();
  for (auto [operand, map] :
       llvm::zip_equal(op.getEpilogueOperands(),
                       op.getEpilogueMaps().getAsValueRange<AffineMapAttr>()))
    if (operand == op.getOutOperand() && !map.isIdentity())
      return op->emitOpError()
             << "'out' may be read by the epilogue only at the element that is "
                "written, but its map is "
             << AffineMapAttr::get(map);
  return success();
}

LogicalResult contraction_impl::verifyOperands(Interface op) {
  if (failed(verifySemantics(op)) || failed(verifyElementTypes(op)))
    return failure();
  if (failed(verifyEpilogueMaps(op)))
    return failure();
  return verifyEpilogueAliases(op);
}

static LogicalResult verifyEpilogueArguments(Interface op) {
  Block &body = op.getEpilogue().front();
  size_t expected = 1 + op.getEpilogueOperands().size();
  if (body.getNumArguments() != expected)
    return op->emitOpError() << "epilogue must have " << expected
                             << " arguments, got " << body.getNumArguments();
  Type sum = body.getArgument(0).getType();
  if (sum != getElementTypeOrSelf(op.getOutOperand()) &&
      sum != op.getSumElementType())
    return op->emitOpError()
           << "epilogue argument 0 must have the element type of 'out' or that "
              "of the sums, "
           << op.getSumElementType() << ", got " << sum;
  for (auto [index, operand] : llvm::enumerate(op.getEpilogueOperands()))
    if (body.getArgument(index + 1).getType() != getElementTypeOrSelf(operand))
      return op->emitOpError()
             << "epilogue argument " << index + 1
             << " must have the element type of its operand, got "
             << body.getArgument(index + 1).getType();
  return success();
}

LogicalResult contraction_impl::verifyEpilogue(Interface op) {
  if (!op.hasEpilogue())
    return success();
  if (failed(verifyEpilogueArguments(op)))
    return failure();
  Block &body = op.getEpilogue().front();
  for (Operation &nested : body.without_terminator())
    if (!operator_impl::isScalarArithmetic(nested))
      return nested.emitOpError(
          "must be scalar arithmetic without side effects in an epilogue");
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != 1 ||
      yield.getValue().getType() != getElementTypeOrSelf(op.getOutOperand()))
    return op->emitOpError()
           << "epilogue must end in a dietcode.yield of the element type of "
              "'out'";
  return success();
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

namespace {

/// A pattern for operators with an epilogue.
struct EpiloguePattern : OpInterfaceRewritePattern<Interface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(Interface op,
                                PatternRewriter &rewriter) const final {
    if (!op.hasEpilogue())
      return rewriter.notifyMatchFailure(op, "has no epilogue");
    return simplify(op, op.getEpilogue().front(), rewriter);
  }

  virtual LogicalResult simplify(Interface op, Block &body,
                                 PatternRewriter &rewriter) const = 0;
};

/// epilogue { ^bb0(%sum): yield %sum }  -->  no epilogue
struct DropIdentityEpilogue : EpiloguePattern {
  using EpiloguePattern::EpiloguePattern;

  LogicalResult simplify(Interface op, Block &body,
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

  LogicalResult simplify(Interface op, Block &body,
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

void contraction_impl::populateCanonicalizationPatterns(
    RewritePatternSet &patterns) {
  patterns.add<DropIdentityEpilogue, DropUnusedEpilogueOperand>(
      patterns.getContext());
}
