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

std::vector<uint32_t> successorsOf(const Program &program, const BlockMap &map,
                                   uint32_t block) {
  std::vector<uint32_t> result;
  const Inst &last = program.code[map.end(block) - 1];
  if (last.kind == Kind::Branch)
    result.push_back(map.startingAt(last.target));
  bool leaves = last.kind == Kind::Branch || last.kind == Kind::Exit;
  if ((!leaves || last.guard != noRef) && block + 1 < map.size())
    result.push_back(block + 1);
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
    successors[b] = successorsOf(program, map, b);
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

/// A row reaches to the next one. Rows of 64 bytes are those of predicates and
/// of elements of up to 16 bits.
std::vector<uint8_t> rowWeights(const Program &program) {
  size_t rows = program.registerFileBytes / rowBytes + 1;
  std::vector<bool> begins(rows), isPredicate(rows);
  begins.back() = true;
  for (const Inst &inst : program.code) {
    Operands operands = operandsOf(program, inst);
    bool writesPredicate =
        inst.kind == Kind::Setp ||
        (inst.kind == Kind::Lane && inst.blend == blendPredicate);
    for (Ref ref : operands.reads)
      begins[ref / rowBytes] = true;
    for (Ref ref : operands.writes) {
      begins[ref / rowBytes] = true;
      if (writesPredicate)
        isPredicate[ref / rowBytes] = true;
    }
  }
  std::vector<uint8_t> weights(rows);
  for (size_t row = 0, next; row + 1 < rows; row = next) {
    for (next = row + 1; !begins[next];)
      ++next;
    if (begins[row] && !isPredicate[row])
      weights[row] = next - row >= 4 ? 2 : 1;
  }
  for (auto &[kind, ref] : program.specials)
    weights[ref / rowBytes] = 0;
  return weights;
}

} // namespace dietcode::vgpu
