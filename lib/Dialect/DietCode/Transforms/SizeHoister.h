//===- SizeHoister.h - Sizes of buffers before there are any ----*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_TRANSFORMS_SIZEHOISTER_H
#define DIETCODE_LIB_TRANSFORMS_SIZEHOISTER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::dietcode {

/// A number of bytes: a constant times values, equal ones for equal sizes, and
/// none at all unless `condition` holds.
struct ByteSize {
  int64_t factor = 1;
  SmallVector<Value> extents;
  Value condition; ///< Null if it always holds.

  bool operator==(const ByteSize &other) const {
    return factor == other.factor && extents == other.extents &&
           condition == other.condition;
  }
};

/// Makes values that host code computes later available at an earlier place, as
/// far as they are arithmetic on what is known there, such as the dimensions of
/// arguments.
class SizeHoister {
public:
  explicit SizeHoister(Operation *place)
      : place(place), b(place->getLoc(), place) {}
  /// Erases what nobody uses.
  ~SizeHoister();

  /// The bytes that an allocation takes, or none if they are not known at the
  /// place. The layout must be the identity.
  std::optional<ByteSize> getSize(gpu::AllocOp alloc);
  /// The value at the place, or null.
  Value hoist(Value value);
  /// Whether the branch of `op` that `region` is, or an iteration of it, is
  /// run; null if that is not known at the place.
  Value hoistCondition(Operation *op, Region *region);
  /// Null stands for true.
  Value both(Value lhs, Value rhs);

private:
  Value hoistDim(Value buffer, int64_t dim);
  Value findDim(Value buffer, int64_t dim);
  bool multiply(ByteSize &size, Value value);
  bool isAvailable(Value value) {
    return dominance.properlyDominates(value, place);
  }
  Value constant(int64_t value);
  template <typename OpTy, typename... Args>
  Value create(Args &&...args) {
    return unify(OpTy::create(b, std::forward<Args>(args)...))->getResult(0);
  }
  Operation *unify(Operation *op);

  Operation *place;
  ImplicitLocOpBuilder b;
  DominanceInfo dominance;
  SmallVector<Operation *> created;  ///< Without duplicates.
  DenseMap<Value, unsigned> numbers; ///< Of extents as they were met.
};

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_TRANSFORMS_SIZEHOISTER_H
