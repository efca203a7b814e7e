//===- MatrixExecution.cpp - Executing matrix instructions ----------------===//
//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "LaneMath.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace dietcode::vgpu {
namespace {

constexpr unsigned mostElements = 32 * 32; ///< Of any matrix, but bits.

uint32_t canonicalNaN(float value) {
  return value == value ? bitCast<uint32_t>(value) : 0x7fffffffu;
}

/// Element e of a register's 32-bit word.
int32_t integerElement(uint32_t word, unsigned e, Element type) {
  unsigned bits = bitsOf(type);
  if (bits == 32)
    return static_cast<int32_t>(word);
  uint32_t value = (word >> (bits * e)) & ((1u << bits) - 1);
  bool isNegative =
      (type == Element::S8 || type == Element::S4) && (value >> (bits - 1)) & 1;
  return static_cast<int32_t>(isNegative ? value - (1u << bits) : value);
}

} // namespace

/// All 32 lanes must execute these together (PTX ISA: .sync.aligned).
bool Executor::matrix(Warp &warp, const Inst &inst, uint32_t mask) {
  if (mask != fullMask)
    return fault(warp, inst, static_cast<unsigned>(__builtin_ctz(~mask)),
                 FindingKind::InvalidMembers,
                 "this thread does not execute an instruction that all 32 "
                 "threads of a warp must execute together");
  switch (inst.kind) {
  case Kind::Mma: {
    const MatrixOp &op = program.matrixOps[inst.imm];
    op.types[1] == Element::F16 ? multiply(op) : multiplyIntegers(op);
    return true;
  }
  case Kind::LoadMatrix:
    return loadMatrix(warp, inst);
  case Kind::MoveMatrix:
    moveMatrix(inst);
    return true;
  default:
    return accessFragment(warp, inst);
  }
}

/// d = a * b + c on halves; see Matrix.h for the numerics.
void Executor::multiply(const MatrixOp &op) {
  float operands[2][mostElements];
  double sums[mostElements];
  const Ref *src = op.src.data();
  for (unsigned which = 0; which < 2; ++which) {
    const FragmentLayout &layout = op.layouts[which];
    for (unsigned e = 0; e < layout.perLane; e += 2) {
      float wide[64];
      lanes.widenHalves(wide, row(*src++));
      for (unsigned i = 0; i < 64; ++i)
        operands[which][layout.position[i / 2 * layout.perLane + e + i % 2]] =
            wide[i];
    }
  }
  const FragmentLayout &layout = op.layouts[2];
  bool halfC = op.types[3] == Element::F16, halfD = op.types[0] == Element::F16;
  for (unsigned e = 0; e < layout.perLane; e += halfC ? 2 : 1) {
    float wide[64];
    const uint8_t *from = row(*src++);
    if (halfC)
      lanes.widenHalves(wide, from);
    else
      std::memcpy(wide, from, 128);
    for (unsigned i = 0; i < (halfC ? 64u : 32u); ++i) {
      unsigned lane = halfC ? i / 2 : i, part = halfC ? i % 2 : 0;
      sums[layout.position[lane * layout.perLane + e + part]] =
          static_cast<double>(wide[i]);
    }
  }
  lanes.multiplyHalves(sums, operands[0], operands[1], op.shape.m, op.shape.n,
                       op.shape.k);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const uint16_t *position = &layout.position[lane * layout.perLane];
    for (unsigned e = 0; e < layout.perLane; ++e) {
      double sum = sums[position[e]];
      if (halfD) {
        Half half = doubleToHalf(sum, RoundNearest);
        std::memcpy(row(op.dst[e / 2]) + 4 * lane + e % 2 * 2, &half, 2);
      } else {
        uint32_t bits = canonicalNaN(static_cast<float>(sum));
        std::memcpy(row(op.dst[e]) + 4 * lane, &bits, 4);
      }
    }
  }
}

/// The same on integers, of which .b1 are compared by xor and counted.
void Executor::multiplyIntegers(const MatrixOp &op) {
  int32_t operands[2][mostElements];
  int64_t sums[mostElements];
  const Ref *src = op.src.data();
  auto gather = [&](unsigned which, auto *into) {
    const FragmentLayout &layout = op.layouts[which];
    unsigned perWord = 32 / bitsOf(op.types[which + 1]);
    for (unsigned e = 0; e < layout.perLane; ++e) {
      auto *words = reinterpret_cast<const uint32_t *>(row(src[e / perWord]));
      for (unsigned lane = 0; lane < 32; ++lane)
        into[layout.position[lane * layout.perLane + e]] =
            integerElement(words[lane], e % perWord, op.types[which + 1]);
    }
    src += layout.perLane / perWord;
  };
  gather(0, operands[0]);
  gather(1, operands[1]);
  gather(2, sums);
  unsigned n = op.shape.n, k = op.shape.k;
  bool isBits = op.types[1] == Element::B1;
  for (unsigned at = 0; at < op.shape.m * n; ++at)
    for (unsigned inner = 0; inner < k; ++inner) {
      int32_t a = operands[0][at / n * k + inner];
      int32_t b = operands[1][inner * n + at % n];
      sums[at] += isBits ? a ^ b : a * b;
    }
  const FragmentLayout &layout = op.layouts[2];
  for (unsigned slot = 0; slot < 32 * layout.perLane; ++slot) {
    int64_t sum = sums[layout.position[slot]];
    if (op.saturate)
      sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                                std::numeric_limits<int32_t>::max());
    auto bits = static_cast<uint32_t>(sum);
    std::memcpy(row(op.dst[slot % layout.perLane]) +
                    4 * size_t(slot / layout.perLane),
                &bits, 4);
  }
}

