//===- Hopper.cpp - GPUs of compute capability 9.0 ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources, by tag:
//   [P] NVIDIA's specifications of the H100 as sellers list them
//       (archive-lib.hpctech.co.jp/gpuproduct/nvidia-h100.html)
//   [W] NVIDIA H100 Tensor Core GPU architecture whitepaper
//   [G] CUDA C++ Programming Guide, tables of compute capabilities
//   [L] Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU
//       Architecture via Microbenchmarking, arXiv 2402.13499
//   [K] hardware features of V100, A100 and H100, PMC10448217, table 3
//   unverified: from memory of the literature, no text of the source at hand
//
//===----------------------------------------------------------------------===//

#include "../Devices.h"

using namespace dietcode;

/// The SXM5 board. What is not set here is the T4's, and unverified.
DeviceSpec dietcode::makeH100() {
  DeviceSpec gpu = makeT4();
  gpu.name = "h100";
  gpu.chip = "sm_90"; // [W] compute capability 9.0
  gpu.calibrated = false;

  gpu.smCount = 132; // [P]
  // [P] 67 TFLOP/s in FP32 = 132 SMs * 128 * 2 * 1980 MHz. The 989 TFLOP/s of
  // the tensor cores are those of a lower clock, 1830 MHz.
  gpu.clockHz = 1980e6;

  gpu.maxThreadsPerSM = 2048; // [G]
  gpu.maxWarpsPerSM = 64;     // [G]
  gpu.maxBlocksPerSM = 32;    // [G]

  gpu.unifiedL1Bytes = 262144;      // [G] 256 KB
  gpu.optInSharedPerBlock = 232448; // [G] 227 KB
  gpu.sharedPerSM = 233472;         // [G], [P] 228 KB
  gpu.sharedCarveouts = {0,      8192,   16384,  32768,  65536,
                         102400, 135168, 167936, 200704, 233472}; // [G]
  gpu.reservedSharedPerBlock = 1024;                              // [G]
  gpu.sharedAllocationUnit = 128; // unverified: CUDA occupancy calculator

  gpu.fp32LanesPerSM = 128;      // [W]
  gpu.int32LanesPerSM = 64;      // [W]
  gpu.fp64LanesPerSM = 64;       // [W], [P] 34 TFLOP/s
  gpu.sfuLanesPerSM = 16;        // [W]
  gpu.lsuLanesPerSM = 32;        // [W]
  gpu.tensorMacsPerSM = 2048;    // [W] with wgmma; mma reaches about 62 % [L]
  gpu.sharedBytesPerCycle = 128; // [K] 32348 GB/s of 144 SMs at 1755 MHz
  gpu.sharedSustained = 128;     // unknown, taken to be all of it
  gpu.l1Sustained = 128;         // unknown, taken to be all of it

  gpu.arithmeticLatency = 4; // [K]
  gpu.sharedLatency = 29;    // [L], unverified; [K] has 20
  gpu.l1Latency = 41;        // [L], unverified
  gpu.l2Latency = 263;       // [L], unverified; [K] has 200
  gpu.globalLatency = 479;   // [L], unverified; [K] has 400
  gpu.fp64Latency = 8;       // unverified

  gpu.l2Bytes = 52428800;        // [P], [K] 50 MB
  gpu.l2BytesPerSecond = 8986e9; // [K]
  // [P], [K] 3350e9, of which 0.9 is taken to be sustained: unverified.
  gpu.dramBytesPerSecond = 3000e9;
  return gpu;
}
