//===- ArenaSlots.h - Which buffers share memory ----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_TRANSFORMS_ARENASLOTS_H
#define DIETCODE_LIB_TRANSFORMS_ARENASLOTS_H

#include "BufferLifetimes.h"
#include "SizeHoister.h"

namespace mlir::dietcode {

/// A buffer with a place in the arena.
struct PlannedBuffer {
  BufferLifetime lifetime;
  ByteSize size;
};

/// Buffers that use the same memory one after the other.
using ArenaSlot = SmallVector<const PlannedBuffer *>;

/// Divides buffers into slots. Sizes are not known, so that which slot wastes
/// the least is a guess, but any division is right and takes no more memory
/// than all buffers together.
SmallVector<ArenaSlot> assignSlots(ArrayRef<PlannedBuffer> buffers);

/// Lays the slots out one after the other.
class ArenaLayout {
public:
  ArenaLayout(ImplicitLocOpBuilder &b, ArrayRef<ArenaSlot> slots);

  Value getOffset(unsigned slot) const { return offsets[slot]; }
  Value getTotal() const { return total; }

private:
  Value constant(int64_t value);
  Value multiply(Value lhs, Value rhs);
  Value getBytes(const ByteSize &size);
  OpFoldResult getBytes(const ArenaSlot &slot);
  OpFoldResult add(OpFoldResult lhs, OpFoldResult rhs);

  ImplicitLocOpBuilder &b;
  SmallVector<Value> offsets;
  Value total;
};

} // namespace mlir::dietcode

#endif // DIETCODE_LIB_TRANSFORMS_ARENASLOTS_H
