// REQUIRES: ptxas
// RUN: %python %S/Inputs/make-schedules.py --factor f16 --out f16 16x8x32_16x8_mma_mnm 128x8x32_128x8_mma_mnm \
// RUN:   16x128x16_16x128_mma_mnm 64x64x16_64x64_mma_mnm 64x128x16_32x128_mma_mnm 32x64x32_32x64_mma_mnm \
// RUN:   128x128x32_64x64_mma_mnm 256x128x32_64x64_mma_mnm 128x256x32_64x64_mma_mnm 128x256x16_128x32_mma_mnm \
// RUN:   64x64x32_32x32_mma_s1_k8 | dietcode-opt --dietcode-to-llvm | %extract_ptx > %t.ptx
// RUN: %ptxas -arch=sm_75 -v %t.ptx -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not="{{[1-9][0-9]*}} bytes spill" --implicit-check-not="{{error|fatal|warning}}"
// RUN: %python %S/Inputs/make-schedules.py --factor f16 --out f32 --transpose-a --transpose-b 16x128x16_16x128_mma_mnm \
// RUN:   64x64x16_64x64_mma_mnm 128x128x32_64x64_mma_mnm 256x128x32_64x64_mma_mnm \
// RUN:   | dietcode-opt --dietcode-to-llvm | %extract_ptx > %t.transposed.ptx
// RUN: %ptxas -arch=sm_75 -v %t.transposed.ptx -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not="{{[1-9][0-9]*}} bytes spill" --implicit-check-not="{{error|fatal|warning}}"
// RUN: %python %S/Inputs/make-schedules.py --factor f16 --out f16 --sums f16 16x128x16_16x128_mma16_mnm \
// RUN:   64x64x32_64x64_mma16_mnm 128x256x32_64x64_mma16_mnm 256x256x16_64x128_mma16_mnm 64x64x16_32x64_mma16_k2_mnm \
// RUN:   | dietcode-opt --dietcode-to-llvm | %extract_ptx > %t.sums.ptx
// RUN: %ptxas -arch=sm_75 -v %t.sums.ptx -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not="{{[1-9][0-9]*}} bytes spill" --implicit-check-not="{{error|fatal|warning}}"
// RUN: %python %S/Inputs/make-schedules.py --factor i8 --out i32 128x128x32_64x64_mma8_mnm 64x64x32_32x32_mma8_k2_mnm \
// RUN:   | dietcode-opt --dietcode-to-llvm | %extract_ptx > %t.bytes.ptx
// RUN: %ptxas -arch=sm_75 -v %t.bytes.ptx -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not="{{[1-9][0-9]*}} bytes spill" --implicit-check-not="{{error|fatal|warning}}"

// Kernels built from matrix instructions spill no register either, those among
// them that are estimated to need the most.
// CHECK: Compiling entry function 'matmul_warp_{{.*}}' for 'sm_75'
// CHECK: 0 bytes spill stores, 0 bytes spill loads
