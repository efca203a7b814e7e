// RUN: dietcode-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

#element = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @destination
// CHECK-SAME: (%[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>, %[[S:.*]]: memref<?xf32>)
func.func @destination(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %s: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  // CHECK-NOT: memref.copy
  // CHECK: dietcode.rowwise ins(%[[X]] : memref<?x?xf32>) outs(%[[Y]], %[[S]] : memref<?x?xf32>, memref<?xf32>)
  // CHECK: return %[[Y]], %[[S]]
  %0:2 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%y, %s : tensor<?x?xf32>, tensor<?xf32>) maps [#element, #element, #row] do {
  ^bb0(%e: f32):
    %1 = dietcode.reduce_row add %e : f32
    %2 = arith.divf %e, %1 : f32
    dietcode.yield %2, %1 : f32, f32
  } -> tensor<?x?xf32>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x?xf32>, tensor<?xf32>
}

// Element by element, the output takes the place of the input.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME: (%[[X:.*]]: memref<?x?xf32>)
func.func @in_place(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK-NOT: memref.copy
  // CHECK: dietcode.rowwise ins(%[[X]] : memref<?x?xf32>) outs(%[[X]] : memref<?x?xf32>)
  %0 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    %1 = dietcode.reduce_row add %e : f32
    %2 = arith.divf %e, %1 : f32
    dietcode.yield %2 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Other elements would be overwritten before they are read.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: (%[[X:.*]]: memref<8x8xf32>)
func.func @transposed(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[NEW:.*]] = memref.alloc
  // CHECK: dietcode.rowwise ins(%[[X]] : memref<8x8xf32>) outs(%[[NEW]] : memref<8x8xf32>)
  %0 = dietcode.rowwise ins(%x : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) maps [#element, #swapped] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// One destination for two results, as common subexpressions leave it.
// CHECK-LABEL: func.func @shared_destination
func.func @shared_destination(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  // CHECK: memref.alloc
  // CHECK: dietcode.rowwise
  %0:2 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%y, %y : tensor<?x?xf32>, tensor<?x?xf32>) maps [#element, #element, #element] do {
  ^bb0(%e: f32):
    %1 = arith.negf %e : f32
    dietcode.yield %e, %1 : f32, f32
  } -> tensor<?x?xf32>, tensor<?x?xf32>
  return %0#0, %0#1 : tensor<?x?xf32>, tensor<?x?xf32>
}
