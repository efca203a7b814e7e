// RUN: dietcode-opt %s --verify-roundtrip | FileCheck %s

// Every operation and attribute, in every form.

// The device of a module.
// CHECK: module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_80">}
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_80">} {

// A range without and with divisibility; a multiple of one is not printed.
// CHECK: dietcode.shape_var @T range [1, 128]{{$}}
dietcode.shape_var @T range [1, 128]
// CHECK: dietcode.shape_var @H range [64, 1024] multiple_of 64
dietcode.shape_var @H range [64, 1024] multiple_of 64
// CHECK: dietcode.shape_var @one range [0, 0]{{$}}
dietcode.shape_var @one range [0, 0] multiple_of 1

// Instances without and with weights; none at all; attributes.
// CHECK: dietcode.workload @bert over [@T] instances {{\[}}[5], [128]]{{$}}
dietcode.workload @bert over [@T] instances [[5], [128]]
// CHECK: dietcode.workload @both over [@T, @H] instances {{\[}}[5, 768], [128, 1024]] weights [1.000000e+00, 4.000000e+00] {source = "paper"}
dietcode.workload @both over [@T, @H] instances [[5, 768], [128, 1024]] weights [1.0, 4.0] {source = "paper"}
// CHECK: dietcode.workload @none over [@T] instances []
dietcode.workload @none over [@T] instances []

// What is as by default is not printed, and the rest in one order.
// CHECK: dietcode.micro_kernel @refined #dietcode.schedule<block = [16, 64, 16], thread = [2, 4], stages = 1, split = 3, vector = 2, order = [n, m]>{{$}}
dietcode.micro_kernel @refined #dietcode.schedule<block = [16, 64, 16], thread = [2, 4], order = [n, m], vector = 2, split = 3, stages = 1>
// CHECK: dietcode.micro_kernel @default #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>{{$}}
dietcode.micro_kernel @default #dietcode.schedule<block = [16, 64, 16], thread = [2, 4], split = 1, vector = 4, order = [m, n]>

// Costs are optional. Two stages are not printed.
// CHECK: dietcode.micro_kernel @small #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>{{$}}
dietcode.micro_kernel @small #dietcode.schedule<block = [16, 64, 16], thread = [2, 4], stages = 2>
// CHECK: dietcode.micro_kernel @predicted #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]> predicted 7.100000e+12
dietcode.micro_kernel @predicted #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]> predicted 7.1e12
// CHECK: dietcode.micro_kernel @measured #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]> measured 1.000000e+09
dietcode.micro_kernel @measured #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]> measured 1.0e9
// CHECK: dietcode.micro_kernel @large #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]> predicted 7.100000e+12 measured 6.900000e+12
dietcode.micro_kernel @large #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]> predicted 7.1e12 measured 6.9e12

// A dispatch over one, two and no dimensions.
// CHECK: dietcode.dispatch @on_m on (m in [16, 2048]) {
// CHECK-NEXT: case m in [16, 400] -> @small
// CHECK-NEXT: case m in [401, 2048] -> @large
// CHECK-NEXT: otherwise -> @predicted
// CHECK-NEXT: }
dietcode.dispatch @on_m on (m in [16, 2048]) {
  case m in [16, 400] -> @small
  case m in [401, 2048] -> @large
  otherwise -> @predicted
}
// CHECK: dietcode.dispatch @on_both on (m in [0, 9], k in [1, 4]) {
// CHECK-NEXT: case m in [0, 9], k in [1, 2] -> @small
// CHECK-NEXT: case m in [0, 9], k in [3, 4] -> @large
// CHECK-NEXT: otherwise -> @large
dietcode.dispatch @on_both on (m in [0, 9], k in [1, 4]) {
  case m in [0, 9], k in [1, 2] -> @small
  case m in [0, 9], k in [3, 4] -> @large
  otherwise -> @large
}
// CHECK: dietcode.dispatch @static on () {
// CHECK-NEXT: case -> @large
// CHECK-NEXT: otherwise -> @large
dietcode.dispatch @static on () {
  case -> @large
  otherwise -> @large
}

