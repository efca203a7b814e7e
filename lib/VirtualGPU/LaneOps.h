//===- LaneOps.h - Operations on the 32 lanes of a warp ---------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register of a warp is a row of 32 elements. The functions here work on
// whole rows; the sources behind them are compiled once per instruction set of
// the host, and laneTable() picks the best set that this host runs. All sets
// give the same bits: multiply-adds are fused where PTX says so and nowhere
// else.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_LANEOPS_H
#define DIETCODE_LIB_VIRTUALGPU_LANEOPS_H

#include <cstdint>

namespace dietcode::vgpu {

/// Element types of rows. PTX's untyped .bN are the UN here. A predicate's row
/// is one 32-bit mask.
enum class Type : uint8_t {
  Pred,
  U8,
  S8,
  U16,
  S16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F16x2,
  F32,
  F64,
  Count
};

/// Row operations; not every one exists for every type.
enum class Op : uint8_t {
  Mov,
  Add,
  Sub,
  Mul,
  MulHi,
  MulWide,
  Mad,
  MadHi,
  MadWide,
  Fma,
  Div,
  Rem,
  Min,
  Max,
  Abs,
  Neg,
  AddSat,
  SubSat,
  And,
  Or,
  Xor,
  Not,
  Cnot,
  Shl,
  Shr,
  CmpEq,
  CmpNe,
  CmpLt,
  CmpLe,
  CmpGt,
  CmpGe,
  CmpEqu,
  CmpNeu,
  CmpLtu,
  CmpLeu,
  CmpGtu,
  CmpGeu,
  CmpNum,
  CmpNan,
  Selp,
  Rcp,
  Sqrt,
  Rsqrt,
  Ex2,
  Lg2,
  Sin,
  Cos,
  Tanh,
  Copysign,
  Sad,
  Bfe,
  Bfi,
  Bfind,
  Brev,
  Clz,
  Popc,
  Prmt,
  Lop3,
  ShfL,
  ShfR,
  Dp4a,
  FAdd, // With rounding mode, .ftz or .sat in the immediate; never hot.
  FSub,
  FMul,
  FFma,
  FDiv,
  FSqrt,
  Count
};

constexpr unsigned typeCount = static_cast<unsigned>(Type::Count);
constexpr unsigned opCount = static_cast<unsigned>(Op::Count);

/// Flags in the immediate of floating-point rows and conversions.
enum LaneFlag : uint32_t {
  FlagFtz = 1,
  FlagSat = 2,
  RoundShift = 2, // Two bits: see Rounding.
  RoundMask = 3u << RoundShift,
  FlagRoundInt = 16, // Round a float to an integral value.
};
enum Rounding : uint32_t { RoundNearest, RoundZero, RoundDown, RoundUp };

/// `d` is the fourth source.
using LaneFn = void (*)(void *dst, const void *a, const void *b, const void *c,
                        const void *d, uint32_t imm);

/// The range of 32 addresses, and their bitwise or for alignment checks.
struct AddressRange {
  uint64_t min;
  uint64_t max;
  uint64_t bits;
};

/// One instruction set's functions. Null where an operation makes no sense.
struct LaneTable {
  LaneFn op[opCount][typeCount];
  LaneFn cvt[typeCount][typeCount]; ///< [destination][source]
  /// dst = bits of `a` from bit `imm` on; [log2 of dst bytes][log2 of src].
  LaneFn extract[4][4];
  /// dst = a | b << width; indexed by log2 of the source bytes.
  LaneFn pack[3];
  /// Copies the lanes in `mask` from `src`; [log2 of element bytes].
  void (*blend[4])(void *dst, const void *src, uint32_t mask);
  /// ea = reg + offset for all lanes; [0] for 32-bit rows, [1] for 64-bit.
  void (*address[2])(uint64_t *ea, const void *reg, int64_t offset,
                     AddressRange &range);
  /// Full-warp loads and stores of vectors; [log2 bytes][log2 elements].
  void (*load[4][3])(void *const *rows, const uint64_t *hostAddresses);
  void (*store[4][3])(const void *const *rows, const uint64_t *hostAddresses);
  /// 64 halves to floats.
  void (*widenHalves)(float *dst, const void *halves);
  /// d[m][n] += a[m][k] * b[k][n], in the order of k.
  void (*multiplyHalves)(double *d, const float *a, const float *b, int m,
                         int n, int k);
  const char *name;
};

/// The best table this host runs.
const LaneTable &laneTable();

/// Bytes of one element; 0 for predicates.
unsigned byteSize(Type type);
bool isFloat(Type type);
bool isSigned(Type type);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_LANEOPS_H
