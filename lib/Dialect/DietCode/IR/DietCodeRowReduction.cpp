//===- DietCodeRowReduction.cpp - Reductions of rows ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::dietcode;

#include "dietcode/Dialect/DietCode/IR/DietCodeEnums.cpp.inc"

static bool isOfFloats(RowReduction kind) {
  switch (kind) {
  case RowReduction::MaximumF:
  case RowReduction::MinimumF:
  case RowReduction::MaxNumF:
  case RowReduction::MinNumF:
    return true;
  default:
    return false;
  }
}

bool mlir::dietcode::isApplicable(RowReduction kind, Type type) {
  if (isa<FloatType>(type))
    return isOfFloats(kind) || kind == RowReduction::Add ||
           kind == RowReduction::Mul;
  return type.isSignlessInteger() && !isOfFloats(kind);
}

static APFloat getNeutralFloat(RowReduction kind,
                               const llvm::fltSemantics &semantics) {
  switch (kind) {
  case RowReduction::Add:
    return APFloat::getZero(semantics);
  case RowReduction::Mul:
    return APFloat::getOne(semantics);
  case RowReduction::MaximumF:
    return APFloat::getInf(semantics, /*Negative=*/true);
  case RowReduction::MinimumF:
    return APFloat::getInf(semantics);
  default:
    // Of a number and a NaN, maxnumf and minnumf give the number.
    return APFloat::getNaN(semantics);
  }
}

static APInt getNeutralInteger(RowReduction kind, unsigned width) {
  switch (kind) {
  case RowReduction::Mul:
    return APInt(width, 1, /*isSigned=*/false, /*implicitTrunc=*/true);
  case RowReduction::MaxSI:
    return APInt::getSignedMinValue(width);
  case RowReduction::MinSI:
    return APInt::getSignedMaxValue(width);
  case RowReduction::MinUI:
  case RowReduction::And:
    return APInt::getAllOnes(width);
  default:
    return APInt::getZero(width);
  }
}

TypedAttr mlir::dietcode::getNeutralElement(RowReduction kind, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(type,
                          getNeutralFloat(kind, floatType.getFloatSemantics()));
  return IntegerAttr::get(
      type, getNeutralInteger(kind, type.getIntOrFloatBitWidth()));
}

/// The operation of `arith` that combines two elements.
static StringRef getCombiner(RowReduction kind, Type type) {
  bool isFloat = isa<FloatType>(type);
  switch (kind) {
  case RowReduction::Add:
    return isFloat ? arith::AddFOp::getOperationName()
                   : arith::AddIOp::getOperationName();
  case RowReduction::Mul:
    return isFloat ? arith::MulFOp::getOperationName()
                   : arith::MulIOp::getOperationName();
  case RowReduction::MaximumF:
    return arith::MaximumFOp::getOperationName();
  case RowReduction::MinimumF:
    return arith::MinimumFOp::getOperationName();
  case RowReduction::MaxNumF:
    return arith::MaxNumFOp::getOperationName();
  case RowReduction::MinNumF:
    return arith::MinNumFOp::getOperationName();
  case RowReduction::MaxSI:
    return arith::MaxSIOp::getOperationName();
  case RowReduction::MinSI:
    return arith::MinSIOp::getOperationName();
  case RowReduction::MaxUI:
    return arith::MaxUIOp::getOperationName();
  case RowReduction::MinUI:
    return arith::MinUIOp::getOperationName();
  case RowReduction::And:
    return arith::AndIOp::getOperationName();
  case RowReduction::Or:
    return arith::OrIOp::getOperationName();
  case RowReduction::Xor:
    return arith::XOrIOp::getOperationName();
  }
  llvm_unreachable("unknown reduction");
}

Value mlir::dietcode::createCombination(OpBuilder &builder, Location loc,
                                        RowReduction kind, Value lhs,
                                        Value rhs) {
  Type type = lhs.getType();
  OperationState state(loc, getCombiner(kind, type), {lhs, rhs}, type);
  return builder.create(state)->getResult(0);
}

std::optional<RowReduction> mlir::dietcode::getReductionOf(Operation *op) {
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  Type type = op->getResult(0).getType();
  for (uint32_t value = 0; value <= getMaxEnumValForRowReduction(); ++value) {
    std::optional<RowReduction> kind = symbolizeRowReduction(value);
    if (kind && isApplicable(*kind, type) &&
        op->getName().getStringRef() == getCombiner(*kind, type))
      return kind;
  }
  return std::nullopt;
}

LogicalResult ReduceRowOp::verify() {
  if (!isApplicable(getKind(), getValue().getType()))
    return emitOpError() << "cannot combine values of type "
                         << getValue().getType() << " by '"
                         << stringifyRowReduction(getKind()) << "'";
  return success();
}
