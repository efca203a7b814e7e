//===- Analysis.cpp - Reconvergence, liveness and register rows -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX has unboundedly many registers, each 128 or 256 bytes for a warp. Sharing
// rows between registers that are not live together keeps a warp's file in the
// host's L1 cache, which is most of the interpreter's speed.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <algorithm>
#include <iterator>

namespace dietcode::vgpu {
namespace {

struct BasicBlock {
  uint32_t begin;
  uint32_t end;                     ///< One past the last instruction.
  std::vector<uint32_t> successors; ///< The exit is block number blocks.size().
};

class BitSet {
public:
  explicit BitSet(size_t bits = 0) : words((bits + 63) / 64) {}
  bool test(size_t i) const { return (words[i / 64] >> (i % 64)) & 1; }
  void set(size_t i) { words[i / 64] |= uint64_t(1) << (i % 64); }
  void reset(size_t i) { words[i / 64] &= ~(uint64_t(1) << (i % 64)); }
  /// this |= other; whether anything changed.
  bool merge(const BitSet &other) {
    bool changed = false;
    for (size_t i = 0; i < words.size(); ++i) {
      uint64_t merged = words[i] | other.words[i];
      changed |= merged != words[i];
      words[i] = merged;
    }
    return changed;
  }
  template <typename Fn>
  void forEach(Fn fn) const {
    for (size_t w = 0; w < words.size(); ++w)
      for (uint64_t rest = words[w]; rest; rest &= rest - 1)
        fn(w * 64 + static_cast<size_t>(__builtin_ctzll(rest)));
  }

private:
  std::vector<uint64_t> words;
};

bool isRegister(Ref ref) { return ref != noRef && !(ref & constantBit); }

class Analysis {
public:
  Analysis(Program &program, const std::vector<Type> &types,
           const std::vector<std::pair<Special, Ref>> &pinned)
      : program(program), code(program.code), types(types), pinned(pinned) {}

  void run() {
    buildBlocks();
    findReconvergence();
    computeLiveness();
    countLiveRegisters();
    computeIntervals();
    assignRows();
    rewriteRefs();
    insertJoins();
  }

private:
  template <typename Fn>
  void forEachDef(const Inst &inst, Fn fn) const {
    for (Ref ref : inst.dst)
      if (isRegister(ref))
        fn(ref);
    if (usesMatrixOp(inst.kind))
      for (Ref ref : program.matrixOps[inst.imm].dst)
        fn(ref);
  }

  template <typename Fn>
  void forEachUse(const Inst &inst, Fn fn) const {
    for (Ref ref : inst.src)
      if (isRegister(ref))
        fn(ref);
    if (usesMatrixOp(inst.kind))
      for (Ref ref : program.matrixOps[inst.imm].src)
        if (isRegister(ref))
          fn(ref);
    if (isRegister(inst.guard)) {
      fn(inst.guard);
      // Lanes that the guard excludes keep the old value.
      forEachDef(inst, fn);
    }
  }

  void buildBlocks();
  void findReconvergence();
  void computeLiveness();
  void countLiveRegisters();
  void computeIntervals();
  void assignRows();
  void rewriteRefs();
  void insertJoins();

  Program &program;
  std::vector<Inst> &code;
  const std::vector<Type> &types;
  const std::vector<std::pair<Special, Ref>> &pinned;
  std::vector<BasicBlock> blocks;
  std::vector<uint32_t> blockAt; ///< Of each instruction.
  std::vector<BitSet> liveIn, liveOut;
  /// Uses are at 2 * instruction, definitions one later, so that a result may
  /// take over the row of an operand that dies there.
  struct Interval {
    uint32_t start = ~0u;
    uint32_t end = 0;
    void cover(uint32_t at) {
      start = std::min(start, at);
      end = std::max(end, at);
    }
  };
  std::vector<Interval> intervals;
  std::vector<Ref> rows;
};

void Analysis::buildBlocks() {
  std::vector<bool> leader(code.size() + 1, false);
  leader[0] = true;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i].kind == Kind::Branch)
      leader[code[i].target] = leader[i + 1] = true;
    if (code[i].kind == Kind::Exit)
      leader[i + 1] = true;
  }
  blockAt.resize(code.size());
  for (uint32_t i = 0; i < code.size(); ++i) {
    if (leader[i])
      blocks.push_back({i, i, {}});
    blocks.back().end = i + 1;
    blockAt[i] = static_cast<uint32_t>(blocks.size() - 1);
  }
  uint32_t exit = static_cast<uint32_t>(blocks.size());
  for (uint32_t b = 0; b < exit; ++b) {
    const Inst &last = code[blocks[b].end - 1];
    auto &successors = blocks[b].successors;
    if (last.kind == Kind::Branch)
      successors.push_back(blockAt[last.target]);
    if (last.kind == Kind::Exit)
      successors.push_back(exit);
    bool fallsThrough =
        (last.kind != Kind::Branch && last.kind != Kind::Exit) ||
        last.guard != noRef;
    // The last instruction of a program is an unguarded exit.
    if (fallsThrough && b + 1 < exit)
      successors.push_back(b + 1);
  }
}

