// RUN: dietcode-opt %s --canonicalize | FileCheck %s

#element = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-DAG: #[[$ELEMENT:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$LOOKUP:.*]] = affine_map<(d0, d1)[s0] -> (s0, d1)>

// CHECK-LABEL: func.func @unused_input
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %{{.*}}: tensor<?xf32>, %[[INIT:.*]]: tensor<?x?xf32>)
func.func @unused_input(%x: tensor<?x?xf32>, %r: tensor<?xf32>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: dietcode.rowwise ins(%[[X]] : tensor<?x?xf32>) outs(%[[INIT]] : tensor<?x?xf32>) maps [#[[$ELEMENT]], #[[$ELEMENT]]]
  // CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
  // CHECK-NEXT: arith.negf %[[E]]
  %0 = dietcode.rowwise ins(%r, %x : tensor<?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) maps [#row, #element, #element] do {
  ^bb0(%s: f32, %e: f32):
    %1 = arith.negf %e : f32
    dietcode.yield %1 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// The number of columns is that of the input alone.
// CHECK-LABEL: func.func @only_extent
func.func @only_extent(%x: tensor<?x?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: dietcode.rowwise ins(
  %0 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%init : tensor<?xf32>) maps [#element, #row] do {
  ^bb0(%e: f32):
    %one = arith.constant 1.0 : f32
    %1 = dietcode.reduce_row add %one : f32
    dietcode.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @equal_inputs
func.func @equal_inputs(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // CHECK: dietcode.rowwise ins(%{{.*}} : memref<?x?xf32>) outs
  // CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
  // CHECK-NEXT: arith.mulf %[[E]], %[[E]]
  dietcode.rowwise ins(%x, %x : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#element, #element, #element] do {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    dietcode.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @unused_result
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %[[S:.*]]: tensor<?xf32>, %{{.*}}: tensor<?x?xf32>)
func.func @unused_result(%x: tensor<?x?xf32>, %s: tensor<?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  // CHECK: %[[R:.*]] = dietcode.rowwise ins(%[[X]] : tensor<?x?xf32>) outs(%[[S]] : tensor<?xf32>) maps [#[[$ELEMENT]], #[[$ROW]]]
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: %[[SUM:.*]] = dietcode.reduce_row add
  // CHECK-NEXT: dietcode.yield %[[SUM]] : f32
  // CHECK: return %[[R]]
  %0:2 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%y, %s : tensor<?x?xf32>, tensor<?xf32>) maps [#element, #element, #row] do {
  ^bb0(%e: f32):
    %1 = arith.negf %e : f32
    %2 = dietcode.reduce_row add %e : f32
    dietcode.yield %1, %2 : f32, f32
  } -> tensor<?x?xf32>, tensor<?xf32>
  return %0#1 : tensor<?xf32>
}

// CHECK-LABEL: func.func @copy
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<?x?xf32>
func.func @copy(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Indices are used though no value is; of equal tables at equal indices one is
// read, and of the indices, whose numbers follow.
// CHECK-LABEL: func.func @lookups
// CHECK-SAME: (%[[IDS:.*]]: tensor<?xi64>, %[[TABLE:[a-z0-9]+]]: tensor<?x?xf32>,
func.func @lookups(%ids: tensor<?xi64>, %table: tensor<?x?xf32>, %x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: dietcode.rowwise ins(%[[IDS]], %[[TABLE]] : tensor<?xi64>, tensor<?x?xf32>) outs(%{{.*}} : tensor<?x?xf32>) maps [#{{.*}}, #[[$LOOKUP]], #{{.*}}] do {
  // CHECK-NEXT: ^bb0(%{{.*}}: i64, %[[E:.*]]: f32):
  // CHECK-NEXT: arith.addf %[[E]], %[[E]]
  %0 = dietcode.rowwise ins(%x, %ids, %ids, %table, %table : tensor<?x?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%y : tensor<?x?xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>,
            affine_map<(d0, d1)[s0, s1] -> (s1, d1)>, affine_map<(d0, d1)[s0, s1, s2] -> (s2, d1)>, affine_map<(d0, d1) -> (d0, d1)>] do {
  ^bb0(%u: f32, %i: i64, %j: i64, %e: f32, %f: f32):
    %1 = arith.addf %e, %f : f32
    dietcode.yield %1 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
