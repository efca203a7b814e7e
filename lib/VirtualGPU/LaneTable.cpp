//===- LaneTable.cpp - Choosing the host's row functions ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneTargets.h"
#include <cstdlib>
#include <cstring>

namespace dietcode::vgpu {
namespace {

#if defined(DIETCODE_LANES_X86)
/// DIETCODE_VGPU_ISA=baseline|avx2 holds the choice down, for tests.
bool allowed(const char *set) {
  const char *limit = std::getenv("DIETCODE_VGPU_ISA");
  if (!limit || !*limit || std::strcmp(limit, "avx512") == 0)
    return true;
  return std::strcmp(limit, "avx2") == 0 && std::strcmp(set, "avx2") == 0;
}
#endif

LaneTable makeTable() {
  LaneTable table = {};
  table.name = "baseline";
  fillBits(table);
  fillConvert(table);
  fillDirected(table);
#if defined(DIETCODE_LANES_X86)
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512vl");
  if (avx512 && allowed("avx512")) {
    table.name = "avx512";
    fillArithAVX512(table);
    fillMemoryAVX512(table);
    fillMatrixAVX512(table);
    return table;
  }
  if (avx2 && allowed("avx2")) {
    table.name = "avx2";
    fillArithAVX2(table);
    fillMemoryAVX2(table);
    fillMatrixAVX2(table);
    return table;
  }
#endif
  fillArithBaseline(table);
  fillMemoryBaseline(table);
  fillMatrixBaseline(table);
  return table;
}

} // namespace

const LaneTable &laneTable() {
  static const LaneTable table = makeTable();
  return table;
}

unsigned byteSize(Type type) {
  switch (type) {
  case Type::U8:
  case Type::S8:
    return 1;
  case Type::U16:
  case Type::S16:
  case Type::F16:
    return 2;
  case Type::U32:
  case Type::S32:
  case Type::F32:
  case Type::F16x2:
    return 4;
  case Type::U64:
  case Type::S64:
  case Type::F64:
    return 8;
  default:
    return 0;
  }
}

bool isFloat(Type type) {
  return type == Type::F16 || type == Type::F16x2 || type == Type::F32 ||
         type == Type::F64;
}

bool isSigned(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 ||
         type == Type::S64;
}

} // namespace dietcode::vgpu
