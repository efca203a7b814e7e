//===- DeviceSpec.h - Plain-data table of known GPUs ------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the search, the cost model and the virtual GPU know about a device.
// Every constant is given with its source in lib/Target/Devices/.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TARGET_DEVICESPEC_H
#define DIETCODE_TARGET_DEVICESPEC_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

/// A GPU as its data sheet and published micro-benchmarks describe it. Sizes
/// are bytes, clocks Hz, latencies core cycles, rates per core cycle unless
/// said otherwise.
struct DeviceSpec {
  std::string_view name; ///< How options name it, e.g. "t4".
  std::string_view chip; ///< LLVM's name of the architecture, e.g. "sm_75".
  /// Whether the timing model was compared with what is published of the
  /// device's speed. If not, its times are guesses from a data sheet.
  bool calibrated;

  int smCount;
  int schedulersPerSM; ///< Each issues one warp instruction per cycle.
  double clockHz;      ///< Core clock that times are given at.

  int warpSize;
  int maxThreadsPerBlock;
  int maxThreadsPerSM;
  int maxWarpsPerSM;
  int maxBlocksPerSM;
  int64_t maxGridX;
  int64_t maxGridYZ;

  int registersPerSM; ///< 32-bit registers.
  int maxRegistersPerThread;
  int registerAllocationUnit; ///< Registers are handed to a warp in multiples.

  int staticSharedPerBlock; ///< What a kernel may declare statically.
  int optInSharedPerBlock;  ///< What it may ask for at launch.
  int sharedPerSM;
  /// Sizes of the part of unifiedL1Bytes that may be shared memory, ascending;
  /// L1 has the rest.
  std::vector<int> sharedCarveouts;
  int reservedSharedPerBlock; ///< What the system takes of it for each block.
  int sharedAllocationUnit;
  int sharedBanks; ///< Of four bytes each.

  double fp32LanesPerSM;  ///< Fused multiply-adds per cycle.
  double int32LanesPerSM; ///< Integer operations per cycle.
  double fp64LanesPerSM;  ///< Double-precision operations per cycle.
  double sfuLanesPerSM;   ///< Special functions per cycle.
  double lsuLanesPerSM;   ///< Memory-instruction lanes per cycle.
  /// Per SM, of the path that shared memory and L1 hits take, and what each of
  /// them sustains of it in runs that are longer than a burst.
  double sharedBytesPerCycle;
  double sharedSustained;
  double l1Sustained;
  /// How far the path may be ahead of what it sustains: shorter bursts go at
  /// its full rate.
  int burstCycles;

  int arithmeticLatency; ///< Of a dependent FP32 or integer instruction.
  int sharedLatency;
  int l1Latency;
  int l2Latency;
  int globalLatency; ///< Of a load that DRAM serves.
  int halfLatency;   ///< Of a dependent half-precision instruction.
  int sfuLatency;    ///< Of special functions and conversions.
  int fp64Latency;
  int tensorLatency;
  int barrierLatency; ///< From the last arrival to the next instruction.
  int branchLatency;  ///< From a branch to the next instruction.
  /// Added to the latency of a shared load for each wavefront after the first
  /// that its width takes.
  int sharedWidthLatency;

  double tensorMacsPerSM; ///< Half-precision multiply-adds per cycle.
  int memoryQueueDepth;   ///< Memory instructions that wait in each sub-core.
  int unifiedL1Bytes;     ///< Shared memory and L1 together.
  int lineBytes;          ///< Of L1, with tags.
  int sectorBytes;        ///< What caches exchange.
  double l2BytesPerCyclePerSM; ///< What one SM alone can get.

  int64_t l2Bytes;
  double l2BytesPerSecond;
  double dramBytesPerSecond; ///< As measured, not the theoretical figure.
  double launchSeconds;      ///< Host-side cost of one kernel launch.
};

/// The device called `name`, or null. Names are lower case.
const DeviceSpec *lookupDevice(std::string_view name);

/// How reports name a model of a device: "virtual:t4", or
/// "virtual:a100 (uncalibrated)".
std::string virtualName(const DeviceSpec &device);

/// The names `lookupDevice` knows, for error messages.
std::vector<std::string_view> knownDeviceNames();

/// A compilation target of the NVPTX back end.
struct ChipSpec {
  std::string_view name; ///< e.g. "sm_75".
  int computeCapability; ///< e.g. 75.
  int minimumPtxVersion; ///< First PTX ISA that knows it, e.g. 63 for 6.3.
};

/// The chip called `name`, or null.
const ChipSpec *lookupChip(std::string_view name);

/// The names `lookupChip` knows, for error messages.
std::vector<std::string_view> knownChipNames();

} // namespace dietcode

#endif // DIETCODE_TARGET_DEVICESPEC_H
