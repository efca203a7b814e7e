//===- BlockSchedule.cpp - Order within basic blocks ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycle by cycle, of the instructions whose operands are there, the one with
// the longest path of latencies to the end of the block; a load that would
// exceed the register limit waits. Registers are renamed as in ptxas: only true
// dependences count. Memory keeps its order within a space, except that loads
// pass loads; nothing passes a barrier but arithmetic.
//
//===----------------------------------------------------------------------===//

#include "BlockSchedule.h"
#include "RowLiveness.h"
#include <algorithm>
#include <map>

namespace dietcode::vgpu {
namespace {

/// Longer blocks keep their order: scheduling costs the square of the length.
constexpr size_t longestScheduled = 2500;

struct Node {
  ScheduledInst inst;
  std::vector<std::pair<uint32_t, uint16_t>> successors; ///< With latency.
  uint32_t predecessors = 0;
  uint32_t height = 0;   ///< Latencies from its issue to the block's end.
  uint32_t earliest = 0; ///< When its operands are there.
  std::vector<uint16_t> sources; ///< Slots.
  std::vector<uint32_t> uses;    ///< Values.
  std::vector<uint32_t> defs;
};

/// A result for the count of live registers.
struct Value {
  uint32_t usesLeft = 0;
  uint8_t weight = 0;
  bool liveOut = false;
};

class BlockScheduler {
public:
  BlockScheduler(const Program &program, const DeviceSpec &spec, unsigned rows,
                 const std::vector<bool> &liveOut)
      : program(program), spec(spec), rows(rows), liveOut(liveOut) {}

  void run(uint32_t begin, uint32_t end, unsigned slack, ScheduledBlock &out) {
    for (uint32_t pc = begin; pc < end; ++pc)
      visit(pc, out.accesses);
    finishValues(out);
    if (nodes.size() > longestScheduled) {
      for (const Node &node : nodes)
        emit(node, out);
      return;
    }
    computeHeights();
    registerLimit = sourceOrderPeak() + static_cast<int>(slack);
    listSchedule(out);
  }

private:
  uint16_t slotOf(uint32_t row) {
    auto it = current.find(row);
    return it == current.end() ? static_cast<uint16_t>(row) : it->second;
  }
  uint32_t valueOf(uint32_t row, uint8_t weight) {
    auto [it, isNew] = values.try_emplace(row, 0);
    if (isNew) {
      it->second = static_cast<uint32_t>(table.size());
      table.push_back({0, weight, false});
    }
    return it->second;
  }
  void visit(uint32_t pc, uint32_t &accesses);
  void addUse(Node &node, Ref ref);
  void addDef(Node &node, const Inst &inst, Ref ref);
  void orderMemory(uint32_t index, const Inst &inst);
  void addEdge(uint32_t from, uint32_t to, uint16_t latency) {
    nodes[from].successors.emplace_back(to, latency);
    ++nodes[to].predecessors;
  }
  void finishValues(ScheduledBlock &out);
  void computeHeights();
  int sourceOrderPeak();
  int pressureDelta(const Node &node) const;
  void retire(const Node &node);
  void listSchedule(ScheduledBlock &out);
  static void emit(const Node &node, ScheduledBlock &out);
  uint32_t pick(const std::vector<uint32_t> &ready, uint32_t now) const;