/// wmma.load and wmma.store: as many accesses as it takes, each of adjacent
/// elements.
bool Executor::accessFragment(Warp &warp, const Inst &inst) {
  const MatrixOp &op = program.matrixOps[inst.imm];
  const FragmentLayout &layout = op.layouts[0];
  AddressRange range;
  addressesOf(inst, fullMask, range);
  auto *strides = reinterpret_cast<const uint32_t *>(row(inst.src[1]));
  for (unsigned i = 1; i < 32; ++i)
    if (hostAddresses[i] != hostAddresses[0] || strides[i] != strides[0])
      return fault(warp, inst, i, FindingKind::InvalidMembers,
                   "the address or the stride differs from that of another "
                   "thread of the warp");
  uint64_t base = hostAddresses[0], stride = strides[0];
  unsigned columns = op.shape.columns(op.role);
  unsigned bits = bitsOf(op.types[0]), bytes = bits * op.elementsPerAccess / 8;
  for (unsigned e = 0; e < layout.perLane; e += op.elementsPerAccess) {
    range = {~uint64_t(0), 0, 0};
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned at = layout.position[lane * layout.perLane + e];
      uint64_t r = at / columns, c = at % columns;
      uint64_t index = op.columnMajor ? c * stride + r : r * stride + c;
      uint64_t address = base + index * bits / 8;
      hostAddresses[lane] = address;
      range.min = std::min(range.min, address);
      range.max = std::max(range.max, address);
      range.bits |= address;
    }
    if (!resolveAddresses(warp, inst, fullMask, bytes, range))
      return false;
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned done = 0; done < bytes;) {
        unsigned at = e * bits / 8 + done, part = std::min(bytes - done, 4u);
        auto *memory = reinterpret_cast<uint8_t *>(hostAddresses[lane]) + done;
        bool isLoad = inst.kind == Kind::LoadFragment;
        Ref ref = isLoad ? op.dst[at / 4] : op.src[at / 4];
        uint8_t *word = row(ref) + 4 * size_t(lane) + at % 4;
        std::memcpy(isLoad ? word : memory, isLoad ? memory : word, part);
        done += part;
      }
  }
  return true;
}

/// Rows 8 i to 8 i + 7 of 16 bytes, at the addresses of those lanes, make
/// matrix i. Lane l gets elements 2 (l % 4) and the next of row l / 4, or of
/// column l / 4 under .trans. On sm_75 every lane's address must be valid, used
/// or not (PTX ISA, ldmatrix: "all threads must contain valid addresses").
bool Executor::loadMatrix(Warp &warp, const Inst &inst) {
  AddressRange range;
  addressesOf(inst, fullMask, range);
  bool isWindow = inst.space == Space::Shared ||
                  ((range.min & windowMask) == sharedWindow &&
                   (range.max & windowMask) == sharedWindow);
  if (!isWindow)
    return fault(warp, inst, 0, FindingKind::OutOfBounds,
                 "the address is not one of shared memory");
  if (!resolveAddresses(warp, inst, fullMask, 16, range))
    return false;
  for (unsigned i = 0; i < 4 && inst.dst[i] != noRef; ++i) {
    uint16_t halves[8][8];
    for (unsigned r = 0; r < 8; ++r)
      std::memcpy(halves[r],
                  reinterpret_cast<const void *>(hostAddresses[8 * i + r]), 16);
    auto *out = reinterpret_cast<uint32_t *>(row(inst.dst[i]));
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned r = lane / 4, c = lane % 4 * 2;
      out[lane] = inst.mode ? halves[c][r] | uint32_t(halves[c + 1][r]) << 16
                            : halves[r][c] | uint32_t(halves[r][c + 1]) << 16;
    }
  }
  return true;
}

/// Transposes an 8x8 matrix of halves that lies in one register of each lane.
void Executor::moveMatrix(const Inst &inst) {
  uint16_t halves[8][8];
  std::memcpy(halves, row(inst.src[0]), sizeof(halves));
  auto *out = reinterpret_cast<uint32_t *>(row(inst.dst[0]));
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned r = lane / 4, c = lane % 4 * 2;
    out[lane] = halves[c][r] | uint32_t(halves[c + 1][r]) << 16;
  }
}

} // namespace dietcode::vgpu
