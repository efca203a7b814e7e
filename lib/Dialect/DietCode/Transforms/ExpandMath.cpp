//===- ExpandMath.cpp - Expand math functions that need libdevice ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without NVIDIA's libdevice, the NVVM lowering of most math functions leaves a
// call of an unresolved function in the PTX and succeeds, and with it the PTX
// depends on the machine that compiles. Here they become arithmetic (Math/), or
// intrinsics that the back end has instructions for, and what has neither is an
// error.
//
//===----------------------------------------------------------------------===//

#include "Math/MathFunctions.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODEEXPANDMATHPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// The LLVM intrinsic of an operation for which the NVPTX back end selects
/// instructions; empty if there is none.
static StringRef getIntrinsic(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](arith::MaxNumFOp) { return "llvm.maxnum"; })
      .Case([](arith::MinNumFOp) { return "llvm.minnum"; })
      .Case([](math::AbsFOp) { return "llvm.fabs"; })
      .Case([](math::AbsIOp) { return "llvm.abs"; })
      .Case([](math::CeilOp) { return "llvm.ceil"; })
      .Case([](math::CopySignOp) { return "llvm.copysign"; })
      .Case([](math::CountLeadingZerosOp) { return "llvm.ctlz"; })
      .Case([](math::CountTrailingZerosOp) { return "llvm.cttz"; })
      .Case([](math::CtPopOp) { return "llvm.ctpop"; })
      .Case([](math::FloorOp) { return "llvm.floor"; })
      .Case([](math::FmaOp) { return "llvm.fma"; })
      .Case([](math::RoundEvenOp) { return "llvm.roundeven"; })
      .Case([](math::SqrtOp op) {
        // That of f16 is computed in f32.
        Type type = getElementTypeOrSelf(op.getType());
        return type.isF32() || type.isF64() ? "llvm.sqrt" : "";
      })
      .Case([](math::TruncOp) { return "llvm.trunc"; })
      .Default([](Operation *) { return ""; });
}

/// math.fma %a, %b, %c  -->  llvm.call_intrinsic "llvm.fma"(%a, %b, %c)
///
/// The lowering to NVVM does not touch it, whereas it turns `llvm.intr.fabs`
/// and the like into calls of libdevice.
static void callIntrinsic(Operation *op, StringRef intrinsic) {
  OpBuilder builder(op);
  SmallVector<Value> operands(op->getOperands());
  // Their results for 0, or for the smallest number, are defined.
  if (isa<math::AbsIOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp>(
          op))
    operands.push_back(arith::ConstantOp::create(builder, op->getLoc(),
                                                 builder.getBoolAttr(false)));
  auto call = LLVM::CallIntrinsicOp::create(
      builder, op->getLoc(), op->getResultTypes().front(),
      builder.getStringAttr(intrinsic), operands);
  op->replaceAllUsesWith(call->getResults());
  op->erase();
}

/// math.isinf %x  -->  arith.cmpf oeq, (llvm.call_intrinsic "llvm.fabs"(%x)),
/// inf
static Value buildClassification(OpBuilder &builder, Operation *op) {
  using Predicate = arith::CmpFPredicate;
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  Type type = x.getType();
  auto compare = [&](Predicate predicate, Value a, APFloat limit) -> Value {
    TypedAttr attr = FloatAttr::get(getElementTypeOrSelf(type), limit);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, attr);
    Value constant = arith::ConstantOp::create(builder, loc, attr);
    return arith::CmpFOp::create(builder, loc, predicate, a, constant);
  };
  if (isa<math::IsNaNOp>(op))
    return arith::CmpFOp::create(builder, loc, Predicate::UNO, x, x);
  const llvm::fltSemantics &semantics =
      cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  Value size = LLVM::CallIntrinsicOp::create(
                   builder, loc, type, builder.getStringAttr("llvm.fabs"), x)
                   ->getResult(0);
  APFloat infinity = APFloat::getInf(semantics);
  if (isa<math::IsInfOp>(op))
    return compare(Predicate::OEQ, size, infinity);
  Value isFinite = compare(Predicate::OLT, size, infinity);
  if (isa<math::IsFiniteOp>(op))
    return isFinite;
  Value isLarge =
      compare(Predicate::OGE, size, APFloat::getSmallestNormalized(semantics));
  return arith::AndIOp::create(builder, loc, isFinite, isLarge);
}

