// RUN: dietcode-opt %s --dietcode-bind-shapes --split-input-file | FileCheck %s
// RUN: dietcode-opt %s --dietcode-bind-shapes --dietcode-bind-shapes --split-input-file | FileCheck %s
// RUN: dietcode-opt %s --dietcode-bind-shapes="default-lower=0 default-upper=77" --split-input-file | FileCheck %s --check-prefix=RANGE

// The second command line shows that a second run changes nothing.

// Nothing is known: a new variable, shared by the dimensions that must agree.
// CHECK: #[[$LHS:.*]] = affine_map<()[s0] -> (s0, 64)>
// CHECK: #[[$OUT:.*]] = affine_map<()[s0] -> (s0, 32)>
// CHECK: dietcode.shape_var @unknown_m range [1, 4096]
// CHECK-NOT: dietcode.shape_var
// CHECK-LABEL: func.func @unknown
// CHECK-SAME: (%[[A:.*]]: tensor<?x64xf32>, %[[B:.*]]: tensor<64x32xf32>, %[[C:.*]]: tensor<?x32xf32>)
// CHECK-DAG: dietcode.bind_shape %[[A]] [@unknown_m], #[[$LHS]]
// CHECK-DAG: dietcode.bind_shape %[[C]] [@unknown_m], #[[$OUT]]
// CHECK-NOT: bind_shape
// CHECK: dietcode.matmul
// RANGE: dietcode.shape_var @unknown_m range [0, 77]
func.func @unknown(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// -----

// One variable for each of m, n and k.
// CHECK-DAG: dietcode.shape_var @all_m range [1, 4096]
// CHECK-DAG: dietcode.shape_var @all_n range [1, 4096]
// CHECK-DAG: dietcode.shape_var @all_k range [1, 4096]
// CHECK-LABEL: func.func @all
// CHECK-SAME: (%[[A:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<?x?xf32>, %[[C:.*]]: memref<?x?xf32>)
// CHECK-DAG: dietcode.bind_shape %[[A]] [@all_m, @all_k]
// CHECK-DAG: dietcode.bind_shape %[[B]] [@all_n, @all_k]
// CHECK-DAG: dietcode.bind_shape %[[C]] [@all_m, @all_n]
func.func @all(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  dietcode.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// -----

// A static size binds the dynamic ones that must be equal to it.
// CHECK: #[[$STATIC_A:.*]] = affine_map<()[s0] -> (s0, 64)>
// CHECK: #[[$STATIC_C:.*]] = affine_map<()[s0] -> (s0, 32)>
// CHECK-LABEL: func.func @static_dynamic
// CHECK-SAME: (%[[A:.*]]: tensor<?x?xf32>, %{{.*}}: tensor<64x?xf32>
// CHECK-DAG: dietcode.bind_shape %[[A]] [@static_dynamic_m], #[[$STATIC_A]] : tensor<?x?xf32>
func.func @static_dynamic(%a: tensor<?x?xf32>, %b: tensor<64x?xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<?x?xf32>, tensor<64x?xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// -----

// A declared binding is followed through dim, empty, cast and fill: nothing is
// left to be bound.
// CHECK: dietcode.shape_var @T range [1, 128]
// CHECK-NOT: dietcode.shape_var
// CHECK-LABEL: func.func @declared
// CHECK: dietcode.bind_shape
// CHECK-NOT: dietcode.bind_shape
// CHECK: return
dietcode.shape_var @T range [1, 128]
func.func @declared(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>) -> tensor<?x32xf32> {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (16 * t, 64)> : tensor<?x64xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xf32>
  %empty = tensor.empty(%m) : tensor<?x32xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %cast = tensor.cast %a : tensor<?x64xf32> to tensor<?x?xf32>
  %0 = dietcode.matmul ins(%cast, %b : tensor<?x?xf32>, tensor<64x32xf32>) outs(%fill : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// -----

// So is index arithmetic: the destination has as many rows as two inputs.
// CHECK-DAG: #[[$SUM:.*]] = affine_map<()[s0, s1] -> (s0 + s1, 64)>
// CHECK-LABEL: func.func @arithmetic
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x64xf32>)
// CHECK: dietcode.bind_shape %[[X]] [@S, @T], #[[$SUM]]
// CHECK: dietcode.matmul
dietcode.shape_var @S range [1, 128]
dietcode.shape_var @T range [1, 128]
func.func @arithmetic(%a: tensor<?x64xf32>, %b: tensor<?x64xf32>, %w: tensor<64x32xf32>, %x: tensor<?x64xf32>) -> tensor<?x32xf32> {
  dietcode.bind_shape %a [@S], affine_map<()[s] -> (s, 64)> : tensor<?x64xf32>
  dietcode.bind_shape %b [@T], affine_map<()[t] -> (t, 64)> : tensor<?x64xf32>
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x64xf32>
  %t = tensor.dim %b, %c0 : tensor<?x64xf32>
  %rows = arith.addi %s, %t : index
  %empty = tensor.empty(%rows) : tensor<?x32xf32>
  %0 = dietcode.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// -----

// A declaration that disagrees with an operand becomes a check of the operand.
// CHECK-DAG: #[[$CHECKED:.*]] = affine_map<()[s0] -> (s0 * 2, 32)>
// CHECK-LABEL: func.func @declared_out
// CHECK-SAME: %[[C:[^:]*]]: tensor<?x32xf32>)
// CHECK: dietcode.bind_shape %[[C]] [@T], #[[$CHECKED]]
dietcode.shape_var @T range [1, 128]
func.func @declared_out(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (2 * t, 64)> : tensor<?x64xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// -----

// Chained: the rows of the first product are those of the second, and its
// columns are the k of the second.
// CHECK: dietcode.shape_var @chained_n{{.*}} range [1, 4096]
// CHECK: dietcode.shape_var @chained_{{.*}} range [1, 4096]
// CHECK: dietcode.shape_var @chained_{{.*}} range [1, 4096]
// CHECK-NOT: dietcode.shape_var
// CHECK-LABEL: func.func @chained
// CHECK-SAME: (%[[A:.*]]: tensor<?x64xf32>, %[[B:.*]]: tensor<64x?xf32>, %[[D:.*]]: tensor<?x?xf32>, %[[C0:.*]]: tensor<?x?xf32>, %[[C1:.*]]: tensor<?x?xf32>)
// CHECK-DAG: dietcode.bind_shape %[[A]] [@chained_m]
// CHECK-DAG: dietcode.bind_shape %[[B]] [@chained_n]
// CHECK-DAG: dietcode.bind_shape %[[D]] [@chained_n, @chained_n_0]
// CHECK-DAG: dietcode.bind_shape %[[C0]] [@chained_m, @chained_n]
// CHECK-DAG: dietcode.bind_shape %[[C1]] [@chained_m, @chained_n_0]
// CHECK: dietcode.matmul
// CHECK-NOT: bind_shape
func.func @chained(%a: tensor<?x64xf32>, %b: tensor<64x?xf32>, %d: tensor<?x?xf32>, %c0: tensor<?x?xf32>, %c1: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x?xf32>) outs(%c0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = dietcode.matmul ins(%0, %d : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// In control flow: what a loop carries is bound at its argument, in the loop.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK-NEXT: dietcode.bind_shape %[[X]] [@loop_m]
// CHECK: dietcode.matmul
func.func @loop(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>, %n: index) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<?x64xf32> {
    %m = tensor.dim %y, %c0 : tensor<?x64xf32>
    %empty = tensor.empty(%m) : tensor<?x64xf32>
    %1 = dietcode.matmul ins(%y, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
    scf.yield %1 : tensor<?x64xf32>
  }
  return %0 : tensor<?x64xf32>
}

// -----

// The result of a call: unknown, bound where it is defined.
// CHECK-LABEL: func.func @call
// CHECK: %[[Y:.*]] = call @extern
// CHECK-NEXT: dietcode.bind_shape %[[Y]] [@call_m]
func.func private @extern() -> tensor<?x64xf32>
func.func @call(%w: tensor<64x64xf32>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = func.call @extern() : () -> tensor<?x64xf32>
  %0 = dietcode.matmul ins(%y, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// -----

// Operands of an epilogue as well. The same value in several roles has several
// bindings: in A * A, A is m x n and has n rows.
// CHECK-DAG: #[[$MN:.*]] = affine_map<()[s0, s1] -> (s0, s1)>
// CHECK-DAG: #[[$NN:.*]] = affine_map<()[s0] -> (s0, s0)>
// CHECK-DAG: #[[$N:.*]] = affine_map<()[s0] -> (s0)>
// CHECK-LABEL: func.func @square
// CHECK-SAME: (%[[A:.*]]: memref<?x?xf32>, %[[C:.*]]: memref<?x?xf32>, %[[BIAS:.*]]: memref<?xf32>)
// CHECK-DAG: dietcode.bind_shape %[[A]] [@square_m, @square_n], #[[$MN]]
// CHECK-DAG: dietcode.bind_shape %[[A]] [@square_n], #[[$NN]]
// CHECK-DAG: dietcode.bind_shape %[[C]] [@square_m, @square_n], #[[$MN]]
// CHECK-DAG: dietcode.bind_shape %[[BIAS]] [@square_n], #[[$N]]
// CHECK-NOT: bind_shape
// CHECK: dietcode.matmul
func.func @square(%a: memref<?x?xf32>, %c: memref<?x?xf32>, %bias: memref<?xf32>) {
  dietcode.matmul ins(%a, %a : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
      epilogue(%bias : memref<?xf32>) maps [affine_map<(m, n) -> (n)>] do {
  ^bb0(%sum: f32, %v: f32):
    %0 = arith.addf %sum, %v : f32
    dietcode.yield %0 : f32
  }
  return
}

// -----

// Two declarations that must agree: one of them is checked against the other.
// CHECK-LABEL: func.func @declared_twice
// CHECK-SAME: (%[[A:.*]]: memref<?x64xf32>, %{{.*}}: memref<64x32xf32>, %[[C:.*]]: memref<?x32xf32>)
// CHECK-DAG: dietcode.bind_shape %[[A]] [@S]
// CHECK-DAG: dietcode.bind_shape %[[C]] [@T]
// CHECK-DAG: dietcode.bind_shape %[[C]] [@S]
// CHECK-NOT: bind_shape
// CHECK: dietcode.matmul
dietcode.shape_var @S range [1, 128]
dietcode.shape_var @T range [1, 128]
func.func @declared_twice(%a: memref<?x64xf32>, %b: memref<64x32xf32>, %c: memref<?x32xf32>) {
  dietcode.bind_shape %a [@S], affine_map<()[s] -> (s, 64)> : memref<?x64xf32>
  dietcode.bind_shape %c [@T], affine_map<()[t] -> (t, 32)> : memref<?x32xf32>
  dietcode.matmul ins(%a, %b : memref<?x64xf32>, memref<64x32xf32>) outs(%c : memref<?x32xf32>)
  return
}

// -----

// Nothing is known about the dimensions of what had no rank.
// CHECK: dietcode.shape_var @unranked_k
// CHECK-LABEL: func.func @unranked
// CHECK: %[[A:.*]] = memref.cast
// CHECK: dietcode.bind_shape %[[A]] [@unranked_m, @unranked_k]
// CHECK: dietcode.matmul
func.func @unranked(%u: memref<*xf32>, %b: memref<?x4xf32>, %c: memref<?x4xf32>) {
  %a = memref.cast %u : memref<*xf32> to memref<?x?xf32>
  dietcode.matmul ins(%a, %b : memref<?x?xf32>, memref<?x4xf32>) outs(%c : memref<?x4xf32>)
  return
}

// -----

// A rowwise operator needs its dimensions only: no dispatch is made for it.
// CHECK-DAG: #[[$RC:.*]] = affine_map<()[s0, s1] -> (s0, s1)>
// CHECK-DAG: #[[$R:.*]] = affine_map<()[s0] -> (s0)>
// CHECK-DAG: dietcode.shape_var @rows_d0 range [1, 4096]
// CHECK-DAG: dietcode.shape_var @rows_d1 range [1, 4096]
// CHECK-LABEL: func.func @rows
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %[[S:.*]]: tensor<?xf32>)
// CHECK-DAG: dietcode.bind_shape %[[X]] [@rows_d0, @rows_d1], #[[$RC]]
// CHECK-DAG: dietcode.bind_shape %[[S]] [@rows_d0], #[[$R]]
// CHECK: dietcode.rowwise
func.func @rows(%x: tensor<?x?xf32>, %s: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%s : tensor<?xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>] do {
  ^bb0(%e: f32):
    %1 = dietcode.reduce_row add %e : f32
    dietcode.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// What is looked up has a size of its own, a variable that is named after it.
// CHECK: dietcode.shape_var @lookup_input_1_0
// CHECK-LABEL: func.func @lookup
// CHECK-SAME: (%{{.*}}: tensor<?xi64>, %[[TABLE:.*]]: tensor<?x8xf32>,
// CHECK: dietcode.bind_shape %[[TABLE]] [@lookup_input_1_0]
func.func @lookup(%ids: tensor<?xi64>, %table: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = dietcode.rowwise ins(%ids, %table : tensor<?xi64>, tensor<?x8xf32>) outs(%y : tensor<?x8xf32>)
      maps [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] do {
  ^bb0(%id: i64, %e: f32):
    dietcode.yield %e : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