// CHECK-LABEL: func.func @bind_shape
// CHECK-SAME: (%[[X:.*]]: tensor<?x768xf32>, %[[Y:.*]]: memref<?x?xf32>, %[[S:.*]]: tensor<f32>)
// CHECK-SAME: dietcode.workload = @bert
func.func @bind_shape(%x: tensor<?x768xf32>, %y: memref<?x?xf32>, %s: tensor<f32>)
    attributes {dietcode.workload = @bert} {
  // CHECK: dietcode.bind_shape %[[X]] [@T], #{{.*}} : tensor<?x768xf32>
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 768)> : tensor<?x768xf32>
  // CHECK: dietcode.bind_shape %[[Y]] [@T, @H], #{{.*}} : memref<?x?xf32>
  dietcode.bind_shape %y [@T, @H], affine_map<()[t, h] -> (t * h, h floordiv 64)> : memref<?x?xf32>
  // CHECK: dietcode.bind_shape %[[S]] [], #{{.*}} : tensor<f32>
  dietcode.bind_shape %s [], affine_map<() -> ()> : tensor<f32>
  return
}

// Tensors: the result has the type of the destination.
// CHECK-LABEL: func.func @matmul_tensors
// CHECK-SAME: (%[[A:.*]]: tensor<?x4xf32>, %[[B:.*]]: tensor<4x?xf32>, %[[C:.*]]: tensor<?x?xf32>)
func.func @matmul_tensors(%a: tensor<?x4xf32>, %b: tensor<4x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: dietcode.matmul ins(%[[A]], %[[B]] : tensor<?x4xf32>, tensor<4x?xf32>) outs(%[[C]] : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x4xf32>, tensor<4x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Buffers: no result. All flags together.
// CHECK-LABEL: func.func @matmul_buffers
func.func @matmul_buffers(%a: memref<4x?xf32>, %b: memref<?x4xf32>, %c: memref<?x?xf32>) {
  // CHECK: dietcode.matmul transpose_a transpose_b accumulate dispatch(@on_m) ins(
  // CHECK-SAME: outs(%{{.*}} : memref<?x?xf32>){{$}}
  dietcode.matmul transpose_a transpose_b accumulate dispatch(@on_m)
      ins(%a, %b : memref<4x?xf32>, memref<?x4xf32>) outs(%c : memref<?x?xf32>)
  return
}

// Mixed precision: the type of the sum is that of the destination.
// CHECK-LABEL: func.func @matmul_f16
func.func @matmul_f16(%a: memref<4x4xf16>, %b: memref<4x4xf16>, %c: memref<4x4xf32>) {
  // CHECK: dietcode.matmul ins(%{{.*}}, %{{.*}} : memref<4x4xf16>, memref<4x4xf16>) outs(%{{.*}} : memref<4x4xf32>){{$}}
  dietcode.matmul ins(%a, %b : memref<4x4xf16>, memref<4x4xf16>) outs(%c : memref<4x4xf32>)
  return
}

// Strided layouts are part of the type.
// CHECK-LABEL: func.func @matmul_strided
func.func @matmul_strided(%a: memref<4x4xf32, strided<[?, ?], offset: ?>>, %b: memref<4x4xf32, strided<[1, 4]>>, %c: memref<4x4xf32>) {
  // CHECK: memref<4x4xf32, strided<[?, ?], offset: ?>>, memref<4x4xf32, strided<[1, 4]>>
  dietcode.matmul ins(%a, %b : memref<4x4xf32, strided<[?, ?], offset: ?>>, memref<4x4xf32, strided<[1, 4]>>) outs(%c : memref<4x4xf32>)
  return
}

// Epilogue operands of rank 2, 1 and 0, each read through its map.
// CHECK-LABEL: func.func @matmul_epilogue
// CHECK-SAME: %[[RESIDUAL:[^:]*]]: tensor<?x?xf32>, %[[BIAS:[^:]*]]: tensor<?xf32>, %[[SCALE:[^:]*]]: tensor<f32>
func.func @matmul_epilogue(%residual: tensor<?x?xf32>, %bias: tensor<?xf32>, %scale: tensor<f32>,
                           %a: tensor<?x4xf32>, %b: tensor<4x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: dietcode.matmul ins(
  // CHECK-SAME: epilogue(%[[RESIDUAL]], %[[BIAS]], %[[SCALE]] : tensor<?x?xf32>, tensor<?xf32>, tensor<f32>)
  // CHECK-SAME: maps [#{{.*}}, #{{.*}}, #{{.*}}] do {
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[R:.*]]: f32, %[[V:.*]]: f32, %[[S:.*]]: f32):
  // CHECK-NEXT:   %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[S]] : f32
  // CHECK-NEXT:   %[[BIASED:.*]] = arith.addf %[[SCALED]], %[[V]] : f32
  // CHECK-NEXT:   %[[ADDED:.*]] = arith.addf %[[BIASED]], %[[R]] : f32
  // CHECK-NEXT:   dietcode.yield %[[ADDED]] : f32
  // CHECK-NEXT: } -> tensor<?x?xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x4xf32>, tensor<4x?xf32>) outs(%c : tensor<?x?xf32>)
      epilogue(%residual, %bias, %scale : tensor<?x?xf32>, tensor<?xf32>, tensor<f32>)
      maps [affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> ()>] do {
  ^bb0(%sum: f32, %r: f32, %v: f32, %s: f32):
    %1 = arith.mulf %sum, %s : f32
    %2 = arith.addf %1, %v : f32
    %3 = arith.addf %2, %r : f32
    dietcode.yield %3 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// An epilogue without operands, and attributes of other dialects.
// CHECK-LABEL: func.func @matmul_epilogue_no_operands
func.func @matmul_epilogue_no_operands(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // CHECK: outs(%{{.*}} : memref<4x4xf32>) do {
  // CHECK: dietcode.yield
  // CHECK-NEXT: } {note = "kept"}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) do {
  ^bb0(%sum: f32):
    %0 = arith.negf %sum : f32
    dietcode.yield %0 : f32
  } {note = "kept"}
  return
}

// CHECK-LABEL: func.func @select
func.func @select(%m: index, %k: index) -> (index, index) {
  // CHECK: dietcode.select @on_both(%{{.*}}, %{{.*}})
  %0 = dietcode.select @on_both(%m, %k)
  // CHECK: dietcode.select @static()
  %1 = dietcode.select @static()
  return %0, %1 : index, index
}

}

// CHECK-LABEL: func.func @half_sums(
func.func @half_sums(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %c: tensor<4x4xf16>) -> tensor<4x4xf16> {
  // CHECK: dietcode.matmul sums(f16) ins(
  %0 = dietcode.matmul sums(f16) ins(%a, %b : tensor<4x8xf16>, tensor<8x4xf16>) outs(%c : tensor<4x4xf16>) -> tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}

// The epilogue is given the sum in its own type, or in that of the destination.
// CHECK-LABEL: func.func @rounded_sums(
func.func @rounded_sums(%a: memref<4x8xf16>, %b: memref<8x4xf16>, %c: memref<4x4xf16>) {
  // CHECK: ^bb0(%{{.+}}: f32):
  dietcode.matmul ins(%a, %b : memref<4x8xf16>, memref<8x4xf16>) outs(%c : memref<4x4xf16>) do {
  ^bb0(%sum: f32):
    %0 = arith.truncf %sum : f32 to f16
    dietcode.yield %0 : f16
  }
  // CHECK: ^bb0(%{{.+}}: f16):
  dietcode.matmul ins(%a, %b : memref<4x8xf16>, memref<8x4xf16>) outs(%c : memref<4x4xf16>) do {
  ^bb0(%sum: f16):
    %0 = math.absf %sum : f16
    dietcode.yield %0 : f16
  }
  return
}

// CHECK: dietcode.micro_kernel @warps #dietcode.schedule<block = [256, 128, 32], thread = [64, 64], order = [m, n, m], instruction = mma_f16>
dietcode.micro_kernel @warps #dietcode.schedule<block = [256, 128, 32], thread = [64, 64], instruction = mma_f16, order = [m, n, m]>
// CHECK: dietcode.micro_kernel @threads #dietcode.schedule<block = [64, 64, 8], thread = [8, 8]>
dietcode.micro_kernel @threads #dietcode.schedule<block = [64, 64, 8], thread = [8, 8], instruction = fma>
