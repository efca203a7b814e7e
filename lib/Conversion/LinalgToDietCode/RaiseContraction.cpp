//===- RaiseContraction.cpp - Raise sums of products ----------------------===//
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
/// An operand, and how many zeros there are behind it.
struct Access : MappedValue {
  /// By the first loop of each window that a tensor.pad was read through; where
  /// the number is not known, nothing.
  llvm::SmallDenseMap<unsigned, std::optional<int64_t>> padding;
};

/// C += A * B, each accessed through its map from the loops.
struct Product {
  Access lhs, rhs, out;
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

/// Both factors must be of one type, and what is narrower than 32 bits may be
/// summed up in 32 bits, as the operator does in any case.
static bool hasOneElementType(linalg::LinalgOp op) {
  Type lhs = getElementTypeOrSelf(op->getOperand(0));
  Type rhs = getElementTypeOrSelf(op->getOperand(1));
  Type out = getElementTypeOrSelf(op->getOperand(2));
  return lhs == rhs &&
         (lhs == out || out == contraction_impl::getDefaultSumType(lhs, lhs));
}

/// Only +0.0 is the zero that an empty sum has: added to a sum of -0.0 it gives
/// +0.0, where an initial -0.0 would keep the sign.
static bool isZero(Value value) {
  return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

/// Why a contraction cannot be of these maps of A, B and C; empty if it can.
static StringRef findObstacle(ArrayRef<AffineMap> maps) {
  if (!contraction_impl::explainMaps(maps).empty())
    return "its indexing maps are not those of a product";
  auto groups = contraction_impl::getGroups(maps);
  if (!llvm::is_contained(groups, ContractionGroup::K))
    return "it sums nothing up";
  if (contraction_impl::getWindows(maps).empty() &&
      (!llvm::is_contained(groups, ContractionGroup::M) ||
       !llvm::is_contained(groups, ContractionGroup::N)))
    return "it is not a product of two matrices";
  return "";
}

/// Why `op`, by its maps, its body and its types, is not what an operator
/// computes; empty if it is.
static StringRef findObstacle(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return "it is not of two inputs and one output";
  if (StringRef obstacle = findObstacle(op.getIndexingMapsArray());
      !obstacle.empty())
    return obstacle;
  if (!llvm::all_of(op->getOperands(), isPlainShaped))
    return "an operand is sparse, or not of floats or integers";
  if (!hasOneElementType(op))
    return "its factors and its sum are not of one element type";
  if (!isMultiplyAdd(op))
    return "its body does not add the product of the inputs, at most extended";
  return "";
}

/// Zeros around an operand are left to the reading of it, if all that is padded
/// are windows; through others an operand is read as it is.
///
///   %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] { yield 0 }
///   {%p, (.., y, ..) -> (.., 2 * y + fy, ..)}
///     -->  {%x, (.., y, ..) -> (.., 2 * y + fy - 1, ..)}
static std::optional<Access> lookThroughPad(const Access &factor) {
  auto pad = factor.value.getDefiningOp<tensor::PadOp>();
  Value padding = pad ? pad.getConstantPaddingValue() : Value();
  if (!padding || !isZero(padding))
    return std::nullopt;
  SmallVector<AffineExpr> results(factor.map.getResults());
  auto paddings = factor.padding;
  for (auto [expr, low, high] :
       llvm::zip_equal(results, pad.getMixedLowPad(), pad.getMixedHighPad())) {
    if (isConstantIntValue(low, 0) && isConstantIntValue(high, 0))
      continue;
    std::optional<int64_t> before = getConstantIntValue(low);
    LinearAccess access = *matchLinearAccess(expr);
    if (!before || access.isDim() || access.terms.empty())
      return std::nullopt;
    unsigned loop = access.terms.front().first;
    std::optional<int64_t> &padding =
        paddings.try_emplace(loop, 0).first->second;
    std::optional<int64_t> after = getConstantIntValue(high);
    padding =
        padding && after ? std::optional(*padding + *after) : std::nullopt;
    expr = expr - *before;
  }
  Access source;
  source.value = pad.getSource();
  source.map = AffineMap::get(factor.map.getNumDims(), 0, results,
                              factor.map.getContext());
  source.padding = std::move(paddings);
  return source;
}

/// Copies move dimensions, not what is behind them.
static Access lookThroughCopies(Access factor) {
  static_cast<MappedValue &>(factor) =
      linalg_raising::lookThroughCopies(static_cast<MappedValue &>(factor));
  return factor;
}

/// A transposition, copy, broadcast or padding of a factor is left to the
/// reading of it, where that can be said by maps.
static void simplifyFactor(Product &product, Access Product::*factor) {
  Product simplified = product;
  Access &source = simplified.*factor;
  source = lookThroughCopies(source);
  while (std::optional<Access> padded = lookThroughPad(source))
    source = lookThroughCopies(*padded);
  if (isPlainShaped(source.value) &&
      findObstacle({simplified.lhs.map, simplified.rhs.map, simplified.out.map})
          .empty())
    product = simplified;
}

/// The product that an operation without obstacle is.
///
///   A: (i, j, l) -> (i, l), B: (i, j, l) -> (l, j), C: (i, j, l) -> (j, i)
///
/// writes its result transposed. C^T = B^T A^T, so the two factors swap roles:
/// what varies fastest in the result is of B, whose columns micro-kernels write
/// in vectors.
static Product makeProduct(linalg::LinalgOp op) {
  auto read = [&](OpOperand *operand) {
    Access access;
    access.value = operand->get();
    access.map = op.getMatchingIndexingMap(operand);
    return access;
  };
  Product product{read(op.getDpsInputOperand(0)),
                  read(op.getDpsInputOperand(1)),
                  read(op.getDpsInitOperand(0))};
  simplifyFactor(product, &Product::lhs);
  simplifyFactor(product, &Product::rhs);
  for (AffineExpr expr : llvm::reverse(product.out.map.getResults())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    bool isOfLhs = product.lhs.map.isFunctionOfDim(dim);
    if (isOfLhs && product.rhs.map.isFunctionOfDim(dim))
      continue;
    if (isOfLhs)
      std::swap(product.lhs, product.rhs);
    break;
  }
  return product;
}

/// Whether it is the product of two matrices that dietcode.matmul computes;
/// then in terms of (m, n, k).
static bool matchMatmul(Product &product) {
  auto groups = contraction_impl::getGroups(
      {product.lhs.map, product.rhs.map, product.out.map});
  if (groups.size() != 3)
    return false;
  MLIRContext *context = product.out.map.getContext();
  SmallVector<AffineExpr> loops;
  llvm::SmallDenseSet<unsigned> seen;
  for (std::optional<ContractionGroup> group : groups) {
    if (group == ContractionGroup::B)
      return false;
    unsigned dim = static_cast<unsigned>(*group) -
                   static_cast<unsigned>(ContractionGroup::M);
    seen.insert(dim);
    loops.push_back(getAffineDimExpr(dim, context));
  }
  Product renamed = product;
  for (Access Product::*operand :
       {&Product::lhs, &Product::rhs, &Product::out}) {
    AffineMap &map = (renamed.*operand).map;
    map = map.compose(AffineMap::get(3, 0, loops, context));
    if (map.getNumResults() != 2 || !map.isProjectedPermutation())
      return false;
  }
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(3, context).getMajorSubMap(2);
  if (seen.size() != 3 || renamed.out.map != identity)
    return false;
  product = renamed;
  return true;
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

/// What is behind each window; null without windows, or if that is not known.
static DenseI64ArrayAttr getPadding(const Product &product) {
  SmallVector<int64_t> numbers;
  for (const WindowDim &window : contraction_impl::getWindows(
           {product.lhs.map, product.rhs.map, product.out.map})) {
    const Access &factor =
        window.operand == ContractOp::kLhs ? product.lhs : product.rhs;
    auto found = window.access.terms.empty()
                     ? factor.padding.end()
                     : factor.padding.find(window.access.terms.front().first);
    std::optional<int64_t> number = found == factor.padding.end()
                                        ? std::optional<int64_t>(0)
                                        : found->second;
    if (!number)
      return nullptr;
    numbers.push_back(*number);
  }
  return numbers.empty()
             ? nullptr
             : DenseI64ArrayAttr::get(product.out.map.getContext(), numbers);
}

/// Replaces `op` by the operator that computes `product`.
static void replace(linalg::LinalgOp op, Product product,
                    const Destination &destination, PatternRewriter &rewriter) {
  ArrayAttr none = rewriter.getAffineMapArrayAttr({});
  if (!matchMatmul(product)) {
    rewriter.replaceOpWithNewOp<ContractOp>(
        op, op->getResultTypes(), product.lhs.value, product.rhs.value,
        destination.out, /*epilogue_operands=*/ValueRange(),
        rewriter.getAffineMapArrayAttr(
            {product.lhs.map, product.rhs.map, product.out.map}),
        getPadding(product), destination.accumulate, none,
        /*dispatch=*/FlatSymbolRefAttr(),
        /*sum_type=*/TypeAttr());
    return;
  }
  rewriter.replaceOpWithNewOp<MatmulOp>(
      op, op->getResultTypes(), product.lhs.value, product.rhs.value,
      destination.out, /*epilogue_operands=*/ValueRange(),
      /*transpose_a=*/product.lhs.map.getDimPosition(0) == MatmulOp::K,
      /*transpose_b=*/product.rhs.map.getDimPosition(0) == MatmulOp::N,
      destination.accumulate, none, /*dispatch=*/FlatSymbolRefAttr(),
      /*sum_type=*/TypeAttr());
}

///   linalg.<contraction> ins(%a, %b) outs(%c)
///     -->  dietcode.matmul [transpose_a] [transpose_b] [accumulate]
///              ins(%a, %b) outs(%c)
///     or   dietcode.contract [accumulate] ins(%a, %b) outs(%c) maps [..]
struct RaiseContraction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (StringRef why = explainNotRaised(op); !why.empty())
      return rewriter.notifyMatchFailure(op, why);
    Product product = makeProduct(op);
    Value out = product.out.value;
    Destination destination = op.hasPureTensorSemantics()
                                  ? findTensorDestination(out)
                                  : findBufferDestination(op, out);
    if (!destination.out)
      destination.out = tensor::EmptyOp::create(
          rewriter, op.getLoc(), cast<ShapedType>(out.getType()).getShape(),
          getElementTypeOrSelf(out));
    if (destination.overwrittenFill)
      rewriter.eraseOp(destination.overwrittenFill);
    replace(op, product, destination, rewriter);
    return success();
  }
};

} // namespace

void linalg_raising::populateRaiseContractionPatterns(
    RewritePatternSet &patterns) {
  patterns.add<RaiseContraction>(patterns.getContext());
}
