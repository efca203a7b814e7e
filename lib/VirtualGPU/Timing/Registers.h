//===- Registers.h - Registers per thread -----------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_TIMING_REGISTERS_H
#define DIETCODE_LIB_VIRTUALGPU_TIMING_REGISTERS_H

#include "../Program.h"
#include "dietcode/VirtualGPU/VirtualGPU.h"

namespace dietcode::vgpu {

/// How many registers a thread takes, and who says so.
struct RegisterCount {
  uint32_t perThread = 0;
  std::string source; ///< "given", "ptxas 13.0" or "estimated".
  std::string note;   ///< Why ptxas was of no use, or what it warns of.
  uint32_t spillBytes = 0;
};

/// As the launch's configuration says: given, from ptxas, or estimated.
RegisterCount countRegisters(const Module::Impl &module, const Program &program,
                             const DeviceSpec &spec,
                             const LaunchConfig &config);

/// What an assembler would allocate if nothing limited it, from live ranges and
/// the device's latencies.
uint32_t wantedRegisters(const Program &program, const DeviceSpec &spec);

/// That, which the program holds already, within the limits of the device and
/// the directives of the kernel.
uint32_t estimateRegisters(const Program &program, const DeviceSpec &spec);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_TIMING_REGISTERS_H
