//===- Exchange.cpp - Matches, reductions at barriers, carries ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include <algorithm>
#include <cstring>

namespace dietcode::vgpu {
namespace {

/// One lane of an extended-precision instruction; the flag is a carry, or the
/// borrow of a subtraction.
template <typename U, typename S>
U extended(unsigned mode, U a, U b, U c, bool isSignedType, bool &flag) {
  bool in = flag;
  if (mode == CarrySub) {
    U difference = a - b;
    flag = a < b || (in && difference == 0);
    return difference - in;
  }
  U left = a, right = b;
  if (mode == CarryMadLo || mode == CarryMadHi) {
    using Wide = unsigned __int128;
    Wide product = isSignedType ? Wide(__int128(S(a)) * __int128(S(b)))
                                : Wide(a) * Wide(b);
    left = static_cast<U>(mode == CarryMadHi ? product >> (8 * sizeof(U))
                                             : product);
    right = c;
  }
  U sum = left + right;
  flag = sum < left || (in && U(sum + 1) == 0);
  return sum + in;
}

} // namespace

void Executor::carry(const Inst &inst, uint32_t mask) {
  uint32_t flags = 0, results = 0;
  if (inst.src[3] != noRef)
    std::memcpy(&flags, row(inst.src[3]), sizeof(flags));
  const uint8_t *sources[3] = {row(inst.src[0]), row(inst.src[1]), nullptr};
  if (inst.src[2] != noRef)
    sources[2] = row(inst.src[2]);
  auto each = [&](auto zero, auto signedZero) {
    using U = decltype(zero);
    for (unsigned i = 0; i < 32; ++i) {
      U v[3] = {};
      for (unsigned k = 0; k < 3; ++k)
        if (sources[k])
          std::memcpy(&v[k], sources[k] + i * sizeof(U), sizeof(U));
      bool flag = (flags >> i) & 1;
      U result = extended<U, decltype(signedZero)>(inst.mode, v[0], v[1], v[2],
                                                   isSigned(inst.type), flag);
      std::memcpy(scratch + i * sizeof(U), &result, sizeof(U));
      results |= uint32_t(flag) << i;
    }
  };
  if (byteSize(inst.type) == 8)
    each(uint64_t(0), int64_t(0));
  else
    each(uint32_t(0), int32_t(0));
  writeRow(inst, inst.dst[0], scratch, mask);
  if (inst.dst[1] != noRef)
    writePredicate(inst.dst[1], results, mask);
}

/// match.any: which members hold the same value. match.all: all members, if
/// they hold the same value, and none otherwise; and whether they do.
bool Executor::match(Warp &warp, const Inst &inst, uint32_t mask) {
  if (!checkMembers(warp, inst, inst.src[1], mask))
    return false;
  auto *members = reinterpret_cast<const uint32_t *>(row(inst.src[1]));
  unsigned bytes = byteSize(inst.type);
  const uint8_t *values = row(inst.src[0]);
  auto *out = reinterpret_cast<uint32_t *>(scratch);
  uint32_t agreed = 0;
  for (unsigned i = 0; i < 32; ++i) {
    out[i] = 0;
    for (unsigned j = 0; j < 32; ++j)
      if (((members[i] & mask) >> j) & 1)
        out[i] |= uint32_t(std::memcmp(values + size_t(i) * bytes,
                                       values + size_t(j) * bytes, bytes) == 0)
                  << j;
    bool all = out[i] == (members[i] & mask);
    agreed |= uint32_t(all) << i;
    if (inst.mode && !all)
      out[i] = 0;
  }
  writeRow(inst, inst.dst[0], out, mask);
  if (inst.dst[1] != noRef)
    writePredicate(inst.dst[1], agreed, mask);
  return true;
}

/// bar.red: what the threads that met at a barrier said, before they go on.
void Executor::reduceAtBarrier(uint32_t id) {
  uint32_t yes = 0, all = 0;
  auto forEachWarp = [&](auto fn) {
    for (Warp &warp : warps) {
      if (warp.status != Warp::Waiting || warp.barrier != id)
        continue;
      const Inst &inst = program.code[warp.pc - 1];
      if (static_cast<Reduction>(inst.imm) == Reduction::None)
        continue;
      bases[0] = warp.registers;
      fn(warp, inst);
    }
  };
  forEachWarp([&](Warp &warp, const Inst &inst) {
    uint32_t p;
    std::memcpy(&p, row(inst.src[2]), sizeof(p));
    p = inst.negatedSource ? ~p : p;
    yes += static_cast<uint32_t>(__builtin_popcount(p & warp.alive));
    all += static_cast<uint32_t>(__builtin_popcount(warp.alive));
  });
  forEachWarp([&](Warp &warp, const Inst &inst) {
    auto reduction = static_cast<Reduction>(inst.imm);
    if (reduction == Reduction::Popc) {
      auto *values = reinterpret_cast<uint32_t *>(scratch);
      std::fill_n(values, 32, yes);
      return writeRow(inst, inst.dst[0], values, warp.alive);
    }
    bool verdict = reduction == Reduction::And ? yes == all : yes != 0;
    writePredicate(inst.dst[0], verdict ? fullMask : 0, warp.alive);
  });
}

} // namespace dietcode::vgpu
