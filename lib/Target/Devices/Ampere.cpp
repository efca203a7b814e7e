//===- Ampere.cpp - GPUs of compute capability 8.0 ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources, by tag:
//   [W] NVIDIA A100 Tensor Core GPU architecture whitepaper
//   [G] CUDA C++ Programming Guide, tables of compute capabilities
//   [T] NVIDIA Ampere GPU architecture tuning guide
//   [M] Abdelkhalik et al., Demystifying the Nvidia Ampere Architecture through
//       Microbenchmarking, arXiv 2208.11174
//   [K] hardware features of V100, A100 and H100, PMC10448217, table 3
//   unverified: from memory of the literature, no text of the source at hand
//
//===----------------------------------------------------------------------===//

#include "../Devices.h"

using namespace dietcode;

/// The SXM4 board with 40 GB. What is not set here is the T4's, and unverified.
DeviceSpec dietcode::makeA100() {
  DeviceSpec gpu = makeT4();
  gpu.name = "a100";
  gpu.chip = "sm_80"; // [W] compute capability 8.0
  gpu.calibrated = false;

  gpu.smCount = 108;    // [W]
  gpu.clockHz = 1410e6; // [W], [K] boost

  gpu.maxThreadsPerSM = 2048; // [G]
  gpu.maxWarpsPerSM = 64;     // [G]
  gpu.maxBlocksPerSM = 32;    // [G]

  gpu.unifiedL1Bytes = 196608;      // [G] 192 KB
  gpu.optInSharedPerBlock = 166912; // [G] 163 KB
  gpu.sharedPerSM = 167936;         // [G] 164 KB
  gpu.sharedCarveouts = {0,     8192,   16384,  32768,
                         65536, 102400, 135168, 167936}; // [G], [T]
  gpu.reservedSharedPerBlock = 1024;                     // [G]
  gpu.sharedAllocationUnit = 128; // unverified: CUDA occupancy calculator

  gpu.fp32LanesPerSM = 64;    // [W] 19.5 TFLOP/s = 108 SMs * 64 * 2 * 1410 MHz
  gpu.int32LanesPerSM = 64;   // [W]
  gpu.fp64LanesPerSM = 32;    // [W] 9.7 TFLOP/s
  gpu.sfuLanesPerSM = 16;     // [W]
  gpu.lsuLanesPerSM = 32;     // [W]
  gpu.tensorMacsPerSM = 1024; // [W] 312 TFLOP/s
  gpu.sharedBytesPerCycle = 128; // [K] 23101 GB/s of 128 SMs at 1410 MHz
  gpu.sharedSustained = 128;     // unknown, taken to be all of it
  gpu.l1Sustained = 128;         // unknown, taken to be all of it

  gpu.arithmeticLatency = 4; // [K], [M]
  gpu.sharedLatency = 23;    // [M], unverified; [K] has 20
  gpu.l1Latency = 33;        // [M], unverified
  gpu.l2Latency = 200;       // [M], unverified; [K] has 200 as well
  gpu.globalLatency = 400;   // [K]; [M], unverified, has 290
  gpu.fp64Latency = 8;       // unverified

  gpu.l2Bytes = 41943040;        // [W], [K] 40 MB
  gpu.l2BytesPerSecond = 7219e9; // [K]
  // [W], [K] 1555e9, of which 0.9 is taken to be sustained: unverified.
  gpu.dramBytesPerSecond = 1400e9;
  return gpu;
}
