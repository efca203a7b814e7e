// REQUIRES: ptxas
// RUN: %python %S/Inputs/make-schedules.py 8x8x32_1x1 8x16x32_1x4 8x32x32_1x8 16x64x32_1x16 8x16x32_2x2 16x64x32_2x8 \
// RUN:   16x64x16_2x16 8x16x32_4x1 16x64x32_4x4 64x64x8_4x8 32x64x16_4x4 8x32x32_8x1 16x64x16_8x4 64x64x16_8x8 \
// RUN:   64x128x8_8x8 128x128x8_8x8 128x256x8_8x16 16x64x32_16x1 64x64x16_16x4 \
// RUN:   | dietcode-opt --dietcode-to-llvm | %extract_ptx > %t.ptx
// RUN: env DIETCODE_PTXAS=%ptxas DIETCODE_TEST_PTX=%t.ptx %unit/VirtualGPUTests --gtest_filter=Registers.GeneratedKernels | FileCheck %s

// The virtual GPU's estimate of the registers that generated kernels take is near
// what ptxas allocates: that decides how many blocks share an SM.
// CHECK: mean of {{[0-9]+}} kernels
// CHECK: PASSED