  const Program &program;
  const DeviceSpec &spec;
  unsigned rows;
  const std::vector<bool> &liveOut; ///< Rows.
  std::vector<Node> nodes;
  std::map<uint32_t, uint16_t> current; ///< Slot that a row's value is in.
  std::map<uint32_t, uint32_t> values;  ///< The value that a row holds.
  std::vector<Value> table;
  struct SpaceOrder {
    std::vector<uint32_t> loads; ///< Since the last store.
    int64_t store = -1;
  };
  SpaceOrder order[2]; ///< Shared memory, and the rest.
  int64_t barrier = -1;
  int pressure = 0, registerLimit = 0;
};

void BlockScheduler::addUse(Node &node, Ref ref) {
  uint16_t slot = slotOf(ref / rowBytes);
  if (std::find(node.sources.begin(), node.sources.end(), slot) !=
      node.sources.end())
    return;
  node.sources.push_back(slot);
  uint32_t value = valueOf(ref / rowBytes, 1);
  node.uses.push_back(value);
  ++table[value].usesLeft;
  if (slot >= rows)
    addEdge(slot - rows, static_cast<uint32_t>(nodes.size() - 1),
            nodes[slot - rows].inst.cost.latency);
}

void BlockScheduler::addDef(Node &node, const Inst &inst, Ref ref) {
  bool isPredicate = inst.kind == Kind::Setp ||
                     (inst.kind == Kind::Lane && inst.blend == blendPredicate);
  bool isWide = inst.blend == 3;
  node.inst.hasResult = true;
  current[ref / rowBytes] = node.inst.result;
  auto value = static_cast<uint32_t>(table.size());
  table.push_back({0, uint8_t(isPredicate ? 0 : isWide ? 2 : 1), false});
  values[ref / rowBytes] = value;
  node.defs.push_back(value);
}

void BlockScheduler::orderMemory(uint32_t index, const Inst &inst) {
  bool isBarrier = inst.kind == Kind::Barrier;
  bool isMemory = isTracedAccess(inst);
  if (!isBarrier && !isMemory)
    return;
  if (barrier >= 0)
    addEdge(static_cast<uint32_t>(barrier), index, 1);
  for (unsigned s = 0; s < 2; ++s) {
    if (isMemory && s != (inst.pipe == Pipe::Shared ? 0u : 1u))
      continue;
    SpaceOrder &space = order[s];
    bool isLoad = readsMemory(inst.kind) && !writesMemory(inst.kind);
    if (space.store >= 0)
      addEdge(static_cast<uint32_t>(space.store), index, 1);
    if (isLoad) {
      space.loads.push_back(index);
      continue;
    }
    for (uint32_t load : space.loads)
      addEdge(load, index, 1);
    space.loads.clear();
    space.store = isBarrier ? -1 : int64_t(index);
  }
  if (isBarrier)
    barrier = index;
}

void BlockScheduler::visit(uint32_t pc, uint32_t &accesses) {
  const Inst &inst = program.code[pc];
  uint16_t access = noAccess;
  if (isTracedAccess(inst))
    access = static_cast<uint16_t>(std::min<uint32_t>(accesses++, 0xfffe));
  InstCost cost = costOf(program, inst, spec);
  if (cost.issues == 0 && access == noAccess) {
    // A copy shares its source's slot; what comes from constants is there.
    if (inst.kind == Kind::Lane && isRow(inst.dst[0]) && isRow(inst.src[0]) &&
        inst.guard == noRef) {
      uint32_t value = valueOf(inst.src[0] / rowBytes, 1);
      current[inst.dst[0] / rowBytes] = slotOf(inst.src[0] / rowBytes);
      values[inst.dst[0] / rowBytes] = value;
    }
    return;
  }
  nodes.emplace_back();
  auto index = static_cast<uint32_t>(nodes.size() - 1);
  Node &node = nodes.back();
  node.inst.cost = cost;
  node.inst.pc = pc;
  node.inst.access = access;
  node.inst.isLoad = readsMemory(inst.kind);
  node.inst.result = static_cast<uint16_t>(rows + index);
  Operands operands = operandsOf(program, inst);
  for (Ref ref : operands.reads)
    addUse(node, ref);
  for (Ref ref : operands.writes)
    addDef(node, inst, ref);
  orderMemory(index, inst);
  // Control leaves last.
  if (inst.kind == Kind::Branch || inst.kind == Kind::Exit)
    for (uint32_t i = 0; i < index; ++i)
      addEdge(i, index, 0);
}

void BlockScheduler::finishValues(ScheduledBlock &out) {
  for (auto &[row, slot] : current)
    if (slot != row && liveOut[row])
      out.commits.emplace_back(static_cast<uint16_t>(row), slot);
  for (auto &[row, value] : values)
    table[value].liveOut |= liveOut[row];
}

void BlockScheduler::computeHeights() {
  for (size_t i = nodes.size(); i-- > 0;) {
    Node &node = nodes[i];
    // What a global load is for comes later, perhaps in another block.
    bool far = node.inst.cost.unit == Unit::Global && node.inst.isLoad;
    node.height = far ? node.inst.cost.latency : 1;
    for (auto &[to, latency] : node.successors)
      node.height = std::max(node.height, nodes[to].height + latency);
  }
}

int BlockScheduler::pressureDelta(const Node &node) const {
  int delta = 0;
  for (uint32_t value : node.defs)
    delta +=
        table[value].usesLeft || table[value].liveOut ? table[value].weight : 0;
  for (uint32_t value : node.uses)
    if (table[value].usesLeft == 1 && !table[value].liveOut)
      delta -= table[value].weight;
  return delta;
}

void BlockScheduler::retire(const Node &node) {
  pressure += pressureDelta(node);
  for (uint32_t value : node.uses)
    --table[value].usesLeft;
}

/// The most registers that are live in the order of the PTX, relative to the
/// number at the block's entry.
int BlockScheduler::sourceOrderPeak() {
  std::vector<Value> saved = table;
  int peak = 0;
  for (const Node &node : nodes) {
    retire(node);
    peak = std::max(peak, pressure);
  }
  table = std::move(saved);
  pressure = 0;
  return peak;
}

/// Among the ready: of those whose operands are there, the highest that fits
/// the limit; else the first to have its operands; else, for want of registers,
/// the first of the PTX.
uint32_t BlockScheduler::pick(const std::vector<uint32_t> &ready,
                              uint32_t now) const {
  uint32_t best = ~0u, soonest = ~0u, first = ~0u;
  for (uint32_t i : ready) {
    const Node &node = nodes[i];
    first = std::min(first, i);
    int delta = pressureDelta(node);
    if (delta > 0 && pressure + delta > registerLimit)
      continue;
    if (node.earliest <= now) {
      if (best == ~0u || node.height > nodes[best].height ||
          (node.height == nodes[best].height && i < best))
        best = i;
    } else if (soonest == ~0u || node.earliest < nodes[soonest].earliest) {
      soonest = i;
    }
  }
  return best != ~0u ? best : soonest != ~0u ? soonest : first;
}

void BlockScheduler::listSchedule(ScheduledBlock &out) {
  std::vector<uint32_t> ready;
  for (uint32_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].predecessors == 0)
      ready.push_back(i);
  uint32_t now = 0;
  while (!ready.empty()) {
    uint32_t index = pick(ready, now);
    ready.erase(std::find(ready.begin(), ready.end(), index));
    Node &node = nodes[index];
    now = std::max(now, node.earliest);
    retire(node);
    for (auto &[to, latency] : node.successors) {
      nodes[to].earliest = std::max(nodes[to].earliest, now + latency);
      if (--nodes[to].predecessors == 0)
        ready.push_back(to);
    }
    const InstCost &cost = node.inst.cost;
    bool isMath = cost.unit <= Unit::Tensor;
    now += std::max<uint32_t>(cost.issues, isMath ? cost.pipeCycles : 1);
    emit(node, out);
  }
}

void BlockScheduler::emit(const Node &node, ScheduledBlock &out) {
  out.issues += node.inst.cost.issues;
  out.flop += 32u * node.inst.cost.flopPerLane;
  out.insts.push_back(node.inst);
  out.insts.back().firstSource = static_cast<uint32_t>(out.sources.size());
  out.insts.back().sourceCount = static_cast<uint16_t>(node.sources.size());
  out.sources.insert(out.sources.end(), node.sources.begin(),
                     node.sources.end());
}

} // namespace

std::vector<ScheduledBlock> scheduleBlocks(const Program &program,
                                           const BlockMap &map,
                                           const DeviceSpec &spec,
                                           unsigned slack, unsigned &slots) {
  unsigned rows = program.registerFileBytes / rowBytes + 1;
  std::vector<ScheduledBlock> result(map.size());
  std::vector<std::vector<bool>> live = liveRows(program, map);
  uint32_t longest = 1;
  for (uint32_t b = 0; b < map.size(); ++b)
    longest = std::max(longest, map.end(b) - map.begin(b));
  slots = rows + longest;
  if (slots > 0xffff)
    return {};
  for (uint32_t b = 0; b < map.size(); ++b)
    BlockScheduler(program, spec, rows, live[b])
        .run(map.begin(b), map.end(b), slack, result[b]);
  return result;
}

} // namespace dietcode::vgpu
