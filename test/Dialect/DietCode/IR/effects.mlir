// RUN: dietcode-opt %s --cse | FileCheck %s

// What a matmul reads and writes, seen through what CSE may merge.

// The destination is written: what is loaded from it before does not hold after.
// CHECK-LABEL: func.func @writes_out
func.func @writes_out(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %i: index) -> (f32, f32) {
  // CHECK: %[[BEFORE:.*]] = memref.load
  // CHECK: dietcode.matmul
  // CHECK: %[[AFTER:.*]] = memref.load
  // CHECK: return %[[BEFORE]], %[[AFTER]]
  %0 = memref.load %c[%i, %i] : memref<4x4xf32>
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  %1 = memref.load %c[%i, %i] : memref<4x4xf32>
  return %0, %1 : f32, f32
}

// On tensors equal products are one, and differ by any flag and by the epilogue.
// CHECK-LABEL: func.func @equal_products
func.func @equal_products(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: %[[PLAIN:.*]] = dietcode.matmul ins
  // CHECK: %[[ACCUMULATED:.*]] = dietcode.matmul accumulate ins
  // CHECK: %[[NEGATED:.*]] = dietcode.matmul ins
  // CHECK: return %[[PLAIN]], %[[PLAIN]], %[[ACCUMULATED]], %[[NEGATED]]
  %0 = dietcode.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = dietcode.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = dietcode.matmul accumulate ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = dietcode.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) do {
  ^bb0(%sum: f32):
    %4 = arith.negf %sum : f32
    dietcode.yield %4 : f32
  } -> tensor<4x4xf32>
  return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