/// Immediate post-dominators, by Cooper, Harvey and Kennedy's iteration over
/// the reversed graph.
void Analysis::findReconvergence() {
  uint32_t exit = static_cast<uint32_t>(blocks.size());
  std::vector<std::vector<uint32_t>> predecessors(exit + 1);
  for (uint32_t b = 0; b < exit; ++b)
    for (uint32_t s : blocks[b].successors)
      predecessors[s].push_back(b);
  // Post-order of the reversed graph, without recursion.
  std::vector<uint32_t> order, number(exit + 1, ~0u);
  std::vector<std::pair<uint32_t, size_t>> stack = {{exit, 0}};
  std::vector<bool> seen(exit + 1, false);
  seen[exit] = true;
  while (!stack.empty()) {
    auto &[node, next] = stack.back();
    if (next < predecessors[node].size()) {
      uint32_t p = predecessors[node][next++];
      if (!seen[p]) {
        seen[p] = true;
        stack.emplace_back(p, 0);
      }
      continue;
    }
    number[node] = static_cast<uint32_t>(order.size());
    order.push_back(node);
    stack.pop_back();
  }
  std::vector<uint32_t> ipdom(exit + 1, ~0u);
  ipdom[exit] = exit;
  auto intersect = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (number[a] < number[b])
        a = ipdom[a];
      while (number[b] < number[a])
        b = ipdom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size() - 1; i-- > 0;) {
      uint32_t b = order[i], candidate = ~0u;
      for (uint32_t s : blocks[b].successors)
        if (ipdom[s] != ~0u)
          candidate = candidate == ~0u ? s : intersect(s, candidate);
      changed |= candidate != ipdom[b];
      ipdom[b] = candidate;
    }
  }
  for (Inst &inst : code) {
    if (inst.kind != Kind::Branch || inst.guard == noRef)
      continue;
    uint32_t at = ipdom[blockAt[static_cast<size_t>(&inst - code.data())]];
    if (at == ~0u || at == exit)
      continue;
    const Inst &first = code[blocks[at].begin];
    // Lanes that only return there should not be waited for: a barrier on the
    // other side counts them as gone.
    if (first.kind != Kind::Exit || first.guard != noRef)
      inst.reconverge = blocks[at].begin;
  }
}

void Analysis::computeLiveness() {
  size_t n = types.size();
  std::vector<BitSet> uses, defs;
  for (const BasicBlock &block : blocks) {
    BitSet use(n), def(n);
    for (uint32_t i = block.begin; i < block.end; ++i) {
      forEachUse(code[i], [&](Ref r) {
        if (!def.test(r))
          use.set(r);
      });
      forEachDef(code[i], [&](Ref r) { def.set(r); });
    }
    uses.push_back(std::move(use));
    defs.push_back(std::move(def));
  }
  liveIn = uses;
  liveOut.assign(blocks.size(), BitSet(n));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = blocks.size(); b-- > 0;) {
      for (uint32_t s : blocks[b].successors)
        if (s < blocks.size())
          liveOut[b].merge(liveIn[s]);
      BitSet in = liveOut[b];
      defs[b].forEach([&](size_t r) { in.reset(r); });
      changed |= liveIn[b].merge(in);
    }
  }
}

/// The most 32-bit registers a thread holds at once, walking blocks backwards.
/// Predicates and special registers have registers of their own.
void Analysis::countLiveRegisters() {
  std::vector<uint8_t> weight(types.size());
  for (size_t r = 0; r < types.size(); ++r)
    weight[r] = types[r] == Type::Pred ? 0 : byteSize(types[r]) == 8 ? 2 : 1;
  for (auto &[kind, ref] : pinned)
    weight[ref] = 0;
  uint32_t most = 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    BitSet live = liveOut[b];
    uint32_t count = 0;
    live.forEach([&](size_t r) { count += weight[r]; });
    most = std::max(most, count);
    for (uint32_t i = blocks[b].end; i-- > blocks[b].begin;) {
      forEachDef(code[i], [&](Ref r) {
        if (live.test(r)) {
          live.reset(r);
          count -= weight[r];
        }
      });
      forEachUse(code[i], [&](Ref r) {
        if (!live.test(r)) {
          live.set(r);
          count += weight[r];
        }
      });
      most = std::max(most, count);
    }
  }
  program.liveRegisters = most;
}

