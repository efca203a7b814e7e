//===- Timing.cpp - From counts to virtual seconds ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A first-order throughput model, for launches whose traces are too long to be
// replayed (Timing/Estimate.cpp). With B = ceil(grid / SMs) blocks on the
// busiest SM, R of them resident at once, and counts c per block:
//
//   pipe p:    B * c_p * 32 / lanes_p         cycles
//   issue:     B * c / schedulers
//   shared:    B * wavefronts * 128 bytes / shared bytes per cycle
//   L1:        B * sectors * 32 bytes / shared bytes per cycle (the same path)
//   latency:   ceil(B / R) * critical path of a block
//   SM time = max of these / clock
//   L2 time = bytes that differ within a block, over all blocks / L2 bandwidth
//   DRAM time = DRAM bytes / measured bandwidth
//   virtual seconds = launch overhead + max(SM time, L2 time, DRAM time)
//
// The critical path is the slowest warp's, issuing in order, one instruction a
// cycle, each result ready after its pipe's latency, meeting others at
// barriers.
//
// DRAM bytes: each byte of the ranges read is fetched once if they fit into L2,
// and otherwise up to once per wave of blocks, but never more than the blocks
// read; what is written goes out once.
//
// Moves count like other integer instructions although an assembler removes
// most of them. Use it to rank kernels; it is not a measurement.
//
//===----------------------------------------------------------------------===//

#include "Timing.h"
#include "Timing/Estimate.h"
#include <algorithm>
#include <cmath>

