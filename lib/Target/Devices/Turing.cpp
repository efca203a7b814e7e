//===- Turing.cpp - GPUs of compute capability 7.5 ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources, by tag:
//   [D] deviceQuery of a Tesla T4
//   [W] NVIDIA Turing architecture whitepaper
//   [C] Cornell Virtual Workshop, page on the Turing SM
//   [A] published T4 HGEMM study, 2024
//   [J] Jia et al., Dissecting the NVidia Turing T4 GPU via Microbenchmarking,
//       arXiv 1903.07486, as quoted by [A]
//   [S] sjfeng1999/gpu-arch-microbenchmark, RTX 2070 (the same SM)
//   [X] accel-sim, tuned configuration of the RTX 2060
//   [P] mirrors of NVIDIA's specification sheet
//   [G] CUDA C++ Programming Guide, table of technical specifications
//   unverified: from memory of the literature, no text of the source at hand
//
//===----------------------------------------------------------------------===//

#include "../Devices.h"

using namespace dietcode;

DeviceSpec dietcode::makeT4() {
  DeviceSpec t4{};
  t4.name = "t4";
  t4.chip = "sm_75"; // [D] compute capability 7.5
  t4.calibrated = true;

  t4.smCount = 40;        // [D]
  t4.schedulersPerSM = 4; // [W] one instruction per cycle each
  t4.clockHz = 1590e6;    // [D] maximum; kept by locked and short runs [A]

  t4.warpSize = 32;             // [D]
  t4.maxThreadsPerBlock = 1024; // [D]
  t4.maxThreadsPerSM = 1024;    // [D]
  t4.maxWarpsPerSM = 32;        // [D]
  t4.maxBlocksPerSM = 16;       // [X], [G]
  t4.maxGridX = 2147483647;     // [D]
  t4.maxGridYZ = 65535;         // [D]

  t4.registersPerSM = 65536;       // [D]
  t4.maxRegistersPerThread = 255;  // [W]
  t4.registerAllocationUnit = 256; // unverified: CUDA occupancy calculator

  t4.staticSharedPerBlock = 49152;     // [D]
  t4.optInSharedPerBlock = 65536;      // [A] its code asks for it
  t4.sharedPerSM = 65536;              // [W] 64 KB of the unified 96 KB
  t4.sharedCarveouts = {32768, 65536}; // [W] 64 + 32 KB either way
  t4.reservedSharedPerBlock = 0;       // [G] 1 KB from 8.0 on
  t4.sharedAllocationUnit = 256;       // unverified: CUDA occupancy calculator
  t4.sharedBanks = 32;                 // [G]

  t4.fp32LanesPerSM = 64;      // [W], [C]
  t4.int32LanesPerSM = 64;     // [W], [C]
  t4.fp64LanesPerSM = 2;       // [P] 0.254 TFLOP/s = 40 SMs * 2 * 2 * 1590 MHz
  t4.sfuLanesPerSM = 16;       // [C]
  t4.lsuLanesPerSM = 16;       // [C]
  t4.sharedBytesPerCycle = 64; // [C] 16 LSU lanes of 4 bytes
  // [J] measured 3662 GB/s = 57.6 bytes per cycle and SM, for long runs.
  t4.sharedSustained = 57.6;
  t4.l1Sustained = 58.8; // [S] measured, in bytes per cycle and SM
  t4.burstCycles = 64;   // unverified

  t4.arithmeticLatency = 4; // unverified; [X] uses 4 as well
  t4.sharedLatency = 23;    // [S]
  t4.l1Latency = 32;        // [S]
  t4.l2Latency = 236;       // [S]; 188 for the T4 is unverified
  // [S] 1000 to 1200 with a TLB miss that costs 472: derived, unverified.
  t4.globalLatency = 628;
  t4.halfLatency = 6;     // unverified
  t4.sfuLatency = 18;     // unverified: 14 to 20
  t4.fp64Latency = 44;    // unverified: 40 to 48
  t4.tensorLatency = 18;  // unverified: 14 (f16) to 18 (f32)
  t4.barrierLatency = 16; // unverified
  t4.branchLatency = 8;   // unverified
  // [S] has 27 cycles where 32 bits a lane take 23. Its text says that this is
  // for 64 bits a lane, its code that it is for two such loads of one thread.
  t4.sharedWidthLatency = 4;

  t4.tensorMacsPerSM = 512; // [W], [P] 65.1 TFLOP/s = 40 * 512 * 2 * 1590 MHz
  // unverified: 5 issue at once and the next waits, by Huerta et al.,
  // Dissecting and Modeling the Architecture of Modern GPU Cores, arXiv
  // 2503.20481, for Ampere. It puts kernels 8 to 11 of github.com/yzhaiustc/
  // Optimizing-SGEMM-on-NVIDIA-Turing-GPUs at 60, 82, 86 and 86 % of peak at
  // 4096^3; on an RTX 2080 Super they reach 70, 90, 91 and 93 % of cuBLAS,
  // which on a T4 are 64, 83, 84 and 85 % of peak.
  t4.memoryQueueDepth = 4;
  t4.unifiedL1Bytes = 98304;    // [W]
  t4.lineBytes = 128;           // [S]
  t4.sectorBytes = 32;          // unverified, but common to NVIDIA's GPUs
  t4.l2BytesPerCyclePerSM = 64; // unverified

  t4.l2Bytes = 4194304;          // [D]
  t4.l2BytesPerSecond = 1270e9;  // [A]
  t4.dramBytesPerSecond = 220e9; // [J] measured; 320e9 in theory
  t4.launchSeconds = 3.7e-6;     // [X] 5000 cycles at 1365 MHz
  return t4;
}

/// The SM is that of the T4, so what is not set here has its source there.
DeviceSpec dietcode::makeRtx2080Ti() {
  DeviceSpec gpu = makeT4();
  gpu.name = "rtx2080ti";
  gpu.calibrated = false;
  gpu.smCount = 68;      // [W], appendix A
  gpu.clockHz = 1545e6;  // [W] boost, reference board; 13.4 TFLOP/s in FP32
  gpu.l2Bytes = 5767168; // [P] 5.5 MiB
  // [J] The T4 sustains 69 % of its data sheet's figure; here 616 GB/s [P].
  gpu.dramBytesPerSecond = 0.69 * 616e9;
  // unverified: the T4's bytes per cycle for each of its memory controllers,
  // 11 of 32 bits against 8, at this clock.
  gpu.l2BytesPerSecond = 1270e9 * 11 / 8 * 1545 / 1590;
  return gpu;
}
