// RUN: dietcode-opt %s --transform-interpreter --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// Tiles of m and n, of which the last ones are smaller. k stays whole, whether
// its extent is known or not.
// CHECK-LABEL: func.func @tile_m_n
// CHECK-SAME: (%[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x64xf32>, %[[C:.*]]: tensor<?x64xf32>)
// CHECK: scf.for %[[I:[^ ]*]] = {{.*}} iter_args(%[[OUTER:.*]] = %[[C]])
// CHECK:   scf.for %[[J:[^ ]*]] = {{.*}} iter_args(%[[INNER:.*]] = %[[OUTER]])
// CHECK:     %[[M:.*]] = affine.min
// CHECK-DAG: %[[TILE_A:.*]] = tensor.extract_slice %[[A]][%[[I]], 0] [%[[M]], %{{.*}}] [1, 1]
// CHECK-DAG: %[[TILE_B:.*]] = tensor.extract_slice %[[B]][0, %[[J]]] [%{{.*}}, 8] [1, 1]
// CHECK-DAG: %[[TILE_C:.*]] = tensor.extract_slice %[[INNER]][%[[I]], %[[J]]] [%[[M]], 8] [1, 1]
// CHECK:     %[[TILE:.*]] = dietcode.matmul ins(%[[TILE_A]], %[[TILE_B]] : tensor<?x?xf32>, tensor<?x8xf32>) outs(%[[TILE_C]] : tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK:     tensor.insert_slice %[[TILE]] into %[[INNER]][%[[I]], %[[J]]] [%[[M]], 8] [1, 1]
func.func @tile_m_n(%a: tensor<?x?xf32>, %b: tensor<?x64xf32>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x64xf32>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["dietcode.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops:2 = transform.structured.tile_using_for %0 tile_sizes [16, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Operands of the epilogue are tiled by their maps, transposes swap the slices,
// and flags and region are kept.
// CHECK-LABEL: func.func @tile_epilogue
// CHECK-SAME: %[[BIAS:[^:]*]]: tensor<64xf32>, %[[SCALE:[^:]*]]: tensor<f32>)
// CHECK: scf.for %[[I:[^ ]*]] = {{.*}} {
// CHECK:   scf.for %[[J:[^ ]*]] = {{.*}} {
// CHECK-DAG: tensor.extract_slice %{{.*}}[0, %[[I]]] [32, 16] [1, 1]
// CHECK-DAG: tensor.extract_slice %{{.*}}[%[[J]], 0] [8, 32] [1, 1]
// CHECK-DAG: %[[TILE_BIAS:.*]] = tensor.extract_slice %[[BIAS]][%[[J]]] [8] [1]
// CHECK:     dietcode.matmul transpose_a transpose_b
// CHECK-SAME: epilogue(%[[TILE_BIAS]], %[[SCALE]] : tensor<8xf32>, tensor<f32>)
// CHECK:       arith.mulf
// CHECK:       arith.addf
// CHECK:       dietcode.yield
// CHECK:     } {note = "kept"} -> tensor<16x8xf32>
func.func @tile_epilogue(%a: tensor<32x128xf32>, %b: tensor<64x32xf32>, %c: tensor<128x64xf32>, %bias: tensor<64xf32>, %scale: tensor<f32>) -> tensor<128x64xf32> {
  %0 = dietcode.matmul transpose_a transpose_b ins(%a, %b : tensor<32x128xf32>, tensor<64x32xf32>) outs(%c : tensor<128x64xf32>)
      epilogue(%bias, %scale : tensor<64xf32>, tensor<f32>) maps [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> ()>] do {
  ^bb0(%sum: f32, %v: f32, %s: f32):
    %1 = arith.mulf %sum, %s : f32
    %2 = arith.addf %1, %v : f32
    dietcode.yield %2 : f32
  } {note = "kept"} -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["dietcode.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops:2 = transform.structured.tile_using_for %0 tile_sizes [16, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Buffers are tiled in place.
// CHECK-LABEL: func.func @tile_buffers
// CHECK: scf.for
// CHECK:   %[[A:.*]] = memref.subview
// CHECK:   %[[C:.*]] = memref.subview
// CHECK:   dietcode.matmul ins(%[[A]], %{{.*}}) outs(%[[C]]
func.func @tile_buffers(%a: memref<128x32xf32>, %b: memref<32x64xf32>, %c: memref<128x64xf32>) {
  dietcode.matmul ins(%a, %b : memref<128x32xf32>, memref<32x64xf32>) outs(%c : memref<128x64xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["dietcode.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// With accumulate, tiles of k add up in the destination.
// CHECK-LABEL: func.func @tile_k
// CHECK-SAME: %[[C:[^:]*]]: tensor<4x4xf32>)
// CHECK: scf.for %[[K:[^ ]*]] = {{.*}} iter_args(%[[SUM:.*]] = %[[C]])
// CHECK-DAG: %[[A:.*]] = tensor.extract_slice %{{.*}}[0, %[[K]]] [4, %{{.*}}] [1, 1]
// CHECK-DAG: %[[B:.*]] = tensor.extract_slice %{{.*}}[%[[K]], 0] [%{{.*}}, 4] [1, 1]
// CHECK:   dietcode.matmul accumulate ins(%[[A]], %[[B]] : {{.*}}) outs(%[[SUM]]
func.func @tile_k(%a: tensor<4x?xf32>, %b: tensor<?x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = dietcode.matmul accumulate ins(%a, %b : tensor<4x?xf32>, tensor<?x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["dietcode.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [0, 0, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Without, the last tile would be all that is left.
func.func @tile_k_without_accumulate(%a: tensor<4x?xf32>, %b: tensor<?x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{'dietcode.matmul' op can be tiled in k only with 'accumulate' and without an epilogue}}
  // expected-error @below {{'dietcode.matmul' op fai}}
  %0 = dietcode.matmul ins(%a, %b : tensor<4x?xf32>, tensor<?x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["dietcode.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [0, 0, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// An epilogue is applied to the whole sum.
func.func @tile_k_with_epilogue(%a: memref<4x16xf32>, %b: memref<16x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.matmul' op can be tiled in k only with 'accumulate' and without an epilogue}}
  // expected-error @below {{'dietcode.matmul' op fai}}
  dietcode.matmul accumulate ins(%a, %b : memref<4x16xf32>, memref<16x4xf32>) outs(%c : memref<4x4xf32>) do {
  ^bb0(%sum: f32):
    %0 = arith.negf %sum : f32
    dietcode.yield %0 : f32
  }
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["dietcode.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [0, 0, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// The tile of a product that a consumer needs is computed where it needs it.
// CHECK-LABEL: func.func @fuse
// CHECK: scf.for %[[I:[^ ]*]] = {{.*}}
// CHECK:   scf.for %[[J:[^ ]*]] = {{.*}}
// CHECK:     %[[TILE:.*]] = dietcode.matmul {{.*}} -> tensor<16x8xf32>
// CHECK:     linalg.exp ins(%[[TILE]]
func.func @fuse(%a: tensor<128x?xf32>, %b: tensor<?x64xf32>, %c: tensor<128x64xf32>, %d: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<128x?xf32>, tensor<?x64xf32>) outs(%c : tensor<128x64xf32>) -> tensor<128x64xf32>
  %1 = linalg.exp ins(%0 : tensor<128x64xf32>) outs(%d : tensor<128x64xf32>) -> tensor<128x64xf32>
  return %1 : tensor<128x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops:2 = transform.structured.fuse %0 tile_sizes [16, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
