// RUN: dietcode-opt %s --dietcode-attach-device --dietcode-bind-shapes --dietcode-select-micro-kernels --split-input-file | FileCheck %s
// RUN: dietcode-opt %s --dietcode-attach-device --dietcode-bind-shapes --dietcode-select-micro-kernels --split-input-file \
// RUN:   --remarks-filter=dietcode --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: dietcode-opt %s --dietcode-attach-device --dietcode-bind-shapes --dietcode-select-micro-kernels=max-kernels=1 --split-input-file \
// RUN:   --remarks-filter=dietcode --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=ONE

// The tests do not depend on which schedules the cost model prefers.

// Without a declared range: the default one is covered to its ends, and the
// verifier of the dispatch proves that there is no gap.
// CHECK: dietcode.micro_kernel @simt_{{.*}} #dietcode.schedule<{{.*}}> predicted
// CHECK: dietcode.shape_var @default_range_m range [1, 4096]
// CHECK: dietcode.dispatch @default_range_matmul on (m in [1, 4096]) {
// CHECK-NEXT: case m in [1, {{[0-9]+}}] -> @simt_
// CHECK: case m in [{{[0-9]+}}, 4096] -> @simt_
// CHECK-NEXT: otherwise -> @simt_
// CHECK-LABEL: func.func @default_range
// CHECK: dietcode.matmul dispatch(@default_range_matmul) ins(
// REMARK: select-micro-kernels.mlir:[[@LINE+8]]:8: remark: [Passed] select-micro-kernels | Category:dietcode
// REMARK-SAME: {{[1-8]}} micro-kernels in {{[0-9]+}} cases; predicted regret mean {{.*}}%, weighted {{.*}}%, max {{.*}}% at m = {{[0-9]+}}, n = 2304, k = 768
// ONE-COUNT-1: dietcode.micro_kernel
// ONE-NOT: dietcode.micro_kernel
// ONE: dietcode.dispatch @default_range_matmul on (m in [1, 4096]) {
// ONE-NEXT: case m in [1, 4096] -> @[[ONLY:.*]]{{$}}
// ONE-NEXT: otherwise -> @[[ONLY]]{{$}}
func.func @default_range(%a: tensor<?x768xf32>, %b: tensor<768x2304xf32>, %c: tensor<?x2304xf32>) -> tensor<?x2304xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<?x768xf32>, tensor<768x2304xf32>) outs(%c : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  return %0 : tensor<?x2304xf32>
}

// -----

// A static shape: one kernel, no dimensions, no regret.
// CHECK: dietcode.dispatch @static_matmul on () {
// CHECK-NEXT: case -> @[[KERNEL:.*]]{{$}}
// CHECK-NEXT: otherwise -> @[[KERNEL]]{{$}}
// CHECK-LABEL: func.func @static
// REMARK: 1 micro-kernels in 1 cases; predicted regret mean 0.0%, weighted 0.0%, max 0.0% at m = 16, n = 32, k = 64
func.func @static(%a: tensor<16x64xf32>, %b: tensor<64x32xf32>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<16x64xf32>, tensor<64x32xf32>) outs(%c : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// -----

// Empty problems are shapes as well.
// CHECK: dietcode.dispatch @empty_matmul on () {
// REMARK: at m = 16, n = 0, k = 0
func.func @empty(%a: tensor<16x0xf32>, %b: tensor<0x0xf32>, %c: tensor<16x0xf32>) -> tensor<16x0xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<16x0xf32>, tensor<0x0xf32>) outs(%c : tensor<16x0xf32>) -> tensor<16x0xf32>
  return %0 : tensor<16x0xf32>
}

// -----

