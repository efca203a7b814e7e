//===- SizeHoister.cpp - Sizes of buffers before there are any ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeHoister.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::dietcode;

SizeHoister::~SizeHoister() {
  for (Operation *op : llvm::reverse(created))
    if (op->use_empty())
      op->erase();
}

/// Returns `op`, or an equal one, which it then erases.
Operation *SizeHoister::unify(Operation *op) {
  for (Operation *old : created)
    if (OperationEquivalence::isEquivalentTo(
            old, op, OperationEquivalence::IgnoreLocations)) {
      op->erase();
      return old;
    }
  created.push_back(op);
  return op;
}

Value SizeHoister::constant(int64_t value) {
  return create<arith::ConstantIndexOp>(value);
}

Value SizeHoister::both(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return create<arith::AndIOp>(lhs, rhs);
}

/// A dimension that somebody reads before the place, or null.
Value SizeHoister::findDim(Value buffer, int64_t dim) {
  for (Operation *user : buffer.getUsers())
    if (auto op = dyn_cast<memref::DimOp>(user))
      if (op.getConstantIndex() == dim && isAvailable(op))
        return op;
  return {};
}

/// The size of a dimension in terms of what the buffer is a view of, as far as
/// that is known, so that equal sizes are equal values.
Value SizeHoister::hoistDim(Value buffer, int64_t dim) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type)
    return {};
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  unsigned position = type.getDynamicDimIndex(dim);
  if (auto alloc = buffer.getDefiningOp<gpu::AllocOp>())
    return hoist(alloc.getDynamicSizes()[position]);
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
    return hoist(alloc.getDynamicSizes()[position]);
  if (auto cast = buffer.getDefiningOp<memref::CastOp>())
    return hoistDim(cast.getSource(), dim);
  if (auto expand = buffer.getDefiningOp<memref::ExpandShapeOp>())
    return hoist(expand.getOutputShape()[position]);
  if (auto collapse = buffer.getDefiningOp<memref::CollapseShapeOp>()) {
    Value product;
    for (int64_t source : collapse.getReassociationIndices()[dim]) {
      Value extent = hoistDim(collapse.getSrc(), source);
      if (!extent)
        return {};
      product = product ? create<arith::MulIOp>(product, extent) : extent;
    }
    return product;
  }
  if (!isAvailable(buffer))
    return {};
  if (Value known = findDim(buffer, dim))
    return known;
  return create<memref::DimOp>(buffer, constant(dim));
}

Value SizeHoister::hoist(Value value) {
  if (isAvailable(value))
    return value;
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    return index ? hoistDim(dim.getSource(), *index) : Value();
  }
  if (op->getNumRegions() || !isPure(op))
    return {};
  IRMapping known;
  for (Value operand : op->getOperands()) {
    Value hoisted = hoist(operand);
    if (!hoisted)
      return {};
    known.map(operand, hoisted);
  }
  unsigned position = cast<OpResult>(value).getResultNumber();
  return unify(b.clone(*op, known))->getResult(position);
}

/// Takes products and dimensions apart, since there are many ways to write one
/// size. False if a constant does not fit.
bool SizeHoister::multiply(ByteSize &size, Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return !number.isNegative() &&
           !llvm::MulOverflow(size.factor, number.getSExtValue(), size.factor);
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    return multiply(size, product.getLhs()) && multiply(size, product.getRhs());
  if (auto dim = value.getDefiningOp<memref::DimOp>())
    if (std::optional<int64_t> index = dim.getConstantIndex())
      if (Value known = hoistDim(dim.getSource(), *index);
          known && known != value)
        return multiply(size, known);
  size.extents.push_back(value);
  return true;
}

std::optional<ByteSize> SizeHoister::getSize(gpu::AllocOp alloc) {
  MemRefType type = alloc.getType();
  ByteSize size;
  // What LLVM aligns an element to.
  size.factor =
      llvm::PowerOf2Ceil(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) &&
        llvm::MulOverflow(size.factor, extent, size.factor))
      return std::nullopt;
  for (Value extent : alloc.getDynamicSizes()) {
    Value hoisted = hoist(extent);
    if (!hoisted || !multiply(size, hoisted))
      return std::nullopt;
  }
  // Any order will do that is always the same.
  for (Value extent : size.extents)
    numbers.try_emplace(extent, numbers.size());
  llvm::sort(size.extents, [&](Value lhs, Value rhs) {
    return numbers.lookup(lhs) < numbers.lookup(rhs);
  });
  return size;
}

Value SizeHoister::hoistCondition(Operation *op, Region *region) {
  if (auto choice = dyn_cast<scf::IfOp>(op)) {
    Value condition = hoist(choice.getCondition());
    if (!condition || region == &choice.getThenRegion())
      return condition;
    Value yes = create<arith::ConstantIntOp>(1, 1);
    return create<arith::XOrIOp>(condition, yes);
  }
  if (auto choice = dyn_cast<scf::IndexSwitchOp>(op)) {
    Value argument = hoist(choice.getArg());
    if (!argument)
      return {};
    bool isDefault = region == &choice.getDefaultRegion();
    Value condition;
    for (auto [number, other] :
         llvm::zip(choice.getCases(), choice.getCaseRegions()))
      if (isDefault || region == &other)
        condition =
            both(condition,
                 create<arith::CmpIOp>(isDefault ? arith::CmpIPredicate::ne
                                                 : arith::CmpIPredicate::eq,
                                       argument, constant(number)));
    return condition;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Value lower = hoist(loop.getLowerBound());
    Value upper = hoist(loop.getUpperBound());
    if (!lower || !upper)
      return {};
    return create<arith::CmpIOp>(loop.getUnsignedCmp()
                                     ? arith::CmpIPredicate::ult
                                     : arith::CmpIPredicate::slt,
                                 lower, upper);
  }
  return {};
}
