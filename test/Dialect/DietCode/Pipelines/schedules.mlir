// REQUIRES: ptxas
// RUN: %python %S/Inputs/make-schedules.py 8x8x32_1x1 8x8x32_1x2 8x16x32_1x4 8x32x32_1x8 16x64x32_1x16 \
// RUN:   8x8x32_2x1 8x16x32_2x2 8x32x32_2x4 16x64x32_2x8 16x64x16_2x16 8x16x32_4x1 8x32x32_4x2 16x64x32_4x4 \
// RUN:   16x64x16_4x8 64x64x16_4x16 8x32x32_8x1 16x64x32_8x2 16x64x16_8x4 64x64x16_8x8 128x256x8_8x16 \
// RUN:   16x64x32_16x1 16x64x16_16x2 64x64x16_16x4 128x256x8_16x8 | dietcode-opt --dietcode-to-llvm | %extract_ptx > %t.ptx
// RUN: %ptxas -arch=sm_75 -v %t.ptx -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not="{{[1-9][0-9]*}} bytes spill" --implicit-check-not="{{error|fatal|warning}}"
// RUN: %python %S/Inputs/make-schedules.py --transpose-a --transpose-b 64x64x16_4x16 64x64x16_8x8 128x256x8_8x16 \
// RUN:   64x64x16_16x4 128x256x8_16x8 64x64x16_8x8_s1_k32_v1_nm | dietcode-opt --dietcode-to-llvm \
// RUN:   | %extract_ptx > %t.transposed.ptx
// RUN: %ptxas -arch=sm_75 -v %t.transposed.ptx -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not="{{[1-9][0-9]*}} bytes spill" --implicit-check-not="{{error|fatal|warning}}"
// RUN: %python %S/Inputs/make-schedules.py 8x8x32_1x1_k2 8x16x32_4x1_k32 64x64x16_8x8_s1_k32_v1_nm 128x256x8_8x16_k8 \
// RUN:   16x64x16_16x2_s1_k3_v2 64x64x16_4x16_s1_nm | dietcode-opt --dietcode-to-llvm | %extract_ptx > %t.refined.ptx
// RUN: %ptxas -arch=sm_75 -v %t.refined.ptx -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not="{{[1-9][0-9]*}} bytes spill" --implicit-check-not="{{error|fatal|warning}}"

// Of the schedules that selection may pick, for each thread tile the one that is
// estimated to need the most registers: both twins are compiled for any strides
// and spill none. Nor do kernels with other stages, vectors, orders and splits.
// CHECK: Compiling entry function 'matmul_simt_{{.*}}' for 'sm_75'
// CHECK: 0 bytes spill stores, 0 bytes spill loads
