//===- RowLiveness.cpp - Rows whose values are used later -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLiveness.h"

namespace dietcode::vgpu {

Operands operandsOf(const Program &program, const Inst &inst) {
  Operands result;
  auto add = [](std::vector<Ref> &to, Ref ref) {
    if (isRow(ref))
      to.push_back(ref);
  };
  for (Ref ref : inst.src)
    add(result.reads, ref);
  for (Ref ref : inst.dst)
    add(result.writes, ref);
  if (usesMatrixOp(inst.kind)) {
    const MatrixOp &op = program.matrixOps[inst.imm];
    for (Ref ref : op.src)
      add(result.reads, ref);
    for (Ref ref : op.dst)
      add(result.writes, ref);
  }
  if (inst.guard == noRef)
    return result;
  add(result.reads, inst.guard);
  result.reads.insert(result.reads.end(), result.writes.begin(),
                      result.writes.end());
  return result;
}

std::vector<std::vector<bool>> liveRows(const Program &program,
                                        const BlockMap &map) {
  const std::vector<Inst> &code = program.code;
  size_t rows = program.registerFileBytes / rowBytes + 1;
  std::vector<std::vector<bool>> uses(map.size(), std::vector<bool>(rows));
  auto defs = uses, out = uses;
  std::vector<std::vector<uint32_t>> successors(map.size());
  for (uint32_t b = 0; b < map.size(); ++b) {
    for (uint32_t pc = map.begin(b); pc < map.end(b); ++pc) {
      Operands operands = operandsOf(program, code[pc]);
      for (Ref ref : operands.reads)
        if (!defs[b][ref / rowBytes])
          uses[b][ref / rowBytes] = true;
      for (Ref ref : operands.writes)
        defs[b][ref / rowBytes] = true;
    }
    const Inst &last = code[map.end(b) - 1];
    if (last.kind == Kind::Branch)
      successors[b].push_back(map.startingAt(last.target));
    bool leaves = last.kind == Kind::Branch || last.kind == Kind::Exit;
    if ((!leaves || last.guard != noRef) && b + 1 < map.size())
      successors[b].push_back(b + 1);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = map.size(); b-- > 0;)
      for (uint32_t s : successors[b])
        for (size_t r = 0; r < rows; ++r) {
          bool isLive = uses[s][r] || (out[s][r] && !defs[s][r]);
          if (isLive && !out[b][r])
            out[b][r] = changed = true;
        }
  }
  return out;
}

} // namespace dietcode::vgpu
