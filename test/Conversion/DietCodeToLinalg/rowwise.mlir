// RUN: dietcode-opt %s --convert-dietcode-to-linalg | FileCheck %s

#element = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// CHECK-DAG: #[[$ELEMENT:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$ONLY:.*]] = affine_map<(d0) -> (d0)>

// A fill and a generic for each reduction, a generic for the result.
// CHECK-LABEL: func.func @softmax
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %[[INIT:.*]]: tensor<?x?xf32>)
func.func @softmax(%x: tensor<?x?xf32>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: %[[MINF:.*]] = arith.constant 0xFF800000 : f32
  // CHECK: %[[MAX0:.*]] = linalg.fill ins(%[[MINF]] : f32)
  // CHECK: %[[MAX:.*]] = linalg.generic {indexing_maps = [#[[$ELEMENT]], #[[$ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[X]] : tensor<?x?xf32>) outs(%[[MAX0]]
  // CHECK: arith.maximumf
  // CHECK: %[[SUM0:.*]] = linalg.fill
  // CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[MAX]] : tensor<?x?xf32>, tensor<?xf32>) outs(%[[SUM0]]
  // CHECK: arith.subf
  // CHECK: math.exp
  // CHECK: arith.addf
  // CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[MAX]], %[[SUM]] : {{.*}}) outs(%[[INIT]]
  // CHECK: arith.divf
  // CHECK: return %[[Y]]
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

// Outputs of both kinds, on buffers; what is uniform is computed by row.
// CHECK-LABEL: func.func @buffers
// CHECK-SAME: (%[[X:.*]]: memref<?x?xf32>, %[[R:.*]]: memref<?xf32>, %[[S:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?x?xf32>)
func.func @buffers(%x: memref<?x?xf32>, %r: memref<?xf32>, %s: memref<?xf32>, %y: memref<?x?xf32>) {
  // CHECK: %[[T:.*]] = memref.alloc
  // CHECK: linalg.fill ins(%{{.*}}) outs(%[[T]]
  // CHECK: linalg.generic {{.*}} ins(%[[X]], %[[R]] : {{.*}}) outs(%[[T]]
  // CHECK: linalg.generic {indexing_maps = [#[[$ONLY]], #[[$ONLY]], #[[$ONLY]]], iterator_types = ["parallel"]} ins(%[[R]], %[[T]] : {{.*}}) outs(%[[S]]
  // CHECK: linalg.generic {{.*}} ins(%[[X]], %[[R]], %[[T]] : {{.*}}) outs(%[[Y]]
  // CHECK: memref.dealloc %[[T]]
  dietcode.rowwise ins(%x, %r : memref<?x?xf32>, memref<?xf32>) outs(%s, %y : memref<?xf32>, memref<?x?xf32>)
      maps [#element, #row, #row, #element] do {
  ^bb0(%e: f32, %a: f32):
    %0 = dietcode.reduce_row add %e : f32
    %1 = arith.mulf %0, %a : f32
    %2 = arith.subf %e, %1 : f32
    dietcode.yield %1, %2 : f32, f32
  }
  return
}

// The number of columns is that of the output alone, which is not read.
// CHECK-LABEL: func.func @count
// CHECK-SAME: (%[[Y:.*]]: memref<?x?xi32>)
func.func @count(%y: memref<?x?xi32>) {
  // CHECK: linalg.generic {{.*}} ins(%[[Y]] : memref<?x?xi32>) outs(%{{.*}} : memref<?xi32>)
  // CHECK-NEXT: ^bb0(%{{.*}}: i32, %[[ACC:.*]]: i32):
  // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK-NEXT: arith.addi %[[ACC]], %[[ONE]]
  dietcode.rowwise outs(%y : memref<?x?xi32>) maps [#element] do {
    %one = arith.constant 1 : i32
    %0 = dietcode.reduce_row add %one : i32
    dietcode.yield %0 : i32
  }
  return
}

// All columns are reduced, and written.
// CHECK-LABEL: func.func @several
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x?xf32>, %[[B:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?x?x?xf32>)
func.func @several(%x: tensor<?x?x?xf32>, %b: tensor<?xf32>, %y: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  // CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}], iterator_types = ["parallel", "reduction", "reduction"]} ins(%[[X]], %[[B]] : {{.*}}) outs(%{{.*}} : tensor<?xf32>)
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[X]], %[[B]], %[[SUM]] : {{.*}}) outs(%[[Y]]
  %0 = dietcode.rowwise ins(%x, %b : tensor<?x?x?xf32>, tensor<?xf32>) outs(%y : tensor<?x?x?xf32>) columns(2)
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>] do {
  ^bb0(%e: f32, %a: f32):
    %1 = arith.mulf %e, %a : f32
    %2 = dietcode.reduce_row add %1 : f32
    %3 = arith.subf %e, %2 : f32
    dietcode.yield %3 : f32
  } -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// What is looked up is read in the body, at an index that is kept within the
// table, if it has one. Where the table alone tells the columns, a tensor of
// their number does instead.
// CHECK-LABEL: func.func @lookup
// CHECK-SAME: (%[[IDS:.*]]: tensor<?xi64>, %[[TABLE:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<?xf32>)
func.func @lookup(%ids: tensor<?xi64>, %table: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: %[[COLUMNS:.*]] = tensor.dim %[[TABLE]]
  // CHECK: %[[TOLD:.*]] = tensor.empty(%[[COLUMNS]]) : tensor<?xi8>
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[IDS]], %[[TOLD]] : tensor<?xi64>, tensor<?xi8>) outs(%{{.*}} : tensor<?xf32>)
  // CHECK-NEXT: ^bb0(%[[ID:.*]]: i64, %{{.*}}: i8, %[[ACC:.*]]: f32):
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[ID]] : i64 to index
  // CHECK: %[[SIZE:.*]] = tensor.dim %[[TABLE]]
  // CHECK: %[[LAST:.*]] = arith.subi %[[SIZE]]
  // CHECK: %[[LOW:.*]] = arith.maxsi %[[INDEX]]
  // CHECK: %[[AT:.*]] = arith.minsi %[[LOW]], %[[LAST]]
  // CHECK: %[[COLUMN:.*]] = linalg.index 1
  // CHECK: %[[E:.*]] = scf.if
  // CHECK-NEXT: tensor.extract %[[TABLE]][%[[AT]], %[[COLUMN]]]
  // CHECK: arith.addf %[[ACC]], %[[E]]
  %0 = dietcode.rowwise ins(%ids, %table : tensor<?xi64>, tensor<?x?xf32>) outs(%y : tensor<?xf32>)
      maps [#row, affine_map<(d0, d1)[s0] -> (s0, d1)>, #row] do {
  ^bb0(%id: i64, %e: f32):
    %1 = dietcode.reduce_row add %e : f32
    dietcode.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
