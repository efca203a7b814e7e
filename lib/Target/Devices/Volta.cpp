//===- Volta.cpp - GPUs of compute capability 7.0 -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources, by tag:
//   [W] NVIDIA Tesla V100 GPU architecture whitepaper
//   [G] CUDA C++ Programming Guide, tables of compute capabilities
//   [V] Jia et al., Dissecting the NVIDIA Volta GPU Architecture via
//       Microbenchmarking, arXiv 1804.06826
//   [K] hardware features of V100, A100 and H100, PMC10448217, table 3
//   unverified: from memory of the literature, no text of the source at hand
//
//===----------------------------------------------------------------------===//

#include "../Devices.h"

using namespace dietcode;

/// The SXM2 board. What is not set here is the T4's, and unverified.
DeviceSpec dietcode::makeV100() {
  DeviceSpec gpu = makeT4();
  gpu.name = "v100";
  gpu.chip = "sm_70"; // [W] compute capability 7.0
  gpu.calibrated = false;

  gpu.smCount = 80;     // [W]
  gpu.clockHz = 1530e6; // [W] boost

  gpu.maxThreadsPerSM = 2048; // [G]
  gpu.maxWarpsPerSM = 64;     // [G]
  gpu.maxBlocksPerSM = 32;    // [G]

  gpu.unifiedL1Bytes = 131072;                                 // [G] 128 KB
  gpu.optInSharedPerBlock = 98304;                             // [G] 96 KB
  gpu.sharedPerSM = 98304;                                     // [G]
  gpu.sharedCarveouts = {0, 8192, 16384, 32768, 65536, 98304}; // [G]

  gpu.fp32LanesPerSM = 64;   // [W] 15.7 TFLOP/s = 80 SMs * 64 * 2 * 1530 MHz
  gpu.int32LanesPerSM = 64;  // [W]
  gpu.fp64LanesPerSM = 32;   // [W] 7.8 TFLOP/s
  gpu.sfuLanesPerSM = 16;    // [W] 4 for each scheduler
  gpu.lsuLanesPerSM = 32;    // [W] 8 for each scheduler
  gpu.tensorMacsPerSM = 512; // [W] 8 cores of 64; 125 TFLOP/s
  gpu.sharedBytesPerCycle = 128; // [K] 16451 GB/s of 84 SMs at 1530 MHz
  gpu.sharedSustained = 128;     // unknown, taken to be all of it
  gpu.l1Sustained = 128;         // unknown, taken to be all of it

  gpu.arithmeticLatency = 4; // [K], [V]
  gpu.sharedLatency = 19;    // [V], unverified; [K] has 20
  gpu.l1Latency = 28;        // [V], unverified
  gpu.l2Latency = 193;       // [V], unverified; [K] has 200
  gpu.globalLatency = 400;   // [K]
  gpu.fp64Latency = 8;       // [V], unverified

  gpu.l2Bytes = 6291456;         // [W], [K] 6 MB
  gpu.l2BytesPerSecond = 3133e9; // [K]
  // [K] 900e9, of which 0.9 is taken to be sustained: unverified.
  gpu.dramBytesPerSecond = 810e9;
  return gpu;
}
