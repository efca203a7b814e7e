// RUN: dietcode-opt %s --canonicalize | FileCheck %s

// CHECK-DAG: #[[$BATCH:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-DAG: #[[$COLUMN:.*]] = affine_map<(d0, d1, d2) -> (d2)>

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>

// An epilogue that gives the sum is none, and its operands go with it.
// CHECK-LABEL: func.func @identity
func.func @identity(%a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>, %v: memref<4xf32>) {
  // CHECK-NEXT: dietcode.contract accumulate ins({{.*}}) outs({{.*}}) maps [#{{[^ ]*}}, #{{[^ ]*}}, #{{[^ ]*}}]{{$}}
  // CHECK-NEXT: return
  dietcode.contract accumulate ins(%a, %b : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c]
      epilogue(%v : memref<4xf32>) maps [affine_map<(b, m, n) -> (n)>] do {
  ^bb0(%sum: f32, %x: f32):
    dietcode.yield %sum : f32
  }
  return
}

// CHECK-LABEL: func.func @unused
// CHECK-SAME: %[[P:[^:]*]]: memref<2xf32>, %{{[^:]*}}: memref<2x4x4xf32>, %[[Q:[^:]*]]: memref<4xf32>
func.func @unused(%p: memref<2xf32>, %r: memref<2x4x4xf32>, %q: memref<4xf32>,
                  %a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>) {
  // CHECK: epilogue(%[[P]], %[[Q]] : memref<2xf32>, memref<4xf32>) maps [#[[$BATCH]], #[[$COLUMN]]] do {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[X:.*]]: f32, %[[Y:.*]]: f32):
  // CHECK-NEXT: arith.addf %[[X]], %[[Y]] : f32
  dietcode.contract ins(%a, %b : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c]
      epilogue(%p, %r, %q : memref<2xf32>, memref<2x4x4xf32>, memref<4xf32>)
      maps [affine_map<(b, m, n) -> (b)>, affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (n)>] do {
  ^bb0(%sum: f32, %x: f32, %y: f32, %z: f32):
    %0 = arith.addf %x, %z : f32
    dietcode.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @constant_stays
func.func @constant_stays(%a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>) {
  // CHECK-NEXT: dietcode.contract
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: arith.constant
  dietcode.contract ins(%a, %b : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c] do {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %0 = arith.maximumf %sum, %zero : f32
    dietcode.yield %0 : f32
  }
  return
}

// On buffers a product is an effect, on tensors a value, which nothing uses here.
// CHECK-LABEL: func.func @effects
// CHECK-NEXT: dietcode.contract {{.*}} memref
// CHECK-NEXT: return
func.func @effects(%a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>,
                   %x: tensor<2x4x4xf32>, %y: tensor<2x4x4xf32>, %z: tensor<2x4x4xf32>) {
  dietcode.contract ins(%a, %b : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c]
  %0 = dietcode.contract ins(%x, %y : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%z : tensor<2x4x4xf32>) maps [#a, #b, #c]
      -> tensor<2x4x4xf32>
  return
}
