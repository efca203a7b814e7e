//===- Registers.cpp - Registers per thread -------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas takes more registers than are live in the order of the PTX where that
// lets it hoist loads away from their uses: it then holds the results of one
// batch of loads while it still works on those of the one before. So with
//
//   live   most 32-bit registers that are live at once in a basic block,
//   batch  most registers that loads bring in before one of them is used, if
//          batch follows batch in it and most are used sooner than they
//          arrive,
//
//   registers = min(max over blocks (live + batches of shared and of global
//                   memory), limit)
//
// Over the kernels that this was compared with (RegisterTest.cpp) it is within
// 20 % of ptxas 13.0, once counts are large enough to limit occupancy.
//
//===----------------------------------------------------------------------===//

#include "Registers.h"
#include "InstCost.h"
#include "Pressure.h"
#include "dietcode/Target/Ptxas.h"
#include <algorithm>
#include <map>

namespace dietcode::vgpu {
namespace {

/// Rows times basic blocks beyond which a program is not studied: every module
/// that is loaded pays for it. SGEMMs have some ten thousand.
constexpr uint64_t mostStudied = uint64_t(1) << 20;
/// How far beyond a limit is close to it.
constexpr double closeBy = 1.06;

/// Of the largest block that the kernel admits, or 0 if it does not say.
uint32_t warpsPerBlock(const Program &program) {
  const auto &size =
      program.requiredThreads[0] ? program.requiredThreads : program.maxThreads;
  uint64_t threads = uint64_t(size[0]) * size[1] * size[2];
  return static_cast<uint32_t>((std::min<uint64_t>(threads, 1024) + 31) / 32);
}

/// The most registers per thread with which so many warps fit on an SM.
uint32_t registersFor(const DeviceSpec &spec, uint32_t warps) {
  return static_cast<uint32_t>(spec.registersPerSM) / (32 * warps) / 8 * 8;
}

/// The most registers with which the kernel's promises can be kept: .maxnreg,
/// and .minnctapersm blocks of .maxntid threads on an SM. A kernel that says
/// nothing of its threads may be launched with as many as there can be.
uint32_t registerLimit(const Program &program, const DeviceSpec &spec) {
  auto most = static_cast<uint32_t>(spec.maxRegistersPerThread);
  if (program.maxRegisters)
    most = std::min(most, program.maxRegisters);
  if (uint32_t warps = warpsPerBlock(program))
    most = std::min(
        most, registersFor(spec, warps * std::max(1u, program.minBlocksPerSM)));
  // ptxas adjusts lower limits to 24 for sm_75.
  return std::max(24u, most);
}

/// ptxas stops hoisting where one block less would fit: of the kernels of 256
/// threads that were compared, three in four lie between 123 and 132. So an
/// estimate that is barely beyond such a count becomes it.
uint32_t snapped(uint32_t wanted, const Program &program,
                 const DeviceSpec &spec) {
  uint32_t warps = warpsPerBlock(program);
  if (!warps)
    return wanted;
  uint32_t blocks = 1;
  while (registersFor(spec, (blocks + 1) * warps) >= wanted && blocks < 32)
    ++blocks;
  uint32_t next = registersFor(spec, (blocks + 1) * warps);
  bool isFew = blocks < 4; // Of many, one more matters little.
  return isFew && wanted > next && wanted <= next * closeBy ? next : wanted;
}

/// The batches of loads in a basic block, of one unit.
class LoadBatches {
public:
  LoadBatches(const Program &program, const DeviceSpec &spec, Unit unit)
      : program(program), spec(spec), unit(unit) {}

  uint32_t largest(uint32_t begin, uint32_t end) {
    pending.clear();
    loads = batchLoads = exposedLoads = 0;
    batch = largestBatch = batches = now = 0;
    for (uint32_t pc = begin; pc < end; ++pc)
      visit(program.code[pc]);
    return batches > 1 && 2 * exposedLoads > loads ? largestBatch : 0;
  }

private:
  void visit(const Inst &inst) {
    InstCost cost = costOf(program, inst, spec);
    Operands operands = operandsOf(program, inst);
    bool isExposed = false;
    for (Ref ref : operands.reads) {
      auto it = pending.find(ref);
      isExposed |= it != pending.end() && it->second > now;
    }
    // The batch ends at the first use that comes too soon.
    if (isExposed) {
      largestBatch = std::max(largestBatch, batch);
      ++batches;
      exposedLoads += batchLoads;
      batch = batchLoads = 0;
      pending.clear();
    }
    if (cost.unit == unit && readsMemory(inst.kind) &&
        !writesMemory(inst.kind)) {
      for (Ref ref : operands.writes) {
        pending[ref] = now + cost.latency;
        batch += inst.blend == 3 ? 2 : 1;
      }
      ++loads;
      ++batchLoads;
    }
    now += std::max<uint32_t>(cost.issues, cost.pipeCycles);
  }

  const Program &program;
  const DeviceSpec &spec;
  Unit unit;
  std::map<Ref, uint32_t> pending; ///< When their results are there.
  uint32_t batch = 0, largestBatch = 0, batches = 0, now = 0;
  uint32_t loads = 0, batchLoads = 0, exposedLoads = 0;
};

} // namespace

uint32_t wantedRegisters(const Program &program, const DeviceSpec &spec) {
  BlockMap map(program);
  uint64_t rows = program.registerFileBytes / rowBytes;
  if (rows * map.size() > mostStudied)
    return program.liveRegisters;
  std::vector<uint32_t> live = blockPressure(program, map);
  LoadBatches shared(program, spec, Unit::Shared);
  LoadBatches global(program, spec, Unit::Global);
  // Small kernels have room for what is uniform.
  uint32_t most = std::min(program.liveRegisters, 64u);
  for (uint32_t b = 0; b < map.size(); ++b)
    most = std::max(most, live[b] + shared.largest(map.begin(b), map.end(b)) +
                              global.largest(map.begin(b), map.end(b)));
  return most;
}

uint32_t estimateRegisters(const Program &program, const DeviceSpec &spec) {
  return std::min(snapped(program.wantedRegisters, program, spec),
                  registerLimit(program, spec));
}

RegisterCount countRegisters(const Module::Impl &module, const Program &program,
                             const DeviceSpec &spec,
                             const LaunchConfig &config) {
  RegisterCount count;
  if (config.registersPerThread) {
    count.perThread = config.registersPerThread;
    count.source = "given";
    return count;
  }
  count.perThread = estimateRegisters(program, spec);
  count.source = "estimated";
  if (!config.usePtxas)
    return count;
  PtxasOutcome outcome = runPtxas(module.text, spec.chip, module.name);
  const PtxasKernel *kernel = outcome.report.lookup(program.name);
  if (kernel && kernel->registers > 0) {
    count.perThread = static_cast<uint32_t>(kernel->registers);
    count.source = "ptxas " + outcome.report.version;
    count.note = outcome.report.warnings;
    count.spillBytes =
        static_cast<uint32_t>(kernel->spillStoreBytes + kernel->spillLoadBytes);
  } else if (outcome.status == PtxasStatus::Ok) {
    count.note = "ptxas does not say how many registers the kernel takes";
  } else if (outcome.status != PtxasStatus::Absent) {
    count.note = outcome.message;
  }
  return count;
}

} // namespace dietcode::vgpu
