//===- WidenToDouble.cpp - Modules in double precision --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/Reference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace {

bool isNarrowFloat(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  return floatType && floatType.getWidth() < 64;
}

APFloat widen(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

/// The same elements in f64.
Attribute widenElements(DenseFPElementsAttr attr) {
  return attr.mapValues(
      Float64Type::get(attr.getContext()),
      [](const APFloat &value) { return widen(value).bitcastToAPInt(); });
}

/// The elements of a resource blob in f64; null if they are not there.
Attribute widenResource(DenseResourceElementsAttr attr) {
  AsmResourceBlob *blob = attr.getRawHandle().getBlob();
  if (!blob)
    return nullptr;
  bool isSplat;
  if (!DenseElementsAttr::isValidRawBuffer(attr.getType(), blob->getData(),
                                           isSplat))
    return nullptr;
  return widenElements(cast<DenseFPElementsAttr>(
      DenseElementsAttr::getFromRawBuffer(attr.getType(), blob->getData())));
}

void addReplacements(AttrTypeReplacer &replacer, MLIRContext *context) {
  Type f64 = Float64Type::get(context);
  replacer.addReplacement([f64](FloatType type) -> std::optional<Type> {
    return isNarrowFloat(type) ? f64 : Type(type);
  });
  replacer.addReplacement([f64](FloatAttr attr) -> std::optional<Attribute> {
    if (!isNarrowFloat(attr.getType()))
      return attr;
    return FloatAttr::get(f64, widen(attr.getValue()));
  });
  replacer.addReplacement(
      [](DenseFPElementsAttr attr) -> std::optional<Attribute> {
        return isNarrowFloat(attr.getElementType()) ? widenElements(attr)
                                                    : Attribute(attr);
      });
  replacer.addReplacement(
      [](DenseResourceElementsAttr attr) -> std::optional<Attribute> {
        if (!isNarrowFloat(attr.getElementType()))
          return attr;
        Attribute widened = widenResource(attr);
        return widened ? widened : attr;
      });
}

/// Whether `op` depends on how a float is represented.
bool looksAtBits(Operation *op) {
  if (!isa<arith::BitcastOp>(op) &&
      op->getName().getStringRef() != "tensor.bitcast")
    return false;
  return isNarrowFloat(getElementTypeOrSelf(op->getOperand(0).getType())) ||
         isNarrowFloat(getElementTypeOrSelf(op->getResult(0).getType()));
}

} // namespace

LogicalResult mlir::dietcode::widenToDouble(ModuleOp module) {
  WalkResult found = module.walk([](Operation *op) {
    if (!looksAtBits(op))
      return WalkResult::advance();
    op->emitError("there is no reference in double precision for an operation "
                  "that looks at the bits of a number");
    return WalkResult::interrupt();
  });
  if (found.wasInterrupted())
    return failure();
  AttrTypeReplacer replacer;
  addReplacements(replacer, module.getContext());
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  module.walk([](Operation *op) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  });
  return success();
}

namespace {

APFloat magnitude(const APFloat &value) {
  return value.isInfinity() ? value : llvm::abs(value);
}

/// Whether `value` was computed from floats, so that its magnitude may be far
/// larger than itself.
bool isComputed(Value value) {
  Operation *op = value.getDefiningOp();
  return op && !op->hasTrait<OpTrait::ConstantLike>() &&
         !isa<arith::SIToFPOp, arith::UIToFPOp>(op);
}

void makeMagnitude(Operation *op) {
  OpBuilder builder(op);
  Value result;
  if (auto sub = dyn_cast<arith::SubFOp>(op))
    result = arith::AddFOp::create(builder, op->getLoc(), sub.getLhs(),
                                   sub.getRhs(), sub.getFastmath());
  else if (isa<arith::NegFOp>(op))
    result = op->getOperand(0);
  else if (isa<arith::DivFOp>(op) && isComputed(op->getOperand(1)))
    result = op->getOperand(0);
  if (!result)
    return;
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// The exponentials that a softmax takes, of a difference to the largest value.
SmallVector<math::ExpOp> findShiftedExps(ModuleOp module) {
  SmallVector<math::ExpOp> ops;
  module.walk([&](math::ExpOp op) {
    if (op.getOperand().getDefiningOp<arith::SubFOp>())
      ops.push_back(op);
  });
  return ops;
}

/// They are at most 1, and an error of x makes one of exp(x) x, whereas the
/// exponential of a sum of magnitudes soon overflows.
void makeShiftedMagnitude(math::ExpOp op) {
  OpBuilder builder(op);
  Type type = op.getType();
  TypedAttr one = builder.getFloatAttr(getElementTypeOrSelf(type), 1);
  if (auto shaped = dyn_cast<ShapedType>(type))
    one = DenseElementsAttr::get(shaped, one);
  Value constant = arith::ConstantOp::create(builder, op.getLoc(), one);
  Value sum = arith::AddFOp::create(builder, op.getLoc(), op.getOperand(),
                                    constant, op.getFastmath());
  op.replaceAllUsesWith(sum);
  op.erase();
}

} // namespace

void mlir::dietcode::makeMagnitudes(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FloatAttr attr) -> std::optional<Attribute> {
    return FloatAttr::get(attr.getType(), magnitude(attr.getValue()));
  });
  replacer.addReplacement(
      [](DenseFPElementsAttr attr) -> std::optional<Attribute> {
        return attr.mapValues(attr.getElementType(), [](const APFloat &value) {
          return magnitude(value).bitcastToAPInt();
        });
      });
  replacer.recursivelyReplaceElementsIn(module);
  SmallVector<math::ExpOp> shifted = findShiftedExps(module);
  module.walk(makeMagnitude);
  llvm::for_each(shifted, makeShiftedMagnitude);
  // What is asserted of values need not hold for their magnitudes.
  module.walk([](cf::AssertOp op) { op.erase(); });
}