void Analysis::computeIntervals() {
  intervals.resize(types.size());
  for (size_t b = 0; b < blocks.size(); ++b) {
    uint32_t first = 2 * blocks[b].begin, last = 2 * blocks[b].end - 1;
    liveIn[b].forEach([&](size_t r) { intervals[r].cover(first); });
    liveOut[b].forEach([&](size_t r) { intervals[r].cover(last); });
    for (uint32_t i = blocks[b].begin; i < blocks[b].end; ++i) {
      forEachUse(code[i], [&](Ref r) { intervals[r].cover(2 * i); });
      forEachDef(code[i], [&](Ref r) { intervals[r].cover(2 * i + 1); });
    }
  }
  // A loop entered in the middle of an interval lies within it, because what
  // is live around the loop is live in and out of each of its blocks.
  for (auto &[kind, ref] : pinned)
    intervals[ref] = {0, ~0u};
}

/// Linear scan with one pool of rows per element size: a conversion may take
/// over its operand's row only if both step through it alike.
void Analysis::assignRows() {
  std::vector<uint32_t> order;
  for (uint32_t r = 0; r < types.size(); ++r)
    if (intervals[r].start != ~0u)
      order.push_back(r);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::make_pair(intervals[a].start, a) <
           std::make_pair(intervals[b].start, b);
  });
  struct Row {
    uint32_t busyUntil;
    Ref offset;
  };
  // Each row is reused once free; the pool is a heap on the end of its use.
  auto later = [](const Row &a, const Row &b) {
    return std::make_pair(a.busyUntil, a.offset) >
           std::make_pair(b.busyUntil, b.offset);
  };
  std::map<uint32_t, std::vector<Row>> pools;
  rows.assign(types.size(), noRef);
  for (uint32_t r : order) {
    uint32_t bytes = std::max(64u, 32 * byteSize(types[r]));
    std::vector<Row> &pool = pools[byteSize(types[r])];
    Row row = {0, program.registerFileBytes};
    if (!pool.empty() && pool.front().busyUntil < intervals[r].start) {
      row = pool.front();
      std::pop_heap(pool.begin(), pool.end(), later);
      pool.pop_back();
    } else {
      program.registerFileBytes += bytes;
    }
    row.busyUntil = intervals[r].end;
    rows[r] = row.offset;
    pool.push_back(row);
    std::push_heap(pool.begin(), pool.end(), later);
  }
}

void Analysis::rewriteRefs() {
  auto rewrite = [&](Ref &ref) {
    if (isRegister(ref))
      ref = rows[ref];
  };
  for (Inst &inst : code) {
    for (Ref &ref : inst.dst)
      rewrite(ref);
    for (Ref &ref : inst.src)
      rewrite(ref);
    rewrite(inst.guard);
    // Row functions take four sources; the unused ones must be readable.
    if (inst.kind == Kind::Lane)
      for (Ref &ref : inst.src)
        if (ref == noRef)
          ref = inst.src[0];
  }
  for (MatrixOp &op : program.matrixOps) {
    for (Ref &ref : op.dst)
      rewrite(ref);
    for (Ref &ref : op.src)
      rewrite(ref);
  }
  for (auto &[kind, ref] : pinned)
    program.specials.emplace_back(kind, rows[ref]);
}

void Analysis::insertJoins() {
  std::vector<bool> joins(code.size(), false);
  for (const Inst &inst : code)
    if (inst.reconverge != noTarget)
      joins[inst.reconverge] = true;
  std::vector<Inst> result;
  std::vector<uint32_t> position(code.size());
  for (size_t i = 0; i < code.size(); ++i) {
    position[i] = static_cast<uint32_t>(result.size());
    if (joins[i]) {
      Inst join;
      join.kind = Kind::Join;
      join.pipe = Pipe::None;
      join.source = code[i].source;
      result.push_back(join);
    }
    result.push_back(code[i]);
  }
  for (Inst &inst : result) {
    if (inst.target != noTarget)
      inst.target = position[inst.target];
    if (inst.reconverge != noTarget)
      inst.reconverge = position[inst.reconverge];
  }
  code = std::move(result);
}

} // namespace

void finishProgram(Program &program, const std::vector<Type> &types,
                   const std::vector<std::pair<Special, Ref>> &pinned) {
  watchRegisters(program, types.size(), pinned);
  Analysis(program, types, pinned).run();
}

} // namespace dietcode::vgpu
