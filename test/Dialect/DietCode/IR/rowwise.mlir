// RUN: dietcode-opt %s --verify-roundtrip | FileCheck %s

#element = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#scalar = affine_map<(d0, d1) -> ()>
#only = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// CHECK: #[[$LOOKUP:.*]] = affine_map<(d0, d1)[s0] -> (s0, d1)>
// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<?x?xf32>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: dietcode.rowwise ins(%{{.*}} : tensor<?x?xf32>) outs(%{{.*}} : tensor<?x?xf32>) maps [#[[$ELEMENT:.*]], #[[$ELEMENT]]] do {
  // CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
  // CHECK-NEXT: %[[MAX:.*]] = dietcode.reduce_row maximumf %[[E]] : f32
  // CHECK: dietcode.reduce_row add
  // CHECK: dietcode.yield %{{.*}} : f32
  // CHECK-NEXT: } -> tensor<?x?xf32>
  %y = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    %max = dietcode.reduce_row maximumf %e : f32
    %0 = arith.subf %e, %max : f32
    %1 = math.exp %0 : f32
    %sum = dietcode.reduce_row add %1 : f32
    %2 = arith.divf %1, %sum : f32
    dietcode.yield %2 : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Without inputs, and on buffers.
// CHECK-LABEL: func.func @fill
func.func @fill(%y: memref<?x?xf32>) {
  // CHECK: dietcode.rowwise outs(%{{.*}} : memref<?x?xf32>) maps [#{{.*}}] do {
  // CHECK-NOT: ->
  dietcode.rowwise outs(%y : memref<?x?xf32>) maps [#swapped] do {
    %0 = arith.constant 1.0 : f32
    dietcode.yield %0 : f32
  }
  return
}

// Broadcasts, a transposed output and one for each row, of several types.
// CHECK-LABEL: func.func @broadcasts
func.func @broadcasts(%x: memref<8x?xf16>, %r: memref<8xi32>, %c: memref<?xf32>, %s: memref<f32>,
                      %y: memref<?x8xf32>, %n: memref<8xi32>) {
  // CHECK: dietcode.yield %{{.*}}, %{{.*}} : f32, i32
  dietcode.rowwise ins(%x, %r, %c, %s : memref<8x?xf16>, memref<8xi32>, memref<?xf32>, memref<f32>)
      outs(%y, %n : memref<?x8xf32>, memref<8xi32>) maps [#element, #row, #column, #scalar, #swapped, #row] do {
  ^bb0(%e: f16, %k: i32, %v: f32, %t: f32):
    %0 = arith.extf %e : f16 to f32
    %1 = arith.mulf %0, %v : f32
    %2 = arith.addf %1, %t : f32
    %3 = arith.muli %k, %k : i32
    dietcode.yield %2, %3 : f32, i32
  }
  return
}

// A single row of all kinds of reductions.
// CHECK-LABEL: func.func @kinds
func.func @kinds(%f: memref<?xf32>, %i: memref<?xi32>, %yf: memref<f32>, %yi: memref<i32>) {
  dietcode.rowwise ins(%f, %i : memref<?xf32>, memref<?xi32>) outs(%yf, %yi : memref<f32>, memref<i32>)
      maps [#only, #only, #none, #none] do {
  ^bb0(%x: f32, %n: i32):
    // CHECK: dietcode.reduce_row add %{{.*}} : f32
    %0 = dietcode.reduce_row add %x : f32
    // CHECK: dietcode.reduce_row mul
    %1 = dietcode.reduce_row mul %x : f32
    // CHECK: dietcode.reduce_row minimumf
    %2 = dietcode.reduce_row minimumf %x : f32
    // CHECK: dietcode.reduce_row maxnumf
    %3 = dietcode.reduce_row maxnumf %x : f32
    // CHECK: dietcode.reduce_row minnumf
    %4 = dietcode.reduce_row minnumf %x : f32
    // CHECK: dietcode.reduce_row add %{{.*}} : i32
    %5 = dietcode.reduce_row add %n : i32
    // CHECK: dietcode.reduce_row maxsi
    %6 = dietcode.reduce_row maxsi %n : i32
    // CHECK: dietcode.reduce_row minsi
    %7 = dietcode.reduce_row minsi %n : i32
    // CHECK: dietcode.reduce_row maxui
    %8 = dietcode.reduce_row maxui %n : i32
    // CHECK: dietcode.reduce_row minui
    %9 = dietcode.reduce_row minui %n : i32
    // CHECK: dietcode.reduce_row and
    %10 = dietcode.reduce_row and %n : i32
    // CHECK: dietcode.reduce_row or
    %11 = dietcode.reduce_row or %n : i32
    // CHECK: dietcode.reduce_row xor
    %12 = dietcode.reduce_row xor %n : i32
    dietcode.yield %4, %12 : f32, i32
  }
  return
}

// In place.
// CHECK-LABEL: func.func @in_place
func.func @in_place(%x: memref<?x?xf32>) {
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%x : memref<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    %0 = arith.negf %e : f32
    dietcode.yield %0 : f32
  }
  return
}

// Columns of several dimensions; one is what nothing is said of.
// CHECK-LABEL: func.func @several
func.func @several(%x: memref<?x?xf32>, %y: memref<f32>) {
  // CHECK: dietcode.rowwise ins(%{{.*}} : memref<?x?xf32>) outs(%{{.*}} : memref<f32>) columns(2) maps [
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<f32>) columns(2) maps [#element, #scalar] do {
  ^bb0(%e: f32):
    %0 = dietcode.reduce_row add %e : f32
    dietcode.yield %0 : f32
  }
  // CHECK: dietcode.rowwise ins(%{{.*}} : memref<?x?xf32>) outs(%{{.*}} : memref<?x?xf32>) maps [
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%x : memref<?x?xf32>) columns(1) maps [#element, #element] do {
  ^bb0(%e: f32):
    %0 = arith.negf %e : f32
    dietcode.yield %0 : f32
  }
  return
}

// Embeddings: a dimension of the table is indexed by the elements of input 0.
// CHECK-LABEL: func.func @lookup
func.func @lookup(%ids: memref<?xi64>, %table: memref<?x?xf16>, %y: memref<?x?xf16>) {
  // CHECK: dietcode.rowwise ins(%{{.*}}, %{{.*}} : memref<?xi64>, memref<?x?xf16>) outs(%{{.*}} : memref<?x?xf16>) maps [#{{.*}}, #[[$LOOKUP]], #[[$ELEMENT]]] do {
  dietcode.rowwise ins(%ids, %table : memref<?xi64>, memref<?x?xf16>) outs(%y : memref<?x?xf16>)
      maps [#row, affine_map<(d0, d1)[s0] -> (s0, d1)>, #element] do {
  ^bb0(%id: i64, %e: f16):
    dietcode.yield %e : f16
  }
  return
}
