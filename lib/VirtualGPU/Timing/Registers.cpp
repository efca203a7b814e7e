//===- Registers.cpp - Registers per thread -------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registers.h"
#include "dietcode/Target/Ptxas.h"
#include <algorithm>

namespace dietcode::vgpu {
namespace {

/// The most registers with which the kernel's promises can be kept: .maxnreg,
/// and .minnctapersm blocks of .maxntid threads on an SM. A kernel that says
/// nothing of its threads may be launched with as many as there can be.
uint32_t registerLimit(const Program &program, const DeviceSpec &spec) {
  auto threadsOf = [](const std::array<uint32_t, 3> &size) {
    return uint64_t(size[0]) * size[1] * size[2];
  };
  auto most = static_cast<uint32_t>(spec.maxRegistersPerThread);
  if (program.maxRegisters)
    most = std::min(most, program.maxRegisters);
  uint64_t threads = threadsOf(program.requiredThreads);
  if (!threads)
    threads = threadsOf(program.maxThreads);
  if (threads) {
    uint64_t warps = (threads + 31) / 32;
    uint64_t each = std::max(1u, program.minBlocksPerSM) * warps * 32;
    uint64_t fit = static_cast<uint64_t>(spec.registersPerSM) / each / 8 * 8;
    most = static_cast<uint32_t>(std::min<uint64_t>(most, fit));
  }
  // ptxas adjusts lower limits to 24 for sm_75.
  return std::max(24u, most);
}

} // namespace

uint32_t estimateRegisters(const Program &program, const DeviceSpec &spec) {
  return std::min(program.liveRegisters, registerLimit(program, spec));
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
