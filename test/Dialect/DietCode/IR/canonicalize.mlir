// RUN: dietcode-opt %s --canonicalize | FileCheck %s

// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$SCALAR:.*]] = affine_map<(d0, d1) -> ()>

// An epilogue that gives the sum is none, and its operands go with it.
// CHECK-LABEL: func.func @identity_epilogue
// CHECK-SAME: (%[[A:.*]]: memref<4x4xf32>, %[[B:.*]]: memref<4x4xf32>, %[[C:.*]]: memref<4x4xf32>, %{{.*}}: memref<4xf32>)
func.func @identity_epilogue(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %bias: memref<4xf32>) {
  // CHECK-NEXT: dietcode.matmul accumulate ins(%[[A]], %[[B]] : memref<4x4xf32>, memref<4x4xf32>) outs(%[[C]] : memref<4x4xf32>){{$}}
  // CHECK-NEXT: return
  dietcode.matmul accumulate ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      epilogue(%bias : memref<4xf32>) maps [affine_map<(m, n) -> (n)>] do {
  ^bb0(%sum: f32, %v: f32):
    dietcode.yield %sum : f32
  }
  return
}

// An operand that is not used goes; the others keep their maps and arguments.
// CHECK-LABEL: func.func @unused_operand
// CHECK-SAME: %[[ROWS:[^:]*]]: memref<4xf32>, %{{.*}}: memref<4x4xf32>, %[[S:[^:]*]]: memref<f32>
func.func @unused_operand(%rows: memref<4xf32>, %residual: memref<4x4xf32>, %s: memref<f32>,
                          %a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // CHECK: epilogue(%[[ROWS]], %[[S]] : memref<4xf32>, memref<f32>) maps [#[[$ROW]], #[[$SCALAR]]] do {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[X:.*]]: f32, %[[Y:.*]]: f32):
  // CHECK-NEXT: %[[R:.*]] = arith.addf %[[X]], %[[Y]] : f32
  // CHECK-NEXT: dietcode.yield %[[R]] : f32
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      epilogue(%rows, %residual, %s : memref<4xf32>, memref<4x4xf32>, memref<f32>)
      maps [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>] do {
  ^bb0(%sum: f32, %x: f32, %r: f32, %y: f32):
    %0 = arith.addf %x, %y : f32
    dietcode.yield %0 : f32
  }
  return
}

// An epilogue that gives one of its operands is not the identity.
// CHECK-LABEL: func.func @replacing_epilogue
func.func @replacing_epilogue(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %bias: memref<4xf32>) {
  // CHECK: epilogue(
  // CHECK: dietcode.yield
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      epilogue(%bias : memref<4xf32>) maps [affine_map<(m, n) -> (n)>] do {
  ^bb0(%sum: f32, %v: f32):
    dietcode.yield %v : f32
  }
  return
}

// Constants of an epilogue stay inside of it, where the kernel needs them.
// CHECK-LABEL: func.func @constant_in_epilogue
func.func @constant_in_epilogue(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // CHECK-NEXT: dietcode.matmul
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: arith.constant 0.000000e+00 : f32
  // CHECK-NEXT: arith.maximumf
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) do {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %0 = arith.maximumf %sum, %zero : f32
    dietcode.yield %0 : f32
  }
  return
}

// On buffers the product is an effect.
// CHECK-LABEL: func.func @effect_is_kept
func.func @effect_is_kept(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // CHECK: dietcode.matmul
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// On tensors it is a value, which nothing uses here.
// CHECK-LABEL: func.func @unused_value
func.func @unused_value(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) {
  // CHECK-NEXT: return
  %0 = dietcode.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
