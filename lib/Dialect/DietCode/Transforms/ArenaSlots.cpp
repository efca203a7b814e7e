//===- ArenaSlots.cpp - Which buffers share memory ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::dietcode;

/// What an allocation of its own would be aligned to.
static constexpr int64_t kAlignment = 256;

/// More than any device has, so that an arena with a slot of it cannot be
/// allocated, and few enough that sums of slots do not overflow.
static constexpr int64_t kMaxSlotBytes = int64_t(1) << 48;

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

/// The size if every dimension that is not known were the same.
static double guessBytes(const ByteSize &size) {
  constexpr double kExtent = 100;
  return static_cast<double>(size.factor) *
         std::pow(kExtent, static_cast<double>(size.extents.size()));
}

static bool isFree(const ArenaSlot &slot, const BufferLifetime &lifetime) {
  return llvm::none_of(slot, [&](const PlannedBuffer *other) {
    return other->lifetime.overlaps(lifetime);
  });
}

/// The slot of which `buffer` wastes the least, or null. The first buffer of a
/// slot is the largest; one of the same size in other terms is second best.
static ArenaSlot *findSlot(MutableArrayRef<ArenaSlot> slots,
                           const PlannedBuffer &buffer) {
  auto rank = [&](const ArenaSlot &slot) {
    const ByteSize &size = slot.front()->size;
    return std::make_pair(guessBytes(size),
                          size.extents != buffer.size.extents);
  };
  ArenaSlot *best = nullptr;
  for (ArenaSlot &slot : slots)
    if (isFree(slot, buffer.lifetime) && (!best || rank(slot) < rank(*best)))
      best = &slot;
  return best;
}

SmallVector<ArenaSlot>
mlir::dietcode::assignSlots(ArrayRef<PlannedBuffer> buffers) {
  ArenaSlot largestFirst;
  for (const PlannedBuffer &buffer : buffers)
    largestFirst.push_back(&buffer);
  // Those of equal size in the order of the text.
  llvm::sort(
      largestFirst, [](const PlannedBuffer *lhs, const PlannedBuffer *rhs) {
        double left = guessBytes(lhs->size), right = guessBytes(rhs->size);
        return left != right ? left > right : lhs < rhs;
      });
  SmallVector<ArenaSlot> slots;
  for (const PlannedBuffer *buffer : largestFirst) {
    ArenaSlot *slot = findSlot(slots, *buffer);
    if (!slot)
      slot = &slots.emplace_back();
    slot->push_back(buffer);
  }
  return slots;
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

Value ArenaLayout::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

/// The product, or the largest number if there is none.
Value ArenaLayout::multiply(Value lhs, Value rhs) {
  auto product = arith::MulUIExtendedOp::create(b, lhs, rhs);
  Value isExceeded = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                           product.getHigh(), constant(0));
  return arith::SelectOp::create(b, isExceeded, constant(-1), product.getLow());
}

Value ArenaLayout::getBytes(const ByteSize &size) {
  Value bytes;
  for (Value extent : size.extents)
    bytes = bytes ? multiply(bytes, extent) : extent;
  Value factor = constant(size.factor);
  bytes = bytes ? multiply(bytes, factor) : factor;
  if (size.condition)
    bytes = arith::SelectOp::create(b, size.condition, bytes, constant(0));
  return bytes;
}

/// The largest buffer of the slot, in whole units of alignment.
OpFoldResult ArenaLayout::getBytes(const ArenaSlot &slot) {
  // Constants times the same values are compared here.
  SmallVector<ByteSize> sizes;
  for (const PlannedBuffer *buffer : slot) {
    ByteSize *same = llvm::find_if(sizes, [&](const ByteSize &other) {
      return other.extents == buffer->size.extents &&
             other.condition == buffer->size.condition;
    });
    if (same == sizes.end())
      sizes.push_back(buffer->size);
    else
      same->factor = std::max(same->factor, buffer->size.factor);
  }
  const ByteSize &first = sizes.front();
  if (sizes.size() == 1 && first.extents.empty() && !first.condition)
    return b.getIndexAttr(static_cast<int64_t>(
        llvm::alignTo(std::min(first.factor, kMaxSlotBytes), kAlignment)));
  Value largest;
  for (const ByteSize &size : sizes) {
    Value bytes = getBytes(size);
    largest = largest ? arith::MaxUIOp::create(b, largest, bytes) : bytes;
  }
  largest = arith::MinUIOp::create(b, largest, constant(kMaxSlotBytes));
  largest = arith::AddIOp::create(b, largest, constant(kAlignment - 1));
  Value units = arith::DivUIOp::create(b, largest, constant(kAlignment));
  return arith::MulIOp::create(b, units, constant(kAlignment)).getResult();
}

OpFoldResult ArenaLayout::add(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> left = getConstantIntValue(lhs);
  std::optional<int64_t> right = getConstantIntValue(rhs);
  if (left && right)
    return b.getIndexAttr(*left + *right);
  if (left == 0)
    return rhs;
  Value leftValue = getValueOrCreateConstantIndexOp(b, b.getLoc(), lhs);
  Value rightValue = getValueOrCreateConstantIndexOp(b, b.getLoc(), rhs);
  return arith::AddIOp::create(b, leftValue, rightValue).getResult();
}

ArenaLayout::ArenaLayout(ImplicitLocOpBuilder &b, ArrayRef<ArenaSlot> slots)
    : b(b) {
  OpFoldResult sum = b.getIndexAttr(0);
  for (const ArenaSlot &slot : slots) {
    offsets.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), sum));
    sum = add(sum, getBytes(slot));
  }
  total = getValueOrCreateConstantIndexOp(b, b.getLoc(), sum);
}
