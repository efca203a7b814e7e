//===- Atomics.cpp - Atomic memory operations -----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes take their turns from 0 to 31, and kernels in which the order of blocks
// shows run their blocks in order, so results are the same in every run.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "LaneMath.h"
#include <cstring>

namespace dietcode::vgpu {
namespace {

template <typename T>
T combine(AtomicOp op, T old, T value, T other) {
  switch (op) {
  case AtomicOp::Min:
    return value < old ? value : old;
  case AtomicOp::Max:
    return old < value ? value : old;
  case AtomicOp::Exch:
    return value;
  case AtomicOp::Cas:
    return old == value ? other : old;
  case AtomicOp::Inc:
    return old >= value ? T(0) : T(old + 1);
  case AtomicOp::Dec:
    return old == T(0) || old > value ? value : T(old - 1);
  default:
    break;
  }
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    switch (op) {
    case AtomicOp::And:
      return old & value;
    case AtomicOp::Or:
      return old | value;
    case AtomicOp::Xor:
      return old ^ value;
    default:
      return static_cast<T>(static_cast<U>(old) + static_cast<U>(value));
    }
  }
  return old + value;
}

/// One lane's read-modify-write; blocks on other host threads may do the same.
template <typename T, typename Bits>
void update(void *address, AtomicOp op, const void *value, const void *other,
            void *result) {
  auto *target = static_cast<Bits *>(address);
  T v, o = T();
  std::memcpy(&v, value, sizeof(T));
  if (other)
    std::memcpy(&o, other, sizeof(T));
  Bits oldBits = __atomic_load_n(target, __ATOMIC_RELAXED);
  Bits newBits;
  do {
    T old;
    std::memcpy(&old, &oldBits, sizeof(T));
    T combined = combine<T>(op, old, v, o);
    std::memcpy(&newBits, &combined, sizeof(T));
  } while (!__atomic_compare_exchange_n(target, &oldBits, newBits, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  std::memcpy(result, &oldBits, sizeof(T));
}

/// The sum of halves, each rounded to nearest; subnormals are kept (.noftz).
template <unsigned N, typename Bits>
void addHalves(void *address, AtomicOp, const void *value, const void *,
               void *result) {
  auto *target = static_cast<Bits *>(address);
  Bits oldBits = __atomic_load_n(target, __ATOMIC_RELAXED), newBits;
  do {
    Half old[N], added[N];
    std::memcpy(old, &oldBits, sizeof(old));
    std::memcpy(added, value, sizeof(added));
    for (unsigned i = 0; i < N; ++i)
      added[i] = doubleToHalf(halfToDouble(old[i]) + halfToDouble(added[i]),
                              RoundNearest);
    std::memcpy(&newBits, added, sizeof(newBits));
  } while (!__atomic_compare_exchange_n(target, &oldBits, newBits, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  std::memcpy(result, &oldBits, sizeof(oldBits));
}

using UpdateFn = void (*)(void *, AtomicOp, const void *, const void *, void *);

UpdateFn updateOf(Type type) {
  switch (type) {
  case Type::U16:
    return update<uint16_t, uint16_t>;
  case Type::F16:
    return addHalves<1, uint16_t>;
  case Type::F16x2:
    return addHalves<2, uint32_t>;
  case Type::S32:
    return update<int32_t, uint32_t>;
  case Type::U64:
    return update<uint64_t, uint64_t>;
  case Type::S64:
    return update<int64_t, uint64_t>;
  case Type::F32:
    return update<float, uint32_t>;
  case Type::F64:
    return update<double, uint64_t>;
  default:
    return update<uint32_t, uint32_t>;
  }
}

} // namespace

bool Executor::atomic(Warp &warp, const Inst &inst, uint32_t mask) {
  unsigned bytes = byteSize(inst.type);
  if (!resolve(warp, inst, mask, bytes))
    return false;
  UpdateFn fn = updateOf(inst.type);
  const uint8_t *values = row(inst.src[1]);
  const uint8_t *others = inst.src[2] == noRef ? nullptr : row(inst.src[2]);
  for (unsigned i = 0; i < 32; ++i)
    if ((mask >> i) & 1)
      fn(reinterpret_cast<void *>(hostAddresses[i]),
         static_cast<AtomicOp>(inst.mode), values + size_t(i) * bytes,
         others ? others + size_t(i) * bytes : nullptr,
         scratch + size_t(i) * bytes);
  if (inst.dst[0] != noRef)
    writeRow(inst, inst.dst[0], scratch, mask);
  return true;
}

} // namespace dietcode::vgpu
