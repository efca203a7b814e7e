// RUN: dietcode-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   | FileCheck %s

// In place: the destination is not needed any more.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME: (%[[A:.*]]: memref<?x4xf32>, %[[B:.*]]: memref<4x?xf32>, %[[C:.*]]: memref<?x?xf32>)
func.func @in_place(%a: tensor<?x4xf32>, %b: tensor<4x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK-NEXT: dietcode.matmul ins(%[[A]], %[[B]] : memref<?x4xf32>, memref<4x?xf32>) outs(%[[C]] : memref<?x?xf32>){{$}}
  // CHECK-NEXT: return %[[C]]
  %0 = dietcode.matmul ins(%a, %b : tensor<?x4xf32>, tensor<4x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// The destination is used again. It is not read, so it is not copied.
// CHECK-LABEL: func.func @out_not_read
// CHECK-SAME: %[[C:[^:]*]]: memref<4x4xf32>)
func.func @out_not_read(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK-NEXT: %[[NEW:.*]] = memref.alloc
  // CHECK-NEXT: dietcode.matmul ins({{.*}}) outs(%[[NEW]]
  // CHECK-NEXT: return %[[NEW]], %[[C]]
  %0 = dietcode.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %c : tensor<4x4xf32>, tensor<4x4xf32>
}

// With accumulate it is read, so it is.
// CHECK-LABEL: func.func @accumulate_reads_out
// CHECK-SAME: %[[C:[^:]*]]: memref<4x4xf32>)
func.func @accumulate_reads_out(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK-NEXT: %[[NEW:.*]] = memref.alloc
  // CHECK-NEXT: memref.copy %[[C]], %[[NEW]]
  // CHECK-NEXT: dietcode.matmul accumulate ins({{.*}}) outs(%[[NEW]]
  // CHECK-NEXT: return %[[NEW]], %[[C]]
  %0 = dietcode.matmul accumulate ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %c : tensor<4x4xf32>, tensor<4x4xf32>
}

// A factor must not be overwritten by the product.
// CHECK-LABEL: func.func @out_is_factor
// CHECK-SAME: (%[[A:.*]]: memref<4x4xf32>, %[[B:.*]]: memref<4x4xf32>)
func.func @out_is_factor(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[NEW:.*]] = memref.alloc
  // CHECK: dietcode.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[NEW]]
  %0 = dietcode.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Nor what an epilogue reads at other elements.
// CHECK-LABEL: func.func @out_is_transposed_residual
// CHECK-SAME: %[[C:[^:]*]]: memref<4x4xf32>)
func.func @out_is_transposed_residual(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[NEW:.*]] = memref.alloc
  // CHECK: dietcode.matmul ins({{.*}}) outs(%[[NEW]] : memref<4x4xf32>) epilogue(%[[C]]
  %0 = dietcode.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>)
      epilogue(%c : tensor<4x4xf32>) maps [affine_map<(m, n) -> (n, m)>] do {
  ^bb0(%sum: f32, %r: f32):
    %1 = arith.addf %sum, %r : f32
    dietcode.yield %1 : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Operands of the epilogue, attributes and its region move along.
// CHECK-LABEL: func.func @epilogue
// CHECK-SAME: %[[BIAS:[^:]*]]: memref<?xf32>, %[[SCALE:[^:]*]]: memref<f32>)
func.func @epilogue(%a: tensor<4x?xf32>, %b: tensor<?x4xf32>, %c: tensor<?x?xf32>, %bias: tensor<?xf32>, %scale: tensor<f32>) -> tensor<?x?xf32> {
  // CHECK: dietcode.matmul transpose_a transpose_b ins(
  // CHECK-SAME: epilogue(%[[BIAS]], %[[SCALE]] : memref<?xf32>, memref<f32>) maps [#{{.*}}, #{{.*}}] do {
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[V:.*]]: f32, %[[S:.*]]: f32):
  // CHECK-NEXT: %[[R0:.*]] = arith.mulf %[[SUM]], %[[S]]
  // CHECK-NEXT: %[[R1:.*]] = arith.addf %[[R0]], %[[V]]
  // CHECK-NEXT: dietcode.yield %[[R1]]
  // CHECK-NEXT: } {note = "kept"}{{$}}
  %0 = dietcode.matmul transpose_a transpose_b ins(%a, %b : tensor<4x?xf32>, tensor<?x4xf32>) outs(%c : tensor<?x?xf32>)
      epilogue(%bias, %scale : tensor<?xf32>, tensor<f32>) maps [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> ()>] do {
  ^bb0(%sum: f32, %v: f32, %s: f32):
    %1 = arith.mulf %sum, %s : f32
    %2 = arith.addf %1, %v : f32
    dietcode.yield %2 : f32
  } {note = "kept"} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
