//===- LaneExtra.h - Rarer row operations -----------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that are not worth columns of the table. Like those they never
// depend on the instruction set.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_LANEEXTRA_H
#define DIETCODE_LIB_VIRTUALGPU_LANEEXTRA_H

#include "LaneOps.h"

namespace dietcode::vgpu {

/// mul24 and mad24 (c is zero then): imm is 1 for .hi, 2 more for .s32.
void rowMad24(void *dst, const void *a, const void *b, const void *c,
              const void *d, uint32_t imm);

/// dp4a and dp2a. imm: 1 if a is signed, 2 if b is, 4 for dp2a, 8 for its .hi.
void rowDotMixed(void *dst, const void *a, const void *b, const void *c,
                 const void *d, uint32_t imm);

/// What a SIMD video instruction does with each of its fields.
enum class PackedOp : uint32_t {
  Add,
  Sub,
  Average,
  AbsoluteDifference,
  Min,
  Max,
  SetEq,
  SetNe,
  SetLt,
  SetLe,
  SetGt,
  SetGe
};
enum : uint32_t {
  PackedBits = 255, ///< Size of a field, 8 or 16.
  PackedSignedA = 256,
  PackedSignedB = 512,
  PackedSignedResult = 1024,
  PackedSaturates = 2048,
  PackedSums = 4096, ///< The result is c and all fields, added.
  PackedOpShift = 16 ///< The PackedOp is above this.
};
/// vadd4, vset2 and their like.
void rowPacked(void *dst, const void *a, const void *b, const void *c,
               const void *d, uint32_t imm);

/// fns: the place of a set bit of a, counted from bit b on in the direction of
/// c, which says the how-manieth; 0: bit b itself. All ones if there is none.
void rowFindNthSet(void *dst, const void *a, const void *b, const void *c,
                   const void *d, uint32_t imm);

/// prmt with a mode, in the order of the PTX ISA: f4e, b4e, rc8, ecl, ecr,
/// rc16.
void rowPermuteMode(void *dst, const void *a, const void *b, const void *c,
                    const void *d, uint32_t imm);

/// slct: a where c >= 0, else b. Of elements of `bytes` (2, 4 or 8); imm is
/// FlagFtz or 0. NaN selects b.
LaneFn slctFunction(unsigned bytes, bool isFloatSelector);

enum class FloatTest : uint32_t {
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal
};
/// testp on .f32 or .f64; imm is a FloatTest.
LaneFn testpFunction(bool isDouble);

/// isspacep: whether a 64-bit generic address is in the window whose upper byte
/// imm is; 0: in none of them, which is global memory.
void rowIsSpace(void *dst, const void *a, const void *b, const void *c,
                const void *d, uint32_t imm);

/// A comparison, given by its distance from Op::CmpEq; the unordered ones and
/// CmpNan are true of NaN.
inline bool compareHalves(double a, double b, uint32_t comparison) {
  bool ordered = a == a && b == b;
  switch (static_cast<Op>(unsigned(Op::CmpEq) + comparison)) {
  case Op::CmpEq:
    return ordered && a == b;
  case Op::CmpNe:
    return ordered && a != b;
  case Op::CmpLt:
    return a < b;
  case Op::CmpLe:
    return a <= b;
  case Op::CmpGt:
    return a > b;
  case Op::CmpGe:
    return a >= b;
  case Op::CmpEqu:
    return !ordered || a == b;
  case Op::CmpNeu:
    return !ordered || a != b;
  case Op::CmpLtu:
    return !ordered || a < b;
  case Op::CmpLeu:
    return !ordered || a <= b;
  case Op::CmpGtu:
    return !ordered || a > b;
  case Op::CmpGeu:
    return !ordered || a >= b;
  case Op::CmpNum:
    return ordered;
  default:
    return !ordered;
  }
}

/// set on halves, `count` of them being 32 or 64: 1.0, or ones if imm has
/// bit 8. The lower bits of imm are the comparison's distance from Op::CmpEq.
LaneFn setHalvesFunction(unsigned count);

/// szext (imm: 1 for .clamp, 2 for .s32) and bmsk (imm: 1 for .clamp).
void rowSignExtend(void *dst, const void *a, const void *b, const void *c,
                   const void *d, uint32_t imm);
void rowBitMask(void *dst, const void *a, const void *b, const void *c,
                const void *d, uint32_t imm);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_LANEEXTRA_H