namespace dietcode::vgpu {
namespace {

void countPipes(const Program &program, const std::vector<uint64_t> &executions,
                LaunchReport &report) {
  PipeCounters &pipes = report.instructions;
  for (size_t i = 0; i < program.code.size(); ++i) {
    const Inst &inst = program.code[i];
    uint64_t n = executions[i];
    switch (inst.pipe) {
    case Pipe::Fp32:
      pipes.fp32 += n;
      break;
    case Pipe::Int:
      pipes.integer += n;
      break;
    case Pipe::Fp64:
      pipes.fp64 += n;
      break;
    case Pipe::Sfu:
      pipes.sfu += n;
      break;
    case Pipe::Tensor:
      pipes.tensor += n;
      break;
    case Pipe::Shared:
      pipes.shared += n;
      break;
    case Pipe::Global:
      pipes.global += n;
      break;
    case Pipe::Control:
      pipes.control += n;
      break;
    default:
      continue;
    }
    pipes.total += n;
    if (inst.kind == Kind::Barrier)
      report.barriers += n;
  }
}

uint64_t scaled(uint64_t sampled, double factor) {
  return static_cast<uint64_t>(
      std::llround(static_cast<double>(sampled) * factor));
}

uint64_t estimateDramBytes(const LaunchState &launch, const Sample &sample,
                           double scale, double waves) {
  double footprint = 0;
  for (uint32_t index : sample.rangesRead)
    footprint += static_cast<double>(launch.memory.ranges()[index].size);
  double blockBytes =
      32.0 * static_cast<double>(sample.uniqueSectorsRead) * scale;
  bool fits = footprint <= static_cast<double>(launch.spec.l2Bytes);
  double read = std::min(blockBytes, fits ? footprint : footprint * waves);
  double written =
      32.0 * static_cast<double>(sample.uniqueSectorsWritten) * scale;
  return static_cast<uint64_t>(std::llround(read + written));
}

/// The largest bound's name; fills in the total.
void conclude(const DeviceSpec &spec, LaunchReport &report) {
  TimingBreakdown &t = report.timing;
  double clock = spec.clockHz;
  const std::pair<const char *, double> bounds[] = {
      {"fp32 pipe", t.fp32Cycles / clock},
      {"issue", t.issueCycles / clock},
      {"integer pipe", t.integerCycles / clock},
      {"fp64 pipe", t.fp64Cycles / clock},
      {"special functions", t.sfuCycles / clock},
      {"tensor cores", t.tensorCycles / clock},
      {"load/store issue", t.lsuCycles / clock},
      {"shared memory", t.sharedCycles / clock},
      {"L1", t.l1Cycles / clock},
      {"latency", t.latencyCycles / clock},
      {"L2", t.l2Seconds},
      {"DRAM", t.dramSeconds},
  };
  double most = 0;
  t.bound = "launch";
  for (auto &[name, seconds] : bounds)
    if (seconds > most) {
      most = seconds;
      t.bound = name;
    }
  t.launchSeconds = spec.launchSeconds;
  report.virtualSeconds = spec.launchSeconds + most;
}

} // namespace

/// Cycles of an SM's tensor cores: twice the rate of halves for bytes, four
/// times for 4-bit elements and 16 times for bits.
static double tensorCycles(const Program &program, const DeviceSpec &spec,
                           const std::vector<uint64_t> &executions) {
  double cycles = 0;
  for (size_t i = 0; i < program.code.size(); ++i) {
    if (program.code[i].kind != Kind::Mma)
      continue;
    const MatrixOp &op = program.matrixOps[program.code[i].imm];
    double work = double(op.shape.m) * op.shape.n * op.shape.k;
    cycles += static_cast<double>(executions[i]) * work * bitsOf(op.types[1]) /
              (16.0 * spec.tensorMacsPerSM);
  }
  return cycles;
}

LaunchReport makeReport(const LaunchState &launch,
                        const std::vector<uint64_t> &executions,
                        const Sample &sample, uint64_t sampledBlocks) {
  const DeviceSpec &spec = launch.spec;
  LaunchReport report;
  countPipes(launch.program, executions, report);
  double blocks = static_cast<double>(launch.gridBlocks());
  double scale =
      blocks / static_cast<double>(std::max<uint64_t>(sampledBlocks, 1));
  report.sharedWavefronts = scaled(sample.sharedWavefronts, scale);
  report.sharedAccesses = scaled(sample.sharedAccesses, scale);
  report.sectorsRead = scaled(sample.sectorsRead, scale);
  report.sectorsWritten = scaled(sample.sectorsWritten, scale);
  report.registersPerThread = launch.registers.perThread;
  report.registerSource = launch.registers.source;
  report.registerNote = launch.registers.note;
  report.sharedBytesPerBlock = launch.sharedBytes;
  report.residentBlocksPerSM = occupancyOf(launch).blocks;

  double busiest = std::ceil(blocks / spec.smCount);
  double waves = std::ceil(busiest / report.residentBlocksPerSM);
  report.dramBytes = estimateDramBytes(launch, sample, scale, waves);
  // Per SM: its share of all counts, the busiest one's being the largest.
  double share = busiest / blocks;
  const PipeCounters &pipes = report.instructions;
  auto cycles = [&](uint64_t warpInstructions, double lanesPerCycle) {
    return share * static_cast<double>(warpInstructions) * 32 / lanesPerCycle;
  };
  TimingBreakdown &t = report.timing;
  t.issueCycles =
      share * static_cast<double>(pipes.total) / spec.schedulersPerSM;
  t.fp32Cycles = cycles(pipes.fp32, spec.fp32LanesPerSM);
  t.integerCycles = cycles(pipes.integer, spec.int32LanesPerSM);
  t.fp64Cycles = cycles(pipes.fp64, spec.fp64LanesPerSM);
  t.sfuCycles = cycles(pipes.sfu, spec.sfuLanesPerSM);
  t.tensorCycles = share * tensorCycles(launch.program, spec, executions);
  t.lsuCycles = cycles(pipes.shared + pipes.global, spec.lsuLanesPerSM);
  t.sharedCycles = share * static_cast<double>(report.sharedWavefronts) * 4 *
                   spec.sharedBanks / spec.sharedBytesPerCycle;
  t.l1Cycles = share *
               static_cast<double>(report.sectorsRead + report.sectorsWritten) *
               32 / spec.sharedBytesPerCycle;
  t.latencyCycles = waves * sample.criticalCycles;
  t.l2Seconds = 32.0 *
                static_cast<double>(sample.uniqueSectorsRead +
                                    sample.uniqueSectorsWritten) *
                scale / spec.l2BytesPerSecond;
  t.dramSeconds =
      static_cast<double>(report.dramBytes) / spec.dramBytesPerSecond;
  conclude(spec, report);
  return report;
}

} // namespace dietcode::vgpu