static void expandClassification(Operation *op) {
  OpBuilder builder(op);
  op->replaceAllUsesWith(ValueRange(buildClassification(builder, op)));
  op->erase();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// x of 1 / (1 + exp(-x)), or null.
static Value matchSigmoid(Operation *op) {
  auto div = dyn_cast<arith::DivFOp>(op);
  if (!div || !matchPattern(div.getLhs(), m_OneFloat()))
    return nullptr;
  auto sum = div.getRhs().getDefiningOp<arith::AddFOp>();
  if (!sum)
    return nullptr;
  for (auto [exp, one] : {std::pair(sum.getLhs(), sum.getRhs()),
                          std::pair(sum.getRhs(), sum.getLhs())}) {
    auto expOp = exp.getDefiningOp<math::ExpOp>();
    if (!expOp || !matchPattern(one, m_OneFloat()))
      continue;
    if (auto neg = expOp.getOperand().getDefiningOp<arith::NegFOp>())
      return neg.getOperand();
  }
  return nullptr;
}

/// The exponent of a power that is a constant integer, the same for all
/// elements.
static std::optional<int64_t> matchIntegerExponent(Operation *op) {
  APInt exponent;
  auto power = dyn_cast<math::FPowIOp>(op);
  if (!power || !matchPattern(power.getRhs(), m_ConstantInt(&exponent)))
    return std::nullopt;
  return exponent.trySExtValue();
}

/// x^exponent. Products round once each, so that only the shortest are as exact
/// as pow is; that takes the parity of exponents which an f32 holds.
static Value buildIntegerPower(MathBuilder &b, Value x, int64_t exponent) {
  switch (exponent) {
  case 0:
    return b.number(1);
  case 1:
    return x;
  case 2:
    return b.mul(x, x);
  case 3:
    return b.mul(b.mul(x, x), x);
  default:
    return buildPow(b, x, b.number(static_cast<float>(exponent)));
  }
}

/// Whether the arithmetic of a power with such an exponent is known in `type`.
static bool hasIntegerPower(Type type, int64_t exponent) {
  constexpr int64_t kMostOfF32 = int64_t(1) << 24;
  return type.isF64() ? exponent >= 0 && exponent <= 3
                      : std::abs(exponent) <= kMostOfF32;
}

using UnaryFunction = Value (*)(MathBuilder &, Value);

/// The arithmetic of a function of one f32, or null.
static UnaryFunction getUnaryFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, UnaryFunction>(op)
      .Case([](arith::DivFOp) { return buildSigmoid; })
      .Case([](math::AcosOp) { return buildAcos; })
      .Case([](math::AcoshOp) { return buildAcosh; })
      .Case([](math::AsinOp) { return buildAsin; })
      .Case([](math::AsinhOp) { return buildAsinh; })
      .Case([](math::AtanOp) { return buildAtan; })
      .Case([](math::AtanhOp) { return buildAtanh; })
      .Case([](math::CbrtOp) { return buildCbrt; })
      .Case([](math::CosOp) { return buildCos; })
      .Case([](math::CoshOp) { return buildCosh; })
      .Case([](math::ErfOp) { return buildErf; })
      .Case([](math::ErfcOp) { return buildErfc; })
      .Case([](math::Exp2Op) { return buildExp2; })
      .Case([](math::ExpM1Op) { return buildExpM1; })
      .Case([](math::ExpOp) { return buildExp; })
      .Case([](math::Log10Op) { return buildLog10; })
      .Case([](math::Log1pOp) { return buildLog1p; })
      .Case([](math::Log2Op) { return buildLog2; })
      .Case([](math::LogOp) { return buildLog; })
      .Case([](math::RoundOp) { return buildRound; })
      .Case([](math::RsqrtOp) { return buildRsqrt; })
      .Case([](math::SinOp) { return buildSin; })
      .Case([](math::SinhOp) { return buildSinh; })
      .Case([](math::SqrtOp) {
        return +[](MathBuilder &b, Value x) { return b.sqrt(x); };
      })
      .Case([](math::TanOp) { return buildTan; })
      .Case([](math::TanhOp) { return buildTanh; })
      .Default([](Operation *) { return nullptr; });
}

static bool hasExpansion(Operation *op) {
  return getUnaryFunction(op) || matchIntegerExponent(op) ||
         isa<math::Atan2Op, math::ClampFOp, math::PowFOp, math::SincosOp>(op);
}

