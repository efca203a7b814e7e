//===- Ada.cpp - GPUs of compute capability 8.9 ---------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources, by tag:
//   [P] mirrors of NVIDIA's specification sheet (fpsbench.com, topcpu.net)
//   [W] NVIDIA Ada GPU architecture whitepaper
//   [G] CUDA C++ Programming Guide, tables of compute capabilities
//   [L] Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU
//       Architecture via Microbenchmarking, arXiv 2402.13499 (its RTX 4090)
//   unverified: from memory of the literature, no text of the source at hand
//
//===----------------------------------------------------------------------===//

#include "../Devices.h"

using namespace dietcode;

/// What is not set here is the T4's, and unverified.
DeviceSpec dietcode::makeL4() {
  DeviceSpec gpu = makeT4();
  gpu.name = "l4";
  gpu.chip = "sm_89"; // [P] compute capability 8.9
  gpu.calibrated = false;

  gpu.smCount = 58;     // [P] 7424 lanes of 128 an SM
  gpu.clockHz = 2040e6; // [P] boost; 72 W hold it for short runs only

  gpu.maxThreadsPerSM = 1536; // [G]
  gpu.maxWarpsPerSM = 48;     // [G]
  gpu.maxBlocksPerSM = 24;    // [G]

  gpu.unifiedL1Bytes = 131072;                                  // [G] 128 KB
  gpu.optInSharedPerBlock = 101376;                             // [G] 99 KB
  gpu.sharedPerSM = 102400;                                     // [G] 100 KB
  gpu.sharedCarveouts = {0, 8192, 16384, 32768, 65536, 102400}; // [G]
  gpu.reservedSharedPerBlock = 1024;                            // [G]
  gpu.sharedAllocationUnit = 128; // unverified: CUDA occupancy calculator

  // [P] 30.29 TFLOP/s = 58 SMs * 128 * 2 * 2040 MHz. Half of the lanes are
  // those of the integers too [W], which the model takes to be apart.
  gpu.fp32LanesPerSM = 128;
  gpu.int32LanesPerSM = 64;      // [W]
  gpu.fp64LanesPerSM = 2;        // [P] 1 / 64 of FP32
  gpu.sfuLanesPerSM = 16;        // [W]
  gpu.lsuLanesPerSM = 32;        // unverified
  gpu.tensorMacsPerSM = 512;     // [P] 121 TFLOP/s without sparsity
  gpu.sharedBytesPerCycle = 128; // unverified
  gpu.sharedSustained = 128;     // unknown, taken to be all of it
  gpu.l1Sustained = 128;         // unknown, taken to be all of it

  gpu.sharedLatency = 30;  // [L], unverified
  gpu.l1Latency = 43;      // [L], unverified
  gpu.l2Latency = 273;     // [L], unverified
  gpu.globalLatency = 541; // [L], unverified

  gpu.l2Bytes = 50331648; // [P] 48 MB
  // unverified: 32 bytes a cycle and SM.
  gpu.l2BytesPerSecond = 58 * 32 * 2040e6;
  // [P] 300e9, of which 0.9 is taken to be sustained: unverified.
  gpu.dramBytesPerSecond = 270e9;
  return gpu;
}
