//===- Pressure.cpp - Registers that are live at once ---------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which rows hold uniform values is found going forward, to a fixed point over
// the blocks; which are live, going backward.
//
//===----------------------------------------------------------------------===//

#include "Pressure.h"
#include <algorithm>

namespace dietcode::vgpu {
namespace {

using Rows = std::vector<bool>;

bool isUniform(Special special) {
  switch (special) {
  case Special::TidX:
  case Special::TidY:
  case Special::TidZ:
  case Special::LaneId:
  case Special::WarpId:
  case Special::MaskEq:
  case Special::MaskLe:
  case Special::MaskLt:
  case Special::MaskGe:
  case Special::MaskGt:
    return false;
  default:
    return true;
  }
}

class Pressure {
public:
  Pressure(const Program &program, const BlockMap &map)
      : program(program), map(map), weights(rowWeights(program)),
        out(liveRows(program, map)) {
    findUniform();
  }

  uint32_t of(uint32_t block);

private:
  /// What the instruction makes of the uniform rows.
  void step(const Inst &inst, const Operands &operands, Rows &uniform) const {
    bool result = inst.kind == Kind::Param;
    if (inst.pipe == Pipe::Int &&
        (inst.kind == Kind::Lane || inst.kind == Kind::Setp)) {
      result = true;
      for (Ref ref : operands.reads)
        result &= uniform[ref / rowBytes];
    }
    for (Ref ref : operands.writes)
      uniform[ref / rowBytes] = result;
  }
  void findUniform();

  const Program &program;
  const BlockMap &map;
  std::vector<uint8_t> weights;
  std::vector<Rows> out; ///< Live rows.
  std::vector<Rows> in;  ///< Uniform rows.
};

/// All rows are taken to be uniform where control has not been seen to come
/// from, and only those that are uniform on all ways in the end.
void Pressure::findUniform() {
  in.assign(map.size(), Rows(weights.size(), true));
  for (auto &[special, ref] : program.specials)
    if (!isUniform(special))
      in[0][ref / rowBytes] = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = 0; b < map.size(); ++b) {
      Rows uniform = in[b];
      for (uint32_t pc = map.begin(b); pc < map.end(b); ++pc)
        step(program.code[pc], operandsOf(program, program.code[pc]), uniform);
      for (uint32_t s : successorsOf(program, map, b))
        for (size_t row = 0; row < uniform.size(); ++row)
          if (in[s][row] && !uniform[row]) {
            in[s][row] = false;
            changed = true;
          }
    }
  }
}

uint32_t Pressure::of(uint32_t block) {
  // Going forward, what the writes change, to be undone going backward.
  std::vector<std::pair<size_t, bool>> log;
  std::vector<Operands> operands;
  Rows uniform = in[block];
  for (uint32_t pc = map.begin(block); pc < map.end(block); ++pc) {
    operands.push_back(operandsOf(program, program.code[pc]));
    for (Ref ref : operands.back().writes)
      log.emplace_back(ref / rowBytes, uniform[ref / rowBytes]);
    step(program.code[pc], operands.back(), uniform);
  }
  Rows &live = out[block];
  uint32_t count = 0;
  // In halves of a register.
  auto weigh = [&](size_t row) {
    return uniform[row] ? 1u * weights[row] : 2u * weights[row];
  };
  for (size_t row = 0; row < live.size(); ++row)
    count += live[row] ? weigh(row) : 0;
  uint32_t most = count;
  for (; !operands.empty(); operands.pop_back()) {
    for (Ref ref : operands.back().writes) {
      size_t row = ref / rowBytes;
      count -= live[row] ? weigh(row) : 0;
      live[row] = false;
    }
    for (size_t i = operands.back().writes.size(); i-- > 0; log.pop_back())
      uniform[log.back().first] = log.back().second;
    for (Ref ref : operands.back().reads) {
      size_t row = ref / rowBytes;
      count += live[row] ? 0 : weigh(row);
      live[row] = true;
    }
    most = std::max(most, count);
  }
  return (most + 1) / 2;
}

} // namespace

std::vector<uint32_t> blockPressure(const Program &program,
                                    const BlockMap &map) {
  Pressure pressure(program, map);
  std::vector<uint32_t> result;
  for (uint32_t b = 0; b < map.size(); ++b)
    result.push_back(pressure.of(b));
  return result;
}

} // namespace dietcode::vgpu