/// The values of a function that has an expansion.
static SmallVector<Value> buildFunction(MathBuilder &b, Operation *op,
                                        ValueRange operands) {
  if (UnaryFunction function = getUnaryFunction(op))
    return {function(b, operands[0])};
  if (std::optional<int64_t> exponent = matchIntegerExponent(op))
    return {buildIntegerPower(b, operands[0], *exponent)};
  if (isa<math::PowFOp>(op))
    return {buildPow(b, operands[0], operands[1])};
  if (isa<math::Atan2Op>(op))
    return {buildAtan2(b, operands[0], operands[1])};
  if (isa<math::ClampFOp>(op))
    return {buildClamp(b, operands[0], operands[1], operands[2])};
  auto [sine, cosine] = buildSinCos(b, operands[0]);
  return {sine, cosine};
}

static bool isNarrow(Type type) { return type.isF16() || type.isBF16(); }

/// Computes narrower numbers in f32, and rounds once.
static SmallVector<Value> buildElement(OpBuilder &builder, Operation *op,
                                       ValueRange operands) {
  Type type = operands.front().getType();
  if (!isNarrow(type)) {
    MathBuilder b(builder, op->getLoc(), cast<FloatType>(type));
    return buildFunction(b, op, operands);
  }
  MathBuilder b(builder, op->getLoc());
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(b.cast<arith::ExtFOp>(b.getType(), operand));
  SmallVector<Value> results = buildFunction(b, op, wide);
  for (Value &result : results)
    result = b.cast<arith::TruncFOp>(type, result);
  return results;
}

/// The results of `op` on vectors, element by element: PTX has no others.
static SmallVector<Value> buildVector(OpBuilder &builder, Operation *op,
                                      VectorType type, ValueRange operands) {
  Location loc = op->getLoc();
  SmallVector<Value> results;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    results.push_back(
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
  for (int64_t index = 0; index < type.getNumElements(); ++index) {
    SmallVector<int64_t> position;
    int64_t rest = index;
    for (int64_t size : llvm::reverse(type.getShape())) {
      position.insert(position.begin(), rest % size);
      rest /= size;
    }
    SmallVector<Value> elements;
    for (Value operand : operands)
      elements.push_back(
          vector::ExtractOp::create(builder, loc, operand, position));
    SmallVector<Value> values = buildElement(builder, op, elements);
    for (auto [result, value] : llvm::zip(results, values))
      result = vector::InsertOp::create(builder, loc, value, result, position);
  }
  return results;
}

/// Replaces `op` by arithmetic, if it is a function with an expansion.
static void expandFunction(Operation *op) {
  Value sigmoid = matchSigmoid(op);
  if (!hasExpansion(op) || (isa<arith::DivFOp>(op) && !sigmoid))
    return;
  SmallVector<Value> operands(op->getOperands());
  std::optional<int64_t> exponent = matchIntegerExponent(op);
  if (sigmoid)
    operands = {sigmoid};
  else if (exponent)
    operands.pop_back();
  Type type = operands.front().getType();
  Type element = getElementTypeOrSelf(type);
  auto vectorType = dyn_cast<VectorType>(type);
  if (exponent && !hasIntegerPower(element, *exponent))
    return;
  bool isKnown = element.isF32() || isNarrow(element) || exponent ||
                 (element.isF64() &&
                  isa<math::ClampFOp, math::RoundOp, math::RsqrtOp>(op));
  if (!isKnown || (vectorType && vectorType.isScalable()))
    return;
  OpBuilder builder(op);
  SmallVector<Value> results =
      vectorType ? buildVector(builder, op, vectorType, operands)
                 : buildElement(builder, op, operands);
  op->replaceAllUsesWith(results);
  op->erase();
}

/// Fails with an error on the first operation that libdevice would be needed
/// for.
static LogicalResult checkNoLibdevice(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    if (!isa_and_present<math::MathDialect>(op->getDialect()) &&
        !isa<arith::RemFOp>(op))
      return WalkResult::advance();
    op->emitOpError("cannot be compiled for the GPU: there is no expansion "
                    "without libdevice for ")
        << op->getResult(0).getType();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {

struct ExpandMath
    : mlir::dietcode::impl::DietCodeExpandMathPassBase<ExpandMath> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    // Backwards, so that a sigmoid is seen before its exp is expanded.
    for (Operation *op : llvm::reverse(ops)) {
      if (op->getNumRegions() == 0 && isOpTriviallyDead(op))
        op->erase();
      else if (StringRef intrinsic = getIntrinsic(op); !intrinsic.empty())
        callIntrinsic(op, intrinsic);
      else if (isa<math::IsFiniteOp, math::IsInfOp, math::IsNaNOp,
                   math::IsNormalOp>(op))
        expandClassification(op);
      else
        expandFunction(op);
    }
    if (failed(checkNoLibdevice(getOperation())))
      signalPassFailure();
  }
};

} // namespace
