// RUN: dietcode-opt %s --dietcode-to-llvm | %extract_ptx > %t.ptx
// RUN: %python %S/Inputs/count-main-loop.py %t.ptx | FileCheck %s
// RUN: %python %S/Inputs/count-main-loop.py %t.ptx | tail -n 2 | FileCheck %s --check-prefix=LARGEST
// RUN: %python %S/Inputs/make-schedules.py 128x128x8_8x8 | dietcode-opt --dietcode-to-llvm | %extract_ptx > %t.large.ptx
// RUN: %python %S/Inputs/count-main-loop.py %t.large.ptx | FileCheck %s --check-prefix=LARGEST

// What the main loop of a kernel spends its instructions on, counted from the
// PTX: nearly all are products, whose operands come from shared memory in
// vectors if a thread has at least four of each, and the aligned twin reads global
// memory in vectors.

// CHECK: matmul_simt_{{[0-9x]+_[48]x[48]_aligned}}: {{[0-9]+}} instructions
// CHECK-SAME: shared loads: [[SHARED:[0-9]+]] v4 of [[SHARED]]; {{.*}} barriers: 1
// CHECK-NOT: no loop

// LARGEST: _aligned: {{[0-9]+}} instructions, {{8[5-9]|9[0-9]}}.{{[0-9]}} % fma
// LARGEST-SAME: shared loads: [[SHARED:[0-9]+]] v4 of [[SHARED]];
// LARGEST-SAME: global loads: [[GLOBAL:[0-9]+]] v4 of [[GLOBAL]]; barriers: 1
// LARGEST: _general: {{[0-9]+}} instructions, {{8[5-9]|9[0-9]}}.{{[0-9]}} % fma
// LARGEST-SAME: shared loads: [[SHARED:[0-9]+]] v4 of [[SHARED]];
func.func @qkv(%a: tensor<?x768xf32>, %b: tensor<768x2304xf32>, %c: tensor<?x2304xf32>) -> tensor<?x2304xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x768xf32>, tensor<768x2304xf32>) outs(%c : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  return %0 : tensor<?x2304xf32>
}