// A size is never negative: T above 10 makes no shape.
// CHECK: dietcode.dispatch @rest_matmul on (m in [0, 9]) {
dietcode.shape_var @T range [1, 128]
func.func @rest(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (10 - t, 64)> : tensor<?x64xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// -----

// The domain is that of the dimension, m = 16 * T; the instances of the workload
// count as much as the rest of the range.
// CHECK: dietcode.dispatch @workload_matmul on (m in [16, 2048]) {
// CHECK-LABEL: func.func @workload
// REMARK: at m = {{[0-9]+}}, n = 2304, k = 768
dietcode.shape_var @T range [1, 128]
dietcode.workload @bert over [@T] instances [[5], [24], [43], [62], [81], [100], [119], [128]] weights [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0]
func.func @workload(%a: tensor<?x768xf32>, %b: tensor<768x2304xf32>, %c: tensor<?x2304xf32>) -> tensor<?x2304xf32>
    attributes {dietcode.workload = @bert} {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (16 * t, 768)> : tensor<?x768xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x768xf32>, tensor<768x2304xf32>) outs(%c : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  return %0 : tensor<?x2304xf32>
}

// -----

// A range of one value.
// CHECK: dietcode.dispatch @point_matmul on (m in [7, 7]) {
// CHECK-NEXT: case m in [7, 7] -> @[[POINT:.*]]{{$}}
// CHECK-NEXT: otherwise -> @[[POINT]]{{$}}
// REMARK: 1 micro-kernels in 1 cases{{.*}} at m = 7, n = 32, k = 64
dietcode.shape_var @T range [7, 7]
func.func @point(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (t, 64)> : tensor<?x64xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// -----

// Several variables, of which one rules two dimensions, and an expression of two.
// CHECK: dietcode.dispatch @several_matmul on (m in [1, 1024], n in [64, 512], k in [64, 512]) {
// CHECK-NEXT: case m in [{{.*}}], n in [{{.*}}], k in [{{.*}}] -> @simt_
// REMARK: at m = {{[0-9]+}}, n = {{[0-9]+}}, k = {{[0-9]+}}
dietcode.shape_var @B range [1, 8]
dietcode.shape_var @T range [1, 128]
dietcode.shape_var @H range [64, 512] multiple_of 64
func.func @several(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  dietcode.bind_shape %a [@B, @T, @H], affine_map<()[b, t, h] -> (b * t, h)> : tensor<?x?xf32>
  dietcode.bind_shape %b [@H], affine_map<()[h] -> (h, h)> : tensor<?x?xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Equal operators share micro-kernels; each has a dispatch of its own.
// CHECK-DAG: dietcode.dispatch @shared_matmul on ()
// CHECK-DAG: dietcode.dispatch @shared_matmul_0 on ()
// CHECK-LABEL: func.func @shared
// CHECK: dietcode.matmul dispatch(@shared_matmul) ins
// CHECK: dietcode.matmul accumulate dispatch(@shared_matmul_0) ins
// ONE: dietcode.micro_kernel @[[SHARED:simt_[^ ]*]] #dietcode.schedule<{{.*}}> predicted {{[^ ]*$}}
// ONE-NOT: dietcode.micro_kernel
// ONE: case -> @[[SHARED]]
// ONE: case -> @[[SHARED]]
// REMARK-COUNT-2: at m = 17, n = 17, k = 17
func.func @shared(%a: memref<17x17xf32>, %b: memref<17x17xf32>, %c: memref<17x17xf32>) {
  dietcode.matmul ins(%a, %b : memref<17x17xf32>, memref<17x17xf32>) outs(%c : memref<17x17xf32>)
  dietcode.matmul accumulate ins(%a, %b : memref<17x17xf32>, memref<17x17xf32>) outs(%c : memref<17x17xf32>)
  return
}

// -----

// What has been selected already is left alone.
// CHECK-NOT: simt_
// CHECK-LABEL: func.func @selected
// CHECK: dietcode.matmul dispatch(@mine) ins
// REMARK-NOT: remark
dietcode.micro_kernel @tuned #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]> measured 1.0e9
dietcode.dispatch @mine on () {
  case -> @tuned
  otherwise -> @tuned
}
func.func @selected(%a: memref<16x16xf32>, %b: memref<16x16xf32>, %c: memref<16x16xf32>) {
  dietcode.matmul dispatch(@mine) ins(%a, %b : memref<16x16xf32>, memref<16x16xf32>) outs(%c : memref<16x16xf32>)
  return
}
